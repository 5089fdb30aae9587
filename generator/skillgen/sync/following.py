"""Follow the other skills of an upstream in a fork's names: what they would be now, what they were, and which the fork has."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from skillgen import __version__
from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.build.locks import read_lock
from skillgen.build.rebuild import write_lock
from skillgen.drift.fold import fold
from skillgen.drift.merge_front import split_front
from skillgen.drift.near import nearness
from skillgen.errors import UsageError
from skillgen.hosts import known_hosts
from skillgen.load.files import read
from skillgen.load.fork import behind_link
from skillgen.load.git import blobs
from skillgen.load.moved import find_skill
from skillgen.load.plugin_name import plugin_name
from skillgen.load.upstream import Upstream
from skillgen.model.contract import Contract
from skillgen.model.files import EXECUTABLE, RenderedFile
from skillgen.model.lock import Entry, ForkOrigin, Mark
from skillgen.model.places import one_name, place_problem
from skillgen.model.rename_map import RenameMap, rename_map
from skillgen.model.visible import escaped
from skillgen.sync.bases import Bases
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import UNSAID, Fork, is_left_out
from skillgen.sync.targets import Targets

NEAR = 0.5
"""From so much alike on a skill or file of the fork is one of the upstream's."""
_VERSIONS = 40
"""Earlier states of a file that are held against the fork's at most, newest first."""
_SKILLS = "skills"


@dataclass(frozen=True, slots=True)
class Told:
    """What was told now: what the fork leaves out from now on, and what it takes back."""

    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    home: str = ""
    """The fork's own root where it is examined in another work tree."""


class Followed(Targets):
    """The skills of an upstream in a fork's names, in the place of bundles."""

    gone = "no longer upstream: --theirs removes it, --ours keeps it as your own"

    def __init__(
        self, inputs: Inputs, upstream: Upstream, names: RenameMap, product: str, id_: str, own: str, home: str
    ) -> None:
        """Take the fork's product, and `own`: its cancel skill's directory name, which is none of these; `home`: its root."""
        super().__init__(inputs)
        self.upstream, self.names, self.id, self._product, self._home = upstream, names, id_, product, home
        self.paths: dict[str, str] = {}
        """Path in the fork's names -> in the upstream's."""
        self.files: dict[str, RenderedFile] = {}
        passed = [
            path.split("/")[0] for path in upstream.files if path.endswith("/contract.json") and path.count("/") == 1
        ]
        for path, (data, mode) in upstream.files.items():
            there = f"{_SKILLS}/{names.path(path)}"
            skill = path.split("/")[0]
            if skill in ("cancel", own, *passed) or there.split("/")[1] == own:
                continue
            if there in self.paths:
                raise UsageError(
                    f"{upstream.place}: {path} and {self.paths[there]} are both {there} in the fork's names; rename one of them upstream"
                )
            if wrong := place_problem(there):
                raise UsageError(
                    f"{upstream.place}: {escaped(path)} would be {escaped(there)}, which {wrong}; rename it"
                )
            self.paths[there] = path
            self.files[there] = RenderedFile(self.renamed(data, path), mode)
        if twin := one_name(self.files):
            raise UsageError(f"{upstream.place}: holds {escaped(twin)} a second time in another case; rename one")

    @property
    def skills(self) -> list[str]:
        return sorted({"/".join(path.split("/")[:2]) for path in self.files})

    def renamed(self, data: bytes, path: str) -> bytes:
        """Return a file of the upstream in the fork's names and with line feeds."""
        return self.names.data(fold(data).data if b"\0" not in data else data, path)

    def marks(self, excluded: Iterable[str]) -> dict[str, Mark]:
        """Return what the fork would hold."""
        out = tuple(excluded)
        return {
            path: Mark(hashlib.sha256(file.data).hexdigest(), file.mode == EXECUTABLE)
            for path, file in self.files.items()
            if not is_left_out(path, out)
        }

    def entry(self, id_: str, recorded: Entry | None) -> tuple[Entry, bool]:
        files = self.marks(recorded.origin.excluded if recorded else ())
        made = Entry(self.id, self.id, self.upstream.revision[:12], __version__, 1, (), self.names.digest, "", files)
        return made, bool(recorded and recorded.files == files and recorded.revision == made.revision)

    def render(self, id_: str) -> tuple[Entry, dict[str, RenderedFile]]:
        return self.entry(id_, None)[0], self.files

    def revisions(self, flavor: str) -> list[str]:
        return []

    def origin(self, root: str, recorded: Entry, flavor: str) -> ForkOrigin:
        """Return where the skills come from, and what of them the fork leaves out."""
        where = self.upstream.source or os.path.relpath(
            os.path.realpath(self.upstream.place), os.path.realpath(self._home)
        ).replace(os.sep, "/")
        return replace(recorded.origin, product=self._product, upstream=where)


