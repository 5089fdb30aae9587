"""Read what was asked for: the arguments, and which session is meant."""

from __future__ import annotations

import os

from cancel_runtime.ops import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from cancel_runtime.records import Body, Contract
    from cancel_runtime.roots import Place


FLAGS = ("--force", "--all", "--team-confirmed", "--dry-run", "--json", "--help")
VALUES = ("--session-id", "--mode", "--workspace", "--responded", "--silent", "--team-root", "--team-program")
OPTIONS = {
    "native": ("--team-confirmed", "--responded", "--silent"),
    "message": ("--team-confirmed", "--responded", "--silent"),
    "orchestrator": ("--team-root",),
    "program": ("--team-program",),
}
"""Team kind -> the options that tell the script of a team; of any other kind they are refused."""
VALUE = {"--responded": " NAME", "--silent": " NAME", "--team-root": " DIR", "--team-program": " FILE"}
STATUS = ("--json", "--session-id", "--workspace", "--help")


class Request:
    """What was asked for. `modes` is empty for all modes; `session_id`, `workspace`, `team_root` and `team_program` are
    None where not given.

    `team_confirmed`, `responded` and `silent` are what the agent tells of the team of the session `own`, which is None where it is
    not known which session this is.
    """

    __slots__ = (
        "dry_run",
        "explain",
        "help",
        "json",
        "modes",
        "own",
        "responded",
        "scope",
        "session_id",
        "silent",
        "status",
        "team_confirmed",
        "team_program",
        "team_root",
        "urgency",
        "workspace",
    )

    def __init__(
        self,
        scope: str = "current",
        urgency: str = "graceful",
        session_id: str | None = None,
        modes: Iterable[str] = (),
        workspace: str | None = None,
    ) -> None:
        self.scope = scope
        self.urgency = urgency
        self.session_id = session_id
        self.modes = list(modes)
        self.workspace = workspace
        self.own: str | None = None
        self.team_confirmed = False
        self.responded: list[str] = []
        self.silent: list[str] = []
        self.team_root: str | None = None
        self.team_program: str | None = None
        self.dry_run = False
        self.json = False
        self.status = False
        self.explain = False
        self.help = False


def read_arguments(contract: Contract, arguments: list[str]) -> Request:
    """Return the `Request`; `Refused` for anything that is not exactly one of the documented arguments."""
    status, explain = arguments[:1] == ["status"], arguments[:1] == ["explain"]
    rest = arguments[1:] if status or explain else arguments
    if explain and rest and not rest[0].startswith("-"):
        rest = ["--mode=" + rest[0], *rest[1:]]
    given = _parse_options(rest, STATUS if status else (*STATUS, "--mode") if explain else FLAGS + VALUES)
    flags = contract["flags"]
    force, every = "--force" in given, "--all" in given
    chosen = flags["both" if force and every else "force" if force else "all" if every else "none"]
    if chosen["refused"] and "--help" not in given:
        raise Refused(" ".join(name for name in ("--force", "--all") if name in given) + ": " + chosen["refused"])
    result = Request(chosen["scope"], chosen["urgency"])
    result.status, result.explain = status, explain
    result.help = "--help" in given
    result.json = "--json" in given
    result.dry_run = "--dry-run" in given
    result.session_id = _single_value(given, "--session-id")
    result.workspace = _single_value(given, "--workspace")
    if result.session_id is not None and not keeps_sessions(contract):
        raise Refused("--session-id has no meaning here: " + contract["product"]["name"] + " keeps no sessions")
    for mode in given.get("--mode", ()):
        if mode not in contract["modes"]:
            raise Refused("--mode " + repr(mode) + " is no mode of this skill; it has: " + ", ".join(contract["modes"]))
        if mode not in result.modes:
            result.modes.append(mode)
    _take_told(contract, result, given)
    return result


def _take_told(contract: Contract, result: Request, given: dict[str, Any]) -> None:
    """What is told of a team; `Refused` where the flavor's teams have no use for it, or where it cannot be meant."""
    kind = contract["team"]["kind"]
    for option in ("--team-confirmed", "--responded", "--silent", "--team-root", "--team-program"):
        if option in given and option not in OPTIONS.get(kind, ()):
            why = (
                "is for a product whose own program runs its teams"
                if option in ("--team-root", "--team-program")
                else "is for teams that the agent stops; here "
                + ("nobody stops any" if kind == "none" else "the script stops them itself")
            )
            raise Refused(option + " " + why)
    result.team_root = _single_value(given, "--team-root")
    result.team_program = _single_value(given, "--team-program")
    result.team_confirmed = "--team-confirmed" in given
    for option, names in (("--responded", result.responded), ("--silent", result.silent)):
        names += dict.fromkeys(given.get(option, ()))
        if names and not result.team_confirmed:
            raise Refused(option + " tells of a team that was asked: give it beside --team-confirmed")
        if "" in names:
            raise Refused(option + " needs the name of a teammate")
    both = [name for name in result.responded if name in result.silent]
    if both:
        raise Refused("--responded and --silent both name " + ", ".join(map(repr, both)))


