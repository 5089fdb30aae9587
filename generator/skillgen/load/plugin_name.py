"""Read how a plugin calls itself in its manifest, whichever host that is for."""

from __future__ import annotations

import os

from skillgen.errors import InputError
from skillgen.hosts import known_hosts
from skillgen.load.files import read
from skillgen.model.json_text import parse_json


def plugin_name(root: str) -> str:
    """Return the name in the first manifest at a plugin's root that has one, "" if none has; none is no error."""
    for sign in known_hosts().signs:
        path = os.path.join(root, sign)
        if not os.path.isfile(path):
            continue
        try:
            data = parse_json(read(path).decode("utf-8-sig"))
        except (ValueError, InputError):
            continue
        name = data.get("name") if isinstance(data, dict) else None
        if isinstance(name, str) and name.strip():
            return name
    return ""
