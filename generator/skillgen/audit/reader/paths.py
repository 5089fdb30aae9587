"""Find the paths that prose names, and expand their braces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_PIECE = r"(?:~/|\$\w+/)?\.?[\w*<>{}-]+(?:\.[\w-]+)*/?[\w.*/<>{}-]*"
_PATH = re.compile(rf"{_PIECE}$", re.A)
_LEADING = re.compile(
    r"((?:`[^`]+`|[.~][\w{}.,<>*/-]+/[\w{}.,<>*/-]*)(?:(?:\s*[,、，]\s*|\s+(?:and|und|和|및|と)\s+)(?:`[^`]+`))*)"
)
_EACH = re.compile(r"`([^`]+)`|([.~][\w{}.,<>*/-]+)")
_OPENING = re.compile(r"[.~$]|[\w-]+/|\S+\.\w+$", re.A)
_OPENS = frozenset("`.~")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
_FILE = re.compile(r"[\w{}<>*-]+(?:\.[\w-]+)*\.(?:jsonl?|md|txt|ya?ml|toml|db|sqlite3?|log|lock|pid|csv)$", re.A)
_SPAN = re.compile(r"`([^`\n]{2,200})`")
_BARE = re.compile(r"(?<![\w`/.~$*-])(?:~/)?\.[a-z][\w-]*/(?!\.)[\w{}<>./*-]*", re.A)
_IN_PROSE = re.compile(r"(?:~/|\$\{?\w+\}?/)?\.?[\w{}<>-]+/[\w{}<>./*,-]*$", re.A)


def opens_with_path(words: str) -> bool:
    """Whether an item or cell opens with a path or file name, marked or not."""
    return bool(_OPENING.match(words.strip("`* ")))


def is_file(word: str) -> bool:
    """Whether a word without a slash is a file by its ending."""
    return bool(_FILE.match(word))


def spans(line: str) -> Iterator[tuple[str, int, int]]:
    """Yield (path, start, end) of each code span that is a relative or home path or a file name, and of bare dot paths."""
    for match in _SPAN.finditer(line):
        word = match[1].strip()
        if not word.startswith(("/", "--")) and (_IN_PROSE.match(word) or is_file(word)):
            yield word, match.start(), match.end()
    if "/" not in line:
        return
    for match in _BARE.finditer(_SPAN.sub(lambda span: " " * len(span[0]), line)):
        path = match[0].rstrip(".,:;")
        yield path, match.start(), match.start() + len(path)


@lru_cache(maxsize=4096)
def leading_paths(words: str) -> tuple[str, ...]:
    """Return the paths that open an item, braces expanded; none when it opens with words."""
    if words[:1] not in _OPENS:
        return ()
    first = words.split("\n", 1)[0].rstrip()
    pieces = _LEADING.match(first)
    if not pieces:
        return ()
    paths = tuple(path for a, b in _EACH.findall(pieces[1]) for path in expand(a or b))
    return paths if all(_PATH.match(path) and ("/" in path or "." in path) for path in paths) else ()


def expand(path: str) -> list[str]:
    """Return a path with its comma braces expanded, as a shell would; at most the first 64."""
    if len(path) > 500:
        return [path]
    done: list[str] = []
    waiting = [path]
    while waiting and len(done) < 64:
        piece = waiting.pop(0)
        match = _BRACES.search(piece) if "{" in piece else None
        if match and len(waiting) < 64:
            waiting[:0] = [piece[: match.start()] + part.strip() + piece[match.end() :] for part in match[1].split(",")]
        else:
            done.append(piece)
    return done
