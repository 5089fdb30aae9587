"""Read JSON that a stranger may have written."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


def parse_json(data: str | bytes, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return a JSON text as data; raise ValueError for what is none, and for what is nested deeper than Python reads.

    `pairs` makes an object of its keys and values.
    """
    try:
        return json.loads(data, object_pairs_hook=pairs)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
