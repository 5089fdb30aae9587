"""Find the pieces of shell in a text: fenced, inline, or bare where a page lost its fences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.shell import Fragment

if TYPE_CHECKING:
    from skillgen.audit.document import Fence
    from skillgen.audit.text import Text

SHELLS = frozenset(
    {"bash", "sh", "shell", "zsh", "ksh", "dash", "console", "shell-session", "shellsession", "terminal"}
)
#: Fences that say nothing about their content.
PLAIN = frozenset({"", "text", "txt", "plaintext", "plain"})
PROGRAMS = (
    r"rm|mv|cp|mkdir|rmdir|touch|ln|chmod|tmux|kill|pkill|killall|jq|sqlite3|python3?|node|git|find|ls|cat|echo|printf|"
    r"date|sed|grep|awk|xargs|sleep|export|local|source|test|curl|npx|npm|bash|sh|ps|pgrep|lsof|stat|tee|unlink|shred"
)
_START = re.compile(
    rf"\s*(?:\$ )?(?:sudo )?(?:(?:{PROGRAMS})(?:\s+[-\"'$.~/\w{{<]|\s*$)|\[\[? |if (?:\[|!|command|test|grep|tmux|kill)|"
    r"elif \[|else$|fi$|fi;|for \w+ in |while (?:IFS=\S*\s+)?(?:read|\[|true|kill)|until \[|do$|done\b|case .* in$|esac|;;|"
    r"[A-Za-z_]\w*=(?:\S|$)|[A-Za-z_]\w*\(\) ?\{|exit \d|return \d|then$|\}$|set -)",
    re.A,
)
#: A program name that opens an English sentence is no command.
_SENTENCE = re.compile(
    r"\s*(?:find|test|kill|source|touch|echo|date|sleep|node|cat|git|export|local)\s+(?:the|a|an|any|each|all|every|for|if|is|that|out|it|its|to|your|team|of|is)\b",
    re.I | re.A,
)
_EMBEDDED = re.compile(
    r"(?<![\w/.-])((?:rm\s+-|tmux\s+(?:kill|ls|list|send)|kill\s+[-\"$]|pkill\s|killall\s|sqlite3\s|jq\s+['\"]|"
    r"while\s+read\s|date\s+-|find\s+[.~/]).*)",
    re.A,
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S | re.A)
LONG_BLOCK = 60_000
"""Characters of a shell block that are read."""


def looks_like_shell(line: str) -> bool:
    """Whether one bare line reads as shell rather than as prose."""
    return bool(_START.match(line)) and not _SENTENCE.match(line) and not re.search(r"[a-z]{3,}[.:]$", line.strip())


def find_fragments(text: Text) -> tuple[Fragment, ...]:
    """Return the pieces in the order of the text."""
    doc = text.document
    found: list[Fragment] = []
    for fence in doc.fences:
        if fence.indented:
            continue
        if fence.lang in SHELLS:
            found.append(_read_fence(text, fence, "console" in fence.lang or "session" in fence.lang))
        elif fence.lang in PLAIN:
            found.extend(_plain_fence(text, fence))
    found.extend(_inline(text))
    if not any(not fence.indented for fence in doc.fences):
        found.extend(_find_bare(text, range(text.body_line, len(text.lines) + 1)))
    return tuple(sorted(found, key=lambda fragment: (fragment.line, fragment.columns[0])))


def _read_fence(text: Text, fence: Fence, console: bool) -> Fragment:
    content = fence.text[:LONG_BLOCK].removesuffix("\n")
    if console:
        content = "\n".join(
            re.sub(r"^(?:\$|#|>|%) ", "", row) if re.match(r"(?:\$|#|>|%) ", row) else "" for row in content.split("\n")
        )
    columns = []
    for n, row in enumerate(content.split("\n")):
        raw = text.lines[fence.first + n - 1] if fence.first + n - 1 < len(text.lines) else row
        columns.append(len(raw) - len(row) if raw.endswith(row) else 0)
    return Fragment(content, "fence", fence.first, tuple(columns), fence.lang)


def _plain_fence(text: Text, fence: Fence) -> Iterator[Fragment]:
    rows = [row for row in fence.text.split("\n") if row.strip() and not row.lstrip().startswith("#")]
    if not rows:
        return
    share = sum(map(looks_like_shell, rows)) / len(rows)
    if share > 0.6:
        whole = _read_fence(text, fence, False)
        yield Fragment(whole.text, "plain", whole.line, whole.columns, fence.lang)
    else:
        yield from _find_bare(text, range(fence.first, fence.end + (0 if fence.closed else 1)))


def _find_bare(text: Text, numbers: range) -> Iterator[Fragment]:
    """Group neighbouring lines that read as shell; else take the command that stands inside a line."""
    group: list[int] = []
    gap = 0
    spans = {line for line, *_ in text.once(_spans)}
    for number in numbers:
        if number > len(text.lines):
            break
        line = text.lines[number - 1]
        if looks_like_shell(line):
            group.append(number)
            gap = 0
        elif group and (not line.strip() or line.lstrip().startswith("#")) and gap < 4:
            gap += 1
        else:
            if group:
                yield _rows(text, group[0], group[-1])
            group, gap = [], 0
            match = _EMBEDDED.search(line) if number not in spans and len(line) < 4000 else None
            if match:
                piece = re.split(r"\s(?:and|then)\s|\s\(|[`。]", match[1])[0].rstrip(" .,;:")
                yield Fragment(piece, "prose", number, (match.start(1),), "")
    if group:
        yield _rows(text, group[0], group[-1])


def _rows(text: Text, first: int, last: int) -> Fragment:
    rows = text.lines[first - 1 : last]
    return Fragment("\n".join(rows)[:LONG_BLOCK], "prose", first, (0,) * len(rows), "")


def _spans(text: Text) -> list[tuple[int, int, str]]:
    """Return (line, column offset, content) of each inline code span on one line."""
    found: list[tuple[int, int, str]] = []
    code = text.document.code_lines
    for number, line in enumerate(text.lines[text.body_line - 1 :], text.body_line):
        if "`" in line and number not in code and len(line) < 20_000:
            found.extend((number, match.start(2), match[2]) for match in _CODE_SPAN.finditer(line))
    return found


def code_spans(text: Text) -> list[tuple[int, int, str]]:
    """Return (line, column counted from 1, content) of every inline code span that stands on one line."""
    return [(line, start + 1, content) for line, start, content in text.once(_spans)]


def _inline(text: Text) -> Iterator[Fragment]:
    for number, start, content in text.once(_spans):
        if len(content) > 3 and " " in content.strip() and looks_like_shell(content):
            lead = len(content) - len(content.lstrip())
            yield Fragment(content.strip(), "inline", number, (start + lead,), "")