class UpstreamBases(Bases):
    """Finds what a followed file was: in the histories of the fork and of the upstream, here in the fork's names."""

    def __init__(self, targets: Followed) -> None:
        super().__init__(targets)
        self._followed = targets

    def find(self, digest: str, path: str, entry: Entry, root: str) -> bytes | None:
        for source in (self._now, self._fork, self._upstream):
            if digest in self._known:
                break
            source(digest, path, entry, root)
        return self._known.get(digest)

    def was_rendered(self, digest: str, entry: Entry) -> bool:
        self._now("", "", entry, "")
        return digest in self._known

    def histories(self) -> list[str]:
        return [self._followed.upstream.top] if self._followed.upstream.top else []

    def versions(self, path: str) -> Iterator[bytes]:
        """Yield what a followed file was in the upstream's history, in the fork's names, newest first."""
        upstream = self._followed.upstream
        name = self._followed.paths.get(path, path.removeprefix(f"{_SKILLS}/"))
        if upstream.top:
            spec = f":(top,literal){upstream.holder}/{name}" if upstream.holder else f":(top,literal){name}"
            for number, data in enumerate(blobs(upstream.top, [spec])):
                if number >= _VERSIONS:
                    return
                yield self._followed.renamed(data, name)

    def _now(self, digest: str, path: str, entry: Entry, root: str) -> None:
        if self._is_first_time("now"):
            for file in self._followed.files.values():
                self.remember(file.data)

    def _upstream(self, digest: str, path: str, entry: Entry, root: str) -> None:
        if self._is_first_time("upstream", path):
            for data in self.versions(path):
                self.remember(data)


def follow(root: str, bundle: Entry, upstream: Upstream, told: Told, examiner: Examiner) -> Fork:
    """Return the fork's state against the upstream's skills; `examiner` knows the fork's flavor.

    The first time a skill that the fork lacks, or that is its own, is left out, unless it has none of them.
    """
    if os.path.realpath(upstream.place) == os.path.realpath(told.home or root):
        raise UsageError(f"{upstream.place}: is the fork itself; name its upstream")
    contract, above = _contracts(upstream, bundle, examiner, root)
    hosts = {name for host in known_hosts().values() for name in (*host.session.variables, *host.session.never)}
    names = rename_map(above, contract, hosts)
    at = _kept_at(root, bundle)
    id_ = f"skills-of-{above.flavor}"
    own, home = at.rsplit("/", 1)[-1], told.home or root
    targets = Followed(examiner.targets.inputs, upstream, names, contract.product.name, id_, own, home)
    bases = UpstreamBases(targets)
    holder = at.rpartition("/")[0]
    recorded, note = _recorded(root, targets, bases, holder)
    excluded = [path for path in dict.fromkeys((*recorded.origin.excluded, *told.exclude)) if not _taken(path, told)]
    for path in told.exclude:
        if not any(is_left_out(one, (path,)) for one in (*targets.files, *recorded.files)):
            raise UsageError(
                f"{path}: is none of the skills of {upstream.place}, so it cannot be left out; give skills/NAME or a file in it"
            )
    if recorded.files and not recorded.files.keys() & targets.files.keys():
        raise UsageError(
            f"{upstream.place}: holds none of the skills that this fork follows, and all of them would go; name their upstream"
        )
    for path in told.include:
        if not any(is_left_out(one, (path,)) for one in targets.files):
            raise UsageError(f"{path}: is none of the skills of {upstream.place}; it has {', '.join(targets.skills)}")
    before = recorded.origin
    recorded = replace(recorded, origin=replace(before, excluded=tuple(excluded)))
    follower = Examiner(targets, bases, examiner.favor, contents=examiner.contents)
    moved = (_SKILLS, holder) if holder != _SKILLS else None
    fork = follower.examine(root, recorded, id_, owned=targets.marks(excluded), moved=moved)
    fork.note = "; ".join(filter(None, (fork.note, *note, *(f"not followed: {one}" for one in upstream.left))))
    return fork


