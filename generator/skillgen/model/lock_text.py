"""Write and read `skillgen.lock`: YAML that is sorted, one file a line, each entry under its own seal."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator

from skillgen.errors import InputError, Problem
from skillgen.model.lock import FORMAT, NEEDS, Entry, ForkOrigin, Mark
from skillgen.model.places import one_name, place_problem
from skillgen.model.visible import escaped, unseen

HEAD = "# Written by skillgen, one sealed entry a bundle; never edit it. After a conflict take either side and build again.\n"
LARGEST = 64 << 20
"""Bytes; that of ten thousand bundles is not half as large."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
_DOTTED = re.compile(r'"(\.[A-Za-z0-9._/-]+)?"')
_FILE = re.compile(r"      (\S.*): (644|755) ([0-9a-f]{64})")
_FIELD = re.compile(r"    ([a-z]+): ?(.*)")
_ENTRY = re.compile(r"  ([a-z0-9-]+):")
_FIELDS = ("flavor", "revision", "skillgen", "schema", "base", "contract", "inputs", "files", "seal")
_ORIGIN = ("product", "flavors", "parent", "source", "pin", "skill", "command", "upstream", "excluded")
"""Fields that only a fork's entry has; each is left out where it is empty."""


def format_lock(entries: Iterable[Entry]) -> bytes:
    """Return the file's bytes; entries sorted by id, files by path."""
    text = f"{HEAD}skillgen-lock: {FORMAT}\nneeds: {NEEDS}\nbundles:\n"
    for entry in sorted(entries, key=lambda entry: entry.id):
        body = _body(entry)
        # An entry that was not sealed when it was read stays so, until it is built again.
        text += f"  {entry.id}:\n{body}    seal: {_seal(entry.id, body) if entry.sealed else 'broken'}\n"
    return text.encode()


def _body(entry: Entry) -> str:
    lines = [
        f"    flavor: {_quote(entry.flavor)}",
        f"    revision: {_quote(entry.revision)}",
        f"    skillgen: {_quote(entry.skillgen)}",
        f"    schema: {entry.schema}",
        f"    base: {_quote(' '.join(entry.base))}",
        f"    contract: {_quote(entry.contract)}",
        f"    inputs: {_quote(entry.inputs)}",
        *(f"    {name}: {_quote(text)}" for name, text in _origin(entry.origin)),
        "    files:",
    ]
    for path, mark in sorted(entry.files.items()):
        lines.append(f"      {_quote(path)}: {755 if mark.executable else 644} {mark.digest}")
    return "\n".join(lines) + "\n"


def _origin(origin: ForkOrigin) -> Iterator[tuple[str, str]]:
    for name in _ORIGIN:
        value = getattr(origin, name)
        if value:
            yield name, "\n".join(value) if name == "excluded" else value


def _seal(id_: str, body: str, form: int = FORMAT) -> str:
    return hashlib.sha256(f"{form}\n{id_}\n{body}".encode()).hexdigest()


def _quote(text: str) -> str:
    if _PLAIN.fullmatch(text):
        return text
    # Most locks hold plain words only, and a check need not import what it does not use.
    import json

    return json.dumps(text)


def _unquote(text: str) -> str:
    if _DOTTED.fullmatch(text):
        # Nothing, or the name of a hidden file: nothing in it is escaped, and a check need not import what it does not use.
        return text[1:-1]
    if text.startswith('"'):
        import json

        value = json.loads(text)
        if isinstance(value, str):
            return value
    if not _PLAIN.fullmatch(text):
        raise ValueError(text)
    return text


_SHAPES = {
    "flavor": re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.A),
    "skillgen": re.compile(r"[0-9][0-9A-Za-z.+-]{0,63}", re.A),
    "base": re.compile(r"[a-z0-9 -]*", re.A),
    "contract": re.compile(r"[0-9a-f]{64}", re.A),
    "inputs": re.compile(r"([0-9a-f]{64})?", re.A),
    "schema": re.compile(r"[0-9]{1,9}", re.A),
    "seal": re.compile(r"[0-9a-f]{64}|broken", re.A),
    "flavors": re.compile(r"(\.\./){0,16}[^/\\:]+(/[^/\\:]+)*|(\.\./){0,15}\.\."),
    "parent": re.compile(r"[a-z0-9-]+ [^ ]+ [0-9a-f]{64}"),
    "pin": re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.A),
}
_PATHS = ("skill", "command", "excluded")
"""Fields that hold paths below the fork's root."""


