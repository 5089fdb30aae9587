"""Read records strictly, hold what was seen of a session, judge its fields (rules 4 and 6), and write what becomes of a body."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Body = dict[str, Any]
    Contract = dict[str, Any]
    Found = dict[str, list["Record"]]


class Record:
    """One record of a mode as it was read.

    `name` is the record's name (`ralph`), `session` the session it was looked for in ("" is the root slot), `path` its file (or
    the database), `place` what the store needs to find it again: `dir:` and the session of its directory, `row:` and the row's.
    `state` is one of `absent`, `active`, `inactive`, `malformed` (parsed or not, it is no record), `unreadable`, `foreign`
    (another session owns it) and `unsafe` (a symlink). `holds`: a foreign one holds the session whose directory it lies in all the
    same. `body` is the parsed object or None; `problem` says what is wrong. `changed` is the time of a row's last change in seconds
    since 1970, None for a file or where it is not known.
    """

    __slots__ = ("body", "changed", "holds", "name", "owner", "path", "place", "problem", "session", "state")

    def __init__(
        self,
        name: str,
        session: str,
        path: str,
        state: str,
        body: Body | None = None,
        owner: str = "",
        problem: str = "",
        place: str = "",
    ) -> None:
        self.name = name
        self.session = session
        self.path = path
        self.state = state
        self.body = body
        self.owner = owner
        self.holds = True
        self.problem = problem
        self.place = place
        self.changed: float | None = None

    def bad(self) -> bool:
        return self.state in ("malformed", "unreadable", "foreign", "unsafe")

    @property
    def where(self) -> str:
        """The session of its directory or row."""
        return self.place[4:]

    @property
    def row(self) -> bool:
        """Whether it is a row of a database."""
        return self.place.startswith("row:")

    def key(self) -> str:
        """What a row is known by, for the report's `detail`."""
        return self.name + " (session " + repr(self.where) + ")"


NO_AS_TEXT = (
    'has the text "false" for `active`: it counts as inactive here, and a program that takes any text for a yes, as a stop hook may, '
    "is held by it"
)
"""What is said of a record that is at rest for rule 4 and not for each program that reads it."""


class Snapshot:
    """What was seen of one session.

    `records`: name -> list of Record; the session's own first, then those it owns elsewhere. Only names of the contract's modes.
    `beside`: paths of helper files that exist, with the session of their directory. `last`: records that go last: the session's own and the
    shared one, where it holds something of this session. `root_team`: root records of a team mode, which may name a team of this
    session. `maps`: name -> files that keep something of each session. `settings`: mode -> paths of settings files that say `running`. `trees`: mode -> paths of git worktrees under its settings' roots.
    `unlisted`: names of active records that the contract does not list. `signal`: the path of the session's cancel signal, or "". `signals`: record's name -> paths of cancel signals in
    run directories that exist. `warnings`: sentences. `error`: why the session as a whole is
    unresolved, or "".
    """

    __slots__ = (
        "beside",
        "error",
        "last",
        "maps",
        "records",
        "root_team",
        "session",
        "settings",
        "signal",
        "signals",
        "trees",
        "unlisted",
        "warnings",
    )

    def __init__(self, session: str) -> None:
        self.session = session
        self.records: Found = {}
        self.beside: dict[str, str] = {}
        self.last: list[Record] = []
        self.maps: Found = {}
        self.root_team: list[Record] = []
        self.settings: dict[str, list[str]] = {}
        self.trees: dict[str, list[str]] = {}
        self.unlisted: list[str] = []
        self.signal = ""
        self.signals: dict[str, list[str]] = {}
        self.warnings: list[str] = []
        self.error = ""

    def add(self, record: Record) -> None:
        self.records.setdefault(record.name, []).append(record)

    def all(self, mode: Body) -> list[Record]:
        """Records of a contract's mode that exist: of its names, then of its nested prefixes."""
        found = [record for name in mode["records"] for record in self.records.get(name, ())]
        for prefix in mode["nested"]:
            found += [
                record for name in sorted(self.records) if name.startswith(prefix) for record in self.records[name]
            ]
        return [record for record in found if record.state != "absent"]


def truth(value: Any) -> bool | None:
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


def denied(body: Body | None, field: str) -> bool:
    """Whether the field says false explicitly; an absent one does not."""
    return (
        bool(field) and body is not None and field in body and body[field] is not None and truth(body[field]) is False
    )


def phase(body: Body | None) -> str:
    """`current_phase`, else `phase`, else `unknown`."""
    for field in ("current_phase", "phase"):
        value = (body or {}).get(field)
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:200]
    return "unknown"


