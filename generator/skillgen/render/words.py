"""Word what templates say again and again of links and calls."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from skillgen.render.calls import Calls
from skillgen.render.escape import Safe, code, fill, prose


def lookup(key: str, table: Mapping[str, str]) -> str:
    return table[key]


def cleared(record: str, call: Calls) -> str:
    return call.clear(record)


def kept_map(rule: Any, record: str) -> Safe:
    """Say what becomes of a session's entry in a file that keeps something of each session."""
    when = "With `--force` the session's" if rule.urgency == "forced" else "The session's"
    words = Safe(when + " entry leaves {} of {}, at the root and in its own directory.")
    return fill(words, code(rule.entries), code(record.replace("{mode}", rule.record)))


def is_signed(link: Any) -> bool:
    """Tell whether a field of a record makes the link, or vetoes it."""
    return bool(link.flag or link.names or link.present or link.back)


def _signs(link: Any) -> Safe:
    """Say which fields make a link; the empty text where it holds whenever both are active."""
    return Safe(
        " or ".join(
            fill(words, code(field))
            for words, field in (
                ("{} is true", link.flag),
                ("{} names it", link.names),
                ("the read had {}", link.present),
            )
            if field
        )
    )


def sign(link: Any, titles: Mapping[str, str]) -> Safe:
    """Say what makes a dependant linked."""
    signs = _signs(link)
    return fill(
        "{} {}{}{}",
        titles[link.to],
        "if " if signs else "while active here",
        signs,
        fill(", unless its own {} is false", code(link.back)) if link.back else "",
    )


def after(link: Any, titles: Mapping[str, str]) -> Safe:
    """Name a dependant that follows its owner, and on what condition."""
    signs = _signs(link)
    veto = fill("unless its own {} is false", code(link.back)) if link.back else Safe("")
    told = Safe(", ".join(part for part in (fill("only if {}", signs) if signs else "", veto) if part))
    return fill("{}{}", titles[link.to], fill(" ({})", told) if told else "")


def shown(thing: Any) -> str:
    """Show a path, a directory with its slash."""
    return str(thing.path) + ("" if thing.kind in ("file", "pid") else "/")


def join_safe(parts: Iterable[object], between: str) -> Safe:
    return Safe(between.join(prose(part) for part in parts))


def join_and(parts: Iterable[object]) -> Safe:
    """Join words with commas and a last `and`."""
    words = [prose(part) for part in parts]
    return Safe(" and ".join(part for part in (", ".join(words[:-1]), words[-1]) if part) if words else "")


def condition(link: Any, owner: str, sessions: bool = True) -> Safe:
    """Say when a link holds, for a list of links."""
    if link.either:
        return fill(
            "when {} or {} is true and neither is false; this one only after that succeeded",
            code(f"{owner}.{link.flag}"),
            code(f"{link.to}.{link.back}"),
        )
    signs = [
        fill(words, code(field))
        for words, field in (
            ("{} is true", link.flag),
            ("{} names it", link.names),
            ("this record has {}", link.present),
        )
        if field
    ]
    return fill(
        "{}{}",
        Safe("when " + " or ".join(signs))
        if signs
        else fill("whenever both are active{}", " in one session" if sessions else ""),
        fill("; an explicit {} of its own vetoes", code(f"{link.back}: false")) if link.back else "",
    )


def condition_of(artifact: Any) -> Safe:
    """Say on what condition the global pass removes an artifact."""
    return fill(
        {"pid": " once its process is gone or is not ours", "empty-directory": " when it is empty"}.get(
            artifact.kind, ""
        )
    )


def selected(selection: Any, sessions: bool = True, workers: bool = True) -> Safe:
    """Say what a flag selects, or why it is refused."""
    if selection.refused:
        return fill("refused: {}", prose(selection.refused))
    scope = _SCOPES[sessions][selection.scope]
    waits = "without waiting for workers" if selection.urgency == "forced" else "waiting for workers"
    return fill("{}{}", scope, f", {waits}" if workers else "")


_SCOPES = {
    True: {"current": "this session", "all": "every session"},
    False: {"current": "what is active", "all": "every listed record, active or not"},
}


def ledger(last: Any) -> Safe:
    """Say which part of the last record is a session's own."""
    if last.kind == "ledger":
        return fill(
            " (of the shared ledger only own slots of {} and {}, by {})",
            code(last.skills),
            code(last.support),
            code(last.session),
        )
    if last.kind == "entries":
        return fill(" (own entries of {}, by {})", code(last.entries), code(last.session))
    return Safe("")


def under(root: str, directory: str) -> str:
    return f"{directory}/{root}"


def starred(prefix: str) -> str:
    """Show a prefix of names."""
    return f"{prefix}*"


def dotted(path: str) -> str:
    return path.replace("/", ".")


def angled(value: str) -> str:
    """Write the places that an agent fills in as it sees them elsewhere in the text."""
    return re.sub(r"\{(\w+)\}", lambda place: "<session_id>" if place[1] == "session" else f"<{place[1]}>", value)


def first_line(value: str) -> str:
    """Return the first line that is a sentence, not a heading."""
    return next((line for line in value.splitlines() if line and not line.startswith("#")), value)


def unbarred(mode: Any, call: Calls) -> Safe:
    """Say what to do where a mode's own guard denies the script."""
    return fill(
        "If a hook denies it, the guard of {} is why: {} first, then look.",
        mode.title,
        code(call.clear(mode.records[0])),
    )


def slot_path(slot: Any, directory: str, record: str) -> str:
    """Show where a record lies in a slot."""
    place = "~" if slot.at == "home" else directory
    below = [
        part for part in (slot.path.replace("{session}", "<session_id>"), record.replace("{mode}", "<mode>")) if part
    ]
    return "/".join([place, *below])


def slot_terms(slot: Any) -> Safe:
    """Say when a record in a slot is this session's."""
    project = ""
    if slot.project:
        project = fill(" and {} is this project{}", code(slot.project), " or missing" if slot.unnamed == "ours" else "")
    return fill(
        "{}when its owner is this session{}{}; {}",
        fill("for {}, ", join_and(code(name) for name in slot.records)) if slot.records else "",
        " or nobody" if slot.ownerless == "own" else "",
        project,
        "any other stays" if slot.ownerless == "own" else "one without an owner is left and named",
    )


def jq_filter(fields: Any) -> str:
    """Return the end of a jq filter that sets fields; `{time}` in a value becomes its variable `$now`."""
    return "".join(
        f' | .[{json.dumps(name)}] = ({json.dumps(value)} | split("{{time}}") | join($now))'
        for name, value in fields.plain().items()
    )


def has_numbers(message: str) -> bool:
    """Tell whether a message counts teammates."""
    return "{M}" in message


TESTS = {"signed": is_signed, "has_numbers": has_numbers}

WORDS = {
    "unbarred": unbarred,
    "slot_path": slot_path,
    "slot_terms": slot_terms,
    "angled": angled,
    "after": after,
    "cleared": cleared,
    "condition": condition,
    "condition_of": condition_of,
    "dotted": dotted,
    "first_line": first_line,
    "join_and": join_and,
    "jq_filter": jq_filter,
    "join_safe": join_safe,
    "ledger": ledger,
    "lookup": lookup,
    "prosed": prose,
    "selected": selected,
    "kept_map": kept_map,
    "shown": shown,
    "sign": sign,
    "starred": starred,
    "under": under,
}
