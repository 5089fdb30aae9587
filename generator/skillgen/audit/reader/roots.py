"""Read the directories and databases that state lives in, and which kind of store it is."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import KEEP, KILL, forbidden
from skillgen.audit.reader.records import record_stem
from skillgen.audit.reader.subject import is_of_work
from skillgen.hosts import follows_hosts, known_hosts
from skillgen.model.facts import Fact
from skillgen.reader.lexicon import names_of

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.text import Text

_ROOT = re.compile(r"(\.[a-z][\w-]*)/(?!\.)([\w{}<>*$./-]*)", re.A)
_INSIDE = re.compile(r"[\w*/]", re.A)
_DATABASE = re.compile(r"((?:~/|\$\{?\w+\}?/)?(?:\.[\w-]+/)?[\w-]+\.(?:db|sqlite3?))\b", re.A)
_STATE_FILE = re.compile(r"-state\.json$", re.A)
_RECORD = re.compile(r"[\w{}<>*$-]+\.(?:jsonl?|db|sqlite3?|lock|pid)$", re.A)
_USED = re.compile(r"\b(?:sav(?:e|es|ed)|reads?|writes?|written|state)\b|状态|상태|状態", re.I | re.A)
_ANY_RECORD = re.compile(r"/[<{$]\{?\w*(?:mode|loop|workflow)\w*[>}]?[\w.-]*\.json$", re.A)
_LISTED = re.compile(r"state_read\(\s*list\s*=\s*true", re.A)
_FILES = re.compile(r"-state\.json|/state/sessions/|/state/\*?\.?json|/state/[\w{}<>$-]+\.json", re.A)
_TABLE = re.compile(r"state table|状态表|상태 테이블|状態テーブル", re.A)
_ROW_WORDS = ("sqlite", ".db", "state table", "状态表", "상태 테이블", "状態テーブル")
_ROW_PIECES = ("sqlite", "SQLite", "Sqlite", "SQLITE", ".db", "tate table", "TATE TABLE", "tate Table", *_ROW_WORDS[3:])
_ROWS = re.compile(r"sqlite3?\b|\.db\b|" + _TABLE.pattern, re.I | re.A)
_FILE_WORDS = re.compile(
    r"\bstate files?\b|\bmarker files?\b|状态文件|狀態檔|상태\s?파일|状態ファイル|(?:state|active)\.json\b",
    re.I | re.A,
)


@follows_hosts
def tool_directories() -> frozenset[str]:
    """Return the homes of hosts and tools; state roots only with /state behind them."""
    homes = {host.home for host in known_hosts().values() if host.home and "/" not in host.home}
    return names_of("directories") | homes


def read_roots(text: Text, modes: Modes) -> Iterator[Fact]:
    """Yield the roots, the most used first, those below a home last; then the store."""
    if not modes.strong and not is_of_work(text):
        return
    votes, first = _votes(text, modes)
    roots = sorted(votes, key=lambda root: (root.startswith("~"), -votes[root], first[root]))
    for root in roots:
        yield Fact("root", "", root, first[root])
    yield from _store(text, next((first[root] for root in roots if not root.startswith("~")), 0), bool(modes.strong))


def _votes(text: Text, modes: Modes) -> tuple[Counter[str], dict[str, int]]:
    votes: Counter[str] = Counter()
    first: dict[str, int] = {}
    paths: dict[str, list[tuple[str, int]]] = {}
    named: dict[str, bool] = {}
    whole = text.source.text
    for match in _ROOT.finditer(whole):
        before = whole[max(0, match.start() - 3) : match.start()]
        home = before.endswith("~/") and not _INSIDE.match(before[:-2][-1:])
        if not home and _INSIDE.match(before[-1:]):
            continue
        base, rest = ("~/" if home else "") + match[1], match[2].rstrip(".")
        state = rest == "state" or rest.startswith("state/")
        if base in tool_directories() and "/" in rest and not state and _STATE_FILE.search(rest):
            base = f"{base}/{rest.split('/')[0]}"
        if not state and (base.removeprefix("~/") in tool_directories() or (base[0] == "~" and not _holds_state(rest))):
            continue
        number = text.line_at(match.start())
        at = match.start() - text.starts[number - 1]
        line = text.lines[number - 1]
        root = f"{base}/state" if state else base
        # What was named three times and not forbidden is a root, whatever else is said of it.
        if base not in named:
            named[base] = base[0] == "." and f"/{base[1:]}:" in whole
        own = state and named[base]
        if len(line) > 8000 or (votes[root] < 3 and not own and forbidden(line, at, at + len(base))):
            continue
        votes[root] += 1
        first.setdefault(root, number)
        paths.setdefault(root, []).append((rest, number))
    for number in text.holding(".db", ".sqlite"):
        for match in _DATABASE.finditer(text.lines[number - 1][:8000]):
            if match[1].startswith(("~/", "$")):
                votes[match[1]] += 2
                first.setdefault(match[1], number)
    for root in [root for root in votes if not root.endswith("/state") and root in paths]:
        _place(text, root, paths[root], votes, first, modes)
    return votes, first


def _holds_state(rest: str) -> bool:
    return bool(_STATE_FILE.search(rest))


def _is_of_mode(rest: str, modes: Modes) -> bool:
    """Whether a path below a root is the record of a mode, or of whatever mode."""
    stem, plain = record_stem(rest)
    return plain or bool(_ANY_RECORD.search(rest)) or bool(stem and modes.owner(stem))


def _place(
    text: Text, root: str, paths: list[tuple[str, int]], votes: Counter[str], first: dict[str, int], modes: Modes
) -> None:
    """Move a root to the one directory below it that holds all its state files, or drop what is no root."""
    if f"{root}/state" in votes:
        if not any("/" not in rest and _STATE_FILE.search(rest) for rest, _ in paths):
            del votes[root]
        return
    if len(paths) == 1:
        rest, number = paths[0]
        line = text.lines[number - 1]
        if not (_RECORD.search(rest) or not rest or KEEP.search(line) or KILL.search(line) or _USED.search(line)):
            del votes[root]
        return
    # The one directory below it that holds the records of modes: `.x/run/<mode>.json`.
    records = [rest for rest, _ in paths if _is_of_mode(rest, modes)]
    holds = {rest.rpartition("/")[0] for rest in records}
    if len(holds) == 1 and "" not in holds and not any(_STATE_FILE.search(rest) for rest in records):
        inner = f"{root}/{holds.pop()}"
        votes[inner], first[inner] = votes.pop(root), first[root]
        return
    below = {rest.split("/")[0] for rest, _ in paths}
    deep = [rest for rest, _ in paths if "/" in rest]
    if len(below) == 1 and deep and any(_STATE_FILE.search(rest) for rest in deep):
        inner = f"{root}/{below.pop()}"
        votes[inner], first[inner] = votes.pop(root), first[root]


def _store(text: Text, root_line: int, has_modes: bool) -> Iterator[Fact]:
    sqlite = line_sqlite = 0
    for number in text.holding("state_read("):
        if _LISTED.search(text.lines[number - 1]):
            sqlite += 6
            line_sqlite = line_sqlite or number
    named = text.matching(_FILES)
    files, line_files = len(named), named[0] if named else 0
    if any(word in text.low for word in _ROW_WORDS):
        for number in text.holding(*_ROW_PIECES):
            low = text.lines[number - 1].lower()
            if _ROWS.search(low) and "swarm" not in low:
                sqlite += 6 if _TABLE.search(low) else 2 if "sqlite" in low else 1
                line_sqlite = min(line_sqlite, number) if line_sqlite else number
    if files or sqlite:
        kind = "sqlite" if sqlite > files else "files"
        yield Fact("store", "", kind, line_sqlite if kind == "sqlite" else line_files)
        return
    said = next(iter(text.matching(_FILE_WORDS)), 0)
    if (root_line or (said and has_modes)) and not re.search(r"\bdatabase\b|event ?store", text.low):
        yield Fact("store", "", "files", said or root_line)
