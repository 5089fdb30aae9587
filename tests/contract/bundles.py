"""Find the shipped bundles, resolve their flavors, and build others."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import checks_facts
import checks_order
import checks_removal
import checks_run
import checks_tools
from skill_text import Bundle

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.model.contract import Contract

DIST = Path(__file__).parents[2] / "dist"
CHECKS = (*checks_run.CHECKS, *checks_order.CHECKS, *checks_tools.CHECKS, *checks_facts.CHECKS, *checks_removal.CHECKS)


@cache
def flavors() -> tuple[str, ...]:
    """Return the current flavors; each has a bundle in dist/."""
    return tuple(Inputs((), ()).choose(()))


@cache
def contract(flavor: str) -> Contract:
    return resolve_all(Inputs((), ()), [flavor])[flavor].contract


@cache
def shipped(flavor: str) -> Bundle:
    return Bundle(DIST / flavor)


def build(flavor: str, out: Path, own: Path | None = None) -> Bundle:
    """Build one flavor the way a user does; `own` is a directory of the user's flavors."""
    from skillgen.cli.build import command

    options = ["--flavors", str(own)] if own else []
    assert command.main(["--flavor", flavor, "--out", str(out), *options], standalone_mode=False) == 0
    return Bundle(out / flavor)


def problems(bundle: Bundle, told: Contract) -> list[str]:
    """Return everything in which a bundle's text differs from a contract."""
    return [f"{check.__name__}: {what}" for check in CHECKS for what in check(bundle, told)]
