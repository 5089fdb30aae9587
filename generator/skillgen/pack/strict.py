"""Take one skill out of a bundle in the strict form that upload pages accept."""

from __future__ import annotations

import io
import json
import re

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from skillgen.errors import InputError, Problem
from skillgen.model.files import Files

SPECIFICATION = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""The only keys of the Agent Skills specification."""
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_FRONT = re.compile(r"---\r?\n(.*?\r?\n)---[ \t]*\r?\n", re.DOTALL)


def strict_skill(files: Files, name: str) -> dict[str, tuple[bytes, int]]:
    """Return the files of `skills/<name>/`; front matter keys outside the specification move under `metadata`.

    Front matter that holds none of them stays byte for byte. Raises InputError if there is no such skill.
    """
    root = f"skills/{name}/"
    skill = {path.removeprefix(root): file for path, file in files.items() if path.startswith(root)}
    if "SKILL.md" not in skill:
        raise InputError([Problem(f"{root}SKILL.md", 0, 0, "is missing", "a bundle needs it: run `skillgen build`")])
    data, mode = skill["SKILL.md"]
    skill["SKILL.md"] = (strict_front(data.decode(), f"{root}SKILL.md").encode(), mode)
    return skill


def strict_front(text: str, path: str) -> str:
    """Return `text` with only the specification's keys in its front matter."""
    match = _FRONT.match(text)
    if not match:
        raise InputError([Problem(path, 1, 1, "has no front matter", "begin the file with `---`")])
    try:
        front = YAML(typ="safe").load(io.StringIO(match[1]))
    except YAMLError as error:
        raise InputError(
            [Problem(path, 1, 1, f"front matter is no YAML ({str(error).splitlines()[0]})", "mend its layout")]
        ) from None
    if not isinstance(front, dict):
        raise InputError(
            [Problem(path, 1, 1, "front matter is not a mapping", "write `name:` and `description:` there")]
        )
    extra = {key: value for key, value in front.items() if key not in SPECIFICATION}
    if not extra:
        return text
    kept = {key: front[key] for key in SPECIFICATION if key in front}
    kept["metadata"] = {**(front.get("metadata") or {}), **{str(key): _flatten(value) for key, value in extra.items()}}
    return f"---\n{_emit(kept)}---\n{text[match.end() :]}"


def _flatten(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_flatten(item) for item in value)
    return value if isinstance(value, str) else json.dumps(value)


def _emit(front: dict[str, object]) -> str:
    """Write block style YAML with double-quoted scalars: strictyaml, which the reference validator uses, refuses flow."""
    lines = []
    for key, value in front.items():
        if isinstance(value, dict):
            lines += [
                f"{key}:",
                *(f"  {k if _PLAIN.fullmatch(k) else _quote(k)}: {_quote(v)}" for k, v in value.items()),
            ]
        else:
            lines.append(f"{key}: {_quote(value)}")
    return "".join(f"{line}\n" for line in lines)


def _quote(value: object) -> str:
    return json.dumps(_flatten(value), ensure_ascii=False)
