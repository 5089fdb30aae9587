"""Change a flavor's YAML in memory, its comments and form kept, and see what comes of it."""

from __future__ import annotations

import io
import os
import tempfile
from typing import Any

from ruamel.yaml import YAML

from skillgen.adopt.difference import DROP
from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.drift.text import text_diff
from skillgen.errors import InputError, SkillgenError
from skillgen.load.files import shown
from skillgen.model.node import Node
from skillgen.model.resolved import Resolved, value_at


class FlavorEdit:
    """One flavor's file as it is and as it would be."""

    def __init__(self, inputs: Inputs, id_: str) -> None:
        self._inputs = inputs
        self._id = id_
        self.shown = shown(inputs.files.paths[id_])
        self._before = inputs.files.data(id_).decode()
        self._yaml = YAML()
        self._yaml.preserve_quotes = True
        self._yaml.width = 10_000
        self._yaml.indent(mapping=2, sequence=4, offset=2)
        self._yaml.representer.add_representer(
            type(None), lambda representer, _: representer.represent_scalar("tag:yaml.org,2002:null", "null")
        )
        self._document = self._yaml.load(self._before)
        self._now: Inputs | None = None
        skill = inputs.skill([])
        if skill is None:
            raise InputError([])
        self.skill: Node = skill

    def written(self, path: tuple[str, ...]) -> Any:
        """Return what the file itself says there, None for nothing."""
        return value_at(self._document, path)

    def put(self, path: tuple[str, ...], value: Any) -> None:
        """Give a value; DROP takes a mode out."""
        at = self._document
        for step in path[:-1]:
            if not isinstance(at.get(step), dict):
                at[step] = {}
            at = at[step]
        if value is not DROP:
            at[path[-1]] = value
        elif "base" in self._document:
            at[path[-1]] = None
        else:
            at.pop(path[-1], None)
        self._now = None

    def forget_source(self, path: tuple[str, ...]) -> None:
        """Take off the comment at the end of a value's line: it says where the value that stood there was read."""
        comments = getattr(value_at(self._document, path[:-1]), "ca", None)
        item = comments.items.get(path[-1]) if comments is not None else None
        token = item[2] if item and len(item) > 2 else None
        if token is not None and token.value.lstrip(" ").startswith("#"):
            # What stands on the lines below belongs to what follows.
            token.value = "\n" + token.value.partition("\n")[2]
        self._now = None

    def text(self) -> str:
        stream = io.StringIO()
        self._yaml.dump(self._document, stream)
        return stream.getvalue()

    def diff(self) -> list[str]:
        """Return a unified diff of the file."""
        name = f"flavors/{self._id}.yaml"
        return text_diff(self._before, self.text(), f"a/{name}", f"b/{name}")

    def resolved(self) -> Resolved:
        """Return what the file as it would be resolves to; raise InputError with its problems."""
        with tempfile.TemporaryDirectory(prefix="skillgen-") as directory:
            inputs = self._written(directory)
            return resolve_all(inputs, [self._id])[self._id]

    def contract(self) -> dict[str, Any]:
        """Return the same as JSON."""
        return self.resolved().contract.model_dump(mode="json")

    def problems(self) -> list[str]:
        """Return what keeps the file as it would be from resolving."""
        try:
            self.resolved()
        except SkillgenError as error:
            return str(error).splitlines()
        return []

    def lines(self, id_: str) -> set[str]:
        """Return every line that the flavor would render, without spaces around it and quotation marks in it."""
        from skillgen.build.into import render_one

        with tempfile.TemporaryDirectory(prefix="skillgen-") as directory:
            files = render_one(self._written(directory), id_)[1]
        texts = [file.data.decode("utf-8", "replace").replace('"', "") for file in files.values()]
        return {line.strip() for text in texts for line in text.split("\n")}

    def _written(self, directory: str) -> Inputs:
        with open(os.path.join(directory, f"{self._id}.yaml"), "w", encoding="utf-8") as file:
            file.write(self.text())
        return self._inputs.adding(directory)
