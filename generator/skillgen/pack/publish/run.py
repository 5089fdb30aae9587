"""Publish bundles to one repository: look, plan, say or do."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from skillgen.errors import UsageError
from skillgen.model.files import Files
from skillgen.model.origin import Origin
from skillgen.pack.publish.commit import clean_up, locked, publish, publishing_commit, refuse_tag, set_tag
from skillgen.pack.publish.plan import Changes, Step, plan_step, tag_name
from skillgen.pack.publish.recover import recover
from skillgen.pack.publish.state import marketplace_name, read_state
from skillgen.pack.publish.target import Target, open_target, refuse_dirty

Render = Callable[[Callable[[str], str]], Iterable[tuple[Origin, Files]]]
"""Given (host -> marketplace name), return the bundles to publish."""


def publish_bundles(
    path: Path, render: Render, changes: Changes, tag: bool, dry_run: bool, say: Callable[[str], None]
) -> tuple[Step, ...]:
    """Publish what is not published yet, each bundle a commit; return the steps.

    Raises UsageError, InputError or GitError with nothing published.
    """
    target = open_target(path)
    with contextlib.nullcontext() if dry_run else locked(target):
        if not dry_run:
            clean_up(target)
            if not target.bare and recover(target):
                say(f"{path}: took back a publication that was cut off")
            target = open_target(path)
        return _publish(target, render, changes, tag, dry_run, say)


def _publish(
    target: Target, render: Render, changes: Changes, tag: bool, dry_run: bool, say: Callable[[str], None]
) -> tuple[Step, ...]:
    state = read_state(target)
    names = functools.partial(marketplace_name, state)
    steps: list[Step] = []
    standing: list[Origin] = []
    seen: dict[str, str] = {}
    for origin, files in render(names):
        if origin.plugin in seen:
            raise UsageError(f"{seen[origin.plugin]} and {origin.flavor} are one plugin, {origin.plugin}; choose one")
        seen[origin.plugin] = origin.flavor
        step, state = plan_step(target, state, origin, files, changes)
        if step:
            steps.append(step)
        else:
            standing.append(origin)
    refuse_dirty(
        target,
        tuple(sorted({path for step in steps for path in (step.directory, *step.writes, *step.entries) if path})),
    )
    if tag:
        for step in steps:
            refuse_tag(target, step.tag)
    for origin in standing:
        say(f"{origin.plugin} {origin.version}: is published already")
    for step in steps:
        for line in _describe(step, tag, target.branch):
            say(line)
    if dry_run:
        say("nothing was written (--dry-run)")
        return tuple(steps)
    if steps:
        publish(target, steps, tag, say)
    if tag:
        for origin in standing:
            name = tag_name(origin.plugin, origin.version)
            commit = publishing_commit(target, state.record[origin.plugin].path)
            if set_tag(target.git, name, commit, f"{origin.plugin} {origin.version}"):
                say(f"{origin.plugin} {origin.version}: tag {name} set")
    for step in steps:
        say(f"{step.name} {step.version}: published; `git push` sends it on")
    return tuple(steps)


def _describe(step: Step, tag: bool, branch: str) -> list[str]:
    since = f"since {step.earlier}" if step.earlier else "new"
    below = f"{step.directory}/" if step.directory else ""
    # A list of what changes is read; of a plugin that is new everything is.
    written = [path for path in sorted(step.writes) if step.earlier or not path.startswith(below) or not below]
    count = len(step.writes) - len(written)
    return [
        f"{step.name} {step.version} ({since}) -> {below or './'}",
        *([f"  write {count} files below {below}"] if count else []),
        *(f"  write {path}" for path in written),
        *(f"  remove {path}" for path in step.deletes),
        f"  commit on {branch.removeprefix('refs/heads/')}",
        *([f"  tag {step.tag}"] if tag else []),
    ]
