"""Reduce everything that a rendering depends on to one digest."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping

from skillgen.model.files import TemplateFile

#: What decides a bundle's bytes; other modules may change without a bundle being out of date.
_PARTS = (
    "errors.py",
    "hosts.py",
    "load/files.py",
    "load/flavors.py",
    "load/templates.py",
    "model",
    "render",
    "resolve",
)


def generator_digest(package: str) -> str:
    """Return the digest of the generator's own sources; `package` is the directory of `skillgen`."""
    digest = hashlib.sha256()
    for part in _PARTS:
        path = os.path.join(package, part)
        names = [part] if part.endswith(".py") else [f"{part}/{name}" for name in sorted(os.listdir(path))]
        for name in names:
            if name.endswith(".py"):
                with open(os.path.join(package, name), "rb") as file:
                    _add(digest, name, file.read())
    return digest.hexdigest()


#: What decides what an audit says, beside the hosts' files.
_AUDIT_PARTS = ("audit", "reader", "model", "load", "hosts.py", "errors.py")


def audit_marks(package: str, hosts: Iterable[str]) -> Iterator[str]:
    """Yield size and time of each file that decides what an audit says: no file is read for it."""
    for top in (*(os.path.join(package, part) for part in _AUDIT_PARTS), *hosts):
        directories = [top]
        while directories:
            path = directories.pop()
            if not os.path.lexists(path):
                continue
            if not os.path.isdir(path):
                status = os.stat(path)
                yield f"{path} {status.st_mtime_ns} {status.st_size}"
                continue
            with os.scandir(path) as entries:
                for entry in sorted(entries, key=lambda one: one.name):
                    if entry.is_dir() and entry.name != "__pycache__":
                        directories.append(entry.path)
                    elif entry.name.endswith((".py", ".yaml")):
                        status = entry.stat()
                        yield f"{entry.path} {status.st_mtime_ns} {status.st_size}"


def templates_digest(templates: Mapping[str, TemplateFile]) -> str:
    """Return the digest of all template files: names, bytes, executable bits, and whose they are."""
    digest = hashlib.sha256()
    for name, file in templates.items():
        _add(digest, f"{name}\n{file.executable:d}{file.own:d}", file.data)
    return digest.hexdigest()


def input_digest(parts: Iterable[str], flavors: Iterable[tuple[str, bytes]]) -> str:
    """Return one digest over other digests, and over a flavor's file and those of its bases, lowest first."""
    digest = hashlib.sha256("\n".join(parts).encode())
    for name, data in flavors:
        _add(digest, name, data)
    return digest.hexdigest()


def _add(digest: hashlib._Hash, name: str, data: bytes) -> None:
    # The length keeps one file's end from passing as another's beginning.
    digest.update(f"\n{name}\n{len(data)}\n".encode())
    digest.update(data)
