"""Hold an archive or a tree against the records that were packed with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from skillgen.errors import UsageError
from skillgen.model.files import Files
from skillgen.model.release import Release
from skillgen.pack.npm import write_tgz
from skillgen.pack.sums import sha256
from skillgen.pack.zips import write_zip


@dataclass(frozen=True, slots=True, order=True)
class Difference:
    path: str
    """Path inside the artifact, "" for the artifact itself, or the name of a record."""
    what: str


def verify_records(release: Release) -> Iterator[Difference]:
    """Yield where the three records do not say the same."""
    for name, data in release.records.items():
        if release.sums.get(name) != sha256(data):
            yield Difference(name, "is not what SHA256SUMS says")
    artifacts = {name: digest for name, digest in release.sums.items() if name not in release.records}
    for name in sorted(set(artifacts) | set(release.subjects)):
        if artifacts.get(name) != release.subjects.get(name):
            yield Difference(name, "has another digest in SHA256SUMS than in provenance.json")
    listed = dict(release.digests)
    for name, tree in release.trees.items():
        if name not in release.digests:
            listed |= {f"{name}/{path}": digest for path, (digest, _) in tree.items()}
    for name in sorted(set(artifacts) | set(listed)):
        if artifacts.get(name) != listed.get(name):
            yield Difference(name, "has another digest in SHA256SUMS than in sbom.spdx.json")


def refuse_unrecorded(name: str, release: Release) -> None:
    """Raise UsageError for an archive that no record names."""
    if name not in release.digests:
        known = ", ".join(sorted(release.digests)) or "none"
        raise UsageError(f"{name}: no record of this name; recorded archives: {known}")


def verify_archive(name: str, data: bytes, files: Files, release: Release) -> Iterator[Difference]:
    """Hold a recorded archive's entries against the list, and its bytes against the digest.

    Each on its own: records of which one was replaced must not vouch for the other.
    """
    differences = list(verify_tree(files, release.trees[name]))
    same = release.digests[name] == sha256(data)
    if not differences and not same:
        differences.append(Difference("", "holds the same files in another order, date or compression"))
    elif not differences and data != _pack_again(name, files):
        differences.append(Difference("", "holds more than its files: a comment, trailing data, or another directory"))
    yield from differences


def _pack_again(name: str, files: Files) -> bytes:
    """Return the one archive that a pack makes of these files."""
    if name.endswith(".tgz"):
        return write_tgz(files)
    return write_zip(files, name.removesuffix(".skill") if name.endswith(".skill") else "")


def choose_tree(name: str, files: Files, release: Release) -> str:
    """Return the recorded artifact that a directory is to be held against; raise UsageError if there is none."""
    if name in release.trees:
        return name
    digests = {path: sha256(data) for path, (data, _) in files.items()}

    def likeness(artifact: str) -> tuple[int, int]:
        tree = release.trees[artifact]
        return sum(tree[path][0] == digests[path] for path in tree.keys() & files.keys()), len(
            tree.keys() & files.keys()
        )

    # A client names a directory as it likes, so that what lies in it decides.
    alike = sorted(
        (artifact for artifact, tree in release.trees.items() if _root_file(files) in tree),
        key=lambda artifact: (*(-count for count in likeness(artifact)), artifact),
    )
    if not alike:
        raise UsageError(f"{name}: no recorded artifact looks like this directory; name the one that a record is of")
    return alike[0]


def verify_tree(files: Files, recorded: Mapping[str, tuple[str, int]]) -> Iterator[Difference]:
    """Yield every file that is changed, missing or new; a mode of 0 in `files` is not compared."""
    for path in sorted(set(files) | set(recorded)):
        if path not in files:
            yield Difference(path, "is missing")
        elif path not in recorded:
            what = "is compiled code, which would run instead of its source; " if path.endswith(".pyc") else ""
            yield Difference(path, f"{what}was not packed")
        else:
            data, mode = files[path]
            digest, recorded_mode = recorded[path]
            if sha256(data) != digest:
                ends = b"\r\n" in data and sha256(data.replace(b"\r\n", b"\n")) == digest
                yield Difference(path, "has Windows line ends (CRLF), packed was without" if ends else "differs")
            elif mode and mode != recorded_mode:
                yield Difference(path, f"has mode {mode:04o}, packed was {recorded_mode:04o}")


def _root_file(files: Files) -> str:
    return "SKILL.md" if "SKILL.md" in files else "README.md"
