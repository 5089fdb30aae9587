"""Declare the options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_DIRECTORY = click.Path(file_okay=False)


def complete_flavor(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Offer the ids of all flavors that the command would find."""
    from click.shell_completion import CompletionItem

    from skillgen.build.inputs import Inputs
    from skillgen.errors import SkillgenError

    try:
        ids = Inputs(ctx.params.get("flavors") or (), ()).files.paths
    except SkillgenError:
        return []
    return [CompletionItem(id_) for id_ in ids if id_.startswith(incomplete)]


def complete_key(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the next step of a key of the flavor that stands before it."""
    from skillgen.build.contracts import resolve_all
    from skillgen.build.inputs import Inputs
    from skillgen.errors import SkillgenError
    from skillgen.model.resolved import format_key, leaves

    try:
        inputs = Inputs(ctx.params.get("flavors") or (), ctx.params.get("templates") or ())
        flavor = inputs.known(str(ctx.params.get("flavor")))
        tree = resolve_all(inputs, [flavor])[flavor].in_order().tree
    except SkillgenError:
        return []
    known = (format_key(path) for path, _ in leaves(tree))
    # One step at a time: all keys of a contract are hundreds.
    steps = (
        key[: at if (at := _next(key, len(incomplete))) > 0 else len(key)]
        for key in known
        if key.startswith(incomplete)
    )
    return list(dict.fromkeys(steps))


def _next(key: str, start: int) -> int:
    return next((at for at in range(start, len(key)) if at > start and key[at] in ".["), -1)


def complete_codes(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the codes of the audit's rules; of a list, for what stands behind its last comma."""
    from skillgen.audit.rules import all_rules

    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{rule.CODE}" for rule in all_rules() if rule.CODE.startswith(last.upper())]


def reads_flavors(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--flavors` and `--templates`, which add a user's own directories to the shipped ones."""
    own_flavors = click.option(
        "--flavors", multiple=True, type=_DIRECTORY, metavar="DIR", help="Add flavors; the same id replaces ours."
    )
    here = click.option(
        "--here",
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=_use_clone,
        help="In a clone of skillgen: take its flavors and templates, not those that came with the running skillgen.",
    )
    return own_flavors(reads_templates(here(command)))


def reads_templates(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--templates`, which adds a user's own directories to the shipped one."""
    return click.option(
        "--templates",
        multiple=True,
        type=_DIRECTORY,
        metavar="DIR",
        callback=_take_templates,
        help="Add templates and hosts; the same path replaces ours.",
    )(command)


def knows_hosts(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--templates` to a command that renders nothing, for the hosts that a user's own templates hold."""
    return click.option(
        "--templates",
        multiple=True,
        type=_DIRECTORY,
        metavar="DIR",
        expose_value=False,
        callback=_take_templates,
        help="Know the hosts of these templates, too (DIR/hosts/ID.yaml).",
    )(command)


def _take_templates(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    """Let every step know the hosts of these templates, and no others of an earlier command in this process."""
    from skillgen.resources import take_templates

    take_templates(value)
    return value


def _use_clone(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    """Take the clone's data where that is asked for; else say in one line that a clone's edits would be ignored."""
    import os

    from skillgen.resources import clone_around, shipped, use

    clone = clone_around(".")
    running = os.path.dirname(os.path.realpath(shipped("flavors")))
    if value:
        if not clone:
            raise click.UsageError(
                "--here is for a clone of skillgen, and the current directory lies in none; go into one, or leave it out"
            )
        use(clone)
    elif clone and clone != running and not ctx.resilient_parsing:
        from skillgen.cli.say import say

        say(
            f"skillgen: flavors and templates are those of {running}, not of the clone {clone}; --here takes these",
            err=True,
        )


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")(command)
