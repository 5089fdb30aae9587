"""Decide which files of a bundle may be written into a fork that has files of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from skillgen.drift.bundle import NO_FILE, Difference, mode_detail
from skillgen.model.lock import UNFINISHED, Entry, Marks

SKILLS = "skills/"
_OWN = frozenset({"README.md", "LICENSE", "package.json", "plugin.json"})
"""Names of the files that a plugin has once and that a fork may have of its own."""


def is_manifest(path: str) -> bool:
    """Tell whether this is a manifest, README or license: written only where the fork has none."""
    return path.split("/")[-1] in _OWN and not path.startswith(SKILLS)


def belonging(rendered: Marks, recorded: Marks, present: Mapping[str, object], *, manifests: bool) -> set[str]:
    """Return the rendered paths that belong to skillgen in this fork: its skill, and nothing else unless `manifests`.

    A manifest that the fork has of its own stays, and then also what only that manifest would name.
    """
    if not manifests:
        return {path for path in rendered if path.startswith(SKILLS)}
    own = {path for path in rendered if is_manifest(path) and path in present and path not in recorded}
    # A license or a README says nothing on who loads the plugin.
    loads = any(not path.endswith(("README.md", "LICENSE")) for path in own)
    return {
        path
        for path in rendered
        if path not in own and (path.startswith(SKILLS) or is_manifest(path) or not loads or path in recorded)
    }


def released(entry: Entry) -> tuple[Entry, list[str]]:
    """Return an entry without what an older form of the lock held of the fork's own: manifests, README, LICENSE.

    The paths beside it are no longer skillgen's; they stay on the disk as they are.
    """
    if entry.form > 1:
        return entry, []
    outside = sorted(path for path in entry.files if not path.startswith(SKILLS))
    files = {path: mark for path, mark in entry.files.items() if path.startswith(SKILLS)}
    return (replace(entry, files=files, inputs="") if outside else entry), outside


def has_manifests(entry: Entry | None) -> bool:
    """Tell whether a fork's lock holds more than the skill, as it was asked to."""
    return entry is not None and entry.form > 1 and any(not path.startswith(SKILLS) for path in entry.files)


def needed(path: str, files: Mapping[str, bytes]) -> str:
    """Return why a skill cannot do without one of its files, "" if it can."""
    name = path.rsplit("/", 1)[-1]
    if name in ("SKILL.md", "contract.json"):
        return "the skill is nothing without it"
    if "/scripts/" in path:
        return "a script needs it"
    if not path.startswith(SKILLS):
        return "is not part of the skill"
    skill = "/".join(path.split("/")[:2])
    text = files.get(f"{skill}/SKILL.md", b"").decode("utf-8", "replace")
    return "SKILL.md leads to it" if path.removeprefix(f"{skill}/") in text else ""


@dataclass(slots=True)
class Plan:
    """What a build into a fork does; paths are POSIX and relative to the plugin's root, sorted."""

    write: list[str] = field(default_factory=list)
    remove: list[str] = field(default_factory=list)
    left: list[Difference] = field(default_factory=list)
    """Edited since they were rendered: work for `sync`."""
    foreign: list[str] = field(default_factory=list)
    """In the way: nothing may be written before they are gone."""
    differences: list[Difference] = field(default_factory=list)
    """Everything that is not as it would be written now."""


def plan(recorded: Marks, rendered: Marks, actual: Marks) -> Plan:
    """Plan a build; `rendered` holds only what belongs to skillgen there."""
    made = Plan()
    for path in sorted({*recorded, *rendered, *actual}):
        old, new, now = (marks.get(path, NO_FILE) for marks in (recorded, rendered, actual))
        if path not in rendered:
            _leftover(made, path, known=path in recorded, there=path in actual, edited=old != now)
        elif path not in actual:
            made.write.append(path)
            made.differences.append(Difference(path, "missing"))
        elif now == new:
            continue
        elif path not in recorded:
            made.foreign.append(path)
        elif now == old:
            made.write.append(path)
            made.differences.append(Difference(path, "outdated"))
        else:
            made.left.append(Difference(path, "edited", mode_detail(new, now)))
            made.differences.append(made.left[-1])
    return made


def _leftover(made: Plan, path: str, *, known: bool, there: bool, edited: bool) -> None:
    if not there:
        return
    if path.split("/")[-1].startswith(UNFINISHED):
        made.remove.append(path)
        made.differences.append(Difference(path, "retired", "left by an interrupted run"))
    elif known and not edited:
        made.remove.append(path)
        made.differences.append(Difference(path, "retired"))
    elif known:
        made.left.append(Difference(path, "retired", "was edited"))
        made.differences.append(made.left[-1])
