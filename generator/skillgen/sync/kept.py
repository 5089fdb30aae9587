"""Put aside what a handwritten text said beyond the bundle: whole blocks, each with its reason, outside of every skill."""

from __future__ import annotations

from collections.abc import Collection

from skillgen.drift.own_lines import Block, own_blocks

HEAD = """\
# Kept from {name}

These blocks of the handwritten text are not in the bundle. Move what is a rule of your house to where your people read it, or delete
this file: skillgen never packs, syncs or audits it.
"""


def kept_text(
    name: str, text: str, known: Collection[str], names: Collection[str], front: Collection[str]
) -> tuple[str, int]:
    """Return the file's text and the number of blocks in it, "" and 0 where there is nothing to keep.

    `front`: lines of the front matter that were not carried over.
    """
    reasons = _reasons(name, text)
    parts = []
    if front:
        parts.append(
            "## Front matter\n\n<!-- a key that grants something is yours to give again -->\n\n```yaml\n"
            + "\n".join(front)
            + "\n```\n"
        )
    last: tuple[str, ...] = ()
    for block in own_blocks(text, known, names):
        if block.headings != last:
            last = block.headings
            parts.append(f"## {' / '.join(last) or 'Above the first heading'}\n")
        parts.append(f"<!-- line {block.line}: {_reason(block, reasons)} -->\n\n" + "\n".join(block.lines) + "\n")
    count = sum(part.startswith("<!--") for part in parts) + bool(front)
    return (HEAD.format(name=name) + "\n" + "\n".join(parts) if parts else ""), count


def _reason(block: Block, reasons: dict[int, list[str]]) -> str:
    said = [why for line in range(block.line, block.line + len(block.lines)) for why in reasons.get(line, ())]
    return "; ".join(dict.fromkeys(said)) or "the fork's own words"


def _reasons(name: str, text: str) -> dict[int, list[str]]:
    """Return line and why it must not go into a live text as it stands: a finding, or a fact that the bundle states itself."""
    from skillgen.audit.engine import audit
    from skillgen.audit.rules import all_rules
    from skillgen.model.finding import Severity
    from skillgen.model.subject import Kind, Source

    found: dict[int, list[str]] = {}
    for report in audit([Source(name, text, Kind.SKILL)], all_rules()):
        for finding in report.findings:
            if finding.severity is not Severity.NOTE:
                what = f"finding {finding.code}, {finding.message}".replace("--", "- -")
                found.setdefault(finding.line, []).append(" ".join(what.split()))
        for one in report.texts:
            for fact in one.facts:
                found.setdefault(fact.line, []).append("read as a fact, which the bundle states itself")
    return found
