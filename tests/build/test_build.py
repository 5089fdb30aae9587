"""`skillgen build`: what it writes, what it leaves alone, what it refuses."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgen.model.lock_text import parse_lock
from skillgen.pack.write import Writer

Run = Callable[..., Any]


def snapshot(directory: Path) -> dict[str, tuple[bytes, int]]:
    """Return path -> bytes and mode of every file."""
    return {
        path.relative_to(directory).as_posix(): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def out(skillgen: Run, tmp_path: Path) -> Path:
    """A directory with omc and pep built."""
    result = skillgen("build", "--flavor", "omc", "--flavor", "pep", "--out", tmp_path / "out")
    assert result.code == 0, result.err
    return tmp_path / "out"


def build(skillgen: Run, out: Path, *more: object) -> Any:
    return skillgen("build", "--flavor", "omc", "--flavor", "pep", "--out", out, *more)


def test_a_build_writes_the_bundle_and_its_lock(out: Path) -> None:
    assert {"omc", "pep", "skillgen.lock"} == {path.name for path in out.iterdir()}
    assert (out / "omc/skills/cancel/SKILL.md").is_file()
    contract = json.loads((out / "omc/skills/cancel/contract.json").read_text())
    assert contract["flavor"] == "omc"


def test_the_lock_names_every_file_with_its_digest_and_mode(out: Path) -> None:
    entry = parse_lock("lock", (out / "skillgen.lock").read_bytes())["omc"]
    files = snapshot(out / "omc")
    assert {path: mark.digest for path, mark in entry.files.items()} == {
        path: hashlib.sha256(data).hexdigest() for path, (data, _) in files.items()
    }
    assert {path: 0o755 if mark.executable else 0o644 for path, mark in entry.files.items()} == {
        path: mode for path, (_, mode) in files.items()
    }
    assert (entry.flavor, entry.revision, entry.sealed) == ("omc", "20260912", True)
    assert entry.contract == entry.files["skills/cancel/contract.json"].digest


def test_an_older_revision_is_locked_under_its_products_name(skillgen: Run, tmp_path: Path) -> None:
    assert skillgen("build", "--flavor", "omc-20260824", "--out", tmp_path).code == 0
    entry = parse_lock("lock", (tmp_path / "skillgen.lock").read_bytes())["omc-20260824"]
    assert (entry.id, entry.flavor, entry.revision, entry.base) == ("omc-20260824", "omc", "20260824", ("omc",))


def test_all_current_flavors_are_built_by_default(skillgen: Run, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/zzz.yaml").write_text("base: pep\n")
    assert skillgen("build", "--out", tmp_path / "out", "--flavors", tmp_path / "mine").code == 0
    built = sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_dir())
    assert built == ["omc", "omd", "omni", "omx", "pep", "rcs", "zzz"]


def test_the_same_input_gives_the_same_bytes_whatever_the_umask_and_the_directory(
    skillgen: Run, tmp_path: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = os.umask(0o077)
    try:
        assert build(skillgen, Path("elsewhere")).code == 0
    finally:
        os.umask(old)
    assert snapshot(tmp_path / "elsewhere") == snapshot(out)


def test_a_second_build_touches_nothing(skillgen: Run, out: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*")}
    result = build(skillgen, out)
    assert (result.code, result.out) == (0, f"2 bundles in {out}, 0 changed\n")
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*")} == before


def test_only_what_changed_is_written(skillgen: Run, out: Path) -> None:
    changed, kept = out / "omc/skills/cancel/SKILL.md", out / "omc/skills/cancel/contract.json"
    good, stamp = changed.read_bytes(), kept.stat().st_mtime_ns
    changed.write_text("edited\n")
    result = build(skillgen, out)
    assert result.out.splitlines()[0] == f"{out}/omc: 1 written"
    assert changed.read_bytes() == good
    assert kept.stat().st_mtime_ns == stamp


def test_what_is_no_longer_rendered_is_pruned_and_what_no_build_wrote_stays(skillgen: Run, tmp_path: Path) -> None:
    flavors, out = tmp_path / "flavors", tmp_path / "out"
    flavors.mkdir()
    arguments = ("build", "--flavor", "mine", "--flavors", flavors, "--out", out)
    (flavors / "mine.yaml").write_text("base: pep\nfront: {name: stop}\n")
    assert skillgen(*arguments).code == 0
    (out / "mine/skills/stop/own.md").write_text("mine")
    (flavors / "mine.yaml").write_text("base: pep\nfront: {name: halt}\n")
    result = skillgen(*arguments)
    assert result.code == 0
    assert [path.name for path in (out / "mine/skills/stop").rglob("*")] == ["own.md"]
    assert (out / "mine/skills/halt/SKILL.md").is_file()
    assert "skills/stop/own.md: was written by no build; remove it by hand" in result.out


def test_an_edited_file_that_is_no_longer_rendered_is_left_to_its_owner(skillgen: Run, tmp_path: Path) -> None:
    flavors, out = tmp_path / "flavors", tmp_path / "out"
    flavors.mkdir()
    arguments = ("build", "--flavor", "mine", "--flavors", flavors, "--out", out)
    (flavors / "mine.yaml").write_text("base: pep\nfront: {name: stop}\n")
    skillgen(*arguments)
    (out / "mine/skills/stop/SKILL.md").write_text("edited")
    (flavors / "mine.yaml").write_text("base: pep\n")
    skillgen(*arguments)
    assert [path.name for path in (out / "mine/skills/stop").rglob("*")] == ["SKILL.md"]


def test_bundles_that_are_not_rendered_are_not_touched(skillgen: Run, out: Path) -> None:
    (out / "pep/skills/cancel/SKILL.md").write_text("edited")
    lock = parse_lock("lock", (out / "skillgen.lock").read_bytes())
    assert skillgen("build", "--flavor", "omc", "--out", out).code == 0
    assert (out / "pep/skills/cancel/SKILL.md").read_text() == "edited"
    assert parse_lock("lock", (out / "skillgen.lock").read_bytes()) == lock


def test_check_writes_nothing(skillgen: Run, tmp_path: Path) -> None:
    result = skillgen("build", "--flavor", "omc", "--check", "--out", tmp_path / "none")
    assert result.code == 1
    assert list(tmp_path.iterdir()) == []


def spoil_text(path: Path, old: bytes, new: bytes) -> None:
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


SPOILS: dict[str, tuple[Callable[[Path], object], str]] = {
    "edited": (lambda out: (out / "omc/README.md").write_text("x"), "omc/README.md: was edited since it was built"),
    "missing": (lambda out: (out / "omc/README.md").unlink(), "omc/README.md: is missing"),
    "extra": (lambda out: (out / "omc/x.md").write_text("x"), "omc/x.md: was written by no build; remove it by hand"),
    "crlf": (
        lambda out: spoil_text(out / "omc/README.md", b"\n", b"\r\n"),
        "omc/README.md: was edited since it was built (only the line ends differ (CRLF))",
    ),
    "newline": (
        lambda out: (out / "omc/README.md").write_bytes((out / "omc/README.md").read_bytes() + b"\n"),
        "omc/README.md: was edited since it was built (only the final newline differs)",
    ),
    "mode": (lambda out: (out / "omc/README.md").chmod(0o755), "was edited since it was built (is executable)"),
    "link": (
        lambda out: ((out / "omc/README.md").unlink(), (out / "omc/README.md").symlink_to("../pep/README.md")),
        "omc/README.md: was edited since it was built (is a symbolic link)",
    ),
    "bundle": (lambda out: (out / "omc").rename(out.parent / "away"), "out/omc: is missing"),
    "lock": (lambda out: (out / "skillgen.lock").unlink(), "skillgen.lock: has no entry for omc"),
    "seal": (
        lambda out: spoil_text(out / "skillgen.lock", b"revision: 20260912", b"revision: 20260913"),
        "skillgen.lock: the entry of omc was merged or edited by hand",
    ),
}


@pytest.mark.parametrize("name", SPOILS)
def test_check_names_what_is_not_as_it_would_be_written(skillgen: Run, out: Path, name: str) -> None:
    spoil, message = SPOILS[name]
    spoil(out)
    result = build(skillgen, out, "--check")
    assert result.code == 1
    assert message in result.out


@pytest.mark.parametrize("name", [name for name in SPOILS if name != "extra"])
def test_a_build_mends_what_check_names(skillgen: Run, out: Path, name: str) -> None:
    good = snapshot(out)
    SPOILS[name][0](out)
    assert build(skillgen, out).code == 0
    assert snapshot(out) == good
    assert build(skillgen, out, "--check").code == 0


def test_what_python_and_desktops_leave_behind_is_no_drift(skillgen: Run, out: Path) -> None:
    cache = out / "omc/skills/cancel/scripts/__pycache__"
    cache.mkdir()
    (cache / "cancel.cpython-311.pyc").write_bytes(b"x")
    (out / "omc/.DS_Store").write_bytes(b"x")
    (out / "omc/x.pyc").write_bytes(b"x")
    assert build(skillgen, out, "--check").code == 0
    assert build(skillgen, out).code == 0
    assert (cache / "cancel.cpython-311.pyc").exists()


def test_check_as_json_names_files_and_states(skillgen: Run, out: Path) -> None:
    (out / "omc/README.md").unlink()
    result = build(skillgen, out, "--check", "--json")
    assert result.code == 1
    bundles = {bundle["id"]: bundle for bundle in json.loads(result.out)["bundles"]}
    assert bundles["omc"]["differences"] == [{"path": "README.md", "state": "missing", "detail": ""}]
    assert bundles["pep"]["current"]


def test_mistakes_of_all_flavors_are_told_and_nothing_is_written(skillgen: Run, tmp_path: Path) -> None:
    for name, text in {"one": "base: omc\nstale_s: x\n", "two": "base: pep\nfoo: 1\n", "three": ""}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    result = skillgen("build", "--flavors", tmp_path, "--out", tmp_path / "out")
    assert result.code == 2
    assert [line.split(": ")[0] for line in result.err.splitlines()] == [
        f"{tmp_path}/one.yaml:2:10",
        f"{tmp_path}/three.yaml:1:1",
        f"{tmp_path}/two.yaml:2:1",
    ]
    assert not (tmp_path / "out").exists()


def test_a_template_with_an_unknown_name_is_told_with_file_and_line(skillgen: Run, tmp_path: Path) -> None:
    template = tmp_path / "cancel/bundle/references/more.md.j2"
    template.parent.mkdir(parents=True)
    template.write_text("# More\n\n{{ product.titel }}\n")
    result = skillgen("build", "--flavor", "omc", "--templates", tmp_path, "--out", tmp_path / "out")
    assert result.code == 2
    assert f"{template}:3:" in result.err
    assert "titel" in result.err


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda out: out.write_text("x"), "is a file; name a directory with --out"),
        (lambda out: out.symlink_to("nowhere"), "is a symbolic link; name the directory that it leads to"),
        (lambda out: (out.mkdir(), (out / "omc").write_text("x")), "omc: is a file where a bundle's directory must be"),
        (
            lambda out: (out.mkdir(), (out / "omc").symlink_to("..")),
            "omc: is a symbolic link; nothing is written through it",
        ),
        (
            lambda out: ((out / "omc").mkdir(parents=True), (out / "omc/skills").symlink_to("../..")),
            "skills: is a symbolic link; nothing is written through it",
        ),
        (
            lambda out: ((out / "omc").mkdir(parents=True), (out / "omc/skills").write_text("x")),
            "skills: is a file where a directory must be",
        ),
        (
            lambda out: (out / "omc/README.md").mkdir(parents=True),
            "README.md: is a directory where a file must be written",
        ),
        (lambda out: (out.mkdir(), (out / "skillgen.lock").mkdir()), "skillgen.lock: cannot be read (Is a directory)"),
        (lambda out: (out.mkdir(), (out / "skillgen.lock").write_text("x")), "skillgen.lock:1:1: is no skillgen.lock"),
        (
            lambda out: (out.mkdir(), (out / "skillgen.lock").write_text("skillgen-lock: 99\n")),
            "skillgen.lock:1:1: has form 99, this skillgen reads forms 1 to 2, use the skillgen that wrote it",
        ),
        (
            lambda out: (out.mkdir(), (out / "skillgen.lock").write_text("skillgen-lock: 1\nbundles:\n<<<<<<< ours\n")),
            "skillgen.lock:3:1: holds conflict markers, take either side of it",
        ),
    ],
)
def test_an_output_that_cannot_be_written_is_refused(
    skillgen: Run, tmp_path: Path, prepare: Callable[[Path], object], message: str
) -> None:
    out = tmp_path / "out"
    prepare(out)
    result = skillgen("build", "--flavor", "omc", "--out", out)
    assert result.code == 2, result.out
    assert message in result.err
    assert "Traceback" not in result.err
    assert not (tmp_path / "cancel").exists()


def unprivileged() -> list[str]:
    """Return what a command must be started with so that mode bits stop it; skip where there is no such thing."""
    if os.geteuid() != 0:
        return []
    drop = [
        "setpriv",
        "--bounding-set",
        "-dac_override,-dac_read_search",
        "--inh-caps",
        "-dac_override,-dac_read_search",
    ]
    try:
        subprocess.run([*drop, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("runs as root, whom mode bits do not stop, and setpriv cannot drop that capability")
    return drop


def test_a_read_only_output_is_refused_and_left_as_it_was(out: Path) -> None:
    (out / "omc/README.md").unlink()
    before = snapshot(out)
    (out / "omc").chmod(0o555)
    out.chmod(0o555)
    command = [*unprivileged(), sys.executable, "-m", "skillgen", "build", "--flavor", "omc", "--out", str(out)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2
        assert "cannot be written (Permission denied)" in done.stderr
        assert "Traceback" not in done.stderr
        assert snapshot(out) == before
    finally:
        out.chmod(0o755)
        (out / "omc").chmod(0o755)


def test_two_builds_at_once_end_as_one(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "skillgen",
        "build",
        "--flavor",
        "omc",
        "--flavor",
        "pep",
        "--out",
        str(tmp_path / "out"),
    ]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.wait() for process in running] == [0, 0], [process.communicate() for process in running]
    for process in running:
        process.communicate()
    assert subprocess.run([*command, "--check"], capture_output=True, check=False).returncode == 0


def test_markdown_of_a_users_own_templates_is_in_its_normal_form(skillgen: Run, tmp_path: Path) -> None:
    own = tmp_path / "templates/cancel/bundle/references/own.md.j2"
    own.parent.mkdir(parents=True)
    own.write_text(
        "---\nname: x\n---\n\nHead\n====\n\n| a  | b |\n|:--|---|\n| {{ product.name }} | y |\n\n* one\n* two\n"
    )
    arguments = ("--flavor", "omc", "--templates", tmp_path / "templates", "--out", tmp_path / "out")
    assert skillgen("build", *arguments).code == 0
    skill = tmp_path / "out/omc/skills/cancel"
    assert (skill / "references/own.md").read_text() == (
        "---\nname: x\n---\n\n# Head\n\n| a | b |\n| :- | -- |\n| OMC | y |\n\n- one\n- two\n"
    )
    # What ships is written so already.
    shipped_text = Path(__file__).parents[2] / "dist/omc/skills/cancel/SKILL.md"
    assert (skill / "SKILL.md").read_text() == shipped_text.read_text()
    assert skillgen("build", *arguments, "--check").code == 0


def test_a_build_of_what_ships_needs_no_formatter(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.argv = ['skillgen', 'build', '--out', {str(tmp_path / 'out')!r}];"
        "from skillgen.cli.main import run; code = run();"
        "sys.exit(code or ('mdformat' in sys.modules and 'mdformat was imported'))"
    )
    environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_a_check_of_what_is_current_imports_nothing_that_it_does_not_use() -> None:
    program = (
        "import sys; sys.argv = ['skillgen', 'build', '--check'];"
        "from skillgen.cli.main import run; code = run();"
        "unused = {'json', 'jinja2', 'ruamel.yaml', 'pydantic', 'mdformat', 'subprocess'} & sys.modules.keys();"
        "sys.exit(code or (unused and f'imported: {sorted(unused)}' or 0))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stderr


def test_a_check_looks_at_no_bundle_behind_a_link(skillgen: Run, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/omc").symlink_to(Path(__file__).parents[2] / "dist/omc")
    result = skillgen("build", "--flavor", "omc", "--out", tmp_path / "out", "--check")
    assert (result.code, "omc: is a symbolic link" in result.err) == (2, True)


def test_what_was_staged_and_not_put_in_place_is_gone(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), Writer(str(tmp_path)) as writer:
        writer.stage("a/b", b"x", 0o644)
        assert list((tmp_path / "a").iterdir())
        raise RuntimeError
    assert not list((tmp_path / "a").iterdir())


def test_a_bundle_whose_base_is_gone_is_told_so(skillgen: Run, tmp_path: Path) -> None:
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    (flavors / "middle.yaml").write_text("base: pep\n")
    (flavors / "mine.yaml").write_text("base: middle\n")
    arguments = ("build", "--flavor", "mine", "--flavors", flavors, "--out", tmp_path / "out")
    assert skillgen(*arguments).code == 0
    (flavors / "middle.yaml").unlink()
    result = skillgen(*arguments, "--check")
    assert (result.code, "mine.yaml:1" in result.err) == (2, True)
