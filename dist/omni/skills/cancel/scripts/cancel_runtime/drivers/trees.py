"""Read, write and remove below one directory without following a symlink."""

import contextlib
import os
import stat

from cancel_runtime import ops
from cancel_runtime.directory import Directory

LIMIT = 8 * 1024 * 1024
DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Unsafe(OSError):
    """Something on the way is a symlink, or is not the kind of thing that it should be."""


@contextlib.contextmanager
def opened(root, *names):
    """A descriptor of the directory `root/names…`; `root` itself may be reached through links, nothing below it.

    Raises FileNotFoundError if it is missing, Unsafe if a part of it is a link or no directory.
    """
    handle = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in names:
            try:
                below = os.open(name, DIRECTORY, dir_fd=handle)
            except FileNotFoundError:
                raise
            except OSError as error:
                raise Unsafe(f"{os.path.join(root, *names)} is a link or no directory ({error.strerror})") from None
            os.close(handle)
            handle = below
        yield handle
    finally:
        os.close(handle)


def kind(root, *names):
    """`directory`, `file`, `link`, `other` (also for what cannot be looked at) or "" for nothing there."""
    try:
        mode = os.lstat(os.path.join(root, *names)).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError):
        return "other"
    if stat.S_ISLNK(mode):
        return "link"
    return "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"


def listed(root, *names):
    """Names in a directory, sorted; none if it is missing. Raises Unsafe."""
    try:
        with opened(root, *names) as handle:
            return sorted(ops.do("list", os.path.join(root, *names), os.listdir, handle))
    except FileNotFoundError:
        return []


def read(root, *names):
    """Bytes of a regular file. Raises FileNotFoundError, Unsafe, OSError."""
    path = os.path.join(root, *names)
    with opened(root, *names[:-1]) as handle:
        try:
            file = os.open(names[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=handle)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Unsafe(f"{path} cannot be read ({error.strerror})") from None
        with open(file, "rb") as stream:
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode):
                raise Unsafe(f"{path} is not a regular file")
            if found.st_size > LIMIT:
                raise Unsafe(f"{path} is larger than {LIMIT} bytes")
            return ops.do("read", path, stream.read)


def read_object(root, *names):
    """Return (the object that a JSON file holds or None, why it is not one or ""); a missing file is (None, "")."""
    import json

    path = os.path.join(root, *names)
    try:
        value = json.loads(read(root, *names).decode("utf-8"))
    except FileNotFoundError:
        return None, ""
    except OSError as error:
        return None, str(error)
    except (ValueError, RecursionError):
        return None, f"{path} is not JSON"
    return (value, "") if isinstance(value, dict) else (None, f"{path} holds no JSON object")


def write(data, root, *names):
    """Put `data` in place of a file, durably; mode and owner stay as they were."""
    with opened(root, *names[:-1]) as handle:
        Directory(os.path.join(root, *names[:-1]), handle).replace(names[-1], data)


def rename(root, parents, old, new):
    """Rename within one directory, durably."""
    with opened(root, *parents) as handle:
        ops.do("rename", os.path.join(root, *parents, old), os.rename, old, new, src_dir_fd=handle, dst_dir_fd=handle)
        ops.do("sync", os.path.join(root, *parents), os.fsync, handle)


def remove(root, parents, name, keep=()):
    """Remove a tree, links as links; `keep` are absolute paths that stay, and the directories that lead to them.

    Returns whether all of it is gone.
    """
    with opened(root, *parents) as handle:
        gone = _remove(handle, os.path.join(root, *parents, name), name, frozenset(keep))
        ops.do("sync", os.path.join(root, *parents), os.fsync, handle)
    return gone


def _remove(parent, path, name, keep):
    if path in keep:
        return False
    try:
        handle = os.open(name, DIRECTORY, dir_fd=parent)
    except FileNotFoundError:
        return True
    except OSError:
        ops.do("unlink", path, os.unlink, name, dir_fd=parent)
        return True
    try:
        left = [one for one in sorted(os.listdir(handle)) if not _remove(handle, os.path.join(path, one), one, keep)]
    finally:
        os.close(handle)
    if left:
        return False
    ops.do("rmdir", path, os.rmdir, name, dir_fd=parent)
    return True


def checkouts(root, *names):
    """Paths of directories below that are git checkouts (they hold `.git`); these are not looked into further."""
    found = []
    try:
        with opened(root, *names) as handle:
            here = os.listdir(handle)
    except OSError:
        return found
    if ".git" in here:
        return [os.path.join(root, *names)]
    for name in sorted(here):
        if kind(root, *names, name) == "directory":
            found += checkouts(root, *names, name)
    return found
