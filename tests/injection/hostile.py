"""Generate flavors whose free text holds what could break out of the place where a template puts it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Annotated, Any, get_args, get_origin

from hypothesis import assume
from hypothesis import strategies as st
from pieces import PIECES
from pydantic import AfterValidator, ValidationError

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.errors import Problem
from skillgen.model.base import FileName, Model, RelPath, Said, Text
from skillgen.model.contract import Contract
from skillgen.model.document import parse_document
from skillgen.model.files import RenderedFile
from skillgen.render.bundle import Renderer
from skillgen.resolve.contract import resolve
from skillgen.resolve.placeholders import KNOWN

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Field:
    """One string that a flavor file may choose freely."""

    path: Path
    kind: str
    """`text`, `said`, `file` or `path`."""
    owner: str
    """Model and field, such as `Mode.title`."""


@cache
def inputs() -> Inputs:
    return Inputs((), ())


@cache
def renderer() -> Renderer:
    return Renderer(inputs().templates)


@cache
def contracts() -> dict[str, Contract]:
    return {name: found.contract for name, found in resolve_all(inputs(), list(inputs().files.paths)).items()}


def _validators(metadata: Any) -> list[Any]:
    return [entry.func for entry in metadata if isinstance(entry, AfterValidator)]


KINDS = {
    _validators(get_args(kind)[1:])[0]: name
    for kind, name in ((Text, "text"), (Said, "said"), (FileName, "file"), (RelPath, "path"))
}


def kind_of(annotation: Any, metadata: Any = ()) -> str:
    """Return the kind of free string that an annotation stands for, "" for anything else."""
    if get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        return kind_of(annotation, [*metadata, *more])
    found = [KINDS[func] for func in _validators(metadata) if func in KINDS]
    if found:
        return found[0]
    options = [arg for arg in get_args(annotation) if arg is not type(None)]
    return kind_of(options[0]) if type(None) in get_args(annotation) and len(options) == 1 else ""


def free_fields(value: Model, path: Path = ()) -> Iterator[Field]:
    """Yield every free string of a model, those that are empty or absent included."""
    for name, info in type(value).model_fields.items():
        owner = f"{type(value).__name__}.{name}"
        yield from _fields(getattr(value, name), info.annotation, info.metadata, (*path, name), owner)


def _fields(value: Any, annotation: Any, metadata: Any, path: Path, owner: str) -> Iterator[Field]:
    if kind := kind_of(annotation, metadata):
        yield Field(path, kind, owner)
    elif isinstance(value, Model):
        yield from free_fields(value, path)
    elif isinstance(value, tuple):
        inner = get_args(annotation)[0]
        for number, item in enumerate(value):
            yield from _fields(item, inner, (), (*path, number), owner)
        if not value and (kind := kind_of(inner)):
            yield Field((*path, 0), kind, owner)
    elif isinstance(value, dict):
        inner = get_args(annotation)[1]
        for key, item in value.items():
            yield from _fields(item, inner, (), (*path, key), owner)
        if not value and (kind := kind_of(inner)):
            yield Field((*path, "word"), kind, owner)


@cache
def fields(flavor: str) -> tuple[Field, ...]:
    return tuple(free_fields(contracts()[flavor]))


def apart(field: Field, value: str) -> str:
    """Keep a list of records apart from the records themselves: being the same word is a meaning of its own."""
    return f"{value} apart" if field.owner in ("Tools.rejects", "Tools.write_merges") else value


def put(data: Any, path: Path, value: str) -> None:
    """Set the value at a path; an index one past the end appends."""
    for step in path[:-1]:
        data = data[step]
    if isinstance(data, list) and path[-1] == len(data):
        data.append(value)
    else:
        data[path[-1]] = value


def get(data: Any, path: Path) -> Any:
    for step in path:
        data = data[step]
    return data


def flavor_file(data: dict[str, Any]) -> bytes:
    """Write contract data as a flavor file: JSON is YAML once the characters beyond the BMP have one escape."""
    text = json.dumps({name: value for name, value in data.items() if name not in ("flavor", "schema_version")})
    pair = r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})"
    return re.sub(pair, lambda m: f"\\U{_joined(m[1], m[2]):08x}", text).encode()


def _joined(high: str, low: str) -> int:
    return 0x10000 + ((int(high, 16) - 0xD800) << 10) + (int(low, 16) - 0xDC00)


def load(flavor: str, data: dict[str, Any]) -> tuple[Contract | None, list[Problem]]:
    """Take data the way of a file: bytes, document, contract."""
    problems: list[Problem] = []
    document = parse_document(f"flavors/{flavor}.yaml", flavor_file(data), problems)
    skill = inputs().skill(problems)
    if document is None or skill is None:
        return None, problems
    resolved = resolve(flavor, skill, {flavor: document}, {flavor: ""}, inputs().hosts, problems)
    return (resolved.contract if resolved else None), problems


Bundle = dict[str, RenderedFile]


@dataclass(frozen=True, repr=False)
class Case:
    """A flavor with hostile values, and the same flavor with a harmless word in each of their places."""

    flavor: str
    values: dict[Path, str]
    contract: Contract
    bundle: Bundle
    twin: Bundle

    def __repr__(self) -> str:
        return f"case({self.flavor!r}, {self.values!r})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Else hypothesis would print the bundles too.
        printer.text(repr(self))

    @property
    def skill(self) -> str:
        return f"skills/{self.contract.front.name}/"


def case(flavor: str, values: dict[Path, str]) -> Case | None:
    """Render a flavor with these values; None if the model refuses one of them."""
    contract = valid(flavor, values)
    if contract is None:
        return None
    return Case(flavor, values, contract, renderer().render(contract)[0], twin(flavor, frozenset(values)))


def valid(flavor: str, values: dict[Path, str]) -> Contract | None:
    data = contracts()[flavor].model_dump(mode="json")
    for path, value in values.items():
        put(data, path, value)
    try:
        return Contract.model_validate_json(json.dumps(data))
    except ValidationError:
        return None


@lru_cache(maxsize=8)
def twin(flavor: str, paths: frozenset[Path]) -> Bundle:
    """Render a flavor with a harmless word of its own at each of the paths."""
    harmless = valid(flavor, {path: f"word{number}" for number, path in enumerate(sorted(paths, key=str))})
    assert harmless
    return renderer().render(harmless)[0]


_letters = st.characters(blacklist_categories=("Cs", "Cc", "Cf", "Co", "Zl", "Zp"), whitelist_characters="\n\t")
_pieces = st.one_of(st.sampled_from(PIECES), st.text(_letters, min_size=1, max_size=12))
texts = st.builds(
    lambda parts, between: between.join(parts),
    st.lists(_pieces, min_size=1, max_size=5),
    st.sampled_from(["", " ", "\n"]),
).filter(lambda text: text.strip() and not any(f"{{{name}}}" in text for name in KNOWN))


def value_for(kind: str) -> st.SearchStrategy[str]:
    """Return hostile strings that a field of this kind accepts."""
    if kind in ("text", "said"):
        return texts
    names = texts.map(lambda text: re.sub(r"[/\\\x00-\x1f\x7f]", "", text)[:200]).filter(
        lambda name: name not in ("", ".", "..") and not name.startswith("~")
    )
    return names if kind == "file" else st.lists(names, min_size=1, max_size=2).map("/".join)


@st.composite
def hostile_cases(draw: st.DrawFn) -> Case:
    """Draw a flavor, one to six of its free strings, and a hostile value for each."""
    flavor = draw(st.sampled_from(sorted(contracts())))
    chosen = draw(st.lists(st.sampled_from(fields(flavor)), min_size=1, max_size=6, unique=True))
    found = case(flavor, {one.path: apart(one, draw(value_for(one.kind))) for one in chosen})
    assume(found is not None)
    assert found
    return found