def field(body: Body | None, path: str) -> Any:
    """The value under a path of names with `/` between levels, or None."""
    for name in path.split("/"):
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def stamp(ms: int) -> str:
    """Milliseconds since 1970 as `new Date(ms).toISOString()` has it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000)) + f".{ms % 1000:03d}Z"


def deactivate(body: Body, now_ms: int, fields: dict[str, str]) -> Body:
    return {**body, "active": False, **_timed(fields, now_ms)}


def terminalize(body: Body, now_ms: int, fields: dict[str, str]) -> Body:
    """The terminal state of facts 1, as `rcs cancel` writes it, and the product's own fields on top of it."""
    ended = {"active": False, "current_phase": "cancelled", "completed_at": stamp(now_ms)}
    return {**body, **ended, **_timed(fields, now_ms)}


def _timed(fields: dict[str, str], now_ms: int) -> dict[str, str]:
    return {name: value.replace("{time}", stamp(now_ms)) for name, value in fields.items()}


def without_slots(body: Body, last: Body, session: str) -> Body | None:
    """A ledger without the session's own slots, or None if it has none (facts C8)."""
    skills = body.get(last["skills"])
    support = body.get(last["support"])
    changed = dict(body)
    if isinstance(skills, dict):
        left = {name: slot for name, slot in skills.items() if not _slot_is_owned(slot, last["session"], session)}
        if len(left) < len(skills):
            changed[last["skills"]] = left
    if _slot_is_owned(support, last["session"], session):
        changed[last["support"]] = None
    return None if changed == body else changed


def unclaimed(body: Body | None, last: Body) -> bool:
    """Whether a ledger can be read and none of its slots names a session."""
    skills = (body or {}).get(last["skills"])
    slots = [*(skills.values() if isinstance(skills, dict) else ()), (body or {}).get(last["support"])]
    return body is not None and not any(isinstance(slot, dict) and slot.get(last["session"]) for slot in slots)


def without_entries(body: Body, last: Body, session: str, own: bool) -> Body | None:
    """A list of entries without the session's, or None if nothing changes (facts R17).

    `own`: the record lies in the session's directory, so an entry without a session is the session's too.
    """
    entries = body.get(last["entries"])
    if not isinstance(entries, list):
        entries = []
    field = last["session"]
    left = [
        e
        for e in entries
        if not (_slot_is_owned(e, field, session) or (own and isinstance(e, dict) and not e.get(field)))
    ]
    changed = dict(body)
    if len(left) < len(entries):
        changed[last["entries"]] = left
    if not left and (own or len(left) < len(entries)) and truth(body.get("active")) is not False:
        changed["active"] = False
    return None if changed == body else changed


def _slot_is_owned(slot: Any, field: str, session: str) -> bool:
    return isinstance(slot, dict) and bool(session) and slot.get(field) == session


class Held:
    """A link that holds: `owner` and `dependant` are mode keys. `evident`: a field says so, not only that both are active."""

    __slots__ = ("dependant", "evident", "first", "mutual", "owner")

    def __init__(self, owner: str, link: Body, evident: bool) -> None:
        self.owner = owner
        self.dependant = link["to"]
        self.first = link["first"]
        self.mutual = link["either"]
        self.evident = evident


def held(contract: Contract, found: Found) -> list[Held]:
    """Links that hold. `found`: mode key -> its records that are active or cannot be read."""
    links = []
    for owner, mode in contract["modes"].items():
        for link in mode["links"]:
            if found.get(owner) and found.get(link["to"]):
                evident = _link_holds(contract, link, _body(found[owner]), _body(found[link["to"]]))
                if evident is not None:
                    links.append(Held(owner, link, evident))
    return links


def stale(contract: Contract, key: str, record: Record, found: Found) -> str:
    """Title of the owner that a dependant's record names although it is not active, or "" (facts R9)."""
    for owner, mode in contract["modes"].items():
        for link in mode["links"]:
            if (
                link["to"] == key
                and link["back"]
                and not found.get(owner)
                and truth((record.body or {}).get(link["back"]))
            ):
                return str(mode["title"])
    return ""


def _body(records: list[Record]) -> Body | None:
    """The body that speaks for a mode: the first active record's, or None where none can be read."""
    return next((record.body for record in records if not record.bad()), None)


