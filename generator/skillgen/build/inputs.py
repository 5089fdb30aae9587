"""Gather what commands read: shipped and own flavors, templates, the canonical skill."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.digest import generator_digest, input_digest, templates_digest
from skillgen.load.flavors import FlavorFiles, list_flavors, parse_mapping
from skillgen.load.revisions import current_flavors
from skillgen.load.templates import SKILL, read_templates
from skillgen.model.files import TemplateFile
from skillgen.resources import PACKAGE, shipped

if TYPE_CHECKING:
    from skillgen.model.host import Hosts
    from skillgen.model.node import Node


class Inputs:
    """Everything on the disk that decides a bundle; read on demand, each file once."""

    def __init__(self, flavors: Sequence[str], templates: Sequence[str], root: str = "") -> None:
        """Take a user's own directories; `root` holds `templates/` and `flavors/` in place of the shipped ones."""
        self._flavors = flavors
        self._templates = templates
        self._root = root
        self.files = FlavorFiles(list_flavors([self._directory_of("flavors"), *flavors]))

    def _directory_of(self, name: str) -> str:
        return os.path.join(self._root, name) if self._root else shipped(name)

    @property
    def places(self) -> tuple[str, ...]:
        """The directories that are read."""
        return (self._directory_of("templates"), self._directory_of("flavors"), *self._templates, *self._flavors)

    def at(self, root: str) -> Inputs:
        """Return the same with another state of what is shipped."""
        return Inputs(self._flavors, self._templates, root)

    def replacing(self, directory: str, other: str) -> Inputs:
        """Return the same with one of the user's directories replaced."""
        flavors, templates = (
            [other if name == directory else name for name in names] for names in (self._flavors, self._templates)
        )
        made = Inputs(flavors, templates, self._root)
        if directory not in self._templates:
            made.__dict__["templates"] = self.templates
        return made

    def within(self, old: str, new: str) -> Inputs:
        """Return the same with a user's directories below one root taken from where they lie below another."""

        def there(name: str) -> str:
            inside = os.path.relpath(os.path.realpath(name), os.path.realpath(old))
            return name if inside.startswith("..") else os.path.normpath(os.path.join(new, inside))

        flavors, templates = [there(name) for name in self._flavors], [there(name) for name in self._templates]
        same = flavors == list(self._flavors) and templates == list(self._templates)
        return self if same else Inputs(flavors, templates, self._root)

    def adding(self, directory: str) -> Inputs:
        """Return the same with one more directory of flavors, which wins over the others."""
        made = Inputs([*self._flavors, directory], self._templates, self._root)
        made.__dict__["templates"] = self.templates
        return made

    @cached_property
    def templates(self) -> dict[str, TemplateFile]:
        found = read_templates(self._directory_of("templates"), self._templates)
        if SKILL not in found:
            raise InputError([Problem(SKILL, 0, 0, "is missing from the templates", "restore the canonical skill")])
        return found

    def skill(self, problems: list[Problem]) -> Node | None:
        """Return the canonical skill, or None after adding its problems."""
        file = self.templates[SKILL]
        return parse_mapping(file.source, file.data, problems)

    @cached_property
    def hosts(self) -> Hosts:
        """All that the templates know of hosts; raises InputError."""
        from skillgen.hosts import read_hosts

        return read_hosts(self.templates)

    def choose(self, names: Sequence[str]) -> list[str]:
        """Return the named flavors once each, or all current ones; raise UsageError for an unknown one."""
        for name in names:
            self.known(name)
        return list(dict.fromkeys(names)) or current_flavors(self.files)

    def known(self, name: str) -> str:
        """Return the id of a flavor that exists; raise UsageError with the nearest one else."""
        if name not in self.files.paths:
            from skillgen.model.guess import hint

            repair = hint(name, self.files.paths, f"there are {', '.join(self.files.paths)}")
            raise UsageError(f"there is no flavor {name}; {repair}")
        return name

    def is_own(self, name: str) -> bool:
        """Whether a flavor lies in a directory of the user's."""
        return os.path.dirname(self.files.paths[name]) in self._flavors

    def digest(self, flavor: str, base: Sequence[str]) -> str:
        """Return the digest over all that the flavor's bundle depends on; `base`: what it builds on, lowest first."""
        return input_digest(self._shared, [(name, self.files.data(name)) for name in (*base, flavor)])

    @cached_property
    def generator(self) -> str:
        """Digest of the generator's own sources."""
        return generator_digest(PACKAGE)

    @cached_property
    def _shared(self) -> tuple[str, str]:
        return self.generator, templates_digest(self.templates)