def claim(fork: Fork) -> None:
    """Record what is decided and which files will be new before one is written, so that a killed run is gone on with."""
    lock = read_lock(fork.root)
    entry = replace(fork.recorded, files={**fork.target.files, **fork.recorded.files}, origin=fork.target.origin)
    if (fork.write or fork.remove) and lock.get(entry.id) != entry:
        write_lock(fork.root, {**{id_: one for id_, one in lock.items() if not one.origin.upstream}, entry.id: entry})


def _taken(path: str, told: Told) -> bool:
    return any(path.rstrip("/") == one.rstrip("/") or is_left_out(path, (one,)) for one in told.include)


def _contracts(upstream: Upstream, bundle: Entry, examiner: Examiner, root: str) -> tuple[Contract, Contract]:
    """Return the contract of the fork, and that of the product whose skills these are."""
    inputs = examiner.targets.inputs
    known = [id_ for id_ in dict.fromkeys((bundle.id, *reversed(bundle.base))) if id_ in inputs.files.paths]
    if bundle.id not in known:
        raise UsageError(f"there is no flavor {bundle.id}; a flavor of your own needs --flavors DIR")
    made = {id_: one.contract for id_, one in resolve_all(inputs, known).items()}
    name = plugin_name(upstream.place) or plugin_name(os.path.dirname(os.path.realpath(upstream.place)))
    fork = made[bundle.id]
    above = [one for id_, one in made.items() if id_ != bundle.id]
    if found := next((one for one in (*above, fork) if _is_called(one, name)), None):
        return fork, found
    others = [id_ for id_ in inputs.choose(()) if id_ not in made] if name else []
    for id_, one in resolve_all(inputs, others).items() if others else ():
        if _is_called(one.contract, name):
            return fork, made.setdefault(id_, one.contract)
    # What the fork follows already, it may follow from a place without a manifest, too.
    before = [entry.id.removeprefix("skills-of-") for entry in read_lock(root).values() if entry.origin.upstream]
    if not name and before and before[0] in inputs.files.paths:
        return fork, resolve_all(inputs, before)[before[0]].contract
    if other := next((one for one in above if one.product.name != fork.product.name), None):
        return fork, other
    raise UsageError(
        f"{upstream.place}: no flavor tells what {name or 'it'} calls itself; build the fork's flavor on one of that product "
        "(`base:`), or add one with --flavors DIR"
    )


def _is_called(contract: Contract, name: str) -> bool:
    return bool(name) and name in (contract.product.plugin, contract.plugin.name, contract.product.title)


def _kept_at(root: str, bundle: Entry) -> str:
    """Return where the fork has its cancel skill."""
    place = bundle.origin.skill or bundle.usual or f"{_SKILLS}/cancel"
    if not os.path.isdir(os.path.join(root, place)):
        place = find_skill(root, bundle.flavor) or place
    return place