def _link_holds(contract: Contract, link: Body, owner: Body | None, dependant: Body | None) -> bool | None:
    """True for a link by a field, False for one by both being active, None for no link."""
    if denied(dependant, link["back"]) or (link["either"] and denied(owner, link["flag"])):
        return None
    if owner is None and link["first"] == "owner":
        return False  # whatever it would say, its dependants wait for it and it fails
    if not (link["flag"] or link["names"] or link["present"]):
        return False if owner is not None and dependant is not None else None
    told = owner is not None and (
        (bool(link["flag"]) and truth(owner.get(link["flag"])) is True)
        or (bool(link["names"]) and owner.get(link["names"]) in (link["to"], *contract["modes"][link["to"]]["records"]))
        or (bool(link["present"]) and owner.get(link["present"]) not in (None, "", False))
    )
    back = dependant is not None and bool(link["back"]) and truth(dependant.get(link["back"])) is True
    # An owner that cannot be read may well say it: then its dependant's word counts.
    return True if told or (back and (link["either"] or owner is None)) else None


# The text of a record: strict JSON, written as `JSON.stringify(value, null, 2)` does. The C scanner of the json package is used directly
# where there is one: importing json itself costs as much as all else here.

LIMIT = 16 * 1024 * 1024
"""Longest record in bytes that is read; no real one comes near it."""


class Number(float):
    """A number that keeps the text it was written with, so that rewriting a record never changes it."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        number = float.__new__(cls, text)
        number.text = text
        return number


def _parse_integer(text: str) -> int | Number:
    return int(text) if len(text) < 300 else Number(text)


def _constant(text: str) -> Any:
    raise ValueError(text + " is not JSON")


class _Context:
    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = Number
    parse_int = staticmethod(_parse_integer)
    parse_constant = staticmethod(_constant)


try:
    from _json import encode_basestring as _quote
    from _json import make_scanner

    _scan: Callable[[str, int], tuple[Any, int]] = make_scanner(_Context())  # type: ignore[arg-type]
except ImportError:  # an interpreter without the C module
    import json
    from json.encoder import encode_basestring as _quote

    _scan = json.JSONDecoder(parse_float=Number, parse_int=_parse_integer, parse_constant=_constant).scan_once  # type: ignore[attr-defined]

_SPACE = " \t\n\r"


def parse_json(data: bytes) -> Any:
    """Return the value in the bytes `data`; `ValueError` with the reason if they are no JSON text."""
    if len(data) > LIMIT:
        raise ValueError("is larger than 16 MiB")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("is not valid UTF-8") from None
    start = len(text) - len(text.lstrip(_SPACE))
    if start == len(text):
        raise ValueError("is empty")
    try:
        value, end = _scan(text, start)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    except (StopIteration, SystemError, ValueError):
        # The scanner finds the words for an error only in the json package, which nobody has imported yet.
        raise ValueError("is not valid JSON" + _explain_error(text)) from None
    if text[end:].strip(_SPACE):
        raise ValueError("is not valid JSON (something stands behind its end)")
    return value


def _explain_error(text: str) -> str:
    import json

    try:
        json.loads(text, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        return " (" + str(error) + ")"
    return ""


def json_text(value: Any) -> str:
    """Return the text of a value; `ValueError` if it is nested too deeply. Surrogates that stand alone are escaped."""
    parts: list[str] = []
    try:
        _write(value, "\n", parts.append)
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    text = "".join(parts)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = "".join(f"\\u{ord(c):04x}" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def json_line(value: Any) -> str:
    """Return the text of a value on one line, with `, ` and `: `."""
    parts: list[str] = []
    _write(value, None, parts.append)
    return "".join(parts)


def _write(value: Any, line: str | None, put: Callable[[str], None]) -> None:
    if isinstance(value, str):
        put(_quote(value))
    elif value is None:
        put("null")
    elif value is True:
        put("true")
    elif value is False:
        put("false")
    elif isinstance(value, Number):
        put(value.text)
    elif isinstance(value, (int, float)):
        put(repr(value))
    elif isinstance(value, dict):
        _write_items(value.items(), "{", "}", line, put)
    else:
        _write_items([(None, item) for item in value], "[", "]", line, put)


def _write_items(items: Any, opening: str, closing: str, line: str | None, put: Callable[[str], None]) -> None:
    if not items:
        put(opening + closing)
        return
    put(opening)
    inner = None if line is None else line + "  "
    lead = "" if inner is None else inner
    for key, item in items:
        put(lead)
        if key is not None:
            put(_quote(key) + ": ")
        _write(item, inner, put)
        lead = ", " if inner is None else "," + inner
    put(closing if line is None else line + closing)
