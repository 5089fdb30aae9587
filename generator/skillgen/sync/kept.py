"""Put aside what a handwritten text said beyond the bundle: whole blocks, each with its reason, outside of every skill."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from skillgen.drift.own_lines import Block, line_digest, own_blocks

_TICKS = re.compile(r"`+")

HEAD = """\
# Kept from {name}

These blocks of the handwritten text are not in the bundle. Move what is a rule of your house into `house_rules` of the flavor beside
this file, which puts it into SKILL.md, and delete the rest: skillgen never packs, syncs or audits this file.
"""


@dataclass(frozen=True, slots=True)
class Old:
    """One text of a handwritten skill."""

    path: str
    text: str
    front: Sequence[str] = ()
    """Lines of its front matter that were not carried over."""


def kept_text(
    name: str, text: str, known: Collection[str], names: Collection[str], front: Collection[str]
) -> tuple[str, int]:
    """Return the file's text in its normal form and the number of blocks in it, "" and 0 where there is nothing to keep.

    `front`: lines of the front matter that were not carried over.
    """
    return kept_texts([Old(name, text, tuple(front))], known, names)


def kept_texts(texts: Sequence[Old], known: Collection[str], names: Collection[str]) -> tuple[str, int]:
    """Return the same for all texts of a skill; each that has blocks of its own begins with its name."""
    whole, count = [], 0
    for one in texts:
        parts = _parts(one, known, names)
        count += sum(part.startswith("<!--") for part in parts)
        if parts and len(texts) > 1:
            whole.append(f"# From {one.path}\n")
        whole += parts
    if not whole:
        return "", 0
    name = texts[0].path if len(texts) == 1 else f"{texts[0].path} and what lay beside it"
    # Only what is put aside pays for the parser. A block that has no normal form leaves the others theirs.
    from skillgen.model.markdown import normal

    return normal(HEAD.format(name=name) + "\n" + "\n".join(map(normal, whole))), count


def _parts(one: Old, known: Collection[str], names: Collection[str]) -> list[str]:
    parts = []
    if one.front:
        why = "<!-- front matter: a key that grants something, or that breaks a rule, is yours to give again -->"
        parts.append(f"{why}\n\n```yaml\n" + "\n".join(one.front) + "\n```\n")
    if not one.path.endswith((".md", ".mdx", ".mdc")):
        if any(line_digest(line, names) not in {"", *known} for line in one.text.split("\n")):
            mark = "`" * max(3, 1 + max((len(run[0]) for run in _TICKS.finditer(one.text)), default=0))
            parts.append(
                f"<!-- a file of the old skill, which the bundle's own replace -->\n\n{mark}\n{one.text.rstrip()}\n{mark}\n"
            )
        return parts
    found = reasons(one.path, one.text, doubtful=True)
    last: tuple[str, ...] = ()
    for block in own_blocks(one.text, known, names):
        if block.headings != last:
            last = block.headings
            parts.append(f"## {' / '.join(last) or 'Above the first heading'}\n")
        parts.append(f"<!-- line {block.line}: {_reason(block, found)} -->\n\n" + "\n".join(block.lines) + "\n")
    return parts


def _reason(block: Block, found: dict[int, list[str]]) -> str:
    said = [why for line in range(block.line, block.line + len(block.lines)) for why in found.get(line, ())]
    return "; ".join(dict.fromkeys(said)) or "the fork's own words"


_AS_FACT = "read as a fact; the flavor says what became of it"
_IN_DOUBT = "read as what it forbids, or as what nobody can be sure of; the bundle does the milder thing"


def reasons(name: str, text: str, *, doubtful: bool = False) -> dict[int, list[str]]:
    """Return line and why it must not go into a live text as it stands: a finding, or a fact; `doubtful` ones too."""
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
            for fact in one.facts.every if doubtful else one.facts:
                found.setdefault(fact.line, []).append(_AS_FACT if fact.stance == "said" else _IN_DOUBT)
    return found
