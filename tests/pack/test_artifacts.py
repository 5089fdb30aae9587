"""Archives hold what the bundle holds, in a form that clients and package managers open."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import shutil
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pack_toys import put, toy_files, toy_origin

from skillgen.errors import InputError, UsageError
from skillgen.load.artifact import read_archive
from skillgen.pack.artifacts import default_formats, make_artifacts
from skillgen.pack.npm import stored_gzip, write_tgz
from skillgen.pack.strict import strict_front
from skillgen.pack.zips import write_zip


def test_the_zip_holds_every_file_once_sorted_with_its_mode(files: dict[str, tuple[bytes, int]]) -> None:
    with zipfile.ZipFile(io.BytesIO(write_zip(files))) as archive:
        infos = archive.infolist()
        assert [info.filename for info in infos] == sorted(files)
        assert {info.filename: (archive.read(info), info.external_attr >> 16) for info in infos} == {
            path: (data, 0o100000 | mode) for path, (data, mode) in files.items()
        }
        assert {info.date_time for info in infos} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.testzip() is None


def test_the_order_of_the_input_does_not_change_the_bytes(files: dict[str, tuple[bytes, int]]) -> None:
    backwards = dict(reversed(files.items()))
    assert write_zip(files) == write_zip(backwards)
    assert write_tgz(files) == write_tgz(backwards)


def test_the_tarball_holds_every_file_below_package(npm_files: dict[str, tuple[bytes, int]]) -> None:
    with tarfile.open(fileobj=io.BytesIO(write_tgz(npm_files)), mode="r:gz") as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == [f"package/{path}" for path in sorted(npm_files)]
        for member in members:
            content = archive.extractfile(member)
            assert content is not None
            assert (content.read(), member.mode) == npm_files[member.name.removeprefix("package/")]
        assert {(member.uid, member.gid, member.uname, member.gname, member.mtime) for member in members} == {
            (0, 0, "", "", 499162500)
        }


@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed")
def test_npm_would_pack_the_same_files(npm_files: dict[str, tuple[bytes, int]], tmp_path: Path) -> None:
    put(tmp_path / "bundle", npm_files)
    made = subprocess.run(
        ["npm", "pack", "--dry-run", "--json", "--offline"], cwd=tmp_path / "bundle", capture_output=True, check=True
    )
    assert sorted(entry["path"] for entry in json.loads(made.stdout)[0]["files"]) == sorted(npm_files)


@given(st.binary(max_size=200_000))
def test_stored_gzip_is_read_back_by_gzip(data: bytes) -> None:
    assert gzip.decompress(stored_gzip(data)) == data


@pytest.mark.parametrize("size", [0, 1, 65534, 65535, 65536, 131070, 131071])
def test_stored_gzip_holds_at_the_edges_of_its_blocks(size: int) -> None:
    assert gzip.decompress(stored_gzip(bytes(size))) == bytes(size)


def test_a_skill_archive_has_one_top_directory_and_one_skill_file(files: dict[str, tuple[bytes, int]]) -> None:
    release = make_artifacts(files, toy_origin(), ["skill"])
    with zipfile.ZipFile(io.BytesIO(release["cancel.skill"][0])) as archive:
        names = archive.namelist()
        assert {name.partition("/")[0] for name in names} == {"cancel"}
        assert [name for name in names if name.endswith("SKILL.md")] == ["cancel/SKILL.md"]
        assert not any("plugin.json" in name for name in names)


def test_a_skill_archive_has_only_the_keys_of_the_specification(files: dict[str, tuple[bytes, int]]) -> None:
    release = make_artifacts(files, toy_origin(), ["skill"])
    text = read_archive("cancel.skill", release["cancel.skill"][0])["SKILL.md"][0].decode()
    front, _, body = text.removeprefix("---\n").partition("\n---\n")
    assert front.splitlines() == [
        'name: "cancel"',
        'description: "Cancels: the toy mode. Use when the user says stop."',
        "metadata:",
        '  argument-hint: "[--force]"',
        '  aliases: "cancel-toy"',
        '  level: "2"',
    ]
    assert body == files["skills/cancel/SKILL.md"][0].decode().partition("\n---\n")[2]


def test_front_matter_that_is_strict_already_stays_as_it_is() -> None:
    text = "---\nname: cancel\ndescription: >-\n  Stops\n  things.\nmetadata:\n  level: '2'\n---\nbody\n"
    assert strict_front(text, "SKILL.md") == text


@pytest.mark.parametrize("text", ["no front\n", "---\nname: x\n", "---\n[a]\n---\n", "---\na: b: c\n---\n"])
def test_front_matter_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(InputError, match=r"SKILL\.md:1:1"):
        strict_front(text, "SKILL.md")


def test_sums_are_what_sha256sum_checks(files: dict[str, tuple[bytes, int]], tmp_path: Path) -> None:
    put(tmp_path, make_artifacts(files, toy_origin(), default_formats(files)))
    done = subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=tmp_path, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    listed = {line[66:] for line in (tmp_path / "SHA256SUMS").read_text().splitlines()}
    there = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert listed == there - {"SHA256SUMS"}


def test_provenance_is_an_in_toto_statement_about_every_artifact(files: dict[str, tuple[bytes, int]]) -> None:
    release = make_artifacts(files, toy_origin(), default_formats(files))
    statement = json.loads(release["provenance.json"][0])
    assert (statement["_type"], statement["predicateType"]) == (
        "https://in-toto.io/Statement/v1",
        "https://slsa.dev/provenance/v1",
    )
    assert {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]} == {
        name: hashlib.sha256(data).hexdigest()
        for name, (data, _) in release.items()
        if name not in {"provenance.json", "sbom.spdx.json", "SHA256SUMS"}
    }
    definition = statement["predicate"]["buildDefinition"]
    assert definition["externalParameters"]["flavor"] == "toy"
    assert definition["internalParameters"]["contract"]["sha256"] == "c" * 64
    assert [entry["name"] for entry in definition["resolvedDependencies"]] == [
        "flavors/toy.yaml",
        "templates/cancel/skill.yaml",
    ]


def test_an_npm_package_of_a_bundle_without_package_json_is_refused(files: dict[str, tuple[bytes, int]]) -> None:
    with pytest.raises(UsageError, match=r"has no package\.json"):
        make_artifacts(files, toy_origin(), ["npm"])


def test_the_default_formats_follow_the_host(
    files: dict[str, tuple[bytes, int]], npm_files: dict[str, tuple[bytes, int]]
) -> None:
    assert default_formats(files) == ("plugin-zip", "skill", "tree")
    assert default_formats(npm_files) == ("skill", "npm", "tree")


PARTS = st.text(st.characters(codec="utf-8", categories=("L", "N")), min_size=1, max_size=20)


@given(
    st.dictionaries(PARTS, st.tuples(st.binary(max_size=64), st.sampled_from([0o644, 0o755])), min_size=2, max_size=8)
)
def test_what_is_packed_is_what_is_read_back(tree: dict[str, tuple[bytes, int]]) -> None:
    folded = {name.casefold() for name in tree}
    if len(folded) != len(tree) or any(
        name.isascii() and name.lower() in {"con", "prn", "aux", "nul"} for name in tree
    ):
        return
    tree = {f"top/{name}": value for name, value in tree.items()} | toy_files()
    try:
        again = read_archive("x.zip", write_zip(tree))
    except InputError as error:
        assert "one name with" in str(error) or "Windows" in str(error)
        return
    assert again == dict(sorted(tree.items()))
    assert read_archive("x.tgz", write_tgz(tree)) == again
