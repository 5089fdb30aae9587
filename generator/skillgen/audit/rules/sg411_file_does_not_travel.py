"""A file of the bundle does not survive the way to its users.

What it checks: no symbolic links, devices, pipes or sockets; no names that are one where case does not count, that Windows refuses, that hold
control or invisible characters, or whose path is longer than 240 bytes.

Why it matters: archives and marketplaces copy links as links, which then point to nothing or out of the bundle; other
names fail to unpack, or one file silently replaces the other.

How to fix it: put a regular file in place of the link; rename the file.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle
from skillgen.model.names import name_problem, twins

CODE = "SG411"
TITLE = "file that does not travel"
SEVERITY = Severity.ERROR
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    for path, file in subject.files.items():
        shown = path.encode("utf-8", "backslashreplace").decode().replace("\n", "\\n").replace("\r", "\\r")
        if file.link:
            where = "out of the bundle" if file.escapes else "to another file"
            yield Hit(0, f"a symbolic link {where}", "put a regular file in its place", path=shown)
        elif file.special:
            yield Hit(0, "a device, pipe or socket", "put a regular file in its place", path=shown)
        elif wrong := name_problem(path):
            yield Hit(0, f"the name {wrong}", "rename it", path=shown)
    for path, other in twins(path for path in subject.files if not name_problem(path)):
        yield Hit(0, f"is one name with {other} where case does not count", "rename one of them", path=path)
