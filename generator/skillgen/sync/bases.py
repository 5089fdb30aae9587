"""Bring back what was rendered once; a digest of the lock proves each text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from skillgen.drift.fold import fold
from skillgen.errors import SkillgenError
from skillgen.load.git import blobs, checkout, commits, toplevel
from skillgen.model.lock import Entry
from skillgen.model.names import name_problem
from skillgen.resources import shipped
from skillgen.sync.targets import Targets

_COMMITS = 30
"""States of the model that are rendered again at most, in the search for one rendering."""


class Bases:
    """Finds earlier renderings: rendered again now, else in the histories of the fork and of the model."""

    def __init__(self, targets: Targets, own: Iterable[str] = ()) -> None:
        self._targets = targets
        self.own = list(own)
        self._known: dict[str, bytes] = {}
        self._done: set[tuple[str, ...]] = set()
        self._commits: list[tuple[bool, str, str]] | None = None

    def find(self, digest: str, path: str, entry: Entry, root: str) -> bytes | None:
        """Return the text with that digest; `path`: where it lies in the bundle, `root`: the fork."""
        for source in (self._rendered, self._fork, self._search_shelf, self._render_earlier):
            if digest in self._known:
                break
            source(digest, path, entry, root)
        return self._known.get(digest)

    def was_rendered(self, digest: str, entry: Entry) -> bool:
        """Tell whether a revision of the flavor that can be rendered now has a file with that digest."""
        self._rendered("", "", entry, "")
        return digest in self._known

    def histories(self) -> list[str]:
        """Return the directories of the model whose histories are asked, the user's own first."""
        root = os.path.dirname(shipped("templates"))
        return [*self.own, root] if toplevel(root) == os.path.realpath(root) else self.own

    def remember(self, data: bytes) -> None:
        """Keep a text that was rendered once, or may have been: only its digest counts."""
        self._known.setdefault(hashlib.sha256(data).hexdigest(), data)

    def _is_first_time(self, *key: str) -> bool:
        fresh = key not in self._done
        self._done.add(key)
        return fresh

    def _rendered(self, digest: str, path: str, entry: Entry, root: str) -> None:
        for id_ in dict.fromkeys([entry.id, *self._targets.revisions(entry.flavor)]):
            if self._is_first_time("rendered", id_) and id_ in self._targets.inputs.files.paths:
                try:
                    files = self._targets.render(id_)[1]
                except SkillgenError:
                    continue
                for file in files.values():
                    self.remember(file.data)

    def _fork(self, digest: str, path: str, entry: Entry, root: str) -> None:
        if self._is_first_time("fork", root, path):
            for data in blobs(root, [_pathspec_anywhere(path)]):
                self.remember(data)
                self.remember(fold(data).data)

    def _search_shelf(self, digest: str, path: str, entry: Entry, root: str) -> None:
        for directory in (shipped("templates"), *self.own):
            top = toplevel(directory)
            if top and self._is_first_time("shelf", top, path):
                for data in blobs(top, [_pathspec_anywhere(path)]):
                    self.remember(data)

    def _render_earlier(self, digest: str, path: str, entry: Entry, root: str) -> None:
        """Render earlier states of the model: at once the one that the entry was made from, else one after another."""
        if not self._is_first_time("again", entry.id, entry.inputs, entry.contract, digest):
            return
        for exact in (True, False):
            for place in self._states():
                if digest in self._known:
                    return
                if exact or self._is_first_time("state", entry.id, *place[1:]):
                    self._render_state(place, entry, exact=exact)

    def _render_state(self, place: tuple[bool, str, str], entry: Entry, *, exact: bool) -> None:
        from skillgen.build.into import render_one

        shared, directory, commit = place
        try:
            with _Checkout(directory, commit, ["templates", "flavors"] if shared else ["."]) as state:
                now = self._targets.inputs
                inputs = now.at(state) if shared else now.replacing(directory, state)
                if entry.id not in inputs.files.paths or (
                    exact and inputs.digest(entry.id, entry.base) != entry.inputs
                ):
                    return
                for file in render_one(inputs, entry.id)[1].values():
                    self.remember(file.data)
        except (SkillgenError, KeyError):
            # A state that does not hold together, or not any more.
            return

    def _states(self) -> list[tuple[bool, str, str]]:
        """Return earlier commits of templates and flavors, the user's own first, newest first.

        Each is: whether it is of what ships with skillgen, its directory, the commit.
        """
        if self._commits is None:
            root = os.path.dirname(shipped("templates"))
            self._commits = [(False, own, commit) for own in self.own for commit in commits(own, ["."])[:_COMMITS]]
            if toplevel(root) == os.path.realpath(root):
                self._commits += [(True, root, commit) for commit in commits(root, ["templates", "flavors"])[:_COMMITS]]
        return self._commits


class _Checkout:
    """Some directories as they were at a commit, for as long as they are needed."""

    def __init__(self, top: str, commit: str, paths: list[str]) -> None:
        import tempfile

        self._files = checkout(top, commit, paths)
        self._directory = tempfile.TemporaryDirectory(prefix="skillgen-")

    def __enter__(self) -> str:
        for path, data, mode in self._files:
            if not name_problem(path):
                target = os.path.join(self._directory.name, path)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with open(target, "wb") as file:
                    file.write(data)
                    os.fchmod(file.fileno(), mode)
        return self._directory.name

    def __exit__(self, *_: object) -> None:
        self._directory.cleanup()


def _pathspec_anywhere(path: str) -> str:
    """Return a pathspec for the file wherever the skill was."""
    return f":(top,glob)**/{path.removeprefix('skills/')}"
