"""Take a team's text out of a file of the workspace, only where both of its markers stand once and in order."""

import os
import re

from cancel_runtime.drivers import trees


def look(workspace, overlay, others):
    """Return (new bytes or None, why it is left or "").

    None without a reason: there is nothing to strip. `others`: names of teams that still stand; text that names one stays.
    """
    path = os.path.join(workspace, overlay["file"])
    if trees.kind(path) == "":
        return None, ""
    try:
        data = trees.read(workspace, *overlay["file"].split("/"))
    except OSError as error:
        return None, str(error)
    start, end = overlay["start"].encode(), overlay["end"].encode()
    if start not in data and end not in data:
        return None, ""
    first, last = data.find(start), data.find(end)
    if data.count(start) != 1 or data.count(end) != 1 or last < first:
        return None, f"{path} does not hold both team markers exactly once and in order, so it was left as it is"
    text = data[first + len(start) : last]
    for name in others:
        if re.search(rb'(?:"|team/)' + re.escape(name.encode()) + rb'(?:"|/)', text):
            return None, f"the team text in {path} names the team {name}, which still stands, so it was left"
    return _cut(data, first, last + len(end)), ""


def _cut(data, first, last):
    before, after = data[:first], data[last:]
    after = after[2:] if after.startswith(b"\r\n") else after[1:] if after.startswith(b"\n") else after
    if not after.strip():
        return before.rstrip(b"\r\n") + (b"\n" if before.strip() else b"")
    for line in (b"\r\n", b"\n"):
        if before.endswith(line * 2) and after.startswith(line):
            return before + after[len(line) :]
    return before + after
