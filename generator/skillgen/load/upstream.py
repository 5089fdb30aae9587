"""Read the skill folders of an upstream as one commit holds them, or as they lie there where no git knows them."""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.files import read, shown
from skillgen.load.git import contents, git, toplevel
from skillgen.model.files import EXECUTABLE, PLAIN, Files, is_ignored
from skillgen.model.names import name_problem
from skillgen.model.places import place_problem
from skillgen.model.visible import escaped

_COPIES = frozenset({"dist", "build", "out", "vendor", "third_party", "node_modules", ".git", ".venv", "venv"})
_MOST_FILES = 20_000
_MOST_BYTES = 64 << 20
_LARGEST = 8 << 20


@dataclass(frozen=True, slots=True)
class Upstream:
    """The skills of one state of an upstream."""

    place: str
    """The directory that was named."""
    top: str
    """Root of its work tree, "" where git knows none."""
    commit: str
    """What was read of it, "" for the disk."""
    holder: str
    """Directory of the skills, relative to `top`, else to `place`; "" for that itself."""
    source: str
    """Where it comes from: the address of its remote, without what anybody logs in with; "" for none."""
    revision: str
    """The last commit that changed a skill, else the beginning of the digest of all files."""
    files: Files
    """`<skill>/<path>` -> content and mode; every skill has its SKILL.md."""
    left: tuple[str, ...]
    """Files that no bundle can hold, each with the reason."""

    @property
    def skills(self) -> list[str]:
        return sorted({path.split("/")[0] for path in self.files})


def open_upstream(name: str) -> Upstream:
    """Return what `DIRECTORY` or `DIRECTORY@REVISION` holds; git is asked for objects only and runs nothing that is named there.

    Raises UsageError or InputError for what is none, or would lead out of a skill.
    """
    place, revision = name, ""
    if not os.path.isdir(name):
        place, _, revision = name.rpartition("@")
        if not revision or not os.path.isdir(place):
            raise UsageError(f"{name}: is no directory; name one, or DIRECTORY@REVISION")
    top = toplevel(place)
    if top and git(["rev-parse", "--verify", "--quiet", "HEAD"], top) is None and not revision:
        top = None
    if not top:
        if revision:
            raise UsageError(
                f"{name}: {shown(place)} is in no git repository, so it has no revision {revision}; name the directory alone"
            )
        return _of_disk(place)
    asked = ["rev-parse", "--verify", "--quiet", f"{revision or 'HEAD'}^{{commit}}"]
    found = git(asked, top) if not revision.startswith("-") else None
    if found is None:
        raise UsageError(
            f"{name}: {shown(place)} has no revision {revision}; git -C {shown(place)} tag and git log name some"
        )
    return _of_commit(name, place, top, found.decode().strip())


def _of_commit(name: str, place: str, top: str, commit: str) -> Upstream:
    inside = os.path.relpath(os.path.realpath(place), os.path.realpath(top)).replace(os.sep, "/")
    spec = ["--", f"{inside}/"] if inside != "." else []
    rows = (git(["ls-tree", "-r", "-z", "--full-tree", commit, *spec], top) or b"").split(b"\0")
    listed: dict[str, tuple[bytes, bytes]] = {}
    for head, tab, path in (row.partition(b"\t") for row in rows):
        if tab:
            mode, _, blob = head.split()[:3]
            listed[os.fsdecode(path)] = (mode, blob)
    prefix = "" if inside == "." else f"{inside}/"
    holder = _holder(name, [path.removeprefix(prefix) for path in listed], os.path.basename(os.path.realpath(place)))
    whole = f"{prefix}{holder}".strip("/")
    begin = f"{whole}/" if whole else ""
    wanted, left = _choose(
        {path.removeprefix(begin): kind for path, kind in listed.items() if path.startswith(begin)}, name
    )
    blobs = list(dict.fromkeys(blob for _, blob in wanted.values()))
    data = dict(zip(blobs, contents(top, blobs), strict=False))
    if len(data) != len(blobs) or sum(map(len, data.values())) > _MOST_BYTES:
        raise UsageError(
            f"{name}: a file is larger than {_LARGEST >> 20} MiB, all are larger than {_MOST_BYTES >> 20} MiB, or an object is "
            f"missing; name a smaller directory of skills, or see what git -C {shown(top)} fsck says"
        )
    files = {path: (data[blob], EXECUTABLE if mode == b"100755" else PLAIN) for path, (mode, blob) in wanted.items()}
    last = git(["rev-list", "-1", commit, "--", f":(top,literal){whole}"] if whole else ["rev-list", "-1", commit], top)
    remote = (git(["config", "--get", "remote.origin.url"], top) or b"").decode("utf-8", "replace").strip()
    loose = _loose(os.path.join(top, whole), files)
    if loose:
        left.append(
            f"changes that no commit holds are not taken: {', '.join(loose[:3])}{' …' if len(loose) > 3 else ''}"
        )
    return Upstream(
        place, top, commit, whole, _bare(remote), (last or b"").decode().strip() or commit, files, tuple(left)
    )


