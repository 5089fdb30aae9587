"""Say what a build wrote, or what a check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from skillgen.cli.build import nothing_to_do
from skillgen.drift.bundle import Difference

_WORDS = {
    "missing": "is missing",
    "outdated": "is out of date",
    "edited": "was edited since it was built",
    "retired": "is no longer rendered",
    "unexpected": "was written by no build; remove it by hand",
}
_FEW = 10
"""Missing files that are worth a line each."""


@dataclass(slots=True)
class Bundle:
    """What a run did with one bundle; nothing at all if it was current."""

    id: str
    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    """What differs from the rendering: under `--check` everything, else what a build leaves alone."""


def report(bundles: Sequence[Bundle], out: str, *, check: bool, as_json: bool) -> int:
    """Print the outcome; return 1 for drift under `--check`, else 0."""
    drifted = [bundle for bundle in bundles if bundle.differences]
    if as_json:
        _json(bundles, out, check)
    else:
        for bundle in bundles:
            _text(bundle, out)
        _sum(bundles, drifted, out, check)
    return 1 if check and drifted else 0


def _text(bundle: Bundle, out: str) -> None:
    if bundle.written or bundle.removed:
        counts = [f"{len(bundle.written)} written", f"{len(bundle.removed)} removed"]
        click.echo(f"{out}/{bundle.id}: " + ", ".join(count for count in counts if not count.startswith("0 ")))
    differences = bundle.differences
    if len(differences) > _FEW and all(difference.state in ("missing", "lock") for difference in differences):
        click.echo(click.style(f"{out}/{bundle.id}: ", bold=True) + click.style("is missing", fg="yellow"))
        differences = [difference for difference in differences if difference.state == "lock"]
    for difference in differences:
        click.secho(f"{_place(difference, bundle, out)}: ", bold=True, nl=False)
        click.secho(sentence(difference), fg="yellow")


def _place(difference: Difference, bundle: Bundle, out: str) -> str:
    return f"{out}/{difference.path}" if difference.state == "lock" else f"{out}/{bundle.id}/{difference.path}"


def sentence(difference: Difference) -> str:
    """Return a difference in words, without its place."""
    said = _WORDS.get(difference.state, "")
    if difference.state == "lock":
        return difference.detail
    return f"{said} ({difference.detail})" if difference.detail else said


def _sum(bundles: Sequence[Bundle], drifted: Sequence[Bundle], out: str, check: bool) -> None:
    flavors = "bundle" if len(bundles) == 1 else "bundles"
    changed = sum(bool(bundle.written or bundle.removed) for bundle in bundles)
    if check and drifted:
        by_hand = all(item.state == "unexpected" for bundle in drifted for item in bundle.differences)
        repair = "" if by_hand else "; run skillgen build"
        click.echo(f"{len(drifted)} of {len(bundles)} {flavors} in {out} are not what would be written now{repair}")
    elif changed:
        click.echo(f"{len(bundles)} {flavors} in {out}, {changed} changed")
    else:
        click.echo(nothing_to_do(len(bundles), out, check=check))


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
    click.echo(json.dumps({"out": out, "check": check, "bundles": listed}, indent=2, ensure_ascii=False))
