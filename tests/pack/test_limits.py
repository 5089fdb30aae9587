"""`skillgen verify` says what of an archive a public registry would refuse, however well it was packed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from pack_toys import SKILL, toy_files, toy_npm_files, toy_origin
from verifying import verify

from skillgen.errors import InputError
from skillgen.pack.artifacts import make_artifacts
from skillgen.pack.limits import over_limits
from skillgen.pack.place import write_release

Tree = dict[str, tuple[bytes, int]]
MANIFEST = ".claude-plugin/plugin.json"


def said(tree: Tree, **words: object) -> None:
    data = json.loads(tree[MANIFEST][0]) | words
    tree[MANIFEST] = (json.dumps({key: value for key, value in data.items() if value is not None}).encode(), 0o644)


def deep(names: int) -> Callable[[Tree], None]:
    return lambda tree: tree.update({"/".join(["d"] * (names - 1) + ["x.md"]): (b"x\n", 0o644)})


def large(size: int) -> Callable[[Tree], None]:
    return lambda tree: tree.update({"blob.bin": (b"\0" * size, 0o644)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (large(10_000_001), "bytes, registries take 10,000,000"),
        (deep(9), "d/d/d/d/d/d/d/d/x.md lies 9 names deep, registries take 8"),
        (lambda tree: said(tree, name="a" * 65), "registries take up to 64 small letters"),
        (lambda tree: said(tree, name="Toy_Plugin"), "says the name 'Toy_Plugin'"),
        (lambda tree: said(tree, description="x" * 1025), "has a description of 1025 characters"),
        (lambda tree: said(tree, description=None), "has a description of 0 characters"),
        (lambda tree: said(tree, license="x" * 101), "has a licence that is no line of up to 100 characters"),
        (lambda tree: said(tree, license={"type": "MIT"}), "has a licence that is no line"),
        (lambda tree: (tree.pop("LICENSE"), said(tree, license=None)), "has no licence: neither a LICENSE file nor"),
        (
            lambda tree: tree.update(
                {"skills/cancel/SKILL.md": (SKILL.replace("Cancels", "C" * 1020).encode(), 0o644)}
            ),
            "skills/cancel/SKILL.md has a description of",
        ),
    ],
)
def test_what_a_registry_refuses_is_named(tmp_path: Path, change: Callable[[Tree], object], message: str) -> None:
    files = toy_files()
    change(files)
    write_release(tmp_path, make_artifacts(files, toy_origin(), ["plugin-zip"]))
    code, text = verify(tmp_path / "toy-plugin-1.2.3.zip")
    assert code == 1 and message in text, text


@pytest.mark.parametrize("change", [deep(8), large(9_000_000), lambda tree: said(tree, name="a" * 64)])
def test_what_just_fits_is_taken(tmp_path: Path, change: Callable[[Tree], None]) -> None:
    files = toy_files()
    change(files)
    write_release(tmp_path, make_artifacts(files, toy_origin(), ["plugin-zip"]))
    assert verify(tmp_path / "toy-plugin-1.2.3.zip")[0] == 0


def test_a_scope_of_npm_is_no_part_of_the_name() -> None:
    files = toy_npm_files()
    package = json.loads(files["package.json"][0]) | {"name": "@toys/toy-plugin"}
    files["package.json"] = (json.dumps(package).encode(), 0o644)
    assert [what for path, what in over_limits(1, files) if path == "package.json" and "name" in what] == []


def test_a_link_is_refused_before_anything_is_said_of_limits(out: Path) -> None:
    import zipfile

    with zipfile.ZipFile(out / "toy-plugin-1.2.3.zip", "a") as archive:
        link = zipfile.ZipInfo("link")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "README.md")
    with pytest.raises(InputError, match="is a link or device"):
        verify(out / "toy-plugin-1.2.3.zip")