def _value(name: str, text: str) -> str:
    """Return a field's value; raise ValueError for one that no skillgen wrote."""
    value = _unquote(text)
    if name == "excluded":
        paths = value.split("\n")
        if len(paths) > 1000 or any(unseen(path) or len(path) > 1000 or place_problem(path) for path in paths):
            raise ValueError(value)
        return value
    if unseen(value) or len(value) > 200 + 64 * (name == "base") * 100 + 800 * (
        name in ("flavors", "skill", "command", "source", "upstream")
    ):
        raise ValueError(value)
    if name in ("skill", "command") and (
        value.startswith(("/", "~")) or {"", ".", "..", ".git"} & {p.lower() for p in value.split("/")}
    ):
        raise ValueError(value)
    if (name == "flavors" and {"", ".", ".git"} & {part.lower() for part in value.split("/")}) or ".." in value.lstrip(
        "./"
    ).split("/"):
        raise ValueError(value)
    if name in _SHAPES and not _SHAPES[name].fullmatch(value):
        raise ValueError(value)
    return value


def parse_lock(path: str, data: bytes) -> dict[str, Entry]:
    """Return id -> entry; `path` is for messages.

    Raises InputError for a lock that cannot be read: damaged, with conflict markers, or of a newer form. An entry that
    can be read but does not fit its seal is returned with `sealed` false.
    """
    if len(data) > LARGEST:
        raise _broken(path, 1, f"is larger than {LARGEST >> 20} MiB")
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    for number, line in enumerate(lines, 1):
        if line.startswith(("<<<<<<<", "=======", ">>>>>>>", "|||||||")):
            raise _broken(path, number, "holds conflict markers")
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line and not line.startswith("#")]
    rows = iter(numbered)
    number, line = next(rows, (1, ""))
    match = re.fullmatch(r"skillgen-lock: (\d{1,9})", line)
    if not match:
        raise _broken(path, number, "is no skillgen.lock")
    form = int(match[1])
    number, line = next(rows, (number, ""))
    needs = re.fullmatch(r"needs: ([0-9][0-9A-Za-z.+-]{0,63})", line)
    if form > FORMAT or form < 1:
        what = f"has form {form}, this skillgen reads forms 1 to {FORMAT}"
        newer = f"skillgen {needs[1]} or a newer one" if needs else "the skillgen that wrote it, or a newer one"
        raise InputError([Problem(path, 1, 1, what, f"use {newer}")])
    if needs and form > 1:
        number, line = next(rows, (number, ""))
    if line != "bundles:":
        raise _broken(path, number, "is damaged")
    entries: dict[str, Entry] = {}
    for id_, body in _split(path, rows):
        if id_ in entries:
            raise _broken(path, body[0][0], f"holds the entry `{id_}` twice")
        entries[id_] = _parse(path, id_, body, form)
    return entries


def _broken(path: str, number: int, what: str) -> InputError:
    return InputError([Problem(path, number, 1, what, "take either side of it, or remove it, and run skillgen build")])


def _split(path: str, rows: Iterator[tuple[int, str]]) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    id_ = ""
    body: list[tuple[int, str]] = []
    for number, line in rows:
        if match := _ENTRY.fullmatch(line):
            if id_:
                yield id_, body
            id_, body = match[1], [(number, line)]
        elif not id_:
            raise _broken(path, number, "is damaged")
        else:
            body.append((number, line))
    if id_:
        yield id_, body


def _parse(path: str, id_: str, rows: list[tuple[int, str]], form: int) -> Entry:
    fields: dict[str, str] = {}
    files: dict[str, Mark] = {}
    known = _FIELDS if form == 1 else (*_FIELDS, *_ORIGIN)
    text = ""
    for number, line in rows[1:]:
        try:
            if match := _FILE.fullmatch(line):
                name = _unquote(match[1])
                if wrong := place_problem(name):
                    # Files are removed by these names.
                    raise _broken(path, number, f"names `{escaped(name)}`, which {wrong}; no skillgen wrote that")
                if name in files:
                    raise _broken(path, number, f"names the file `{name}` twice")
                files[name] = Mark(match[3], match[2] == "755")
            elif (match := _FIELD.fullmatch(line)) and match[1] in known and match[1] not in fields:
                fields[match[1]] = "" if match[1] == "files" else _value(match[1], match[2])
            else:
                raise ValueError(line)
        except ValueError:
            raise _broken(path, number, "is damaged") from None
        if not line.startswith("    seal:"):
            text += line + "\n"
    missing = [name for name in _FIELDS if name not in fields]
    if missing:
        raise _broken(path, rows[0][0], f"lacks `{missing[0]}` in the entry `{id_}`")
    if twin := one_name(files):
        what = f"names `{escaped(twin)}` a second time in another case in the entry `{id_}`"
        raise _broken(path, rows[0][0], what)
    return Entry(
        id_,
        fields["flavor"],
        fields["revision"],
        fields["skillgen"],
        int(fields["schema"]),
        tuple(fields["base"].split()),
        fields["contract"],
        fields["inputs"],
        files,
        sealed=fields["seal"] == _seal(id_, text, form),
        origin=_read_origin(fields),
        form=form,
    )


def _read_origin(fields: dict[str, str]) -> ForkOrigin:
    given = {name: fields[name] for name in _ORIGIN if name in fields and name != "excluded"}
    return ForkOrigin(**given, excluded=tuple(filter(None, fields.get("excluded", "").split("\n"))))
