"""`skillgen pack` makes the release of every flavor, and refuses a bundle that is not what would be built."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.build import command as build
from skillgen.cli.pack import command as pack
from skillgen.cli.verify import command as verify
from skillgen.errors import InputError, SkillgenError

FLAVORS = ("omc", "omd", "omni", "omx", "pep", "rcs")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command, *arguments: str) -> tuple[int, str]:  # type: ignore[no-untyped-def]
    result = CliRunner().invoke(command, arguments, standalone_mode=False)
    if result.exception:
        raise result.exception
    return result.return_value, result.output


def digests(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_every_flavor_is_packed_and_verifies(here: Path) -> None:
    code, text = run(pack)
    assert code == 0
    for flavor in FLAVORS:
        assert f"build/bundles/{flavor}: cancel.skill, " in text
        out = here / "build" / "bundles" / flavor
        for archive in out.glob("*.*"):
            if archive.suffix in {".zip", ".skill", ".tgz"} or archive.is_dir():
                assert run(verify, str(archive))[0] == 0, archive
    assert (here / "build/bundles/omd/omd-cancel-0.1.0.tgz").exists()
    assert not list((here / "build/bundles/omd").glob("*.zip"))


def test_packing_twice_gives_the_same_bytes(here: Path) -> None:
    run(pack)
    first = digests(here / "build")
    run(pack, "--out", "again")
    assert digests(here / "again") == {path.removeprefix("bundles/"): digest for path, digest in first.items()}


def test_the_provenance_names_every_source_by_its_digest(here: Path) -> None:
    from skillgen.resources import shipped

    run(pack, "--flavor", "omc", "--format", "skill")
    statement = json.loads((here / "build/bundles/omc/provenance.json").read_text())
    sources = {
        entry["name"]: entry["digest"]["sha256"]
        for entry in statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    }
    for name, path in {
        "flavors/omc.yaml": Path(shipped("flavors"), "omc.yaml"),
        "templates/cancel/skill.yaml": Path(shipped("templates"), "cancel/skill.yaml"),
        "templates/hosts/claude-code/README.md.j2": Path(shipped("templates"), "hosts/claude-code/README.md.j2"),
    }.items():
        assert sources[name] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert not any("hosts/codex" in name for name in sources)


def test_the_packed_tree_is_the_built_one(here: Path) -> None:
    run(build, "--flavor", "omc")
    run(pack, "--flavor", "omc", "--format", "tree")
    assert digests(here / "build/bundles/omc/oh-my-claudecode-0.1.0") == digests(here / "dist/omc")


def edit(path: Path) -> None:
    path.write_text("edited\n")


def add(path: Path) -> None:
    (path.parent / "mine.txt").write_text("mine\n")


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def remove(path: Path) -> None:
    path.unlink()


def make_executable(path: Path) -> None:
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (edit, "dist/omc/README.md: is not what would be rendered now"),
        (add, "dist/omc/mine.txt: is no file of this bundle"),
        (link, "dist/omc/README.md: is a symbolic link"),
        (remove, "dist/omc/README.md: is missing"),
        (make_executable, "dist/omc/README.md: has mode 0755 instead of 0644"),
    ],
)
def test_a_bundle_edited_by_hand_is_not_packed(here: Path, change, message: str) -> None:  # type: ignore[no-untyped-def]
    run(build, "--flavor", "omc")
    change(here / "dist" / "omc" / "README.md")
    with pytest.raises(InputError) as caught:
        run(pack, "--flavor", "omc")
    assert message in str(caught.value)
    assert not (here / "build").exists()


def test_running_a_bundle_does_not_hinder_its_pack(here: Path) -> None:
    run(build, "--flavor", "omc")
    cache = here / "dist/omc/skills/cancel/scripts/cancel_runtime/__pycache__"
    cache.mkdir()
    (cache / "x.cpython-39.pyc").write_bytes(b"x")
    assert run(pack, "--flavor", "omc")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--flavor", "nope"], "there is no flavor nope"),
        (["--flavor", "omc", "--format", "npm"], "has no package.json"),
    ],
)
def test_what_cannot_be_packed_is_named(here: Path, arguments: list[str], message: str) -> None:
    with pytest.raises(SkillgenError, match=message.replace(".", r"\.")):
        run(pack, *arguments)
    assert not (here / "build").exists()


@pytest.mark.parametrize("out", ["/dev/null", "file", "file/below"])
def test_an_output_that_cannot_be_written_is_named(here: Path, out: str) -> None:
    (here / "file").write_text("x")
    with pytest.raises(SkillgenError, match="cannot be written"):
        run(pack, "--flavor", "omc", "--format", "skill", "--out", out)


def test_json_lists_the_archives(here: Path) -> None:
    _, text = run(pack, "--flavor", "rcs", "--json")
    assert json.loads(text) == {
        "releases": [
            {
                "flavor": "rcs",
                "directory": "build/bundles/rcs",
                "archives": ["cancel.skill", "rcs-0.1.0.zip"],
                "removed": [],
            }
        ]
    }
