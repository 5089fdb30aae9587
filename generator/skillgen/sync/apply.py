"""Bring a fork to what was examined, so that a killed run repeated ends the same."""

from __future__ import annotations

import os
from collections.abc import Iterator

from skillgen.build.locks import read_lock
from skillgen.build.rebuild import write_lock
from skillgen.errors import UsageError, to_write
from skillgen.load.files import read
from skillgen.model.lock import UNFINISHED
from skillgen.pack.write import Writer, remove
from skillgen.sync.fork import KEPT, Fork


def apply(fork: Fork) -> None:
    """Write, remove and record; the lock goes last. Raises UsageError where the disk refuses."""
    kept = [_keep(fork.root, path, resumed=resumed) for path, resumed in fork.merged.items()]
    with Writer(fork.root) as writer:
        for path, (data, mode) in sorted(fork.write.items()):
            writer.stage(path, data, mode)
        writer.commit()
    for path in fork.remove:
        _remove(fork, path)
    if fork.lock_outdated:
        kind = bool(fork.target.origin.upstream)
        others = {id_: one for id_, one in read_lock(fork.root).items() if bool(one.origin.upstream) != kind}
        write_lock(fork.root, {**others, fork.target.id: fork.target})
    for path in {*kept, *_leftovers(fork)}:
        remove(fork.root, path)


def _remove(fork: Fork, path: str) -> None:
    """Remove a file; one that only differs in case from a written one may be that very file, and gets its name."""
    twin = next((name for name in fork.write if name.casefold() == path.casefold()), "")
    old, new = os.path.join(fork.root, path), os.path.join(fork.root, twin)
    if twin and os.path.exists(old) and os.path.samefile(old, new):
        os.rename(old, new)
    else:
        remove(fork.root, path)


def _keep(root: str, path: str, *, resumed: bool) -> str:
    """Keep the file under a second name until its merge is recorded."""
    kept = os.path.join(os.path.dirname(path), KEPT + os.path.basename(path))
    if resumed:
        return kept
    remove(root, kept)
    source, target = os.path.join(root, path), os.path.join(root, kept)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        # A file system without hard links; a copy that is cut off is known by its content and passed over.
        try:
            with open(target, "xb") as file:
                file.write(read(source))
        except OSError as error:
            raise UsageError(f"{target}: cannot be written ({error.strerror})", to_write(error)) from None
    return kept


def _leftovers(fork: Fork) -> Iterator[str]:
    """Yield what killed runs left in the directories of the bundle."""
    # The lock lies at the root, and what was put aside beside the flavor.
    for directory in {
        "",
        *map(os.path.dirname, fork.write),
        *(os.path.dirname(fork.place(path)) for path in fork.target.files),
    }:
        top = os.path.join(fork.root, directory)
        if os.path.isdir(top) and not os.path.islink(top):
            for name in os.listdir(top):
                if name.startswith(UNFINISHED):
                    yield os.path.join(directory, name)
