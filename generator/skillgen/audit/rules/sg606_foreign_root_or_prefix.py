"""Another product's state root or prefix.

What it checks: a state root (`.omc/`), plugin prefix (`/oh-my-claudecode:`) or tool prefix (`mcp__plugin_oh-my-
claudecode_…`) that is not the one the text uses most. Prohibitions, credits and notes about migration are no breach.

Why it matters: the command reads and clears the other product's state, or calls a tool that is not there.

How to fix it: write this product's own root and prefix.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.identity import NO_PLUGIN, own_namespace, prefixes
from skillgen.audit.language import forbidden, gives_credit
from skillgen.audit.reader.roots import tool_directories
from skillgen.audit.text import Text

CODE = "SG606"
TITLE = "another product's state root or prefix"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_ROOT = re.compile(
    r"(?:~/(?<![\w.*/-]~/)\.|\.(?<![\w.*/-]\.))([a-z][\w-]*)/(state\b|runs\b|plans\b|specs\b|prd\b)?", re.A
)
#: Finds every root of the former, and more.
_ANY_ROOT = re.compile(r"\.([a-z][\w-]*)/(state\b|runs\b|plans\b|specs\b|prd\b)?", re.A)
_COMMAND = re.compile(r"/(?<![\w/]/)([a-z][\w-]*):([a-z][\w-]*)", re.A)
_TOOL = re.compile(r"mcp__(?<!\wmcp__)(?:plugin_)?([\w-]+?)(?:_[a-z]+)?__[a-z]", re.A)
#: Roots of the family's products; others count only with state/ below them.
_FAMILY = frozenset(
    ["omc", "omx", "omo", "omd", "omg", "omq", "omb", "omk", "omp", "omn", "rcs", "pep", "omni", "sisyphus"]
)


def check(subject: Text) -> Iterator[Hit]:
    yield from _roots(subject)
    own = own_namespace(subject)
    yield from _prefixes(subject, own)
    text = subject.source.text
    if not own:
        return
    if "mcp__" in text and not any(own in name or name in own for name in _TOOL.findall(text)):
        for number, match in scan(subject, _TOOL):
            if match[1].startswith("oh-my-") and match[1] != own and not _is_excused(subject.lines[number - 1], match):
                yield _hit(number, match, f"{match[1]} is the server of another plugin than {own}")


def _prefixes(subject: Text, own: str) -> Iterator[Hit]:
    """Another plugin's prefix before a command or mode of this text; its skills of other names may well be meant."""
    if not subject.is_cancel or not any(name not in NO_PLUGIN and name != own for name in prefixes(subject)):
        return
    found = list(scan(subject, _COMMAND))
    facts = subject.facts
    bare = next((value for value in facts.values("invocation") if ":" not in value), "")
    if not own and not bare:
        return
    shared = {match[2] for _, match in found if match[1] == own} | set(facts.modes())
    shared |= {value.lstrip("/$").rpartition(":")[2] for value in facts.values("invocation")}
    for number, match in found:
        if match[1] == own or match[1] in NO_PLUGIN or match[2] not in shared:
            continue
        if not own and not facts.values("root") and not facts.values("label"):
            continue
        if not _is_excused(subject.lines[number - 1], match):
            mine = f"prefix is /{own}:" if own else f"command is {bare}"
            yield _hit(number, match, f"/{match[1]}: is another plugin's prefix, this text's {mine}")


def _roots(subject: Text) -> Iterator[Hit]:
    roots = {name for name, below in _ANY_ROOT.findall(subject.source.text) if below or name in _FAMILY}
    roots -= {name.removeprefix(".") for name in tool_directories()}
    if len(roots) < 2:
        return
    found = [
        (number, match)
        for number, match in scan(subject, _ROOT)
        if match[1] in roots and (match[2] or match[1] in _FAMILY)
    ]
    counts = Counter(match[1] for _, match in found)
    if len(counts) < 2:
        return
    own = counts.most_common(1)[0][0]
    for number, match in found:
        if (
            match[1] != own
            and counts[own] > counts[match[1]] * (1 if subject.is_cancel else 3)
            and not _is_excused(subject.lines[number - 1], match)
        ):
            yield _hit(number, match, f".{match[1]}/ is another product's root, this text's is .{own}/")


def _is_excused(line: str, match: re.Match[str]) -> bool:
    return gives_credit(line) or forbidden(line, match.start(), match.end())


def _hit(number: int, match: re.Match[str], message: str) -> Hit:
    return Hit(number, message, "write this product's own", match.start() + 1, match.end() + 1)
