"""Say in a fork's names what its upstream says in its own: whole words only, and never an address or a credit."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from skillgen.model.contract import Contract

_ADDRESS = re.compile(
    r"""[a-z][a-z0-9+.-]*://[^\s<>"'`)\]]+|\bgit@[^\s<>"'`)\]]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|@[a-z0-9-]+/[\w.-]+"""
    r"""|(?<![\w.-])(?:[\w-]+\.)+(?:(?:com|org|net|io|dev|ai)(?![\w-])|(?:app|sh|gg|co|me|land|page|xyz|so|run)(?=/))(?:[/:][^\s<>"'`)\]]*)?""",
    re.IGNORECASE,
)
"""An address of the web, of mail or of a package in a scope; no rename makes another one of it that would exist."""
_CREDIT = re.compile(
    r"copyright|©|\(c\)\s*(?:19|20)\d\d|\bspdx\b|licen[sc]ed (?:under|from)|\backnowledge?ments?\b|\bcredits?(?:\s*:|\s+(?:to|goes?)\b)"
    r"|\bauthors?\b\W*:|\bthanks to\b|^[\s>*_#-]*(?:maintained|created|written|made|developed) by\b"
    r"|^\s*(?:author|authors|license|licence|homepage|repository|credit)s?\s*:",
    re.IGNORECASE,
)
"""A line that says whose work something is."""
_STEMS = (
    r"fork(?:ed)? (?:from|of)|derived from|adapted from|ported from|port of|inspired by|taken from|borrowed from"
    r"|originally(?: from| part of| written for| by)?|courtesy of|extracted from"
)
_NEXT = r"(?:based on|built on(?: top of)?)[\s\[`*_\"'(]*(?:the )?"
"""Said of work, only with the name right behind it."""
_SECTIONS = re.compile(
    r"#{1,6}\s+.*\b(?:credits?|acknowledge?ments?|attribution|licen[sc]e|authors?|thanks|danksagung|lizenz)\b"
    r"|#{1,6}\s+.*(?:致谢|鸣谢|许可|謝辞|ライセンス|크레딧|감사|라이선스)",
    re.IGNORECASE,
)
"""The heading of a section that says whose work something is."""
_HEADING = re.compile(r"(#{1,6})\s")
_LEGAL = ("license", "licence", "copying", "notice", "authors", "credits", "contributors", "maintainers")
_WORD = r"(?<![\w])"
_END = r"(?![\w])"


@dataclass(frozen=True)
class RenameMap:
    """Old word -> new word; the first of two that begin alike is the longer one."""

    words: tuple[tuple[str, str], ...] = ()
    """Whole words: not within letters, digits or underscores of another."""
    prefixes: tuple[tuple[str, str], ...] = ()
    """What words begin with: of variables, calls and tools."""
    kept: tuple[str, ...] = field(default=())
    """What stays where a line credits somebody with it, and `owner/name` of its home."""

    @property
    def digest(self) -> str:
        """SHA-256 that two maps share only if they rename alike."""
        return hashlib.sha256(repr((self.words, self.prefixes, self.kept)).encode()).hexdigest()

    def text(self, text: str, *, path: str = "") -> str:
        """Return a text in the fork's names; `path` tells Markdown, whose sections may be credits."""
        if not (self.words or self.prefixes) or self.is_legal(path):
            return text
        rows, level = [], 0
        for row in text.split("\n"):
            heading = _HEADING.match(row) if path.endswith((".md", ".mdx", ".mdc")) else None
            if heading and len(heading[1]) <= (level or 7):
                level = len(heading[1]) if _SECTIONS.match(row) else 0
            rows.append(row if level or self._credits(row) else self._line(row))
        return "\n".join(rows)

    def data(self, data: bytes, path: str) -> bytes:
        """Return a file's bytes in the fork's names; what is no text stays as it is."""
        if b"\0" in data:
            return data
        try:
            return self.text(data.decode(), path=path).encode()
        except UnicodeDecodeError:
            return data

    def path(self, path: str) -> str:
        """Return a path in the fork's names."""
        return "/".join(self._words(part) for part in path.split("/"))

    @staticmethod
    def is_legal(path: str) -> bool:
        """Tell whether a file says whose work something is, and under which terms."""
        return path.rsplit("/", 1)[-1].split(".")[0].lower() in _LEGAL

    def _credits(self, row: str) -> bool:
        return bool(_CREDIT.search(row) or (self.kept and self._credited.search(row)))

    @cached_property
    def _credited(self) -> re.Pattern[str]:
        names = "|".join(re.escape(name) for name in self.kept)
        # A command or an agent of the product's name is called, not credited.
        stems = rf"(?i:\b(?:(?:{_STEMS})\b[^.;]{{0,60}}?|{_NEXT}))"
        return re.compile(rf"{stems}(?<![\w/$.])(?:{names})(?![\w]|:\w)")

    def _line(self, row: str) -> str:
        parts, at = [], 0
        for begin, end in self._protected(row):
            if begin >= at:
                parts += [self._words(row[at:begin]), row[begin:end]]
                at = end
        return "".join([*parts, self._words(row[at:])])

    def _protected(self, row: str) -> Iterator[tuple[int, int]]:
        spans = [match.span() for match in _ADDRESS.finditer(row)]
        for name in (name for name in self.kept if "/" in name):
            spans += [match.span() for match in re.finditer(re.escape(name), row, re.IGNORECASE)]
        yield from sorted(spans)

    def _words(self, text: str) -> str:
        return self._pattern.sub(lambda match: self._new[match[0]], text) if self._new else text

    @cached_property
    def _new(self) -> dict[str, str]:
        return {**dict(reversed(self.prefixes)), **dict(reversed(self.words))}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        whole = {old: f"{_start(old)}{re.escape(old)}{_END if _is_word(old[-1]) else ''}" for old, _ in self.words}
        begins = {old: f"{_start(old)}{re.escape(old)}(?=\\w)" for old, _ in self.prefixes}
        ways = {**begins, **whole}
        return re.compile("|".join(ways[old] for old in sorted(ways, key=lambda old: (-len(old), old))))


