"""Write the text of a flavor that starts from another one."""

from __future__ import annotations

import json
from typing import Any

from skillgen.model.resolved import Resolved, format_key, leaves

_SAID_ANEW = ("product", "plugin", "command", "flavor", "verdicts")


SCHEMA = "skillgen.schema.json"
"""File with the JSON Schema that an editor looks for beside a flavor."""


def starter(id_: str, source: Resolved, author: str = "") -> str:
    """Return the YAML of a flavor `id_` with `source` as its base: its names live, its further choices as comments.

    `author`: who answers for the bundle; the base's where it is empty.
    """
    contract = source.contract
    old, title = contract.plugin.name, contract.product.title
    name = id_.replace("-", " ").title()
    form = contract.command.form.replace(old, id_)
    lines = [
        f"# yaml-language-server: $schema={SCHEMA}",
        f"# {name}: a flavor of the cancel skill that starts from {title}.",
        f"# Only what differs stands here; every key is explained by: skillgen schema > {SCHEMA}",
        f"# What the base says, and where: skillgen explain {contract.flavor}",
        f"base: {contract.flavor}",
        f"revision: {_yaml(contract.revision)}  # the day on which these facts were true of the product",
        "",
        "product:",
        f"  name: {_yaml(name)}  # stands in messages, as in: No active {name} modes detected.",
        f"  title: {_yaml(name)}",
        f"  author: {_yaml(contract.product.author)}",
        f"  homepage: {_yaml(contract.product.homepage)}",
        f"  license: {_yaml(contract.product.license)}",
        "",
        "plugin:",
        f"  name: {id_}",
        f"  display_name: {_yaml(name + ' cancel')}",
        "  version: 0.1.0",
        f"  description: {_yaml(f'Cancels the active {name} mode of this session.')}",
        f"  keywords: {_yaml(['agent-skills', 'cancel', 'modes'])}",
        *([f"  author: {_yaml(author)}  # as git knows you"] if author else []),
        "",
        "command:",
        f"  form: {_yaml(form)}",
        "",
        "# Where state lives.",
        *_comment("root", contract.root.model_dump(mode="json", include={"kind", "directory", "state"})),
        "# How the session is known; the first variable that is set counts.",
        *_comment("identity", contract.identity.model_dump(mode="json", include={"variables", "pattern", "missing"})),
        "# What each form of the command selects.",
        *_comment("flags", contract.flags.model_dump(mode="json", include={"force", "all"})),
        "# The modes. A name with {} takes one of the skill's pool, null drops one of the base, `like` starts from another.",
        *_comment("modes", {key: {} for key in contract.modes}),
        "# The cancel order; [a, b] is one item. It names every mode exactly once.",
        "# order:",
        *(f"#   - {group[0] if len(group) == 1 else _yaml(list(group))}" for group in contract.order),
    ]
    return "\n".join(lines) + "\n"


def still_named(made: Resolved, source: Resolved) -> str:
    """Return comments on the values with which the new flavor would still speak of the product that it started from."""
    title = source.contract.product.title
    words = (source.contract.plugin.name, title, source.contract.product.name)
    found = []
    for path, node in leaves(made.tree):
        if path[0] in _SAID_ANEW:
            continue
        if any(word.casefold() in node.text().casefold() for word in words):
            found.append(f"#   {format_key(path)}: {_yaml(node.text())}")
    head = f"\n# These values of the base still name {title}; write your own where they are wrong for you.\n"
    return head + "\n".join(found) + "\n" if found else ""


def _comment(key: str, values: dict[str, Any]) -> list[str]:
    return [f"# {key}:", *(f"#   {name}: {_yaml(value)}" for name, value in values.items()), ""]


def _yaml(value: Any) -> str:
    """Write a value on one line; JSON is YAML, and every string is quoted unless it is a plain word."""
    if isinstance(value, str) and value.isalpha() and value not in ("true", "false", "null"):
        return value
    return json.dumps(value, ensure_ascii=False)
