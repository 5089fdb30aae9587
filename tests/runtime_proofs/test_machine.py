"""What a machine happens to hold decides no proof."""

from __future__ import annotations

from pathlib import Path

from runtime_proofs.bundle import link_tools


def test_a_dangling_link_among_the_tools_of_a_machine_is_one_name_of_them(tmp_path: Path) -> None:
    (tmp_path / "usr").mkdir()
    (tmp_path / "usr/gone").symlink_to("/nowhere")
    (tmp_path / "usr/ls").touch()
    (tmp_path / "usr/python3").touch()
    # On most machines one directory of tools is a link to the other.
    (tmp_path / "bin").symlink_to("usr")
    (tmp_path / "path").mkdir()
    for source in (tmp_path / "usr", tmp_path / "bin", tmp_path / "none"):
        link_tools(source, tmp_path / "path", without=("python",))
    assert sorted(path.name for path in (tmp_path / "path").iterdir()) == ["gone", "ls"]
