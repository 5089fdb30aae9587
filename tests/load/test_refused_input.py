"""What is found on a disk is refused, or marked as what it is, before anything of it is believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from skillgen.errors import InputError
from skillgen.load import directory
from skillgen.load.directory import read_directory
from skillgen.load.flavors import list_flavors
from skillgen.load.fork import LINKED, look
from skillgen.load.forks import find_forks


def put(path: Path, text: str = "x\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["Mine.yaml", "two--hyphens.yaml", "-mine.yaml", "a b.yaml", f"{'x' * 65}.yaml"])
def test_a_flavor_whose_file_name_is_no_id_is_refused(tmp_path: Path, name: str) -> None:
    put(tmp_path / name)
    with pytest.raises(InputError, match="is no flavor id, use lower-case letters, digits and single hyphens"):
        list_flavors([str(tmp_path)])


def test_a_flavor_that_ends_in_yml_is_told_its_name(tmp_path: Path) -> None:
    put(tmp_path / "mine.yml")
    with pytest.raises(InputError, match=r"mine\.yml: ends in \.yml, name it mine\.yaml"):
        list_flavors([str(tmp_path)])


def test_a_tree_of_a_fork_that_lies_behind_a_link_is_not_looked_at(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/cancel/SKILL.md")
    (tmp_path / "fork").mkdir()
    (tmp_path / "fork/skills").symlink_to(tmp_path / "elsewhere")
    assert look(str(tmp_path / "fork"), ["skills/cancel"], ()) == {}


def test_a_file_of_a_fork_that_lies_behind_a_link_is_marked_as_one(tmp_path: Path) -> None:
    put(tmp_path / "elsewhere/plugin.json")
    (tmp_path / "fork").mkdir()
    (tmp_path / "fork/.claude-plugin").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "fork/README.md").symlink_to(tmp_path / "elsewhere/plugin.json")
    paths = [".claude-plugin/plugin.json", "README.md"]
    assert look(str(tmp_path / "fork"), (), paths) == dict.fromkeys(paths, LINKED)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("other: 1\n", "lists no forks"),
        ("forks: []\n", "lists no forks"),
        ("forks:\n  - flavor: omc\n", "is no fork, write its path"),
        ("forks:\n  - path: a\n    branch: b\n", "is no fork, write its path"),
        ("forks:\n  - {path: a, flavor: ''}\n", "is no fork, write its path"),
    ],
)
def test_a_list_of_forks_names_paths(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find_forks(str(put(tmp_path / "forks.yaml", text)))


def test_a_tree_behind_a_link_is_not_packed(tmp_path: Path) -> None:
    put(tmp_path / "tree/a")
    (tmp_path / "link").symlink_to("tree")
    with pytest.raises(InputError, match="link: is not a directory"):
        read_directory(tmp_path / "link")


def test_a_tree_that_is_too_large_is_not_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "LARGEST_TREE", 9)
    put(tmp_path / "tree/a", "12345")
    read_directory(tmp_path / "tree")
    put(tmp_path / "tree/b", "12345")
    with pytest.raises(InputError, match="holds more than"):
        read_directory(tmp_path / "tree")
