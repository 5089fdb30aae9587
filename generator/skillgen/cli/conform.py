"""Hold a flavor against its real program."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from skillgen.cli.options import complete_flavor, json_option, reads_flavors
from skillgen.cli.say import say

if TYPE_CHECKING:
    from skillgen.build.inputs import Inputs
    from skillgen.conform.run import Conformance
    from skillgen.conform.verdict import Verdict
    from skillgen.model.contract import Contract

EPILOG = """\b
Examples:
  skillgen conform omc                       install the published program, and hold the flavor against it
  skillgen conform mine --flavors flavors --program .       an adopted fork, in its own root

\b
FLAVOR.conform.yaml beside the flavor says how the program is installed, started, seeded and asked; begin with a copy of the base's.
"""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from skillgen.conform.run import SCENARIOS

    return [name for name in SCENARIOS if name.startswith(incomplete)]


_SIGNS = {"proven": "✓", "broken": "✗", "not proven": "·", None: " "}
_COLORS = {"proven": "green", "broken": "red", "not proven": "yellow"}


@click.command(name="conform", epilog=EPILOG)
@click.argument("flavor", shell_complete=complete_flavor)
@click.option(
    "--program", type=click.Path(file_okay=False), metavar="DIR", help="The program's directory; else it is installed."
)
@click.option(
    "--part", "parts", multiple=True, metavar="NAME=FILE", help="A part of the program that is there already."
)
@click.option(
    "--scenario",
    "chosen",
    multiple=True,
    metavar="NAME",
    shell_complete=_complete,
    help="Try this scenario only (repeatable).",
)
@click.option("--record", is_flag=True, help="Keep the outcome beside the flavor, for READMEs and the report.")
@json_option
@reads_flavors
def command(
    flavor: str,
    program: str | None,
    parts: tuple[str, ...],
    chosen: tuple[str, ...],
    record: bool,
    as_json: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Run FLAVOR's bundle beside its real program: seed with the program, cancel with the script, ask the program.

    Everything runs in throw-away places, without a network where the system can bar it. Exit code 0 if no law is broken, 1 if one
    is, 2 if none could be tried.
    """
    from skillgen.build.bundles import Bundles
    from skillgen.build.inputs import Inputs
    from skillgen.conform.reading import read_driving
    from skillgen.conform.run import SCENARIOS, conform
    from skillgen.conform.verdict import exit_code
    from skillgen.errors import UsageError
    from skillgen.model.guess import hint

    for name in chosen:
        if name not in SCENARIOS:
            repair = hint(name, SCENARIOS, f"there are {', '.join(SCENARIOS)}")
            raise UsageError(f"there is no scenario {name}; {repair}")
    if record and chosen:
        raise UsageError("--record keeps the outcome of every scenario; leave --scenario out")
    inputs = Inputs(flavors, templates)
    bundles = Bundles(inputs, [inputs.known(flavor)])
    contract = bundles.contracts[flavor]
    documents = inputs.files.with_bases([flavor], [])
    bases = [inputs.files.paths[base] for base in documents if base != flavor]
    driving = read_driving(flavor, inputs.files.paths[flavor], contract, bases)
    _, files = bundles.render(contract)
    tell = (lambda text: say(f"  {text}", err=True)) if sys.stderr.isatty() else (lambda text: None)
    found = conform(contract, driving, files, program, _named(parts), chosen, tell)
    if as_json:
        _print_json(found)
    else:
        _print(found)
    code = exit_code(found.verdicts)
    if record:
        _record(inputs, contract, found, code)
    return code


