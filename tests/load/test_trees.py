"""Finding flavor files and template trees."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.flavors import FlavorFiles, list_flavors
from skillgen.load.templates import read_templates


def put(path: Path, text: str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_a_users_flavor_wins_over_the_shipped_one_of_the_same_name(tmp_path: Path) -> None:
    put(tmp_path / "ours" / "omc.yaml")
    put(tmp_path / "ours" / "omd.yaml")
    put(tmp_path / "theirs" / "omc.yaml")
    found = list_flavors([str(tmp_path / "ours"), str(tmp_path / "theirs")])
    assert found == {"omc": str(tmp_path / "theirs/omc.yaml"), "omd": str(tmp_path / "ours/omd.yaml")}


def test_file_names_that_are_no_ids_are_all_named(tmp_path: Path) -> None:
    for name in ("Foo.yaml", "a_b.yaml", "x.yml", "good.yaml", "notes.txt", ".hidden.yaml"):
        put(tmp_path / name)
    with pytest.raises(InputError) as caught:
        list_flavors([str(tmp_path)])
    assert [Path(problem.path).name for problem in caught.value.problems] == ["Foo.yaml", "a_b.yaml", "x.yml"]
    assert "name it x.yaml" in str(caught.value)


def test_a_missing_directory_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no directory of flavors"):
        list_flavors([str(tmp_path / "none")])


def test_a_flavor_brings_the_flavors_it_builds_on(tmp_path: Path) -> None:
    for name, text in {"a": "base: b\n", "b": "base: c\n", "c": "base: a\n", "other": "x: 1\n"}.items():
        put(tmp_path / f"{name}.yaml", text)
    problems: list[Problem] = []
    files = FlavorFiles(list_flavors([str(tmp_path)]))
    assert sorted(files.with_bases(["a"], problems)) == ["a", "b", "c"]
    assert problems == []


@pytest.mark.parametrize(
    ("text", "what"), [("- a\n", "holds no keys"), ("~\n", "is empty"), ("word\n", "holds no keys")]
)
def test_a_flavor_file_holds_keys(tmp_path: Path, text: str, what: str) -> None:
    put(tmp_path / "a.yaml", text)
    problems: list[Problem] = []
    assert FlavorFiles(list_flavors([str(tmp_path)])).document("a", problems) is None
    assert what in str(problems[0])


def test_a_directory_or_pipe_in_place_of_a_flavor_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    os.mkfifo(tmp_path / "b.yaml")
    problems: list[Problem] = []
    files = FlavorFiles(list_flavors([str(tmp_path)]))
    assert files.document("a", problems) is None
    assert files.document("b", problems) is None
    assert len(problems) == 2


def test_templates_keep_bytes_are_executable_by_content_and_lose_what_python_leaves(tmp_path: Path) -> None:
    put(tmp_path / "cancel/bundle/scripts/run.sh", "#!/bin/sh\n").chmod(0o644)
    put(tmp_path / "cancel/bundle/scripts/__pycache__/run.cpython-311.pyc")
    put(tmp_path / "cancel/bundle/old.pyc")
    put(tmp_path / "cancel/.DS_Store")
    (tmp_path / "cancel/skill.yaml").write_bytes(b"a: \xc3\xa9\r\n")
    (tmp_path / "cancel/skill.yaml").chmod(0o755)
    found = read_templates(str(tmp_path))
    assert list(found) == ["cancel/bundle/scripts/run.sh", "cancel/skill.yaml"]
    assert found["cancel/bundle/scripts/run.sh"].executable
    assert not found["cancel/skill.yaml"].executable
    assert found["cancel/skill.yaml"].data == b"a: \xc3\xa9\r\n"


def test_a_users_template_shadows_ours_and_is_marked_as_not_our_own(tmp_path: Path) -> None:
    put(tmp_path / "ours/a.j2", "ours")
    put(tmp_path / "ours/b.j2", "ours")
    put(tmp_path / "theirs/a.j2", "theirs")
    found = read_templates(str(tmp_path / "ours"), [str(tmp_path / "theirs")])
    assert (found["a.j2"].data, found["a.j2"].own) == (b"theirs", False)
    assert (found["b.j2"].data, found["b.j2"].own) == (b"ours", True)


def test_no_link_is_followed_out_of_a_template_tree(tmp_path: Path) -> None:
    put(tmp_path / "secret")
    put(tmp_path / "tree/a.j2")
    (tmp_path / "tree/inside.j2").symlink_to("a.j2")
    assert sorted(read_templates(str(tmp_path / "tree"))) == ["a.j2", "inside.j2"]
    (tmp_path / "tree/out.j2").symlink_to("../secret")
    (tmp_path / "tree/loop").symlink_to(".")
    with pytest.raises(InputError) as caught:
        read_templates(str(tmp_path / "tree"))
    assert [Path(problem.path).name for problem in caught.value.problems] == ["loop", "out.j2"]
