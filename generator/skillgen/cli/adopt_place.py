"""Turn a plugin's hand-edited copy into a bundle in its place: show what changes, ask, write all of it or nothing."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from skillgen.cli import progress
from skillgen.cli.say import say
from skillgen.errors import UsageError
from skillgen.model.lock import NAME

if TYPE_CHECKING:
    from skillgen.build.inputs import Inputs
    from skillgen.load.copies import Copy
    from skillgen.sync.takeover import Asked, Takeover

_SHOWN = 12
"""Rows of one list."""


def adopt_place(
    path: str,
    inputs: Inputs,
    asked: Asked,
    *,
    questions: str | None,
    dry_run: bool,
    yes: bool,
    uncommitted: bool,
) -> int:
    """Adopt the copy at or below a directory; return the exit code."""
    from skillgen.cli.adopt_said import complain
    from skillgen.load.copies import find_copy
    from skillgen.pack.output import check_place, held
    from skillgen.sync.journal import change, finish
    from skillgen.sync.takeover import plan_takeover

    copy = find_copy(path)
    check_place(copy.root, inputs.places)
    if not dry_run:
        with held(copy.root):
            if finish(copy.root):
                say(f"{copy.root}: an adoption that was interrupted is done now; ever after: {_sync(copy)}")
                return 0
    if os.path.lexists(os.path.join(copy.root, NAME)):
        say(f"{copy.root}: carries a bundle already; {_sync(copy)} keeps it up to date")
        return 0
    plan = plan_takeover(copy, inputs, asked)
    if asked.given and complain(asked.given):
        return 1
    show(plan)
    if questions and plan.adopted:
        from skillgen.pack.write import write_file
        from skillgen.sync.adopt_questions import questions_json

        write_file(questions, questions_json(plan.adopted).encode())
    if dry_run:
        _diff(plan)
        return 1 if plan.open else 0
    if plan.open:
        return _leave_open(plan)
    loose = [] if uncommitted else _find_uncommitted(plan)
    if loose:
        raise UsageError(
            f"{copy.root}: {', '.join(loose)} {'is' if len(loose) == 1 else 'are'} in no commit as "
            f"{'it is' if len(loose) == 1 else 'they are'}, so that git could not bring back what is replaced; "
            "commit first, or give --uncommitted"
        )
    progress.end()
    if not yes and sys.stdin.isatty() and not click.confirm("Write this?", default=True, err=True):
        say("Nothing was written.")
        return 1
    with held(copy.root):
        change(copy.root, plan.files, plan.removed)
    return _say_done(plan, stub=asked.stub)


def _leave_open(plan: Takeover) -> int:
    """Write the flavor alone, with its questions; the bundle comes in the run after the last answer."""
    from skillgen.cli.adopt_said import say_open, say_rows
    from skillgen.pack.output import held
    from skillgen.sync.journal import change

    root = plan.copy.root
    if plan.files:
        with held(root):
            change(root, plan.files, [])
    if plan.adopted:
        say_open(plan.adopted)
    else:
        say_rows(plan.open)
    say(
        f"Write each answer in the place of its question in {os.path.join(root, plan.flavor)}, then run skillgen adopt {root}"
    )
    return 1


def show(plan: Takeover) -> None:
    """Say what is read, what becomes of it, and how the skill is graded before and after."""
    copy, before, after = plan.copy, plan.before, plan.after
    made = f"read from {copy.text}" if plan.adopted else "as it is there"
    say(f"{os.path.join(copy.root, copy.skill)}: the bundle of {plan.flavor} ({made}, on {plan.base})", bold=True)
    ledger = plan.adopted.ledger if plan.adopted else None
    if ledger:
        said = f"{len(ledger.placed)} placed, {len(ledger.equal)} as {plan.base} has them, {len(ledger.unplaced)} without a place"
        say(f"  facts      {ledger.total}: {said}")
    if after is not None:
        say(f"  grade      {before.grade} -> {after.grade}")
        gone = {code: n - after.codes.get(code, 0) for code, n in before.codes.items() if n > after.codes.get(code, 0)}
        say(f"  findings   {len(before.findings)} -> {len(after.findings)}{_go(gone)}")
        for finding in after.findings[:_SHOWN]:
            say(f"    {finding.code} {finding.message}")
    if plan.kept:
        count = f"{plan.kept} block{'' if plan.kept == 1 else 's'}"
        say(f"  left over  {count} of its own, put aside in {plan.aside}, each with its reason")
    for path in sorted(set(plan.removed)):
        say(f"  goes       {path}")
    for path, why in plan.left:
        say(f"  stays      {path}: {why}")
    if copy.command and copy.command in plan.files:
        say(f"  command    {copy.command} only loads the skill from now on")


def _go(codes: dict[str, int]) -> str:
    from skillgen.audit.rules import all_rules

    if not codes:
        return ""
    titles = {rule.CODE: rule.TITLE for rule in all_rules()}
    rows = [f"{code} {titles.get(code, '')}{f' ({n} times)' if n > 1 else ''}" for code, n in codes.items()]
    more = f"\n    and {len(rows) - _SHOWN} more" if len(rows) > _SHOWN else ""
    return "; gone:\n" + "\n".join(f"    {row}" for row in rows[:_SHOWN]) + more


def _diff(plan: Takeover) -> None:
    from skillgen.drift.text import text_diff
    from skillgen.load.files import read

    for path in sorted({*plan.files, *plan.removed}):
        full = os.path.join(plan.copy.root, path)
        old = read(full).decode("utf-8", "replace") if os.path.isfile(full) else ""
        new = plan.files[path][0].decode("utf-8", "replace") if path in plan.files else ""
        for line in text_diff(old, new, f"a/{path}" if old else "/dev/null", f"b/{path}" if new else "/dev/null"):
            say(line, fg={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))


def _find_uncommitted(plan: Takeover) -> list[str]:
    """Return what is replaced or removed and in no commit as it is."""
    from skillgen.sync.adopt_lock import is_committed

    root = plan.copy.root
    # The flavor is written over only as a former run left it, and what lies beside it is made anew.
    paths = {*plan.files, *plan.removed} - {plan.flavor, plan.facts}
    there = [path for path in paths if os.path.lexists(os.path.join(root, path))]
    return [path for path in sorted(there) if not is_committed(root, path)]


def _say_done(plan: Takeover, *, stub: bool) -> int:
    copy = plan.copy
    say(
        f"{len(plan.files)} files written, {len(plan.removed)} removed; look at them with git status and git diff, then commit."
    )
    main, flavor = (os.path.relpath(os.path.join(copy.root, path)) for path in (f"{copy.skill}/SKILL.md", plan.flavor))
    say(f"Look first at {main} and at the end of {flavor}. Ever after: {_sync(copy)}")
    if copy.command and not stub:
        say(f"{copy.command} was left as it is, and so were its findings.")
        return 1
    return 0


def _sync(copy: Copy) -> str:
    return f"skillgen sync {copy.root}"
