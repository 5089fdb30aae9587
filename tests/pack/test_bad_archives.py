"""An archive that nobody should unpack is refused before anything of it is believed."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from verifying import verify

from skillgen.errors import InputError, SkillgenError
from skillgen.load import artifact
from skillgen.load.artifact import read_archive, read_file
from skillgen.pack.npm import stored_gzip


def zip_of(*names: str, mode: int = 0o100644) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in names:
            info = zipfile.ZipInfo("x")
            info.filename = info.orig_filename = name
            info.external_attr = mode << 16
            archive.writestr(info, b"x")
    return buffer.getvalue()


def encrypted(data: bytes) -> bytes:
    """Say of every entry that it is encrypted, in its own head and in the list at the end."""
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(mark) + place
        data = data[:at] + bytes([data[at] | 1]) + data[at + 1 :]
    return data


def tar_of(name: str, kind: bytes = tarfile.REGTYPE, link: str = "") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        archive.addfile(info)
    return stored_gzip(buffer.getvalue())


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zip_of("../evil"), "'../evil' climbs out of its directory"),
        (zip_of("a/../../evil"), "climbs out of its directory"),
        (zip_of("/etc/passwd"), "'/etc/passwd' is an absolute path"),
        (zip_of("C:/x"), "is an absolute path"),
        (zip_of("..\\evil"), "holds a backslash"),
        (zip_of("a\nb"), "holds a line feed"),
        (zip_of("x" * 300), "is 300 bytes long"),
        (zip_of("A/x", "a/y"), "is one name with"),
        (zip_of("link", mode=0o120777), "is a link or device"),
        (zip_of("../evil/"), "'../evil/' climbs out of its directory"),
        (encrypted(zip_of("a")), "entry 'a' is encrypted"),
        (b"PK\x03\x04 nonsense", "is no readable archive"),
        (b"", "is no readable archive"),
        (b"no archive at all", "is no readable archive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_archive_that_nobody_should_unpack_is_refused(out: Path, data: bytes, message: str) -> None:
    (out / "toy-plugin-1.2.3.zip").write_bytes(data)
    with pytest.raises(InputError) as caught:
        verify(out / "toy-plugin-1.2.3.zip")
    assert message in str(caught.value)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_refused(out: Path) -> None:
    (out / "toy-plugin-1.2.3.zip").write_bytes(zip_of("a", "a"))
    with pytest.raises(InputError, match="stands in the archive twice"):
        verify(out / "toy-plugin-1.2.3.zip")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (tar_of("package/../../evil"), "climbs out of its directory"),
        (tar_of("/abs"), "is an absolute path"),
        (tar_of("package/x", tarfile.SYMTYPE, "/etc/passwd"), "is a link or device"),
        (tar_of("package/x", tarfile.CHRTYPE), "is a link or device"),
        (b"\x1f\x8b garbage", "is no readable archive"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_tarball_that_nobody_should_unpack_is_refused(npm_out: Path, data: bytes, message: str) -> None:
    (npm_out / "toy-plugin-1.2.3.tgz").write_bytes(data)
    with pytest.raises(InputError) as caught:
        verify(npm_out / "toy-plugin-1.2.3.tgz")
    assert message in str(caught.value)


def test_a_zip_bomb_is_refused_before_it_unpacks(out: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("big", bytes(80 * 1024 * 1024))
    (out / "toy-plugin-1.2.3.zip").write_bytes(buffer.getvalue())
    with pytest.raises(SkillgenError, match=r"too large|more than 64 MiB"):
        verify(out / "toy-plugin-1.2.3.zip")


def test_a_file_that_is_too_long_for_an_archive_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "long.zip").open("wb") as file:
        file.truncate(2 * artifact.LARGEST + 1)
    with pytest.raises(InputError, match="is larger than 128 MiB"):
        read_file(tmp_path / "long.zip")


def test_entries_that_are_too_much_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "LARGEST", 2)
    read_archive("x.zip", zip_of("a", "b"))
    with pytest.raises(InputError, match="unpacks to more than"):
        read_archive("x.zip", zip_of("a", "b", "c"))


def test_a_tarball_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(artifact, "LARGEST", len(tar_of("package/x")))
    read_archive("x.tgz", tar_of("package/x"))
    monkeypatch.setattr(artifact, "LARGEST", 100)
    with pytest.raises(InputError, match=r"is no readable archive \(unpacks to more than"):
        read_archive("x.tgz", tar_of("package/x"))
