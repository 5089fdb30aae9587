"""Choose the runtime's modules that a contract can reach, as `cancel/modules.yaml` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from skillgen.errors import InputError, Problem
from skillgen.model.files import TemplateFile

TABLE = "cancel/modules.yaml"
"""The table's path under `templates/`."""
RUNTIME = "cancel/bundle/scripts/cancel_runtime/"

Case = tuple[tuple[str, tuple[object, ...]], ...]
"""Paths into the contract, each with the values of which it must have one."""


class Modules:
    """The modules of the runtime and the contracts that need each."""

    def __init__(self, templates: Mapping[str, TemplateFile]) -> None:
        self._templates = templates

    def needed(self, data: Mapping[str, Any]) -> frozenset[str]:
        """Return the template paths of the modules that the contract (as `contract.json` holds it) can reach.

        Raises InputError for a table that is wrong, and for modules that it does not name or that do not exist.
        """
        names = {name for name, cases in self._cases.items() if not cases or any(_is_met(case, data) for case in cases)}
        return frozenset(f"{RUNTIME}{name}.py" for name in names)

    @cached_property
    def _cases(self) -> dict[str, tuple[Case, ...]]:
        """Module to its cases; no case means always."""
        file = self._templates.get(TABLE)
        if file is None:
            raise InputError([Problem(TABLE, 0, 0, "is missing from the templates", "restore the table of modules")])
        there = {name[len(RUNTIME) : -3] for name in self._templates if name.startswith(RUNTIME) and name[-3:] == ".py"}
        found: dict[str, tuple[Case, ...]] = {}
        problems = []
        for key, value in _entries(file):
            try:
                found[key.value] = _cases(value)
            except ValueError as error:
                problems.append(_problem(file, key, f"`{key.value}` {error}", "write `always` or a list of cases"))
                continue
            if key.value not in there:
                what = f"there is no module `{key.value}`"
                problems.append(_problem(file, key, what, "take the line out, or restore the module"))
        for name in sorted(there - found.keys()) if not problems else ():
            source = self._templates[f"{RUNTIME}{name}.py"].source
            repair = f"add a line for {name} there: which contracts need it"
            problems.append(Problem(source, 0, 0, f"is not named in {file.source}", repair))
        if problems:
            raise InputError(problems)
        return found


def _entries(file: TemplateFile) -> Iterator[tuple[Any, Any]]:
    """Yield the nodes of key and value of each entry of the table."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        root = YAML(typ="safe", pure=True).compose(file.data.decode())
    except (YAMLError, UnicodeDecodeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        what = f"is no YAML: {getattr(error, 'problem', None) or error}"
        raise InputError([Problem(file.source, line, column, what, "mend the line")]) from None
    if getattr(root, "id", "") != "mapping":
        raise InputError(
            [Problem(file.source, 1, 1, "is no mapping of modules", "write `module: always` or its cases")]
        )
    yield from root.value


def _cases(node: Any) -> tuple[Case, ...]:
    if node.id == "scalar" and node.value == "always":
        return ()
    if node.id != "sequence" or not node.value:
        raise ValueError("is neither `always` nor a list of cases")
    return tuple(_case(case) for case in node.value)


def _case(node: Any) -> Case:
    if node.id != "mapping" or not node.value:
        raise ValueError("has a case that is no mapping of paths to values")
    return tuple((path.value, _values(value)) for path, value in node.value)


def _values(node: Any) -> tuple[object, ...]:
    values = node.value if node.id == "sequence" else [node]
    if not values or any(value.id != "scalar" for value in values):
        raise ValueError("has a case whose value is neither a word nor a list of words")
    return tuple(True if value.value == "true" and not value.style else value.value for value in values)


def _is_met(case: Case, data: object) -> bool:
    return all(any(_is(found, values) for found in _values_at(data, path.split("."))) for path, values in case)


def _is(found: object, values: tuple[object, ...]) -> bool:
    return any(bool(found) if value is True else found == value for value in values)


def _values_at(data: object, path: list[str]) -> Iterator[object]:
    """Yield what lies at a path; nothing where a name of it is missing."""
    if not path:
        yield data
    elif isinstance(data, dict):
        for key in data if path[0] == "*" else [path[0]]:
            if key in data:
                yield from _values_at(data[key], path[1:])


def _problem(file: TemplateFile, node: Any, what: str, repair: str) -> Problem:
    return Problem(file.source, node.start_mark.line + 1, node.start_mark.column + 1, what, repair)


__all__ = ["RUNTIME", "TABLE", "Modules"]
