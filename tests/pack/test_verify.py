"""`skillgen verify` says which file of an archive or tree differs from what was packed."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pack_toys import put, toy_files, toy_origin
from verifying import verify

from skillgen.errors import InputError, SkillgenError, UsageError
from skillgen.pack.artifacts import make_artifacts
from skillgen.pack.place import write_release
from skillgen.pack.zips import write_zip


@pytest.mark.parametrize("name", ["toy-plugin-1.2.3.zip", "cancel.skill", "toy-plugin-1.2.3"])
def test_what_was_packed_is_clean(out: Path, name: str) -> None:
    code, text = verify(out / name)
    assert (code, text) == (0, f"{out / name}: is {name} as it was packed\n")


def test_an_npm_tarball_is_clean(npm_out: Path) -> None:
    assert verify(npm_out / "toy-plugin-1.2.3.tgz")[0] == 0


def test_every_changed_byte_of_a_zip_is_seen(out: Path) -> None:
    archive = out / "toy-plugin-1.2.3.zip"
    good = archive.read_bytes()
    for place in range(0, len(good), 7):
        archive.write_bytes(good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :])
        try:
            assert verify(archive)[0] == 1, place
        except InputError as error:
            assert str(archive) in str(error)


def test_the_file_around_a_changed_byte_is_named(out: Path) -> None:
    archive = out / "toy-plugin-1.2.3.zip"
    data = archive.read_bytes()
    archive.write_bytes(data.replace(b"Cancels toys.\n", b"Cancels boys.\n"))
    assert verify(archive) == (1, f"{archive}: README.md differs\n")


def repacked(out: Path, change: Callable[[dict[str, tuple[bytes, int]]], None]) -> str:
    files = toy_files()
    change(files)
    archive = out / "toy-plugin-1.2.3.zip"
    archive.write_bytes(write_zip(files))
    code, text = verify(archive)
    assert code == 1
    return text.replace(f"{archive}: ", "")


def test_the_changed_file_is_named(out: Path) -> None:
    assert repacked(out, lambda files: files.update({"README.md": (b"other", 0o644)})) == "README.md differs\n"


def test_the_missing_file_is_named(out: Path) -> None:
    assert repacked(out, lambda files: files.pop("LICENSE")) == "LICENSE is missing\n"


def test_the_file_that_was_not_packed_is_named(out: Path) -> None:
    assert repacked(out, lambda files: files.update({"evil.sh": (b"", 0o755)})) == "evil.sh was not packed\n"


def test_a_lost_executable_bit_is_named(out: Path) -> None:
    path = "skills/cancel/scripts/cancel.py"
    text = repacked(out, lambda files: files.update({path: (files[path][0], 0o644)}))
    assert text == f"{path} has mode 0644, packed was 0755\n"


def test_another_compression_of_the_same_files_is_said_so(out: Path) -> None:
    archive = out / "toy-plugin-1.2.3.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as other:
        for path, (data, mode) in toy_files().items():
            info = zipfile.ZipInfo(path)
            info.external_attr = (0o100000 | mode) << 16
            other.writestr(info, data, zipfile.ZIP_DEFLATED)
    assert verify(archive) == (1, f"{archive}: holds the same files in another order, date or compression\n")


def test_an_edited_tree_is_named_file_by_file(out: Path) -> None:
    (out / "toy-plugin-1.2.3" / "README.md").write_text("edited")
    code, text = verify(out / "toy-plugin-1.2.3")
    assert code == 1 and text.endswith("README.md differs\n") and text.count("\n") == 1


def test_an_installed_copy_is_held_against_the_records_elsewhere(out: Path, tmp_path: Path) -> None:
    put(tmp_path / "cache" / "1.2.3", toy_files())
    assert verify(tmp_path / "cache" / "1.2.3", "--against", out)[0] == 0
    put(tmp_path / "cache" / "1.2.3", {"extra": (b"", 0o644)})
    assert "extra was not packed" in verify(tmp_path / "cache" / "1.2.3", "--against", out)[1]


@pytest.mark.parametrize("record", ["provenance.json", "sbom.spdx.json"])
def test_an_edited_record_is_named(out: Path, record: str) -> None:
    data = json.loads((out / record).read_bytes())
    (out / record).write_text(json.dumps(data, indent=1))
    code, text = verify(out / "cancel.skill")
    assert code == 1 and f"{record} is not what SHA256SUMS says" in text


def test_records_that_contradict_each_other_are_named(out: Path) -> None:
    import hashlib

    name = "toy-plugin-1.2.3.zip"
    old = hashlib.sha256((out / name).read_bytes()).hexdigest()
    (out / "SHA256SUMS").write_text((out / "SHA256SUMS").read_text().replace(old, "0" * 64))
    code, text = verify(out / "cancel.skill")
    assert code == 1
    assert f"{name} has another digest in SHA256SUMS than in provenance.json" in text
    assert f"{name} has another digest in SHA256SUMS than in sbom.spdx.json" in text


@st.composite
def broken(draw: st.DrawFn, document: Any) -> Any:
    """Put something else, or nothing, at one place of a JSON document."""
    if isinstance(document, dict | list) and document and draw(st.integers(0, 9)):
        keys = list(document) if isinstance(document, dict) else list(range(len(document)))
        key = draw(st.sampled_from(keys))
        copy = document.copy()
        if draw(st.booleans()):
            copy[key] = draw(broken(document[key]))
        else:
            del copy[key]
        return copy
    return draw(st.sampled_from([None, 0, -1, "", "x", [], {}, True, [None], {"x": 1}]))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(data=st.data(), record=st.sampled_from(["provenance.json", "sbom.spdx.json"]))
def test_records_broken_anywhere_are_never_clean_and_never_a_crash(out: Path, data: st.DataObject, record: str) -> None:
    good = (out / record).read_bytes()
    (out / record).write_text(json.dumps(data.draw(broken(json.loads(good)))))
    try:
        assert verify(out / "toy-plugin-1.2.3.zip")[0] == 1
    except SkillgenError as error:
        assert str(error)
    finally:
        (out / record).write_bytes(good)


def test_a_pipe_is_not_waited_for(out: Path) -> None:
    (out / "cancel.skill").unlink()
    os.mkfifo(out / "cancel.skill")
    with pytest.raises(InputError, match="is no regular file"):
        verify(out / "cancel.skill")


def test_missing_records_are_no_result(out: Path) -> None:
    (out / "provenance.json").unlink()
    with pytest.raises(InputError, match=r"provenance\.json: cannot be read"):
        verify(out / "cancel.skill")


@pytest.mark.parametrize("text", ["not a checksum line\n", "\xff", "0" * 64 + "  a\n" + "0" * 64 + "  a\n"])
def test_records_that_cannot_be_understood_are_no_result(out: Path, text: str) -> None:
    (out / "SHA256SUMS").write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match="SHA256SUMS: cannot be understood"):
        verify(out / "cancel.skill")


def test_an_archive_without_a_record_is_no_result(out: Path) -> None:
    (out / "other.zip").write_bytes(b"PK")
    with pytest.raises(UsageError, match=r"other\.zip: no record of this name; recorded archives: cancel\.skill"):
        verify(out / "other.zip")


def test_packing_again_removes_what_the_last_pack_wrote_and_nothing_else(out: Path) -> None:
    (out / "mine.txt").write_text("mine")
    write_release(out, make_artifacts(toy_files(), toy_origin("1.3.0"), ["plugin-zip"]))
    assert sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()) == [
        "SHA256SUMS",
        "mine.txt",
        "provenance.json",
        "sbom.spdx.json",
        "toy-plugin-1.3.0.zip",
    ]
    assert not (out / "toy-plugin-1.2.3").exists()


def test_sums_of_an_attacker_remove_nothing_outside(out: Path, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("x")
    (out / "SHA256SUMS").write_text("0" * 64 + "  ../victim\n")
    write_release(out, make_artifacts(toy_files(), toy_origin(), ["skill"]))
    assert (tmp_path / "victim").exists()
