"""Find the hand-edited cancel skill of a plugin, whether a directory or only a command holds it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from skillgen.errors import UsageError
from skillgen.hosts import known_hosts
from skillgen.load.kinds import COMMAND_DIRECTORIES
from skillgen.load.moved import find_named
from skillgen.load.unknown_manifest import names_itself

_BUILT = frozenset({"dist", "build", "out", "vendor", "third_party"})
"""Directories that hold copies of what lies elsewhere."""
_COMMAND = "cancel.md"
_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Copy:
    """Where a plugin has its cancel skill; paths are POSIX and relative to `root`."""

    root: str
    """The plugin's root, or the repository's for a skill of the project itself; the lock lies there."""
    skill: str
    """The skill's directory; it may not be there yet."""
    command: str = ""
    """A command beside it that cancels, too; "" for none."""
    there: bool = True
    """Whether the skill's directory holds a SKILL.md."""

    @property
    def text(self) -> str:
        """The path of what an agent reads now: the skill, or the command alone."""
        return os.path.join(self.root, self.skill if self.there else self.command)


def find_copy(path: str) -> Copy:
    """Return the one copy at or below a directory; raise UsageError where there is none, or more than one."""
    if os.path.isfile(os.path.join(path, "SKILL.md")):
        return _copy(path, "")
    named = [one for one in find_named(path, "cancel") if not _BUILT & set(one.split("/"))]
    named = named or [one for one in _ending(path) if not _BUILT & set(one.split("/"))]
    commands = [one for one in _commands(path, "", 0) if not _BUILT & set(one.split("/"))]
    if len(named) == 1:
        return _copy(path, named[0])
    if named:
        raise UsageError(
            f"{path}: holds several cancel skills; name the directory of one: skillgen adopt {os.path.join(path, named[0])}"
            f" (also {', '.join(named[1:])})"
        )
    if len(commands) == 1:
        return _from_command(path, commands[0])
    if commands:
        raise UsageError(f"{path}: holds several cancel commands ({', '.join(commands)}); name the plugin root of one")
    none = f"{path}: holds no skill called cancel and no commands/{_COMMAND}"
    if told := next((name for name in _TOLD if os.path.isfile(os.path.join(path, name))), ""):
        raise UsageError(
            f"{none}; move what {told} says of cancelling into skills/cancel/SKILL.md, commit it and run skillgen adopt {path}; "
            f"{told} itself is read in every session and stays yours"
        )
    raise UsageError(f"{none}; name the skill's directory, or start a flavor with skillgen new")


_TOLD = ("AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules")
"""Texts that an agent reads in every session; a product without skills may tell there how to cancel."""


def _ending(path: str) -> list[str]:
    """Return skills whose name only ends as a cancel skill's does, such as `acme-cancel`."""
    from skillgen.load.moved import find_skills

    return [one for one in find_skills(path) if "cancel" in one.rsplit("/", 1)[-1].split("-")]


def _copy(path: str, skill: str) -> Copy:
    where = os.path.realpath(os.path.join(path, skill))
    root = plugin_root(where, os.path.dirname(where))
    relative = os.path.relpath(where, root).replace(os.sep, "/")
    if relative.startswith("..") or relative == ".":
        raise UsageError(f"{path}: is the root of its plugin and a skill at once; move the skill into skills/cancel/")
    return Copy(_shorten_root(root, path), relative, command_beside(root, relative))


def command_beside(root: str, skill: str) -> str:
    """Return the command that cancels beside a skill, "" if there is none; both are relative to the root."""
    beside = f"{os.path.dirname(os.path.dirname(skill))}/commands/{_COMMAND}".lstrip("/")
    return beside if os.path.isfile(os.path.join(root, beside)) else ""


def _from_command(path: str, command: str) -> Copy:
    where = os.path.realpath(os.path.join(path, command))
    above = os.path.dirname(os.path.dirname(where))
    root = plugin_root(os.path.join(above, "skills", "cancel"), above)
    prefix = os.path.relpath(above, root).replace(os.sep, "/")
    beside = "" if prefix == "." else f"{prefix}/"
    return Copy(
        _shorten_root(root, path), f"{beside}skills/cancel", f"{beside}commands/{os.path.basename(where)}", False
    )


def plugin_root(skill: str, start: str) -> str:
    """Return the root of the plugin around a skill: the nearest directory with a manifest, within the repository.

    A manifest of a known host counts before one of a host that nobody knows. Without any it is what holds `skills/`, or what
    holds a host's hidden directory with it.
    """
    at = start
    unknown = ""
    while True:
        if any(os.path.isfile(os.path.join(at, sign)) for sign in known_hosts().signs):
            return at
        unknown = unknown or (at if names_itself(at) else "")
        above = os.path.dirname(at)
        if os.path.lexists(os.path.join(at, ".git")):
            break
        if above == at:
            unknown = ""
            break
        at = above
    if unknown:
        return unknown
    holder = os.path.dirname(skill)
    top = os.path.dirname(holder) if os.path.basename(holder) == "skills" else holder
    return os.path.dirname(top) if os.path.basename(top).startswith(".") else top


def _shorten_root(root: str, path: str) -> str:
    """Return a root as the user would write it, from where he is."""
    if os.path.realpath(path) == root:
        return path
    return root if os.path.isabs(path) else os.path.relpath(root, os.path.realpath("."))


def _commands(directory: str, prefix: str, depth: int) -> list[str]:
    found: list[str] = []
    try:
        with os.scandir(directory) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return found
    inside = prefix.rstrip("/").rsplit("/", 1)[-1] in COMMAND_DIRECTORIES
    for entry in listed:
        if entry.is_dir(follow_symlinks=False):
            if depth < _DEPTH and entry.name not in (".git", "node_modules", ".venv", "venv"):
                found += _commands(entry.path, f"{prefix}{entry.name}/", depth + 1)
        elif inside and entry.name == _COMMAND:
            found.append(f"{prefix}{entry.name}")
    return found
