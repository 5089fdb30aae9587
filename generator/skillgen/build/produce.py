"""Make one worker's share of bundles: resolve and render, then compare and write."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence

from skillgen import __version__
from skillgen.build.contracts import Documents
from skillgen.build.inputs import Inputs
from skillgen.build.outcome import Bundle
from skillgen.drift.bundle import Difference, compare, compare_entries, in_words
from skillgen.errors import InputError, Problem
from skillgen.load.files import read
from skillgen.load.kept_modes import keeps_modes
from skillgen.load.observe import observe
from skillgen.load.revisions import is_older
from skillgen.model.files import RenderedFile
from skillgen.model.lock import UNFINISHED, Entry, Mark, heed_modes
from skillgen.pack.write import Writer, remove
from skillgen.render.bundle import Renderer
from skillgen.render.coverage import Coverage
from skillgen.resolve.contract import bases

_BATCH = 1000
"""Files that are staged before they are put in place together."""


class Producer:
    """Renders bundles and keeps them until they are written."""

    def __init__(self, inputs: Inputs, ids: Sequence[str], out: str, renderer: Renderer) -> None:
        self.inputs = inputs
        self.out = out
        self.documents = Documents(inputs, ids)
        self.renderer = renderer
        self.coverage = Coverage(inputs.templates)
        self.rendered: dict[str, dict[str, RenderedFile]] = {}
        self.entries: dict[str, Entry] = {}
        self._digests: dict[int, str] = {}

    def render(self, ids: Sequence[str]) -> tuple[dict[str, Entry], list[Problem]]:
        """Render the flavors; return the entries of those that could be, and every problem."""
        problems = list(self.documents.problems)
        self.documents.problems = problems
        for id_ in ids:
            resolved = self.documents.resolve(id_)
            if resolved is None:
                continue
            try:
                files, seen = self.renderer.render(resolved.contract)
            except InputError as error:
                problems += error.problems
                continue
            problems += self.coverage.unread(resolved, seen)
            if resolved.contract.house_rules.strip():
                from skillgen.build.house import house_problems

                problems += house_problems(resolved, files)
            self.rendered[id_] = files
            base = bases(id_, self.documents.flavors)
            older = is_older(id_, self.inputs.files)
            self.entries[id_] = Entry(
                id_,
                base[-1] if older else id_,
                resolved.contract.revision,
                __version__,
                resolved.contract.schema_version,
                base,
                self._digest(files[f"skills/{resolved.contract.front.name}/contract.json"].data),
                self.inputs.digest(id_, base),
                {path: Mark(self._digest(file.data), bool(file.mode & 0o100)) for path, file in files.items()},
            )
        return self.entries, problems

    def _digest(self, data: bytes) -> str:
        # Most files are one object in all bundles: the runtime is copied, not rendered.
        known = self._digests.get(id(data))
        if known is None:
            known = self._digests[id(data)] = hashlib.sha256(data).hexdigest()
        return known

    def check(self, lock: Mapping[str, Entry]) -> dict[str, Bundle]:
        """Say for each rendered bundle what differs on the disk."""
        found = {}
        for id_, entry in self.entries.items():
            old = lock.get(id_)
            differences = self._differences(id_, old)
            found[id_] = Bundle(id_, differences=differences + compare_entries(old, entry))
        return found

    def _differences(self, id_: str, old: Entry | None) -> list[Difference]:
        recorded, expected = old.files if old else {}, self.entries[id_].files
        actual = heed_modes(
            observe(os.path.join(self.out, id_)), {**recorded, **expected}, lambda: keeps_modes(self.out)
        )
        differences = compare(recorded, expected, actual)
        return [self._in_words(id_, difference, actual) for difference in differences]

    def _in_words(self, id_: str, difference: Difference, actual: Mapping[str, Mark]) -> Difference:
        path = difference.path
        if path.split("/")[-1].startswith(UNFINISHED):
            return Difference(path, "retired", "left by an interrupted build")
        if difference.state != "edited" or difference.detail or len(actual[path].digest) < 64:
            return difference
        now = read(os.path.join(self.out, id_, path))
        return Difference(path, "edited", in_words(self.rendered[id_][path].data, now))

    def write(self, lock: Mapping[str, Entry]) -> dict[str, Bundle]:
        """Write what differs and remove what is no longer rendered; what no build wrote stays."""
        found = {}
        stale: list[tuple[str, str]] = []
        with Writer(self.out) as writer:
            for id_ in self.entries:
                bundle = found[id_] = Bundle(id_)
                for difference in self._differences(id_, lock.get(id_)):
                    if difference.state == "unexpected":
                        bundle.differences.append(difference)
                    elif difference.state == "retired":
                        stale.append((id_, difference.path))
                        bundle.removed.append(difference.path)
                    else:
                        file = self.rendered[id_][difference.path]
                        writer.stage(f"{id_}/{difference.path}", file.data, file.mode)
                        bundle.written.append(difference.path)
                if writer.waiting >= _BATCH:
                    writer.commit()
            writer.commit()
        for id_, path in stale:
            remove(os.path.join(self.out, id_), path)
        return found
