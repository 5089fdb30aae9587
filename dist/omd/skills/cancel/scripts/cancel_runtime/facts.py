"""Read a record's fields as the rules for every flavor say (rules 4 and 6)."""

import time


def truth(value):
    """True, False, or None for a value that is no flag. An absent field is None's JSON null: false."""
    if value is True or value is False:
        return value
    if value is None:
        return False
    if isinstance(value, str):
        return True if value == "true" else False if value == "false" else None
    if isinstance(value, (int, float)):
        return True if value == 1 else False if value == 0 else None
    return None


def denied(body, field):
    """Whether the field says false explicitly; an absent one does not."""
    return (
        bool(field) and body is not None and field in body and body[field] is not None and truth(body[field]) is False
    )


def phase(body):
    """`current_phase`, else `phase`, else `unknown`."""
    for field in ("current_phase", "phase"):
        value = (body or {}).get(field)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return "unknown"


def field(body, path):
    """The value under a path of names with `/` between levels, or None."""
    for name in path.split("/"):
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def stamp(ms):
    """Milliseconds since 1970 as `new Date(ms).toISOString()` has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}Z"