def _parse_options(arguments: list[str], known: tuple[str, ...]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    words = iter(arguments)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in known:
            raise Refused("unknown argument " + repr(word) + "; see --help")
        if name in VALUES:
            if not equals:
                value = next(words, "--help")
                if value in FLAGS + VALUES:
                    raise Refused(name + " needs a value")
            given.setdefault(name, []).append(value)
        elif equals:
            raise Refused(name + " takes no value")
        else:
            given[name] = True
    return given


def _single_value(given: dict[str, Any], name: str) -> str | None:
    values = given.get(name, ())
    if any(value != values[0] for value in values):
        raise Refused(name + " was given twice with different values")
    return values[0] if values else None


def usage(contract: Contract) -> str:
    """Text of --help."""
    options = OPTIONS.get(contract["team"]["kind"], ())
    forms = {option: option + VALUE.get(option, "") for option in options}
    said = "".join(" [" + form + "]" + ("..." if " NAME" in form else "") for form in forms.values())
    flags = contract["flags"]
    sessions = keeps_sessions(contract)
    one = "[--session-id ID] " if sessions else ""
    lines = [
        "usage: cancel.py " + one + "[--force] [--all] [--mode MODE]... [--workspace DIR]",
        "                " + said + " [--dry-run] [--json]",
        "       cancel.py status " + one + "[--workspace DIR] [--json]",
        "       cancel.py explain [MODE] " + one + "[--workspace DIR] [--json]",
        "",
        "Cancel the active " + contract["product"]["name"] + " modes. Run it from the project's directory.",
        "",
        *(["  --session-id ID   the session to cancel, where the environment does not name it"] if sessions else []),
        *("  --" + name.ljust(16) + _selected(flags[name]) for name in ("force", "all")),
        "  --mode MODE       only this mode and what depends on it: " + ", ".join(contract["modes"]),
        "  --workspace DIR   work for this directory instead of the current one",
        *(
            "  " + (form + "  ").ljust(18) + contract["options"][option[2:].replace("-", "_")]
            for option, form in forms.items()
        ),
        "  --dry-run         print what would be done, in order, and change nothing",
        "  --json            print the report as one JSON object",
        "",
        "exit: 0 complete, 1 something remains unresolved, 2 refused and nothing changed",
    ]
    return "\n".join(lines) + "\n"


def _selected(form: dict[str, str]) -> str:
    """What --help says of one form."""
    return "refused: " + form["refused"] if form["refused"] else "scope " + form["scope"] + ", " + form["urgency"]


def keeps_sessions(contract: Contract) -> bool:
    """Whether the product tells sessions apart; without them its records lie in the state directory itself."""
    return bool(contract["identity"]["kind"] != "none")


def identify(contract: Contract, request: Request, place: Place) -> str:
    """The session's id, or "" where there is none; `Refused` for an id that the pattern refuses."""
    identity = contract["identity"]
    if request.session_id is not None:
        return checked(identity, request.session_id, "--session-id")
    for variable in identity.get("variables", ()):
        value = os.environ.get(variable, "").strip()
        if value:
            found = checked(identity, value, variable)
            if identity.get("file") and (identity["file"].get("aliases") or variable in identity.get("agree", ())):
                found = _agreed(identity, place.state, found, variable)
            if identity["kind"] != "environment-with-directory" or _has_directory(contract, place, found):
                return found
            break
    return _from_file(identity, place) if identity.get("file") else ""


def named_elsewhere(contract: Contract) -> bool:
    """Whether a variable names a session all the same: one that has no directory here."""
    return any(os.environ.get(variable, "").strip() for variable in contract["identity"].get("variables", ()))


def checked(identity: Body, value: str, source: str) -> str:
    """The id, if it matches."""
    if not matches(identity["pattern"], value):
        shown = value if len(value) <= 80 else value[:77] + "..."
        raise Refused(source + " " + repr(shown) + " is no session id; one matches " + identity["pattern"])
    return value


def identity_hint(contract: Contract) -> str:
    """What to do without an identity."""
    variables = contract["identity"].get("variables", ())
    also = ", or set " + ", ".join(variables) if variables else ""
    return "which session is meant is not known: give --session-id" + also


def _has_directory(contract: Contract, place: Place, value: str) -> bool:
    path = os.path.join(place.state, contract["store"]["sessions"], value)
    return os.path.isdir(path) and not os.path.islink(path)


def _agreed(identity: Body, state: str, value: str, variable: str) -> str:
    """The session that a variable means beside the file of a live process; `Refused` where the two have to agree and do not."""
    names = identity["file"]
    body = live_file(identity, state)
    if not body or value in (body[names["session"]], *(body.get(alias) for alias in names.get("aliases", ()))):
        return checked(identity, body[names["session"]], names["name"]) if body else value
    if variable in identity.get("agree", ()):
        path = os.path.join(state, names["name"])
        raise Refused(
            variable + " names the session " + repr(value) + ", and " + path + ", whose process lives, names "
            + repr(body[names["session"]]) + ": give the one that is meant with --session-id"
        )  # fmt: skip
    return value


def _from_file(identity: Body, place: Place) -> str:
    """The session that the file names, while the process that it names is alive and the same (facts R16)."""
    body = live_file(identity, place.state)
    return checked(identity, body[identity["file"]["session"]], identity["file"]["name"]) if body else ""


def live_file(identity: Body, state: str) -> Body:
    """The session file of a state directory, while the process that it names is alive and the same; else an empty object."""
    from cancel_runtime import processes, records
    from cancel_runtime.disk import read_file

    names = identity["file"]
    try:
        data = read_file(os.path.join(state, names["name"]))
        body: Body = records.parse_json(data)
    except (OSError, ValueError):
        return {}
    pid = body.get(names["pid"]) if isinstance(body, dict) else None
    value = body.get(names["session"]) if isinstance(body, dict) else None
    if not isinstance(value, str) or not value or not isinstance(pid, int) or pid is True or pid <= 0:
        return {}
    start = processes.start_of(pid)
    if not start:
        return {}
    recorded, line = body.get(names["start"]), body.get(names["command"])
    known = False
    if os.path.exists("/proc/self/stat"):
        if isinstance(recorded, bool) or not isinstance(recorded, (int, str)) or str(recorded) != start:
            return {}
        known = True
    if isinstance(line, str) and line.strip():
        now = " ".join(" ".join(processes.arguments_of(pid)).split())
        if now and now != " ".join(line.replace("\0", " ").split()):
            return {}
        known = known or bool(now)
    return body if known else {}


_NO_DOTS = r"(?!\.{1,2}$)"
_known: dict[str, list[tuple[set[str], int, int | None]] | None] = {}


def matches(pattern: str, text: str) -> bool:
    """Whether the whole text matches; the pattern is anchored by `^` and `$`, and `$` means the very end."""
    inner = pattern[1:-1]
    if inner.startswith(_NO_DOTS):
        if text in (".", ".."):
            return False
        inner = inner[len(_NO_DOTS) :]
    if inner not in _known:
        _known[inner] = _atoms(inner)
    atoms = _known[inner]
    if atoms is None:
        import re

        return re.fullmatch(pattern, text) is not None and not text.endswith("\n")
    for allowed, low, high in atoms[:-1]:
        if len(text) < low or high != low or not allowed.issuperset(text[:low]):
            return False
        text = text[low:]
    allowed, low, high = atoms[-1]
    return low <= len(text) and (high is None or len(text) <= high) and allowed.issuperset(text)


def _atoms(inner: str) -> list[tuple[set[str], int, int | None]] | None:
    """[(set of characters, least, most or None)] of `[..]`, `[..]+`, `[..]{m,n}`; only the last may vary in length; else None."""
    atoms: list[tuple[set[str], int, int | None]] = []
    at = 0
    while at < len(inner):
        end = inner.find("]", at)
        if inner[at] != "[" or end < 0 or (atoms and atoms[-1][1] != atoms[-1][2]):
            return None
        allowed = _set(inner[at + 1 : end])
        if allowed is None:
            return None
        at = end + 1
        low = 1
        high: int | None = 1
        if inner[at : at + 1] == "+":
            high, at = None, at + 1
        elif inner[at : at + 1] == "{":
            end = inner.find("}", at)
            low_text, _, high_text = inner[at + 1 : end].partition(",")
            if end < 0 or not low_text.isdigit() or not high_text.isdigit():
                return None
            low, high, at = int(low_text), int(high_text), end + 1
        atoms.append((allowed, low, high))
    return atoms or None


def _set(text: str) -> set[str] | None:
    """The characters of a class without escapes or negation, else None."""
    if (
        not text
        or text[0] == "^"
        or "\\" in text
        or "[" in text
        or "&&" in text
        or "||" in text
        or "~~" in text
        or "--" in text
    ):
        return None
    allowed: set[str] = set()
    at = 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            if text[at] > text[at + 2]:
                return None
            allowed.update(chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1))
            at += 3
        else:
            allowed.add(text[at])
            at += 1
    return allowed
