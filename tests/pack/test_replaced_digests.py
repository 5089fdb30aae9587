"""Records whose digest was replaced vouch for no archive: every entry is held against the list, always."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from pack_toys import put, toy_files, toy_npm_files
from verifying import verify

from skillgen.errors import InputError
from skillgen.pack.npm import stored_gzip, write_tgz
from skillgen.pack.sums import sha256
from skillgen.pack.zips import write_zip

ZIP, SKILL, TGZ = "toy-plugin-1.2.3.zip", "cancel.skill", "toy-plugin-1.2.3.tgz"
MAIN = "skills/cancel/scripts/cancel.py"


def replace(out: Path, name: str, data: bytes) -> Path:
    """Put another archive there and its digest in every record, the list of files untouched."""
    archive = out / name
    old = sha256(archive.read_bytes())
    archive.write_bytes(data)
    for record in ("provenance.json", "sbom.spdx.json", "SHA256SUMS"):
        path = out / record
        before = sha256(path.read_bytes())
        path.write_text(path.read_text().replace(old, sha256(data)))
        sums = out / "SHA256SUMS"
        sums.write_text(sums.read_text().replace(before, sha256(path.read_bytes())))
    return archive


def zip_of(change: Callable[[zipfile.ZipFile], None], files: dict[str, tuple[bytes, int]] | None = None) -> bytes:
    buffer = io.BytesIO(write_zip(toy_files() if files is None else files))
    with zipfile.ZipFile(buffer, "a") as archive:
        change(archive)
    return buffer.getvalue()


def entry(name: str, data: bytes = b"x", mode: int = 0o100644) -> Callable[[zipfile.ZipFile], None]:
    def add(archive: zipfile.ZipFile) -> None:
        info = zipfile.ZipInfo("x", (1980, 1, 1, 0, 0, 0))
        info.filename = info.orig_filename = name
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, data)

    return add


def without(*names: str) -> dict[str, tuple[bytes, int]]:
    return {name: file for name, file in toy_files().items() if name not in names}


def comment(archive: zipfile.ZipFile) -> None:
    archive.comment = b"hello"


def tar_with(name: str, kind: bytes = tarfile.REGTYPE, mode: int = 0o644) -> bytes:
    buffer = io.BytesIO(gzip.decompress(write_tgz(toy_npm_files())))
    with tarfile.open(fileobj=buffer, mode="a") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.mode, info.linkname = kind, mode, "/etc/passwd"
        archive.addfile(info)
    return stored_gzip(buffer.getvalue())


ALTERED = {
    "a file that climbs": zip_of(entry("../evil")),
    "an absolute path": zip_of(entry("/etc/evil")),
    "a drive": zip_of(entry("C:/evil")),
    "a backslash": zip_of(entry("..\\evil")),
    "a link": zip_of(entry("link", b"/etc/passwd", 0o120777)),
    "a device": zip_of(entry("device", b"", 0o020666)),
    "a hook": zip_of(entry("hooks/hooks.json", b"{}")),
    "compiled code": zip_of(entry("skills/cancel/scripts/__pycache__/cancel.cpython-311.pyc")),
    "a twin in another case": zip_of(entry("Skills/cancel/SKILL.md")),
    "an empty directory": zip_of(entry("empty/", b"", 0o040755)),
    "a file named in a git directory": zip_of(entry(".git/config")),
    "no contract": write_zip(without("skills/cancel/contract.json")),
    "another text": write_zip(toy_files() | {"README.md": (b"other", 0o644)}),
    "set-user-id": zip_of(entry(MAIN, toy_files()[MAIN][0], 0o104777), without(MAIN)),
    "writable by all": zip_of(entry(MAIN, toy_files()[MAIN][0], 0o100777), without(MAIN)),
    "not executable": write_zip(toy_files() | {MAIN: (toy_files()[MAIN][0], 0o644)}),
    "no mode": zip_of(entry(MAIN, toy_files()[MAIN][0], 0), without(MAIN)),
    "a comment": zip_of(comment),
    "something before it": b"#!/bin/sh\nexit\n" + write_zip(toy_files()),
    "something behind it": write_zip(toy_files()) + b"trailing",
    "another top": write_zip(toy_files(), top="other"),
    "nothing": write_zip({}),
}
ALTERED_TGZ = {
    "a file that climbs": tar_with("package/../../evil"),
    "a link": tar_with("package/x", tarfile.SYMTYPE),
    "a hard link": tar_with("package/x", tarfile.LNKTYPE),
    "a directory": tar_with("package/empty", tarfile.DIRTYPE, 0o755),
    "a file": tar_with("package/x"),
    "something behind the stream": write_tgz(toy_npm_files()) + b"trailing",
    "a second stream": write_tgz(toy_npm_files()) + stored_gzip(b"trailing"),
    "something behind the end of the tar": stored_gzip(gzip.decompress(write_tgz(toy_npm_files())) + b"x" * 512),
    "set-user-id": write_tgz({path: (data, mode | 0o4000) for path, (data, mode) in toy_npm_files().items()}),
}


def caught(archive: Path) -> str:
    """Return what verify says against it; clean is a failure."""
    try:
        code, text = verify(archive)
    except InputError as error:
        return str(error)
    assert code == 1, text
    return text


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ALTERED)
def test_a_zip_whose_digest_was_replaced_everywhere_is_caught(out: Path, name: str) -> None:
    archive = replace(out, ZIP, ALTERED[name])
    assert str(archive) in caught(archive)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_entry_twice_is_caught(out: Path) -> None:
    assert "twice" in caught(replace(out, ZIP, zip_of(entry("README.md", b"other"))))


@pytest.mark.parametrize("name", ALTERED_TGZ)
def test_a_tarball_whose_digest_was_replaced_everywhere_is_caught(npm_out: Path, name: str) -> None:
    archive = replace(npm_out, TGZ, ALTERED_TGZ[name])
    assert str(archive) in caught(archive)


def test_a_bomb_is_caught(out: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", bytes(80 << 20))
    assert "more than 64 MiB" in caught(replace(out, ZIP, buffer.getvalue()))


def test_replacing_a_digest_changes_no_verdict_of_an_archive_as_it_was_packed(out: Path, npm_out: Path) -> None:
    assert verify(replace(out, ZIP, (out / ZIP).read_bytes()))[0] == 0
    assert verify(replace(out, SKILL, (out / SKILL).read_bytes()))[0] == 0
    assert verify(replace(npm_out, TGZ, (npm_out / TGZ).read_bytes()))[0] == 0


@pytest.mark.parametrize("mode", [0o4777, 0o4755, 0o2755, 0o1755])
def test_an_odd_mode_says_the_mode(out: Path, mode: int) -> None:
    archive = replace(out, ZIP, zip_of(entry(MAIN, toy_files()[MAIN][0], 0o100000 | mode), without(MAIN)))
    assert f"{MAIN} has mode {mode:04o}, packed was 0755" in caught(archive)


@pytest.mark.parametrize("where", ["files", "packages", "relationships"])
def test_a_list_that_says_something_twice_is_no_record(out: Path, where: str) -> None:
    path = out / "sbom.spdx.json"
    document = json.loads(path.read_text())
    rows = document[where]
    rows.append(next(row for row in rows if row.get("relationshipType", "CONTAINS") == "CONTAINS"))
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="twice"):
        verify(out / ZIP)


# Trees on a disk


@pytest.fixture
def tree(out: Path, tmp_path: Path) -> Path:
    return put(tmp_path / "installed", toy_files())


def said(tree: Path, out: Path) -> str:
    return verify(tree, "--against", out)[1]


@pytest.mark.parametrize(
    "planted",
    [
        "skills/cancel/scripts/__pycache__/cancel.cpython-311.pyc",
        "skills/cancel/scripts/__pycache__/cancel.cpython-39.opt-1.pyc",
        "skills/cancel/scripts/cancel.pyc",
        "__pycache__/main.cpython-313.pyc",
    ],
)
def test_planted_bytecode_is_not_what_was_packed(tree: Path, out: Path, planted: str) -> None:
    put(tree, {planted: (b"\0", 0o644)})
    assert f"{planted} is compiled code, which would run instead of its source; was not packed" in said(tree, out)


def test_a_directory_of_caches_that_holds_anything_else_is_seen_too(tree: Path, out: Path) -> None:
    put(tree, {"skills/__pycache__/evil.sh": (b"x", 0o755)})
    assert "skills/__pycache__/evil.sh was not packed" in said(tree, out)


def test_an_empty_directory_is_seen(tree: Path, out: Path) -> None:
    (tree / "hooks").mkdir()
    assert "hooks is an empty directory" in said(tree, out)


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o4644])
def test_a_mode_that_runs_as_another_is_seen(tree: Path, out: Path, mode: int) -> None:
    (tree / MAIN).chmod(mode)
    assert f"{MAIN} has mode {mode:04o}" in said(tree, out)


def test_what_the_finder_leaves_is_no_difference(tree: Path, out: Path) -> None:
    put(tree, {".DS_Store": (b"x", 0o644)})
    assert verify(tree, "--against", out)[0] == 0


@pytest.mark.parametrize("mode", [0o777, 0o644])
def test_a_file_system_without_modes_is_no_difference(tree: Path, out: Path, mode: int) -> None:
    for path in toy_files():
        (tree / path).chmod(mode)
    assert verify(tree, "--against", out)[0] == 0


def test_one_lost_execute_bit_is_a_difference(tree: Path, out: Path) -> None:
    put(tree, {"extra.sh": (b"", 0o755)})
    (tree / MAIN).chmod(0o644)
    assert f"{MAIN} has mode 0644, packed was 0755" in said(tree, out)
