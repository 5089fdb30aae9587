"""Hold one fork against its lock and against what its bundle would be now."""

from __future__ import annotations

import hashlib
import os
import shlex
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from skillgen.drift.decide import Action, Facts, decide
from skillgen.drift.fold import Folded, fold, forms
from skillgen.drift.markers import OURS, around_fences, has_examples, marker_line, take_side
from skillgen.drift.near import has_become_own
from skillgen.drift.place import SKILLS, belonging, has_manifests, needed, released
from skillgen.errors import UsageError
from skillgen.load.files import read, shown
from skillgen.load.fork import look
from skillgen.load.kept_modes import keeps_modes
from skillgen.model.fork import FileState, State
from skillgen.model.guess import hint
from skillgen.model.lock import FORMAT, UNFINISHED, Entry, Mark, heed_modes
from skillgen.sync.bases import Bases
from skillgen.sync.command import examine_command
from skillgen.sync.fork import KEPT, Fork, is_left_out
from skillgen.sync.targets import Targets

if TYPE_CHECKING:
    from skillgen.drift.change import Change
    from skillgen.load.upstream import Upstream


class Examiner:
    """Examines forks; what it renders or brings back for one serves all."""

    def __init__(self, targets: Targets, bases: Bases, favor: str = "", *, contents: bool = True) -> None:
        self.targets = targets
        self.bases = bases
        self.favor = favor
        self.contents = contents
        """Whether what would be written is wanted; a check needs only the states."""
        self._beside: dict[str, Examiner] = {}
        self._upstreams: dict[str, Upstream] = {}
        self.changes: dict[tuple[str, str], list[Change] | None] = {}
        """What was found to change between two contracts, by their digests."""
        # Holds what its keys are the ids of, so that these stay theirs.
        self._known: dict[int, tuple[Mapping[str, Mark], set[str], list[FileState]]] = {}

    def upstream(self, name: str) -> Upstream:
        """Return the skills of an upstream, read once for all forks."""
        from skillgen.load.upstream import open_upstream

        if name not in self._upstreams:
            self._upstreams[name] = open_upstream(name)
        return self._upstreams[name]

    def beside(self, flavors: str) -> Examiner:
        """Return one that knows a further directory of flavors as well, "" for none; forks that share it share what is rendered."""
        if not flavors:
            return self
        if flavors not in self._beside:
            targets = Targets(self.targets.inputs.adding(flavors))
            bases = Bases(targets, [*self.bases.own, flavors])
            self._beside[flavors] = Examiner(targets, bases, self.favor, contents=self.contents)
            self._beside[flavors]._upstreams = self._upstreams
        return self._beside[flavors]

    def examine(
        self,
        root: str,
        recorded: Entry,
        flavor: str,
        *,
        owned: Mapping[str, Mark] | None = None,
        moved: tuple[str, str] | None = None,
        manifests: bool = False,
    ) -> Fork:
        """Return the fork's state against `flavor`; raises InputError or UsageError where there is none.

        `owned`: the rendered files that are skillgen's there, if the lock cannot tell; `moved`: as in `Fork`.
        """
        full, same = self.targets.entry(flavor, recorded)
        recorded, outside = released(recorded)
        if owned is None:
            owned = recorded.files if same and not manifests else _mark_owned(root, full, recorded, manifests=manifests)
            owned = self._leave_out(owned, full, recorded, flavor)
        origin = recorded.origin
        if recorded.form < FORMAT or not same or not origin.product:
            origin = self.targets.origin(root, recorded, flavor)
        moved = moved or self._kept_at(recorded)
        fork = Fork(root, recorded, replace(full, files=owned, origin=origin), moved=moved)
        if outside:
            fork.note = f"no longer skillgen's, and left as they are: {', '.join(outside)}"
        trees = self._trees(owned, recorded.files)
        usual = trees if not moved else [tree for tree in trees if not f"{tree}/".startswith(f"{moved[0]}/")]
        paths = [path for path in (*owned, *recorded.files) if not moved or not path.startswith(f"{moved[0]}/")]
        there = look(root, usual, paths)
        if moved:
            there |= self._moved_files(fork, trees)
        elif trees and not any(path.startswith(SKILLS) for path in there) and recorded.files:
            there = self._mark_moved(fork, trees, there)
        actual = heed_modes(there, {**recorded.files, **owned}, lambda: keeps_modes(root))
        fork.modes = actual is there
        if same and actual == recorded.files and recorded.form == FORMAT:
            # The way of nearly every file: nothing is to be said but that it is current.
            fork.files = self._current_states(recorded.files)
            examine_command(fork, self.favor)
            return fork
        for path in sorted({*owned, *recorded.files, *actual}):
            name = path.rsplit("/", 1)[-1]
            if not name.startswith(UNFINISHED):
                self._file(fork, path, actual.get(path))
        if any(file.state is State.RETIRED and file.edited for file in fork.files):
            from skillgen.sync.renamed import carry_edits

            carry_edits(fork, self.bases, self.targets.render(flavor)[1], self._make_renamer(fork))
            self._keep_retired(fork)
        if any(file.state is State.MISSING and not file.detail for file in fork.files):
            from skillgen.sync.renamed import take_back

            take_back(fork, self.bases, self.targets.render(flavor)[1], self._make_renamer(fork))
        examine_command(fork, self.favor)
        fork.lock_outdated = (
            fork.lock_outdated or not recorded.sealed or recorded.form < FORMAT or not recorded.same_result(fork.target)
        )
        return fork

    def _leave_out(self, owned: Mapping[str, Mark], full: Entry, recorded: Entry, flavor: str) -> Mapping[str, Mark]:
        """Return what is skillgen's without what the fork leaves out; raise UsageError for what the skill cannot do without."""
        excluded = recorded.origin.excluded
        if not excluded and all(path in owned for path in full.files if path.startswith(SKILLS)):
            return owned
        back = {path: mark for path, mark in full.files.items() if path.startswith(SKILLS)}
        if excluded:
            rendered = self.targets.render(flavor)[1]
            for path in excluded:
                if path not in rendered:
                    what = f"{path}: is no file of the bundle of {flavor}, so it cannot be left out"
                    raise UsageError(what, hint(path, rendered, "name one of those that the lock records"))
                if why := needed(path, {name: file.data for name, file in rendered.items()}):
                    raise UsageError(
                        f"{path}: {why}, so it cannot be left out; keep it, or edit it where it lies: sync keeps edits"
                    )
        return {path: mark for path, mark in {**back, **owned}.items() if path not in excluded}

    def _kept_at(self, recorded: Entry) -> tuple[str, str] | None:
        """Return the skill's directory in the bundle and where the lock says that the fork keeps it."""
        usual = next((_tree(path) for path in recorded.files if path.startswith(SKILLS)), "")
        place = recorded.origin.skill
        return (usual, place) if place and usual and place != usual else None

    def _trees(self, *sides: Mapping[str, Mark]) -> list[str]:
        """Return the skills' directories in the bundle."""
        found: set[str] = set()
        for side in sides:
            # Most forks share what was parsed once.
            if id(side) not in self._known:
                paths = list(side)
                trees = {_tree(path) for path in paths if path.startswith(SKILLS)}
                self._known[id(side)] = (side, trees, [FileState(path, State.CURRENT) for path in paths])
            found |= self._known[id(side)][1]
        return sorted(found)

    def _current_states(self, files: Mapping[str, Mark]) -> list[FileState]:
        return self._known[id(files)][2]

    def _mark_moved(self, fork: Fork, trees: list[str], actual: dict[str, Mark]) -> dict[str, Mark]:
        from skillgen.load.moved import find_skill

        place = find_skill(fork.root, fork.recorded.flavor)
        if place is None:
            return actual
        fork.moved = (trees[0], place)
        return actual | self._moved_files(fork, trees)

    def _moved_files(self, fork: Fork, trees: list[str]) -> dict[str, Mark]:
        """Return the files of moved skills under the names that they have in the bundle."""
        found: dict[str, Mark] = {}
        for tree in trees:
            place = fork.place(f"{tree}/").rstrip("/")
            if place != tree:
                found |= {tree + path[len(place) :]: mark for path, mark in look(fork.root, [place], ()).items()}
        return found

    def _file(self, fork: Fork, path: str, now: Mark | None) -> None:
        """Decide what to do with a file, and put down what carrying that out would write."""
        old, new = fork.recorded.files.get(path), fork.target.files.get(path)
        place = fork.place(path)
        data, facts = None, Facts(old, new, now)
        if now is not None and now not in (old, new) and len(now.digest) == 64 and (old or new):
            data = read(os.path.join(fork.root, place))
            like = forms(data)
            once = not fork.recorded.sealed and any(self.bases.was_rendered(one, fork.recorded) for one in like)
            facts = Facts(old, new, now, like, once, self._marker(fork, place, data))
        decision = decide(facts, self.favor)
        if decision is None:
            return
        if decision.line and self._resumes(fork, path, data or b"", now):
            decision = decide(facts._replace(marker=0), self.favor) or decision
        settled = False
        if decision.line and self.favor and now is not None and data is not None:
            taken = take_side(data, place, self.favor)
            if settled := taken != data:
                data, now = taken, Mark(hashlib.sha256(taken).hexdigest(), now.executable)
                facts = facts._replace(now=now, forms=forms(taken), marker=self._marker(fork, place, taken))
                decision = decide(facts, self.favor) or decision
            if decision.line:
                decision = decision._replace(detail="holds conflict markers that no sync wrote; resolve them")
        if path.endswith("/contract.json") and now and decision.action in (Action.WRITE, Action.MERGE):
            # What changes in meaning is told from it, also when nothing else remembers it.
            self.bases.remember(fold(read(os.path.join(fork.root, place))).data)
        state, detail = decision.state, decision.detail
        if decision.action is Action.MERGE:
            state, detail = self._merge(fork, path, data or b"", detail, now)
        elif decision.action is Action.WRITE and new and self.contents:
            form = fold(read(os.path.join(fork.root, place))) if state is State.OUTDATED else Folded(b"")
            fork.write[place] = (form.unfold(self._rendered_bytes(fork, path)), _mode(old, new, now))
        elif decision.action is Action.REPLACE and new:
            fork.write[place] = (self._rendered_bytes(fork, path), _mode(old, new, None))
        elif decision.action is Action.WAIT:
            self._settle(fork, path, new)
        elif decision.action is Action.REMOVE:
            fork.remove.append(place)
        if settled and decision.action is Action.NONE:
            fork.write[place] = (data or b"", 0o755 if now and now.executable else 0o644)
            detail = "the fork's side is taken" if self.favor == "ours" else "the rendered side is taken"
        fork.files.append(FileState(place, state, decision.edited, detail, decision.line))

    def _marker(self, fork: Fork, place: str, data: bytes) -> int:
        """Return the line of the first conflict in a file, 0 where there is none but in examples."""
        from skillgen.load.git import is_unmerged

        merging = has_examples(data, place) and is_unmerged(fork.root, place)
        return marker_line(data, place, merging=merging)

    def _resumes(self, fork: Fork, path: str, data: bytes, now: Mark | None) -> bool:
        """Tell whether the markers in a file are those of a killed run, which goes on from what was there before."""
        old, new = fork.recorded.files.get(path), fork.target.files.get(path)
        if new is None or old == new:
            return False
        place = fork.place(path)
        self._merge(fork, path, data, "", now)
        if fork.merged.get(place):
            return True
        fork.merged.pop(place, None), fork.write.pop(place, None)
        return False

    def _settle(self, fork: Fork, path: str, new: Mark | None) -> None:
        """Leave a conflict alone; the file's base stays what it is until that is gone."""
        old = fork.recorded.files.get(path)
        if old and new and old != new:
            fork.target = replace(fork.target, inputs="", files={**fork.target.files, path: old})

    def _keep_retired(self, fork: Fork) -> None:
        """Make a conflict of each file that is no longer rendered and was edited, until the fork takes a side.

        It stays where it is and nothing of the bundle loads it any more, so its edits have no effect: somebody has to know.
        """
        if self.favor:
            return
        fates = {file.path: file for file in fork.files if file.state is State.RETIRED and file.edited}
        for path, mark in fork.recorded.files.items():
            place = fork.place(path)
            file = fates.get(place)
            if file is None or place in fork.remove or is_left_out(path, fork.target.origin.excluded):
                continue
            fork.files[fork.files.index(file)] = replace(file, state=State.CONFLICT, detail=self.targets.gone)
            fork.target = replace(fork.target, inputs="", files={**fork.target.files, path: mark})

    def _merge(self, fork: Fork, path: str, data: bytes, detail: str, now: Mark | None) -> tuple[State, str]:
        place = fork.place(path)
        old, new = fork.recorded.files.get(path), fork.target.files[path]
        base = self.bases.find(old.digest, path, fork.recorded, fork.root) if old else None
        if base is not None and has_become_own(path, base, data):
            return State.EDITED, "has become the fork's own"
        theirs = self._rendered_bytes(fork, path)
        labels = _labels(fork)
        merge = partial(self._merge_three, path, base, theirs, labels)
        kept = os.path.join(fork.root, os.path.dirname(place), KEPT + os.path.basename(place))
        resumed = False
        if os.path.lexists(kept) and not os.path.islink(kept):
            # A run was killed between putting a merge in place and recording it: start from what was there before.
            before = read(kept)
            if self.favor:
                before = take_side(before, place, self.favor)
            if data in (before, merge(before)[0]):
                data, resumed = before, True
        result, conflicts = merge(data)
        fork.write[place] = (result, _mode(old, new, now))
        fork.merged[place] = resumed
        if not conflicts:
            return State.OUTDATED, detail or "its edits merge"
        if not marker_line(result, place):
            # Binary data cannot hold markers: it waits for --ours or --theirs.
            del fork.write[place], fork.merged[place]
            self._settle(fork, path, new)
            return State.CONFLICT, "holds binary data; take a side with --ours or --theirs"
        if base is None and old is not None:
            detail = "what it was rendered from cannot be rendered again" + self._cut_off(fork)
        return State.CONFLICT, detail or ("1 conflict" if conflicts == 1 else f"{conflicts} conflicts")

    def _cut_off(self, fork: Fork) -> str:
        """Say which histories that might tell what a file was are cut off, and what brings them back."""
        from skillgen.load.git import is_shallow

        cut = [top for top in (fork.root, *self.bases.histories()) if os.path.isdir(top) and is_shallow(top)]
        if not cut:
            return ""
        named = dict.fromkeys(shown(top) for top in cut)
        repair = ", ".join(f"git -C {shlex.quote(top)} fetch --unshallow" for top in named)
        return f": a shallow clone holds no history; {repair}, then skillgen sync again"

    def _make_renamer(self, fork: Fork) -> Callable[[str, bytes, bytes, bytes], tuple[bytes, int]]:
        labels = _labels(fork)
        return lambda path, base, theirs, ours: self._merge_three(path, base, theirs, labels, ours)

    def _merge_three(
        self, path: str, base: bytes | None, theirs: bytes, labels: tuple[str, str, str], ours: bytes
    ) -> tuple[bytes, int]:
        # Only where something is merged: parsers of Markdown and YAML take longer to import than to use.
        from skillgen.drift.merge import Merger
        from skillgen.load.git import merge_lines

        lines: Callable[[bytes, bytes, bytes], tuple[bytes, int]] = partial(
            merge_lines, labels=labels, favor=self.favor
        )
        form = fold(ours)
        if base is None:
            data, conflicts = lines(b"", form.data, theirs)
        else:
            merged = Merger(lines, self.favor).merge(path, base, form.data, theirs)
            data, conflicts = merged.data, merged.conflicts
            data = around_fences(data, path, (form.data, theirs)) if conflicts else data
        # No shell takes a script with carriage returns, whatever form its owner's editor gave it.
        return data if theirs.startswith(b"#!") else form.unfold(data), conflicts

    def _rendered_bytes(self, fork: Fork, path: str) -> bytes:
        return self.targets.render(fork.target.id)[1][path].data


def _mark_owned(root: str, full: Entry, recorded: Entry, *, manifests: bool) -> dict[str, Mark]:
    present = look(root, (), full.files) if manifests else full.files
    ours = belonging(full.files, recorded.files, present, manifests=manifests or has_manifests(recorded))
    return {path: mark for path, mark in full.files.items() if path in ours}


def _labels(fork: Fork) -> tuple[str, str, str]:
    """Return what the markers call ours, base and theirs."""
    target = fork.target
    return OURS, f"as rendered ({fork.recorded.revision})", f"skillgen {target.id} {target.revision}"


def _tree(path: str) -> str:
    return "/".join(path.split("/")[:2])


def _mode(old: Mark | None, new: Mark, now: Mark | None) -> int:
    """Return the mode to write: the fork's own where only the fork changed it."""
    executable = new.executable
    if old and now and now.executable != old.executable and new.executable == old.executable:
        executable = now.executable
    return 0o755 if executable else 0o644