def rename_map(upstream: Contract, fork: Contract, hosts: Iterable[str] = ()) -> RenameMap:
    """Return what the fork calls otherwise than its upstream, as their contracts tell; `hosts`: variables that are a host's own."""
    foreign = set(hosts)
    words: dict[str, str] = {}
    prefixes: dict[str, str] = {}

    def put(into: dict[str, str], old: str, new: str) -> None:
        if old and new and old not in into:
            into[old] = new

    old_space, new_space = (_namespace(one) for one in (upstream, fork))
    if old_space.strip("/$"):
        put(prefixes, f"{old_space}:", f"{new_space}:" if new_space.strip("/$") else new_space)
    old_variables, new_variables = (_variables(one, foreign) for one in (upstream, fork))
    for role, name in old_variables.items():
        put(words, name, new_variables.get(role, ""))
    before, after = (_environment(one, found) for one, found in ((upstream, old_variables), (fork, new_variables)))
    put(prefixes, f"{before}_", f"{after}_")
    old_plugin, new_plugin = (one.product.plugin or one.plugin.name for one in (upstream, fork))
    put(prefixes, f"mcp__plugin_{old_plugin}_", f"mcp__plugin_{new_plugin}_")
    put(words, upstream.plugin.package, fork.plugin.package)
    put(words, old_plugin, new_plugin)
    put(words, upstream.plugin.name, fork.plugin.name)
    old_root, new_root = upstream.root.directory, fork.root.directory
    put(words, old_root, new_root)
    put(words, upstream.product.title, fork.product.title)
    put(words, upstream.product.name, fork.product.name)
    stems = [root.strip(".").split("/")[0] for root in (old_root, new_root)]
    lower = [one.product.name.lower().replace(" ", "-") for one in (upstream, fork)]
    put(words, lower[0], stems[1] if stems[0] == lower[0] else lower[1])
    for keyword, own in zip(upstream.command.keywords, fork.command.keywords, strict=False):
        put(words, keyword, own)
    kept = {upstream.product.title, upstream.product.name, old_plugin, *_homes(upstream)}
    return RenameMap(
        tuple(sorted((old, new) for old, new in words.items() if old != new)),
        tuple(sorted((old, new) for old, new in prefixes.items() if old != new)),
        tuple(sorted(kept)),
    )


def _namespace(contract: Contract) -> str:
    """Return what a command begins with, such as `/omc`; only the sign where it has no namespace."""
    form = contract.command.form
    return form.rpartition(":")[0] or form[: len(form) - len(form.lstrip("/$"))]


def _variables(contract: Contract, hosts: set[str]) -> dict[str, str]:
    """Return role -> variable of the product's own."""
    found: dict[str, str] = {}
    own = [name for name in getattr(contract.identity, "variables", ()) if name not in hosts]
    found |= {f"session {n}": name for n, name in enumerate(own)}
    for role, value in contract.root.model_dump().items():
        if role.endswith("variable") and isinstance(value, str):
            found[role] = value
        elif role == "override" and value:
            found |= {f"{role} {part}": name for part, name in value.items()}
        elif role.endswith("variables"):
            found |= {f"{role} {n}": name for n, name in enumerate(one for one in value if one not in hosts)}
    return found


def _environment(contract: Contract, variables: dict[str, str]) -> str:
    """Return what most of the product's variables begin with, else its name's letters."""
    begins = [name.split("_")[0] for name in variables.values() if "_" in name]
    name = re.sub(r"\W", "_", contract.product.name.upper(), flags=re.A)
    return max(dict.fromkeys(begins), key=begins.count) if begins else name


def _homes(contract: Contract) -> Iterator[str]:
    """Yield `owner/name` of where the product is at home."""
    for url in (contract.product.homepage, contract.upstream.repository if contract.upstream else ""):
        parts = url.removesuffix(".git").rstrip("/").split("/")
        if len(parts) >= 5:
            yield "/".join(parts[3:5])


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _start(old: str) -> str:
    # `/omc:plan` behind a letter, a dot or a slash is a path, and `.omc` behind a letter the end of a name.
    return _WORD if _is_word(old[0]) else r"(?<![\w./])" if old[0] == "/" else _WORD
