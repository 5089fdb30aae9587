"""Name what a product calls itself, its commands and its directories, so that texts of two products can be compared."""

from __future__ import annotations

from skillgen.model.contract import Contract


def contract_names(contract: Contract) -> tuple[str, ...]:
    """Return the names of a contract's product, the longest first."""
    names = {
        contract.product.name,
        contract.product.title,
        contract.plugin.name,
        contract.command.form,
        contract.command.form.removesuffix(f":{contract.front.name}"),
        contract.root.directory,
        *contract.command.also,
        *contract.command.upstream,
        *contract.command.keywords,
    }
    return tuple(sorted((name for name in names if len(name) > 1), key=len, reverse=True))


def text_names(text: str) -> tuple[str, ...]:
    """Return the names that a handwritten cancel text uses, as the reader of `adopt` finds them."""
    from skillgen.audit.views import make_text
    from skillgen.model.subject import Kind, Source

    facts = make_text(Source("SKILL.md", text, Kind.SKILL)).facts
    names = {name for kind in ("label", "invocation", "keyword") for name in facts.values(kind)}
    names |= {root.split("/")[0] for root in facts.values("root")}
    return tuple(sorted((name for name in names if len(name) > 1), key=len, reverse=True))
