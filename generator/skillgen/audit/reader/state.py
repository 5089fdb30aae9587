"""Read where state lives: roots, store, session variables, artifacts, kept paths, signal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import KEEP, forbidden
from skillgen.audit.reader.words import NO, NONE_WORDS, YES, names, strip_marks
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.document import Item
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_PATH = re.compile(
    r"(?<![\w/.@-])((?:~/|\$\{?\w+(?::-[^}]*)?\}?/)?\.?[\w{}<>*$~-][\w{}<>*.,~$-]*(?:/[\w{}<>*.,$…-]*)+)", re.A
)
_ROOT = re.compile(r"(?<![\w*])((?:~/)?\.[a-z][\w-]*)(/state\b)?(?=/)(?!/\.)", re.A)
_DATABASE = re.compile(r"((?:~/|\$\{?\w+\}?/)?(?:\.[\w-]+/)?[\w-]+\.(?:db|sqlite3?))\b", re.A)
#: Homes of host programs and tools; state roots only with /state behind them.
HOSTS = frozenset(
    [
        ".claude",
        ".codex",
        ".gemini",
        ".copilot",
        ".github",
        ".git",
        ".config",
        ".local",
        ".cache",
        ".agents",
        ".cursor",
        ".qwen",
        ".kiro",
        ".opencode",
        ".kimi",
        ".vscode",
        ".dsh",
        ".ssh",
        ".npm",
        ".claude-plugin",
        ".codex-plugin",
        ".venv",
        ".husky",
        ".tmp",
    ]
)
_VARIABLE = re.compile(r"(?<![\w])([A-Z][A-Z0-9_]*SESSION[A-Z0-9_]*)(?![\w])", re.A)
_LOCAL = frozenset({"SESSION_ID", "SESSION", "SESSIONS", "SESSION_DIR", "SESSION_STATE", "SESSION_PATH", "SESSION_FILE", "SESSIONS_DIR", "CURRENT_SESSION", "SESSION_NAME", "TMUX_SESSION", "TMUX_SESSION_NAME"})  # fmt: skip
_SIGNAL = re.compile(
    r"\b((?:cancel|stop|abort|shutdown)[-_.]signal(?:[-_.][\w-]+)*(?:\.json)?)(?![\w(]|\.(?:py|mjs|js|sh|ts)\b)", re.A
)


_LISTED = re.compile(r"state_read\(\s*list\s*=\s*true", re.A)
_FILES = re.compile(r"-state\.json|/state/sessions/|state/\*?\.?json|/state/[\w{}<>$-]+\.json", re.A)
_TABLE = re.compile(r"state table|状态表|상태 테이블|状態テーブル", re.A)
_ROW_WORDS = ("sqlite", ".db", "state table", "状态表", "상태 테이블", "状態テーブル")
_ROWS = re.compile(r"\bsqlite3?\b|\.db\b|" + _TABLE.pattern, re.A)


def read_state(text: Text, modes: Modes) -> Iterator[Fact]:
    yield from _roots(text)
    yield from _store(text)
    yield from _variables(text)
    yield from _lists(text, modes)
    yield from _signal(text)


def _roots(text: Text) -> Iterator[Fact]:
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    for number, line in enumerate(text.lines, 1):
        if "/" not in line or "." not in line or len(line) > 8000:
            continue
        for match in _ROOT.finditer(line):
            base = match[1]
            name = base.removeprefix("~/")
            if name in HOSTS and not match[2]:
                continue
            if forbidden(line, match.start(), match.end()):
                continue
            root = base + (match[2] or "")
            votes[root] += 1
            first.setdefault(root, number)
        for match in _DATABASE.finditer(line) if ".db" in line or ".sqlite" in line else ():
            if match[1].startswith(("~/", "$")):
                votes[match[1]] += 2
                first.setdefault(match[1], number)
    with_state = {root.removesuffix("/state") for root in votes if root.endswith("/state")}
    for root, _ in sorted(votes.items(), key=lambda pair: (-pair[1], first[pair[0]])):
        if root not in with_state:
            yield Fact("root", "", root, first[root])


def _store(text: Text) -> Iterator[Fact]:
    files = sqlite = 0
    line_files = line_sqlite = 0
    rows = any(word in text.low for word in _ROW_WORDS)
    for number, line in enumerate(text.lines, 1):
        if "state" in line:
            if _LISTED.search(line):
                sqlite += 6
                line_sqlite = line_sqlite or number
            if _FILES.search(line):
                files += 1
                line_files = line_files or number
        low = line.lower() if rows else ""
        if rows and _ROWS.search(low) and "swarm" not in low:
            sqlite += 6 if _TABLE.search(low) else 2
            line_sqlite = line_sqlite or number
    if files or sqlite:
        kind = "sqlite" if sqlite > files else "files"
        yield Fact("store", "", kind, line_sqlite if kind == "sqlite" else line_files)


def _variables(text: Text) -> Iterator[Fact]:
    found: dict[str, int] = {}
    chains: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.lines, 1):
        if "SESSION" not in line:
            continue
        names_ = []
        for match in _VARIABLE.finditer(line):
            name = match[1]
            if name in _LOCAL and not re.search(rf"\$\{{?{name}:-|\b{name}\b(?=[`,、，]| and| 또는|或)", line):
                continue
            if name in _LOCAL and re.match(rf"\s*{name}=", line[match.start() :]):
                continue
            if name in _LOCAL and name != "SESSION_ID":
                continue
            if re.match(r"\s*=", line[match.end() :]) and re.match(
                r"\s*(?:export\s+|local\s+)?$", line[: match.start()]
            ):
                continue  # assigned here, so a name of the snippet
            names_.append(name)
            found.setdefault(name, number)
        if len(names_) > 1:
            chains.append((number, list(dict.fromkeys(names_))))
    order = max((chain for _, chain in chains), key=len, default=[])
    for name in [*order, *(name for name in found if name not in order)]:
        if name in found:
            yield Fact("variable", "", name, found[name])


def _lists(text: Text, modes: Modes) -> Iterator[Fact]:
    """Lists of nothing but paths: kept when the words above say so, else what the widest scope removes."""
    by_list: dict[int, list[Item]] = {}
    for item in text.document.items:
        by_list.setdefault(item.list_id, []).append(item)
    done: set[int] = set()
    for items in by_list.values():
        pathy = [item for item in items if _leading_paths(item.text)]
        if len(pathy) < 2 or len(pathy) < len(items) * 0.7:
            continue
        kept = KEEP.search(_above(text, items[0].line)) and not re.search(
            r"legacy|compat|removed|旧|遗留|레거시|レガシー|兼容|互換|호환", _above(text, items[0].line), re.I
        )
        for item in pathy:
            done.add(item.line)
            for path in _leading_paths(item.text):
                yield Fact("preserved" if kept else "artifact", "", path, item.line)
    for number in range(text.body_line, len(text.lines) + 1):
        line = text.lines[number - 1]
        if "`" not in line or number in done or number in text.document.code_lines or len(line) > 2000:
            continue
        if not KEEP.search(line):
            continue
        for match in re.finditer(r"`([^`]+)`", line):
            if (
                re.match(r"(?:~/)?\.?[\w{}<>-]+/[\w{}<>./*,-]*$", match[1])
                and "/" in match[1]
                and not match[1].startswith("/")
            ):
                if "-state.json" in match[1] or re.search(r"/state/sessions/", match[1]):
                    continue
                for path in expand(match[1]):
                    yield Fact("preserved", "", path, number)
    yield from _keeps(text, modes)


def _leading_paths(words: str) -> list[str]:
    """Return the paths that open an item, braces expanded; [] when it opens with words."""
    first = words.strip().split("\n", 1)[0]
    if first[:1] not in ("`", ".", "~"):
        return []
    pieces = re.match(
        r"((?:`[^`]+`|[.~][\w{}.,<>*/-]+/[\w{}.,<>*/-]*)(?:(?:\s*[,、，]\s*|\s+(?:and|und|和|및|と)\s+)(?:`[^`]+`))*)",
        first,
    )
    if not pieces:
        return []
    found = [a or b for a, b in re.findall(r"`([^`]+)`|([.~][\w{}.,<>*/-]+)", pieces[1])]
    paths = [path for piece in found for path in expand(piece)]
    return (
        paths
        if all(
            re.match(r"(?:~/|\$\w+/)?\.?[\w*<>{}-]+(?:\.[\w-]+)*/?[\w.*/<>{}-]*$", path)
            and ("/" in path or "." in path)
            for path in paths
        )
        else []
    )


def expand(path: str) -> list[str]:
    """Return a path with its comma braces expanded, as a shell would; at most the first 64."""
    if len(path) > 500:
        return [path]
    done: list[str] = []
    waiting = [path]
    while waiting and len(done) < 64:
        piece = waiting.pop(0)
        match = re.search(r"\{([^{}]*,[^{}]*)\}", piece) if "{" in piece else None
        if match and len(waiting) < 64:
            waiting[:0] = [piece[: match.start()] + part.strip() + piece[match.end() :] for part in match[1].split(",")]
        else:
            done.append(piece)
    return done


def _above(text: Text, line: int) -> str:
    """Return the heading and the last two lines of prose above a line."""
    heading = text.document.section(line)
    words = [heading[-1].text] if heading else []
    lines = [row for row in text.lines[max(0, line - 6) : line - 1] if row.strip()]
    return " ".join([*words, *lines[-2:]])


def _keeps(text: Text, modes: Modes) -> Iterator[Fact]:
    """Tables whose second column says yes or no for each mode."""
    rows: list[tuple[list[str], int]] = [
        (list(row.cells), row.line) for table in text.document.tables for row in table.rows
    ]
    rows += [
        (line.split("\t"), number) for number, line in enumerate(text.lines, 1) if "\t" in line and len(line) < 2000
    ]
    for cells, line in rows:
        if len(cells) < 2 or NONE_WORDS.match(strip_marks(cells[0])):
            continue
        answer = strip_marks(cells[1])
        value = "yes" if YES.match(answer) else "no" if NO.match(answer) else ""
        if not value:
            continue
        resume = strip_marks(cells[2]) if len(cells) > 2 else ""
        resume = "" if NO.match(resume) else resume
        for key in names(cells[0]):
            if modes.known(key):
                yield Fact("keeps", key, value, line, resume)


def _signal(text: Text) -> Iterator[Fact]:
    for number, line in enumerate(text.lines, 1):
        if "signal" in line:
            for match in _SIGNAL.finditer(line):
                name = match[1]
                if ("." in name or "-state" in name) and not name.endswith((".py", ".mjs", ".js", ".sh", ".ts")):
                    yield Fact("signal", "", match[1], number)
