"""Tell what each flavor's bundle would be now; render only what digests cannot tell."""

from __future__ import annotations

import os
from collections.abc import Mapping

from skillgen import __version__
from skillgen.build.inputs import Inputs
from skillgen.build.origin import fork_origin
from skillgen.errors import InputError, SkillgenError, UsageError
from skillgen.model.files import RenderedFile
from skillgen.model.lock import Entry, ForkOrigin
from skillgen.resources import shipped


class Targets:
    """The bundles that forks are brought to, each rendered at most once."""

    gone = (
        "no longer rendered, and nothing loads it: carry over what is yours, then --theirs removes it, --ours keeps it"
    )
    """What is said of an edited file that is not there any more."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._rendered: dict[str, tuple[Entry, dict[str, RenderedFile]]] = {}
        self._digests: dict[tuple[str, tuple[str, ...]], str] = {}
        self._shelf: Mapping[str, Entry] | None = None
        self._products: dict[str, str] = {}

    def entry(self, id_: str, recorded: Entry | None) -> tuple[Entry, bool]:
        """Return the entry that a build would write now, and whether it is the recorded one, file by file."""
        self.known(id_)
        if recorded is not None and recorded.id == id_ and self._is_current(recorded):
            return recorded, True
        if id_ not in self._rendered:
            shelved = self._shelved_entries().get(id_)
            if shelved is not None and self._is_current(shelved):
                return shelved, False
        return self.render(id_)[0], False

    def render(self, id_: str) -> tuple[Entry, dict[str, RenderedFile]]:
        """Return the bundle; raise InputError with every problem of its flavor."""
        if id_ not in self._rendered:
            from skillgen.build.into import render_one

            self._rendered[id_] = render_one(self.inputs, id_)
        return self._rendered[id_]

    def product(self, id_: str) -> str:
        """Return the name of the product that a flavor is of."""
        from skillgen.build.contracts import resolve_all

        if id_ not in self._products:
            self._products[id_] = resolve_all(self.inputs, [id_])[id_].contract.product.name
        return self._products[id_]

    def origin(self, root: str, recorded: Entry, flavor: str) -> ForkOrigin:
        """Return where the bundle comes from; raise UsageError where the fork carries another product's."""
        product = self.product(flavor)
        before = recorded.origin.product
        if before and before != product:
            raise UsageError(
                f"{root}: carries the bundle of {before}, and the flavor {flavor} is of {product}; "
                f"give --flavors DIR where the flavor of {before} lies"
            )
        return fork_origin(self.inputs, flavor, root, product, recorded.origin)

    def known(self, id_: str) -> None:
        """Raise UsageError for a flavor that is not there."""
        try:
            self.inputs.known(id_)
        except UsageError as error:
            raise UsageError(f"{error}; a flavor of your own needs --flavors DIR") from None

    def revisions(self, flavor: str) -> list[str]:
        """Return the flavor and every revision of it that there is, the current one first."""
        from skillgen.load.revisions import is_older

        files = self.inputs.files
        named = [id_ for id_ in files.paths if id_.startswith(f"{flavor}-") and is_older(id_, files)]
        return [id_ for id_ in (flavor, *reversed(named)) if id_ in files.paths]

    def _is_current(self, entry: Entry) -> bool:
        if not entry.sealed or entry.skillgen != __version__ or not entry.inputs:
            return False
        if any(base not in self.inputs.files.paths for base in entry.base):
            return False
        key = (entry.id, entry.base)
        if key not in self._digests:
            self._digests[key] = self.inputs.digest(*key)
        return self._digests[key] == entry.inputs

    def _shelved_entries(self) -> Mapping[str, Entry]:
        """Return the entries of the bundles that ship with skillgen, where they lie beside their templates."""
        if self._shelf is None:
            from skillgen.build.locks import read_lock

            try:
                self._shelf = read_lock(os.path.join(os.path.dirname(shipped("templates")), "dist"))
            except (InputError, SkillgenError):
                # A lock that is damaged only costs a rendering here.
                self._shelf = {}
        return self._shelf