def _record(inputs: Inputs, contract: Contract, found: Conformance, code: int) -> None:
    import os

    from skillgen.conform.proof import dump, proof_of, proof_path
    from skillgen.errors import UsageError
    from skillgen.load.files import shown
    from skillgen.pack.write import Writer
    from skillgen.sync.edits import FlavorEdit

    if code == 2:
        raise UsageError("no law could be tried, so there is nothing to keep; run it without --record to see why")
    flavor, upstream = contract.flavor, contract.upstream
    path = proof_path(flavor, inputs.files.paths[flavor])
    with Writer(os.path.dirname(path) or ".") as writer:
        writer.stage(os.path.basename(path), dump(proof_of(found)), 0o644)
        if upstream is not None:
            proven = code == 0 and (found.program, found.version) == (upstream.package, upstream.version)
            if proven != upstream.proven:
                edit = FlavorEdit(inputs, flavor)
                edit.put(("upstream", "proven"), proven)
                writer.stage(f"{flavor}.yaml", edit.text().encode(), 0o644)
        writer.commit()
    say(f"{shown(path)} written", err=True)


def _named(parts: tuple[str, ...]) -> dict[str, str]:
    from skillgen.errors import UsageError

    found = {}
    for part in parts:
        name, given, file = part.partition("=")
        if not (name and given and file):
            raise UsageError(f"--part {part}: has no `=`; give NAME=FILE")
        found[name] = file
    return found


def _print_json(found: Conformance) -> None:
    import json
    from dataclasses import asdict

    from skillgen.conform.proof import proof_of

    verdicts = [asdict(verdict) for verdict in found.verdicts]
    report = {**asdict(found), "table": proof_of(found).table, "verdicts": verdicts}
    say(json.dumps(report, indent=2, ensure_ascii=False))


def _print(found: Conformance) -> None:
    from skillgen.conform.verdict import LAWS, cell

    barred = (
        "barred from the network and from all other files"
        if found.barred
        else "not barred: this system grants no namespaces"
    )
    say(f"{found.flavor} beside {found.program} {found.version} ({barred})", bold=True)
    for why in found.missing:
        say(f"without a part of it: {why}")
    modes = list(dict.fromkeys(verdict.mode for verdict in found.verdicts))
    laws = [law for law in LAWS if any(verdict.law == law for verdict in found.verdicts)]
    width = max([len(mode or "(product)") for mode in modes], default=0)
    say("\n" + " " * width + "  " + "  ".join(laws))
    for mode in modes:
        say((mode or "(product)").ljust(width), nl=False)
        for law in laws:
            state = cell(v for v in found.verdicts if v.mode == mode and v.law == law)
            half = (len(law) - 1) // 2
            say("  " + " " * half, nl=False)
            say(_SIGNS[state] if state else " ", fg=_COLORS[state] if state else None, nl=False)
            say(" " * (len(law) - 1 - half) if law != laws[-1] else "", nl=False)
        say()
    say(f"\n{_SIGNS['proven']} proven, {_SIGNS['broken']} broken, {_SIGNS['not proven']} not proven")
    for law in laws:
        say(f"  {law}: {LAWS[law]}")
    for state, head in (("broken", "Broken"), ("not proven", "Not proven")):
        some = [verdict for verdict in found.verdicts if verdict.state == state and verdict.law != "claim"]
        _list(head, some)
    _list(
        "Findings on what the product says of its own deeds",
        [v for v in found.verdicts if v.law == "claim" and v.state == "broken"],
    )
    counts = {state: sum(v.state == state for v in found.verdicts) for state in _COLORS}
    say("\n" + ", ".join(f"{count} {state}" for state, count in counts.items()))


def _list(head: str, verdicts: list[Verdict]) -> None:
    if not verdicts:
        return
    say(f"\n{head}", bold=True)
    together: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        together.setdefault((verdict.scenario, verdict.why), []).append(verdict)
    for (scenario, why), same in together.items():
        modes = ", ".join(dict.fromkeys(verdict.mode or "(product)" for verdict in same))
        laws = ", ".join(dict.fromkeys(verdict.law for verdict in same))
        say(f"  {modes} · {laws}: {why or 'no reason given'} ({scenario})")
