"""Say what a build wrote, or what a check found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.build.outcome import Bundle
    from skillgen.drift.bundle import Difference
    from skillgen.drift.place import Plan

_WORDS = {
    "missing": "is missing",
    "outdated": "is out of date",
    "edited": "was edited since it was built",
    "retired": "is no longer rendered",
    "unexpected": "was written by no build; remove it by hand",
}
_FEW = 10
"""Missing files that are worth a line each."""


def report(bundles: Sequence[Bundle], out: str, *, check: bool, as_json: bool) -> int:
    """Print the outcome; return 1 for drift under `--check`, else 0."""
    drifted = [bundle for bundle in bundles if bundle.differences]
    if as_json:
        _json(bundles, out, check)
    else:
        for bundle in bundles:
            _text(bundle, out)
        _print_summary(bundles, drifted, out, check)
    return 1 if check and drifted else 0


def report_into(made: Plan, into: str, id_: str, *, check: bool, as_json: bool) -> int:
    """Print what a build into a fork did; return 1 for drift under `--check` or for files left to `sync`, else 0."""
    shown = made.differences if check else made.left
    code = 1 if shown or (check and made.foreign) else 0
    if as_json:
        _json_into(made, into, id_, check=check)
        return code
    for path in made.foreign:
        say(f"{into}/{path}: is in the way and not of skillgen")
    for difference in shown:
        say(f"{into}/{difference.path}: {_sentence(difference)}")
    if check:
        drift = len(shown) + len(made.foreign)
        say(f"{into}: {id_}, {drift} differences" if drift else f"{into}: {id_}, current")
    else:
        say(f"{into}: {id_}, {len(made.write)} written, {len(made.remove)} removed")
        if made.left:
            say(f"edited files are left to skillgen sync {into}")
    return code


def _text(bundle: Bundle, out: str) -> None:
    if bundle.written or bundle.removed:
        counts = [f"{len(bundle.written)} written", f"{len(bundle.removed)} removed"]
        say(f"{out}/{bundle.id}: " + ", ".join(count for count in counts if not count.startswith("0 ")))
    differences = bundle.differences
    if len(differences) > _FEW and all(difference.state in ("missing", "lock") for difference in differences):
        say(f"{out}/{bundle.id}: ", bold=True, nl=False)
        say("is missing", fg="yellow")
        differences = [difference for difference in differences if difference.state == "lock"]
    for difference in differences:
        say(f"{_place(difference, bundle, out)}: ", bold=True, nl=False)
        say(_sentence(difference), fg="yellow")


def _place(difference: Difference, bundle: Bundle, out: str) -> str:
    return f"{out}/{difference.path}" if difference.state == "lock" else f"{out}/{bundle.id}/{difference.path}"


def _sentence(difference: Difference) -> str:
    """Return a difference in words, without its place."""
    said = _WORDS.get(difference.state, "")
    if difference.state == "lock":
        return difference.detail
    return f"{said} ({difference.detail})" if difference.detail else said


def _print_summary(bundles: Sequence[Bundle], drifted: Sequence[Bundle], out: str, check: bool) -> None:
    flavors = "bundle" if len(bundles) == 1 else "bundles"
    changed = sum(bool(bundle.written or bundle.removed) for bundle in bundles)
    if check and drifted:
        by_hand = all(item.state == "unexpected" for bundle in drifted for item in bundle.differences)
        repair = "" if by_hand else "; run skillgen build"
        say(f"{len(drifted)} of {len(bundles)} {flavors} in {out} are not what would be written now{repair}")
    elif changed:
        say(f"{len(bundles)} {flavors} in {out}, {changed} changed")
    else:
        count = f"{len(bundles)} {flavors} in {out}"
        say(f"{count} current" if check else f"{count}, 0 changed")
    if not check and len(bundles) == 1:
        which = bundles[0].id
        say(f"read {out}/{which}/skills/cancel/SKILL.md, the text that the agent gets")


def _json(bundles: Sequence[Bundle], out: str, check: bool) -> None:
    import json

    listed = [
        {
            "id": bundle.id,
            "current": not (bundle.written or bundle.removed or bundle.differences),
            "written": bundle.written,
            "removed": bundle.removed,
            "differences": [
                {"path": item.path, "state": item.state, "detail": item.detail} for item in bundle.differences
            ],
        }
        for bundle in bundles
    ]
    say(json.dumps({"out": out, "check": check, "bundles": listed}, indent=2, ensure_ascii=False))


def _json_into(made: Plan, into: str, id_: str, *, check: bool) -> None:
    import json

    shown = made.differences if check else made.left
    printed = {
        "into": into,
        "id": id_,
        "check": check,
        "written": [] if check else made.write,
        "removed": [] if check else made.remove,
        "foreign": made.foreign,
        "differences": [{"path": item.path, "state": item.state, "detail": item.detail} for item in shown],
    }
    say(json.dumps(printed, indent=2, ensure_ascii=False))
