"""What cannot be packed is named, all of it at once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pack_toys import put, toy_files

from skillgen.errors import InputError
from skillgen.load.directory import read_directory


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return put(tmp_path / "bundle", toy_files())


def test_a_good_tree_is_read_as_it_lies_there(bundle: Path) -> None:
    assert read_directory(bundle) == toy_files()


def test_what_running_leaves_behind_is_passed_over(bundle: Path) -> None:
    put(bundle, {"skills/cancel/scripts/__pycache__/x.cpython-39.pyc": (b"x", 0o644), ".DS_Store": (b"x", 0o644)})
    assert read_directory(bundle) == toy_files()


def refused(bundle: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_directory(bundle)
    return str(caught.value)


def test_a_symbolic_link_is_named(bundle: Path) -> None:
    (bundle / "link").symlink_to("/etc/passwd")
    assert f"{bundle}/link: is a symbolic link" in refused(bundle)


def test_a_link_to_a_directory_is_named_and_not_followed(bundle: Path) -> None:
    (bundle / "etc").symlink_to("/etc")
    assert refused(bundle).splitlines() == [f"{bundle}/etc: is a symbolic link, put a regular file in its place"]


def test_a_pipe_is_named_and_not_opened(bundle: Path) -> None:
    os.mkfifo(bundle / "pipe")
    assert "pipe: is a device, pipe or socket" in refused(bundle)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a device file")
def test_a_device_is_named(bundle: Path) -> None:
    try:
        os.mknod(bundle / "zero", 0o20644, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("this container may not make device files")
    assert "zero: is a device, pipe or socket" in refused(bundle)


def test_a_path_of_300_characters_is_named(bundle: Path) -> None:
    put(bundle, {"/".join(["d" * 50] * 6): (b"x", 0o644)})
    assert "bytes long, 240 are the limit" in refused(bundle)


def test_a_line_feed_in_a_name_stays_on_one_line_of_the_message(bundle: Path) -> None:
    put(bundle, {"a\nb": (b"x", 0o644)})
    assert refused(bundle).splitlines() == [
        f"{bundle}/a\\nb: holds a line feed, control or invisible character, rename it"
    ]


def test_names_that_differ_in_case_only_are_named(bundle: Path) -> None:
    put(bundle, {"Skills/other.md": (b"x", 0o644)})
    if not (bundle / "Skills" / "other.md").exists() or (bundle / "Skills" / "cancel").exists():
        pytest.skip("this file system folds case")
    assert "is one name with Skills where case does not count" in refused(bundle)


def test_a_name_that_is_no_utf8_is_named(bundle: Path) -> None:
    (Path(os.fsdecode(os.fsencode(bundle) + b"/\xff.md"))).write_bytes(b"x")
    assert "character" in refused(bundle)


def test_all_problems_come_at_once(bundle: Path) -> None:
    (bundle / "link").symlink_to("README.md")
    put(bundle, {"con.txt": (b"x", 0o644), "a\tb": (b"x", 0o644)})
    assert len(refused(bundle).splitlines()) == 3


def test_a_missing_directory_is_named(tmp_path: Path) -> None:
    assert "is not a directory" in refused(tmp_path / "none")
