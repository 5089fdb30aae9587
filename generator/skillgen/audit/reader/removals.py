"""Read removals that sentences, items and rows order: `delete its state file`, `remove .x/state/y.json`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from skillgen.audit.language import forbidden, sentence
from skillgen.audit.reader.records import record_stem
from skillgen.audit.reader.words import name_cell
from skillgen.model.facts import Fact

if TYPE_CHECKING:
    from skillgen.audit.reader.modes import Modes
    from skillgen.audit.reader.place import Places
    from skillgen.audit.text import Text

_VERB = r"(?:delet|remov|eras|clear|unlink)(?:e|es|ing|s)?"
_FILE = re.compile(r"(?<![\w{}$~./-])[\w{}$~./-]+\.(?:json|db|sqlite3?|md|marker|ya?ml|toml|state)(?![\w-])", re.A)
#: A verb that has the file behind it as its object; one behind the file (dash, Korean, Japanese).
_BEFORE = re.compile(rf"(?:\b{_VERB}\s+(?:the\s+|its\s+|file\s+|both\s+)*|(?:删除|移除|清除)\s*)[`\"']?$", re.I | re.A)
_AFTER = re.compile(
    r"[`\"']?\s*(?:(?:[—–:：]|->|→|-)\s*(?:delet\w*|remov\w*|删除|삭제|제거|削除)|(?:을|를|도|も|を|파일을|ファイルを)\s*(?:삭제|제거|지우|지웁|削除|消))",
    re.I | re.A,
)
#: The record of the mode that the place is about.
_ITS_OWN = re.compile(
    rf"\b{_VERB}\s+(?:up\s+)?(?:the\s+|its\s+|this\s+|that\s+|own\s+|\w+\s+mode\s+|mode\s+)*(?:state(?:\s+(?:files?|records?|directory))?|records?|marker|status file)\b(?!\s+(?:of|from|for)\b)|"
    rf"\bexists?\b[^.;]{{0,20}}\b{_VERB}\s+it\b|"
    r"(?:删除|移除|清除)(?:其|该|它的)?(?:模式)?(?:状态|记录)(?:文件)?|상태\s?(?:파일)?(?:을|를)?\s*(?:삭제|제거|지우|지웁)|状態(?:ファイル)?を(?:削除|消)",
    re.I | re.A,
)
_OTHERS = re.compile(
    r"\b(?:hooks?|janitor|daemon|watchdog|watcher|cron|sweeper|reaper|scheduler|host|users?)\b|훅|钩子|フック",
    re.I | re.A,
)
_PIECES = (
    *("elet", "emov", "rase ", "rases ", "lear ", "lears ", "learing ", "nlink "),
    *("删除", "移除", "清除", "삭제", "제거", "지우", "지웁", "削除", "を消"),
)


def read_removals(text: Text, modes: Modes, places: Places) -> Iterator[Fact]:
    """Yield a clear for each mode whose record the words remove; bans and denials are none."""
    rows = {row.line: row.cells for table in text.document.tables for row in table.rows}
    items = {item.line: item.text for item in text.document.items}
    for number in text.holding(*_PIECES):
        line = text.lines[number - 1]
        if number < text.body_line or len(line) > 2000 or number in text.document.code_lines:
            continue
        cells = rows.get(number)
        lead = name_cell(cells) if cells else items.get(number, "")
        keys = modes.keys(lead) if lead else []
        about = keys[0] if len(keys) == 1 else "" if cells else places.mode_at(number)
        for piece in cells or (line,):
            for mode in _cleared(piece, about, modes):
                yield Fact("action", mode, "clear", number)


def _cleared(piece: str, about: str, modes: Modes) -> Iterator[str]:
    for match in _FILE.finditer(piece):
        if not (_BEFORE.search(piece[max(0, match.start() - 60) : match.start()]) or _AFTER.match(piece, match.end())):
            continue
        stem, plain = record_stem(match[0])
        mode = modes.owner(stem) if plain or "/" in match[0] else ""
        if mode and not _by_another(piece, match.start()) and not forbidden(piece, match.start(), match.end()):
            yield mode
    own = _ITS_OWN.search(piece) if about else None
    if own and not _by_another(piece, own.start()) and not forbidden(piece, own.start(), own.end()):
        yield about


def _by_another(piece: str, at: int) -> bool:
    """Whether something other than the cancel does it: a hook, a daemon, the user."""
    return bool(_OTHERS.search(sentence(piece, at)[0]))
