"""Find and read what an audit looks at: texts, skill directories, bundles, archives."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from skillgen.errors import Problem, to_read
from skillgen.hosts import known_hosts
from skillgen.load.archives import is_archive, open_archive
from skillgen.load.decode import decode
from skillgen.load.kept_modes import heed_modes, keeps_modes
from skillgen.load.kinds import COMMAND_DIRECTORIES, JUNK, kind_of
from skillgen.model.subject import File, Kind, Source, Tree

#: Directories that hold no skill of the project.
SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv", "venv", ".hg", ".svn", ".tox", ".mypy_cache"})
MAX_FILES = 50_000
READ_LIMIT = 1 << 20


def load_subjects(paths: Iterable[str]) -> tuple[list[Source | Tree], list[Problem]]:
    """Return the subjects below the paths, in their order, and one problem for each text that cannot be read."""
    subjects: list[Source | Tree] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    _holds_any.cache_clear()
    _is_repository.cache_clear()
    for name in paths:
        path = Path(name)
        shown = name.rstrip("/") or name
        if not path.exists():
            problems.append(Problem(name, 0, 0, "no such file or directory", "name one that is there"))
        elif path.is_dir():
            found = _directory(path, shown, problems, seen)
            if not found:
                problems.append(
                    Problem(
                        name,
                        0,
                        0,
                        "no skill, command or prompt below this directory",
                        "name the directory of a skill, or a file",
                    )
                )
            subjects.extend(found)
        elif not path.is_file():
            problems.append(Problem(name, 0, 0, "neither a file nor a directory", "name one of the two"))
        elif is_archive(path):
            tree = open_archive(path, shown, problems)
            if tree is not None:
                subjects.append(tree)
        else:
            subjects.extend(_read_single(path, shown, problems))
    return subjects, problems


def _read_single(path: Path, shown: str, problems: list[Problem]) -> Iterator[Source | Tree]:
    """A SKILL.md brings its directory along, so that links and names can be held against it."""
    if path.name == "SKILL.md":
        root = path.parent
        prefix = shown.rpartition("/")[0]
        if _is_skill_directory(root):
            tree = _tree(root, prefix or ".", False, problems)
            if tree:
                yield tree
            return
        source = _source(path, shown, Kind.SKILL, problems)
        if source and _is_alone(root, source.text):
            yield source
        elif source:
            files = _files(root)
            name = root.resolve().name
            yield Tree(
                prefix or ".",
                name,
                files,
                (_placed_at(source, prefix or "."),),
                False,
                True,
                _exists(root),
                _in_repository(root),
            )
        return
    source = _source(path, shown, kind_of(shown), problems)
    if source:
        yield source


#: What a skill's directory holds beside its SKILL.md.
_SKILL_PARTS = ("references", "commands", "scripts", "assets")


def _is_skill_directory(root: Path) -> bool:
    """Whether a SKILL.md stands among its parts."""
    return any((root / part).is_dir() for part in _SKILL_PARTS)


#: What stands in the directory of a project, and in no skill's.
_PROJECT = (".git", "package.json", "pyproject.toml", "Cargo.toml", "go.mod", "src", "node_modules")
_NAME = re.compile(r"^name:[ \t]*[\"']?([\w-]+)", re.M | re.A)


def _is_alone(root: Path, text: str) -> bool:
    """Whether a SKILL.md lies in a project's directory, so that its name and what lies beside it are not the skill's."""
    name = _NAME.search(text[:2000])
    return (name is None or name[1] != root.resolve().name) and any((root / sign).exists() for sign in _PROJECT)


def _placed_at(source: Source, root: str) -> Source:
    return Source(f"{root}/SKILL.md", source.text, source.kind, source.bom, source.returns, source.fixable)


def _directory(path: Path, shown: str, problems: list[Problem], seen: set[str]) -> list[Source | Tree]:
    """Walk down: a plugin root or a skill directory is one subject; a command outside both is a text alone."""
    real = os.path.realpath(path)
    if real in seen:
        return []
    seen.add(real)
    found: list[Source | Tree] = []
    manifest = _holds_any(real, _signs())
    if manifest or os.path.isfile(os.path.join(real, "SKILL.md")):
        tree = _tree(path, shown, manifest, problems)
        return [tree] if tree else []
    # `.agents/plugins/marketplace.json` is the root's, though a bare marketplace.json is a place as well.
    catalogues = known_hosts().catalogues
    inner = any(f"{real}/marketplace.json".endswith(f"/{name}") for name in catalogues if "/" in name)
    if not inner and _holds_any(real, catalogues):
        found.append(Tree(shown, path.resolve().name, _files(path), (), catalogue=True, exists=_exists(path)))
    try:
        entries = sorted(os.scandir(path), key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(shown, 0, 0, f"cannot be listed: {error.strerror}", to_read(error)))
        return []
    for entry in entries:
        below = f"{shown}/{entry.name}"
        if os.path.isdir(entry.path):
            if entry.name not in SKIPPED:
                found.extend(_directory(Path(entry.path), below, problems, seen))
        elif (
            os.path.isfile(entry.path)
            and kind_of(below) in (Kind.COMMAND, Kind.PROMPT)
            and COMMAND_DIRECTORIES & set(below.split("/")[:-1])
        ):
            source = _source(Path(entry.path), below, kind_of(below), problems)
            if source:
                found.append(source)
    return found


def _tree(path: Path, shown: str, manifest: bool, problems: list[Problem]) -> Tree | None:
    files = _files(path)
    sources = []
    skill_roots = {name.rpartition("/")[0] for name in files if name.rpartition("/")[2] == "SKILL.md"}
    for name, file in files.items():
        if not name.endswith((".md", ".toml", ".mdc")) or (file.link and file.escapes) or file.special:
            continue
        kind = kind_of(name)
        in_skill = any(name.startswith(f"{root}/" if root else "") for root in skill_roots)
        if kind is Kind.TEXT and in_skill and name.endswith(".md"):
            kind = Kind.REFERENCE
        if kind is Kind.TEXT or (kind is Kind.PROMPT and not COMMAND_DIRECTORIES & set(name.split("/")[:-1])):
            continue
        source = _source(path / name, f"{shown}/{name}", kind, problems)
        if source:
            sources.append(source)
    if not sources and not manifest:
        return None
    skill = not manifest and any(
        source.kind is Kind.SKILL and "/" not in source.path[len(shown) + 1 :] for source in sources
    )
    if not manifest and not skill:
        return None
    repository = manifest or _in_repository(path)
    modes = any(file.executable for file in files.values()) or bool(keeps_modes(str(path)))
    name = path.resolve().name
    return Tree(shown, name, files, tuple(sources), manifest, skill, _exists(path), repository, modes=modes)


def _files(root: Path) -> dict[str, File]:
    """List the files below a root; a link to a directory is listed, never followed."""
    found: dict[str, File] = {}
    real_root = os.path.realpath(root)
    for directory, names, files in os.walk(root, followlinks=False):
        # Compiled code is looked for, not passed over: it would run instead of what is read here.
        names[:] = sorted(name for name in names if name not in SKIPPED or name == "__pycache__")
        for name in sorted([*files, *(n for n in names if Path(directory, n).is_symlink())]):
            if name.endswith(JUNK):
                continue
            full = Path(directory, name)
            try:
                status = full.stat()
                size, mode = status.st_size, status.st_mode
            except OSError:
                size, mode = 0, 0
            link = str(full.readlink()) if full.is_symlink() else ""
            real = os.path.realpath(full) if link else ""
            escapes = bool(link) and os.path.commonpath([real_root, real]) != real_root
            path = os.path.relpath(full, root).replace(os.sep, "/")
            special = bool(mode) and not stat.S_ISREG(mode) and not (link and stat.S_ISDIR(mode))
            # A link to a directory is listed and never read; a file may be gone or closed to this user.
            reader = bytes if special or not stat.S_ISREG(mode) else _reader(str(full))
            found[path] = File(path, size, bool(mode & 0o111), reader, link, escapes, special)
            if len(found) >= MAX_FILES:
                break
        if len(found) >= MAX_FILES:
            break
    return heed_modes(str(root), dict(sorted(found.items())))


def _reader(full: str) -> Callable[[], bytes]:
    def read() -> bytes:
        try:
            with Path(full).open("rb") as stream:
                return stream.read(READ_LIMIT)
        except OSError:
            return b""

    return read


def _in_repository(root: Path) -> bool:
    """Whether the directory or one above it holds a repository, up to two levels a plugin manifest."""
    ups = _ancestors(os.path.realpath(root))
    return any(map(_is_repository, ups)) or any(_holds_any(up, _signs()) for up in ups[:3])


def _signs() -> tuple[str, ...]:
    """Return the files that mark a plugin's root."""
    return tuple(known_hosts().signs)