def _recorded(root: str, targets: Followed, bases: UpstreamBases, holder: str) -> tuple[Entry, list[str]]:
    """Return what the lock says of the skills; of those that it does not know, what the fork's copies were most likely made from."""
    entries = [entry for entry in read_lock(root).values() if entry.origin.upstream]
    entry = next((one for one in entries if one.id == targets.id), None)
    if entries and not entry:
        raise UsageError(
            f"{root}: follows {entries[0].id.removeprefix('skills-of-')} already, from {entries[0].origin.upstream}; "
            "a fork has one upstream: take that entry out of skillgen.lock to follow another"
        )
    first = entry is None
    entry = entry or replace(targets.entry(targets.id, None)[0], revision=UNSAID, files={}, origin=ForkOrigin())
    known = {path.split("/")[1] for path in (*entry.files, *entry.origin.excluded)}
    skills = sorted({path.split("/")[1] for path in targets.files} - known)
    files = dict(entry.files)
    lacking, own = [], []
    for skill in skills:
        found = _begin(root, targets, bases, holder, skill)
        if found is None:
            lacking.append(skill)
        elif not found:
            own.append(skill)
        files |= found or {}
    if not first or len(lacking) == len(skills):
        # What is new upstream comes, and to a fork that has nothing everything does.
        lacking = []
    apart = [
        path
        for path in targets.files
        if path.split("/")[1] in skills
        and path.split("/")[1] not in (*lacking, *own)
        and path not in files
        and os.path.lexists(os.path.join(root, _at(holder, path)))
    ]
    note = []
    if lacking:
        note.append(f"skills that this fork lacks stay out ({', '.join(lacking)}); --include skills/NAME takes one")
    if own or apart:
        note.append(f"unlike the upstream's, so your own: {', '.join((*own, *apart))}")
    out = (*entry.origin.excluded, *(f"{_SKILLS}/{skill}" for skill in sorted((*lacking, *own))), *apart)
    return replace(entry, files=files, origin=replace(entry.origin, excluded=out)), note


def _begin(root: str, targets: Followed, bases: UpstreamBases, holder: str, skill: str) -> dict[str, Mark] | None:
    """Return what the files of a fork's copy were made from; nothing for a skill of its own, None where it has none."""
    main = f"{_SKILLS}/{skill}/SKILL.md"
    if not os.path.isfile(os.path.join(root, _at(holder, main))):
        return {} if os.path.lexists(os.path.join(root, _at(holder, f"{_SKILLS}/{skill}"))) else None
    found: dict[str, Mark] = {}
    for path in sorted((one for one in targets.files if one.split("/")[1] == skill), key=lambda one: one != main):
        place = _at(holder, path)
        full = os.path.join(root, place)
        base = (
            _nearest(path, read(full), targets, bases)
            if os.path.isfile(full) and not behind_link(root, place)
            else None
        )
        if base is not None:
            bases.remember(base)
            found[path] = Mark(hashlib.sha256(base).hexdigest(), targets.files[path].mode == EXECUTABLE)
        elif path == main:
            return {}
    return found


def _nearest(path: str, data: bytes, targets: Followed, bases: UpstreamBases) -> bytes | None:
    """Return the state of the upstream's file that a copy is most like, None where it is like none."""
    form = fold(data).data
    if form == targets.files[path].data:
        return form
    every = list(dict.fromkeys([targets.files[path].data, *bases.versions(path)]))
    if form in every:
        return form
    rates = [
        (nearness({path: _said(one, path)}, {path: _said(form, path)}), -number, one)
        for number, one in enumerate(every)
    ]
    rate, _, best = max(rates)
    return best if rate >= NEAR else None


def _said(data: bytes, path: str) -> bytes:
    """Return what tells two texts apart: no front matter, which skills of one name share, and no empty line."""
    text = data.decode("utf-8", "replace")
    body = split_front(text)[1] if path.endswith(".md") else text
    return "\n".join(line for line in body.split("\n") if line.strip()).encode()


def _at(holder: str, path: str) -> str:
    return f"{holder}{path[len(_SKILLS) :]}"
