"""Read what the repository around a skill says of its product: its manifests, and names in its sources."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from skillgen.errors import InputError
from skillgen.hosts import known_hosts
from skillgen.load.files import read
from skillgen.load.subjects import SKIPPED
from skillgen.model.json_text import parse_json
from skillgen.model.names import is_web_address
from skillgen.model.visible import unseen

_SOURCES = (".js", ".mjs", ".cjs", ".ts", ".mts", ".py", ".sh", ".bash")
_MOST, _LONGEST = 400, 1 << 18
#: A variable that a program reads, by the ways in which programs write that.
_VARIABLE = re.compile(
    r"(?:process\.env\.|process\.env\[['\"]|os\.environ(?:\.get)?[\[(]\s*['\"]|os\.getenv\(\s*['\"]|\$\{?)([A-Z][A-Z0-9_]{2,})",
    re.A,
)
_SESSION = re.compile(r"_SESSION(?:_ID)?$", re.A)
#: A state directory as one path, or as the pieces that a program joins.
_DIRECTORY = re.compile(r"['\"/`]?(\.[a-z][\w-]*)(?:/|['\"]\s*,\s*['\"]|['\"]\s*/\s*['\"])(state)\b", re.A)


@dataclass(frozen=True, slots=True)
class Found:
    """A value, and the file and line on which it stands; the path is relative to the repository's root."""

    value: str
    path: str
    line: int


@dataclass(slots=True)
class Repository:
    root: str = ""
    """Empty where the text lies in no repository that is its product's own."""
    product: dict[str, Found] = field(default_factory=dict)
    """What a manifest says of the product: author, license, homepage."""
    release: tuple[str, str] = ("", "")
    """Name and version that the first manifest with both states."""
    hosts: list[Found] = field(default_factory=list)
    """Hosts whose manifests lie there."""
    variables: list[Found] = field(default_factory=list)
    """Variables with a session's id that its sources read."""
    directories: list[Found] = field(default_factory=list)
    """State directories that its sources name."""


def read_repository(path: str) -> Repository:
    """Return what stands around a skill; nothing where the text lies in no plugin or project of its own."""
    root = find_root(path)
    found = Repository(root)
    if not root:
        return found
    _manifests(found)
    for name, lines in _sources(root):
        for n, line in enumerate(lines, 1):
            for match in _VARIABLE.finditer(line):
                if _SESSION.search(match[1]):
                    found.variables.append(Found(match[1], name, n))
            for match in _DIRECTORY.finditer(line):
                found.directories.append(Found(f"{match[1]}/{match[2]}", name, n))
    found.variables = list({one.value: one for one in reversed(found.variables)}.values())[::-1]
    found.directories = list({one.value: one for one in reversed(found.directories)}.values())[::-1]
    return found


def find_root(path: str) -> str:
    """Return the root of the plugin or project to which a skill belongs by the place where it lies, '' for one that lies alone."""
    real = os.path.realpath(path)
    at = real if os.path.isdir(real) else os.path.dirname(real)
    up = os.path.dirname(at)
    if os.path.basename(at) == "commands":
        return up
    if os.path.basename(up) != "skills":
        return ""
    root = os.path.dirname(up)
    # A project's own skills lie in a directory of its host.
    return os.path.dirname(root) if os.path.basename(root).startswith(".") else root


def _manifests(found: Repository) -> None:
    for name, host in _names():
        path = os.path.join(found.root, name)
        if not _within(found.root, path):
            continue
        try:
            text = read(path, _LONGEST).decode("utf-8-sig")
            data = parse_json(text)
        except (InputError, ValueError):
            continue
        if not isinstance(data, dict):
            continue
        if host:
            found.hosts.append(Found(host, name, 1))
        release = data.get("name"), data.get("version")
        if not any(found.release) and all(isinstance(one, str) and one.strip() and not unseen(one) for one in release):
            found.release = str(release[0]), str(release[1])
        author = data.get("author")
        said = {
            "author": author.get("name") if isinstance(author, dict) else author,
            "license": data.get("license"),
            "homepage": data.get("homepage"),
        }
        for key, value in said.items():
            if not isinstance(value, str) or not value.strip() or unseen(value):
                continue
            # What no flavor may hold is passed over: the text says all that a flavor needs.
            if key != "homepage" or is_web_address(value.strip()):
                found.product.setdefault(key, Found(value.strip(), name, _line(text, f'"{key}"')))


def _within(root: str, path: str) -> bool:
    """Tell whether a file is there and no link leads to it from elsewhere."""
    return os.path.isfile(path) and os.path.realpath(path).startswith(os.path.join(os.path.realpath(root), ""))


def _names() -> Iterator[tuple[str, str]]:
    """Yield the files that describe a plugin, and the host of each; a package.json is no host's."""
    for host in known_hosts().values():
        if host.manifest and host.manifest.kind == "plugin":
            yield from ((path, host.id) for path in (host.manifest.path, *host.manifest.others))
    yield "package.json", ""


def _line(text: str, words: str) -> int:
    at = text.find(words)
    return text.count("\n", 0, at) + 1 if at >= 0 else 1


def _sources(root: str) -> Iterator[tuple[str, list[str]]]:
    seen = 0
    for directory, names, files in os.walk(root, followlinks=False):
        names[:] = sorted(name for name in names if name not in SKIPPED and name != "dist")
        for name in sorted(files):
            path = os.path.join(directory, name)
            if not name.endswith(_SOURCES) or os.path.islink(path) or not os.path.isfile(path):
                continue
            seen += 1
            if seen > _MOST:
                return
            try:
                data = read(path, _LONGEST + 1)
            except InputError:
                continue
            if len(data) <= _LONGEST:
                yield os.path.relpath(path, root).replace(os.sep, "/"), data.decode("utf-8", "replace").split("\n")