def _of_disk(place: str) -> Upstream:
    listed: dict[str, tuple[bytes, bytes]] = {}
    for path, mode in _walk(place, ""):
        listed[path] = (mode, b"")
        if len(listed) > _MOST_FILES * 5:
            raise UsageError(f"{place}: holds more than {_MOST_FILES * 5} files; name its directory of skills")
    holder = _holder(place, list(listed), os.path.basename(os.path.realpath(place)))
    begin = f"{holder}/" if holder else ""
    wanted, left = _choose(
        {path.removeprefix(begin): kind for path, kind in listed.items() if path.startswith(begin)}, place
    )
    files, size = {}, 0
    for path, (mode, _) in wanted.items():
        full = os.path.join(place, holder, path)
        size += os.path.getsize(full)
        if os.path.getsize(full) > _LARGEST or size > _MOST_BYTES:
            raise UsageError(
                f"{shown(full)}: is larger than {_LARGEST >> 20} MiB, or all are than {_MOST_BYTES >> 20} MiB; no skill is"
            )
        files[path] = (read(full), EXECUTABLE if mode == b"100755" else PLAIN)
    digest = hashlib.sha256()
    for path, (data, bits) in sorted(files.items()):
        digest.update(f"{path}\0{bits}\0{len(data)}\0".encode("utf-8", "surrogateescape") + data)
    return Upstream(place, "", "", holder, "", digest.hexdigest()[:40], files, tuple(left))


def _walk(top: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    """Yield path and git's mode of all that is no directory, links among it; follows none."""
    try:
        with os.scandir(os.path.join(top, prefix)) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise UsageError(
            f"{shown(os.path.join(top, prefix))}: cannot be read ({error.strerror}); make it readable"
        ) from None
    for entry in listed:
        path = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _COPIES or prefix.count("/") > 1:
                yield from _walk(top, f"{path}/")
            continue
        mode = entry.stat(follow_symlinks=False).st_mode
        kind = b"120000" if stat.S_ISLNK(mode) else b"100755" if mode & 0o100 else b"100644"
        yield path, kind if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else b"special"


def _holder(name: str, paths: list[str], itself: str) -> str:
    """Return the directory that holds the skills; raise UsageError where there is none, or more than one."""
    found: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")
        if parts[-1] == "SKILL.md" and len(parts) > 1 and not _COPIES & set(parts[:-2]):
            found["/".join(parts[:-2])] += 1
    # A skill within a skill is part of it.
    outer = [
        one
        for one in found
        if not any(one != other and one.startswith(f"{other}/" if other else "") for other in found)
    ]
    if "SKILL.md" in paths:
        raise UsageError(f"{name}: is a skill itself; name the directory that holds the upstream's skills")
    if "skills" in found and (itself != "skills" or "" not in found):
        return "skills"
    if len(outer) == 1:
        return outer[0]
    if not outer:
        raise UsageError(
            f"{name}: holds no folder with a SKILL.md; name the upstream's plugin root, or its directory of skills"
        )
    raise UsageError(f"{name}: holds skills in several places; name one of them: {', '.join(sorted(outer))}")


def _choose(listed: dict[str, tuple[bytes, bytes]], name: str) -> tuple[dict[str, tuple[bytes, bytes]], list[str]]:
    """Return the files of skills, and what is left out with the reason; raise InputError for a path that leads out."""
    skills = {path.split("/")[0] for path in listed if path.count("/") == 1 and path.endswith("/SKILL.md")}
    wanted: dict[str, tuple[bytes, bytes]] = {}
    left: list[str] = []
    problems: list[Problem] = []
    for path, (mode, blob) in sorted(listed.items()):
        if path.split("/")[0] not in skills or is_ignored(path):
            continue
        where = f"{escaped(path)}"
        parts = path.replace("\\", "/").split("/")
        if {"..", ".", "", ".git"} & {part.lower() for part in parts} or any(
            part.lower().startswith("git~") for part in parts
        ):
            problems.append(
                Problem(
                    f"{escaped(name)}: {where}",
                    0,
                    0,
                    "leads out of its skill or into a git directory",
                    "trust no such upstream",
                )
            )
        elif mode == b"120000":
            left.append(f"{where} is a symbolic link")
        elif mode not in (b"100644", b"100755"):
            left.append(f"{where} is no regular file")
        elif wrong := name_problem(path) or place_problem(f"skills/{path}"):
            left.append(f"{where} {wrong}")
        else:
            wanted[path] = (mode, blob)
    if problems:
        raise InputError(problems)
    if len(wanted) > _MOST_FILES:
        raise UsageError(f"{name}: its skills hold more than {_MOST_FILES} files; name its directory of skills")
    whole = {path.split("/")[0] for path in wanted if path.count("/") == 1 and path.endswith("/SKILL.md")}
    return {path: kind for path, kind in wanted.items() if path.split("/")[0] in whole}, left


def _loose(directory: str, files: Files) -> list[str]:
    """Return the files of a work tree that differ from those of the commit; the form that git gave them counts as the same."""
    found = []
    for path, (data, _) in files.items():
        full = os.path.join(directory, path)
        if os.path.isfile(full) and not os.path.islink(full):
            now = read(full)
            if now != data and now.replace(b"\r\n", b"\n") != data.replace(b"\r\n", b"\n"):
                found.append(path)
    return found


def _bare(url: str) -> str:
    """Return an address without user and password."""
    scheme, there, rest = url.partition("://")
    if not there or any(char.isspace() for char in url) or len(url) > 400:
        return url if url and not there and len(url) <= 400 and url.isprintable() and ":" in url else ""
    host, slash, path = rest.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"
