"""Read two releases and gather what moved: facts, unexplained text, packages."""

from __future__ import annotations

from dataclasses import dataclass

from skillgen.audit.views import make_text
from skillgen.errors import UsageError
from skillgen.load.kinds import COMMAND_DIRECTORIES, kind_of
from skillgen.load.package import Package
from skillgen.model.facts import Facts
from skillgen.model.subject import Kind, Source
from skillgen.watch.blocks import Unexplained, unexplained
from skillgen.watch.moves import Move, moves, spoken
from skillgen.watch.releases import Shift, product_of, shifts, version_of


@dataclass(frozen=True, slots=True)
class Reading:
    """The cancel text of one release, and what was read of it."""

    path: str
    text: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Watched:
    """What moved between two releases; `notes` are sentences about the comparison itself."""

    old: Reading
    new: Reading
    versions: tuple[str, str]
    moves: tuple[Move, ...]
    rest: Unexplained
    shifts: tuple[Shift, ...]
    notes: tuple[str, ...]

    @property
    def moved(self) -> bool:
        """Whether anything moved in meaning: a fact, or text that no fact explains."""
        return bool(self.moves or self.rest.gone or self.rest.came)


def compare(old: Package, new: Package, skill: str | None = None) -> Watched:
    """Compare two releases; `skill` is the path of the cancel text in both. Raises UsageError where one holds none."""
    notes: list[str] = []
    one, two = (read(package, skill, notes) for package in (old, new))
    names = product_of(old) or one.facts.first("label"), product_of(new) or two.facts.first("label")
    if names[0] and names[1] and names[0].casefold() != names[1].casefold():
        notes.append(f"the two are different products: {names[0]} and {names[1]}; they are compared all the same")
    for reading in (one, two):
        if len(reading.facts.modes()) < 2:
            notes.append(f"{reading.path} names fewer than two modes, so little can be compared")
    packages = () if old.alone or new.alone else tuple(shifts(old, new))
    found = tuple(moves(spoken(one.facts), spoken(two.facts)))
    lines = {fact.line for fact in spoken(one.facts)}, {fact.line for fact in spoken(two.facts)}
    moved = {move.before.line for move in found if move.before}, {move.after.line for move in found if move.after}
    return Watched(
        one,
        two,
        (version_of(old), version_of(new)),
        found,
        unexplained(one.text, two.text, lines, moved),
        packages,
        tuple(dict.fromkeys(notes)),
    )


def with_served_tools(watched: Watched, old: Package, new: Package) -> Watched:
    """Return the same with the tools as the releases' own servers list them, in place of those that stand as JSON."""
    from dataclasses import replace

    from skillgen.watch.releases import tool_shifts
    from skillgen.watch.running import served_tools

    (one, said), (two, more) = served_tools(old), served_tools(new)
    others = tuple(shift for shift in watched.shifts if shift.kind != "tool")
    return replace(watched, shifts=(*tool_shifts(one, two), *others), notes=(*watched.notes, *said, *more))


def read(package: Package, skill: str | None = None, notes: list[str] | None = None) -> Reading:
    """Return the cancel text of a release and its facts; raise UsageError where none is there."""
    path = _chosen(package, skill, notes if notes is not None else [])
    text = package.text(path)
    kind = kind_of(path) if not package.alone else Kind.SKILL if path.endswith("SKILL.md") else kind_of(path)
    return Reading(path, text, make_text(Source(path, text, kind)).facts)


def _chosen(package: Package, skill: str | None, notes: list[str]) -> str:
    if package.alone:
        return next(iter(package.files))
    found = cancel_texts(package)
    if skill is not None:
        if skill not in package.files:
            there = f"there are {', '.join(found)}" if found else "leave --skill out"
            raise UsageError(f"{package.name}: holds no {skill}; {there}")
        return skill
    if not found:
        raise UsageError(f"{package.name}: holds no cancel skill; name its path in the package with --skill")
    others = [path for path in found[1:] if package.files[path].digest != package.files[found[0]].digest]
    if others:
        notes.append(
            f"{package.name} holds several cancel skills; {found[0]} is compared, not {', '.join(others)} (--skill PATH)"
        )
    return found[0]


def cancel_texts(package: Package) -> list[str]:
    """Return the paths of the cancel texts in a release, the shortest first; a command only where no skill is there."""
    paths = sorted(package.files, key=lambda path: (path.count("/"), path))
    skills = [
        path for path in paths if path == "SKILL.md" or path.endswith("/cancel/SKILL.md") or path == "cancel/SKILL.md"
    ]
    commands = [
        path for path in paths if path.endswith("/cancel.md") and COMMAND_DIRECTORIES & set(path.split("/")[:-1])
    ]
    return skills or commands
