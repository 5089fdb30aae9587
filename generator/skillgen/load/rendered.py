"""Show files that are only in memory to an audit."""

from __future__ import annotations

from skillgen.errors import Problem
from skillgen.load.decode import decode
from skillgen.load.kinds import kind_of
from skillgen.model.files import Files
from skillgen.model.subject import File, Kind, Source, Tree


def rendered_tree(files: Files, name: str, problems: list[Problem]) -> Tree:
    """Return a bundle as an audit takes it; `name` stands before every path. Adds a problem for a text that is none."""
    found: dict[str, File] = {}
    sources: list[Source] = []
    roots = tuple(path.removesuffix("SKILL.md") for path in files if path.endswith("/SKILL.md"))
    for path, (data, mode) in files.items():
        found[path] = File(path, len(data), bool(mode & 0o100), lambda data=data: data)  # type: ignore[misc]
        kind = kind_of(path)
        if kind is Kind.TEXT and path.endswith(".md") and path.startswith(roots):
            kind = Kind.REFERENCE
        if kind in (Kind.SKILL, Kind.REFERENCE, Kind.COMMAND):
            source = decode(data, len(data), f"{name}/{path}", kind, problems, fixable=False)
            if source:
                sources.append(source)
    return Tree(name, name.rpartition("/")[2], found, tuple(sources), bundle=True)
