"""Whatever an archive holds, a command that reads it ends in an exit code and clear lines, and writes nothing."""

from __future__ import annotations

import gzip
import io
import shutil
import tarfile
import warnings
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from skillgen.cli.main import run
from skillgen.model.visible import unseen

NAMES = (
    *("../evil", "a/../../evil", "/tmp/evil", "C:/evil", "..\\evil", "SKILL.md", "skill.md", "README.md", "readme.MD"),
    *(
        "skills/cancel/SKILL.md",
        "Skills/cancel/x",
        "a\nb",
        "\x1b]0;T\x07",
        "a\u202eb",
        ".git/hooks/post-checkout",
        "con",
    ),
    *(
        "x" * 300,
        "a/" * 60 + "x",
        "a//b",
        "./x",
        "",
        "caf\u00e9",
        "cafe\u0301",
        "package/../../evil",
        "hooks/hooks.json",
    ),
    *(
        "skills/cancel/scripts/cancel_runtime/__pycache__/run.cpython-311.pyc",
        "skills/cancel/contract.json",
        "plugin.json",
    ),
)
DATA = (
    b"",
    b"x",
    b"#!/bin/sh\r\n",
    b"\x00" * 64,
    b"{" * 50_000,
    b"---\nname: cancel\n---\n",
    bytes(2_000_000),
    b"\xff\xfe",
)
MODES = (0o100644, 0o100755, 0o120777, 0o104755, 0o060600, 0o020600, 0o010600, 0)
KINDS = (tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE)

Entries = list[tuple[str, bytes, int]]
entries = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(DATA), st.integers(0, 7)), min_size=1, max_size=4)


def make_zip(old: bytes, added: Entries, method: int) -> bytes:
    """Add entries to a zip: twins, names that climb, links, what unpacks to far more than it is."""
    buffer = io.BytesIO(old)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with zipfile.ZipFile(buffer, "a", method) as archive:
            for name, data, number in added:
                info = zipfile.ZipInfo("x")
                info.filename = info.orig_filename = name
                info.external_attr = MODES[number] << 16
                info.compress_type = method
                archive.writestr(info, data)
    return buffer.getvalue()


def make_tgz(old: bytes, added: Entries) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(old)) as before, tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member in before:
            archive.addfile(member, before.extractfile(member))
        for name, data, number in added:
            info = tarfile.TarInfo(f"package/{name}")
            info.type = KINDS[number % len(KINDS)]
            info.mode, info.linkname = MODES[number] & 0o7777, "../../evil"
            info.size = len(data) if info.isreg() else 0
            archive.addfile(info, io.BytesIO(data))
    return buffer.getvalue()


def damage(data: bytes, draw: st.DataObject) -> bytes:
    """Cut, lengthen or change bytes, as a bad disk or a careful stranger does."""
    how = draw.draw(st.sampled_from(["none", "none", "cut", "trail", "flip", "comment"]))
    at = draw.draw(st.integers(0, max(0, len(data) - 1)))
    if how == "cut":
        return data[:at]
    if how == "trail":
        return data + draw.draw(
            st.sampled_from([b"\0" * 512, b"PK\x05\x06" + bytes(18), gzip.compress(b"x"), b"#!/bin/sh"])
        )
    if how == "flip":
        return data[:at] + bytes([data[at] ^ draw.draw(st.integers(1, 255))]) + data[at + 1 :]
    if how == "comment" and data[-2:] == b"\0\0":
        return data[:-2] + b"\x05\0hello"
    return data


def law(
    place: Path, name: str, data: bytes, command: str, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / name).write_bytes(data)
    before = {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()}
    patch.chdir(place)
    patch.setattr("sys.argv", ["skillgen", command, str(place / name)])
    code = run()
    said = "".join(capsys.readouterr())
    assert code in (0, 1, 2), said
    assert said and unseen(said, lines=True) == "" and "\n::" not in said
    assert {path: path.read_bytes() for path in place.parent.rglob("*") if path.is_file()} == before
    assert len(said) < 100_000


fuzz = settings(
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


def fuzzed(
    out: Path,
    npm_out: Path,
    place: Path,
    draw: st.DataObject,
    patch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    added = draw.draw(entries)
    tar = draw.draw(st.booleans())
    source = npm_out if tar else out
    name = "toy-plugin-1.2.3.tgz" if tar else draw.draw(st.sampled_from(["toy-plugin-1.2.3.zip", "cancel.skill"]))
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(source, place / "in")
    old = (source / name).read_bytes()
    method = draw.draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]))
    data = make_tgz(old, added) if tar else make_zip(old, added, method)
    command = draw.draw(st.sampled_from(["verify", "audit"]))
    law(place / "in", name, damage(data, draw), command, patch, capsys)


@settings(fuzz, max_examples=60)
@given(draw=st.data())
def test_an_archive_of_anything_ends_in_an_exit_code_and_writes_nothing(
    out: Path,
    npm_out: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    draw: st.DataObject,
) -> None:
    fuzzed(out, npm_out, tmp_path / "fuzzed", draw, monkeypatch, capsys)


@pytest.mark.slow
@settings(fuzz, max_examples=800)
@given(draw=st.data())
def test_many_archives_of_anything_write_nothing(
    out: Path,
    npm_out: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    draw: st.DataObject,
) -> None:
    fuzzed(out, npm_out, tmp_path / "fuzzed", draw, monkeypatch, capsys)


@settings(fuzz, max_examples=40)
@given(added=entries)
def test_an_archive_with_anything_added_is_never_as_it_was_packed(
    out: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], added: Entries
) -> None:
    place = tmp_path / "added"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(out, place)
    name = "toy-plugin-1.2.3.zip"
    (place / name).write_bytes(make_zip((out / name).read_bytes(), added, zipfile.ZIP_STORED))
    monkeypatch.setattr("sys.argv", ["skillgen", "verify", str(place / name)])
    assert run() in (1, 2)
    capsys.readouterr()