def _ancestors(real: str) -> list[str]:
    """Return a directory and those above it, the nearest first."""
    ups = [real]
    while (up := os.path.dirname(ups[-1])) != ups[-1]:
        ups.append(up)
    return ups


# Of many skills below one root, the directories above are asked for once.
@lru_cache(maxsize=4096)
def _is_repository(directory: str) -> bool:
    return os.path.exists(os.path.join(directory, ".git"))


@lru_cache(maxsize=4096)
def _holds_any(directory: str, names: tuple[str, ...]) -> bool:
    """Whether one of the files is there; a look at the directory's own entries rules most of them out."""
    try:
        entries = set(os.listdir(directory))
    except OSError:
        return False
    return any(name.partition("/")[0] in entries and os.path.isfile(os.path.join(directory, name)) for name in names)


def _exists(root: Path) -> Callable[[str], bool]:
    """Look below the root, then below its parents up to the plugin root or repository (two levels without one)."""
    ups = _ancestors(os.path.realpath(root))
    roots = ups[:1]
    for count, parent in enumerate(ups[1:]):
        top = _is_repository(parent)
        if count >= 2 and not top and not any(map(_is_repository, ups[count + 1 :])):
            break
        roots.append(parent)
        if top:
            break

    def exists(path: str) -> bool:
        if not path or path.startswith(("/", "~")) or "\0" in path or len(path) > 400:
            return False
        return any(os.path.exists(os.path.join(base, path)) for base in roots)

    return exists


def _source(path: Path, shown: str, kind: Kind, problems: list[Problem]) -> Source | None:
    try:
        with path.open("rb") as stream:
            data = stream.read(READ_LIMIT + 1)
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        problems.append(Problem(shown, 0, 0, f"cannot be read: {error.strerror}", to_read(error)))
        return None
    return decode(data, size, shown, kind, problems)
