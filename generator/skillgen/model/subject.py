"""Describe what an audit looks at: files, a text, a skill directory, a bundle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What a text is for; decides which rules look at it."""

    SKILL = "skill"
    """A SKILL.md."""
    COMMAND = "command"
    """A Markdown file under commands/, prompts/ or the like: front matter is optional."""
    PROMPT = "prompt"
    """A TOML file with a `prompt` (Gemini, Qwen)."""
    REFERENCE = "reference"
    """Another Markdown file inside a skill directory."""
    TEXT = "text"
    """Any other UTF-8 text that was named on the command line."""


@dataclass(frozen=True, slots=True)
class File:
    """One file of a skill directory or bundle; `path` is POSIX and relative to that root."""

    path: str
    size: int
    executable: bool
    read: Callable[[], bytes] = field(repr=False, compare=False)
    """Gives the bytes, at most the first MiB."""
    link: str = ""
    """The target when the file is a symbolic link."""
    escapes: bool = False
    """The link leads out of the root."""
    special: bool = False
    """A device, pipe or socket; never opened."""


@dataclass(frozen=True, slots=True)
class Source:
    """One decoded text: no byte order mark, every line end a single line feed."""

    path: str
    """As the user named it."""
    text: str
    kind: Kind
    bom: bool = False
    returns: tuple[int, ...] = ()
    """Offsets in `text` of the line feeds that were CRLF on disk, ascending."""
    fixable: bool = True
    """Whether the text can be written back where it was read (false inside an archive)."""


@dataclass(frozen=True, slots=True)
class Tree:
    """One directory (or archive) as read: a skill or a bundle."""

    path: str
    """As the user named it, without a final slash."""
    name: str
    """Base name of the directory."""
    files: Mapping[str, File]
    """POSIX path relative to the root -> file, sorted."""
    sources: tuple[Source, ...]
    """The texts among the files."""
    bundle: bool = False
    """Whether this is a plugin root (it holds a plugin manifest)."""
    skill: bool = False
    """Whether this is a skill directory (it holds a SKILL.md)."""
    exists: Callable[[str], bool] = field(default=lambda path: False, repr=False, compare=False)
    """Whether a relative path names something under this root or, in a repository, beside it."""
    repository: bool = False
    """Whether a repository or plugin root is in sight, so that a path which does not exist is known to be missing."""
    modes: bool = True
    """Whether modes are known to be kept there: some file is executable, or git heeds them."""
    catalogue: bool = False
    """Whether this is the root of a marketplace over bundles that are subjects of their own."""
