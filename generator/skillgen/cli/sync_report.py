"""Say how forks stand, or what a sync did with them: as a table, as JSON, as GitHub annotations."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from skillgen.cli.say import say
from skillgen.load.files import relative
from skillgen.model.fork import FileState, State
from skillgen.model.lock import NAME
from skillgen.model.visible import annotation, escaped

if TYPE_CHECKING:
    from skillgen.drift.change import Change
    from skillgen.sync.examine import Examiner
    from skillgen.sync.fork import Fork
    from skillgen.sync.run import Outcome, Wish
    from skillgen.sync.standing import Standing

_COLORS = {State.CONFLICT: "red", State.EDITED: "cyan", State.UNEXPECTED: "cyan", State.CURRENT: "green"}
_AHEAD = 5
"""Lines shown a file."""
LOCK_STATE = "describes another rendering than the current one"


def report(outcomes: Sequence[Outcome], wish: Wish, form: str, *, verbosity: int = 0) -> None:
    """Print the outcomes; `verbosity` is -1 for what has to be done only, 1 for every file."""
    if form == "json":
        import json

        found = [_data(outcome, wish, outcome.examiner) for outcome in outcomes]
        say(json.dumps({"action": wish.action, "forks": found}, indent=2, ensure_ascii=False))
        return
    told: set[tuple[str, str]] = set()
    for outcome in outcomes:
        if outcome.fork is None:
            say(outcome.error, err=True)
            if form == "github":
                say(annotation("error", outcome.error))
        elif form == "github":
            _annotate(outcome.root, outcome.fork)
        elif outcome.proposal is not None:
            from skillgen.cli.proposal_report import show_proposal

            show_proposal(outcome.root, outcome.fork, outcome.proposal)
        else:
            if verbosity < 0 and not (outcome.fork.acts or outcome.fork.write):
                continue
            _changes(outcome.fork, outcome.examiner, told)
            _table(outcome.root, outcome.fork, wish, every=verbosity > 0)
            if wish.action == "request":
                _request(outcome)
            if wish.action == "dry-run":
                from skillgen.sync.diff import fork_diff

                for line in fork_diff(outcome.fork):
                    say(line, fg={"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))
    if form == "text" and len(outcomes) > 1 and wish.action != "propose":
        _print_summary(outcomes, wish)


def _changes(fork: Fork, examiner: Examiner, told: set[tuple[str, str]]) -> None:
    """Say once what a change of the contract means, before the files that it touches."""
    key = (fork.recorded.contract, fork.target.contract)
    if key[0] == key[1] or key in told or fork.target.origin.upstream:
        return
    told.add(key)
    from skillgen.sync.changes import changes_of

    changes = changes_of(fork, examiner)
    if changes is None:
        say(f"{fork.title}: the earlier contract is not known here any more")
        return
    count = sum(change.behaviour for change in changes)
    say(
        f"{fork.title}: {len(changes)} change{'' if len(changes) == 1 else 's'} in meaning, {count} of them (!) in behaviour",
        bold=True,
    )
    for change in changes:
        say("  ! " if change.behaviour else "  · ", fg="yellow" if change.behaviour else None, nl=False)
        say(change.text)


def _table(root: str, fork: Fork, wish: Wish, *, every: bool = False) -> None:
    counts = Counter(file.state for file in fork.files)
    summary = ", ".join([f"{counts[state]} {state}" for state in State if counts[state]] + list(_forms(fork)))
    say(f"{escaped(root)}: {fork.title}: {summary or 'no files'}", bold=fork.acts)
    if fork.note:
        say(f"  {escaped(fork.note)}")
    if standing := _below_a(fork):
        codes = ", ".join(f"{code}{f' ({count} times)' if count > 1 else ''}" for code, count in standing.codes.items())
        say(f"  graded {standing.grade} as it lies there: {codes}; skillgen audit says where", fg="yellow")
    if fork.moved:
        say(f"  the skill lies in {escaped(fork.moved[1])} here")
    rows = [file for file in fork.files if file.state is not State.CURRENT or every]
    fresh = [file for file in rows if file.state is State.MISSING and file.detail == "is new"]
    if len(fresh) > 5:
        rows = [file for file in rows if file not in fresh]
        say(f"  missing     {len(fresh)} new files")
    width = max((len(escaped(file.path)) for file in rows), default=0)
    for file in sorted(rows, key=lambda file: (list(State).index(file.state), file.path)):
        say(f"  {file.state:<10}", fg=_COLORS.get(file.state, "yellow"), nl=False)
        say(f"  {escaped(file.path):<{width}}  {_detail(file)}".rstrip())
    for path, lines in sorted(fork.ahead.items()):
        say(f"  {escaped(path)} says what the canonical text does not; skillgen sync --propose offers it back:")
        for number, line in lines[:_AHEAD]:
            say(f"    line {number}: {escaped(line.strip()[:100])}")
        if len(lines) > _AHEAD:
            say(f"    and {len(lines) - _AHEAD} lines more")
    if fork.lock_outdated and not any(file.acts for file in fork.files):
        say(f"  outdated    {NAME}: {LOCK_STATE}")
    if wish.action == "sync":
        if fork.write or fork.remove or fork.lock_outdated:
            say(f"  {len(fork.write)} written, {len(fork.remove)} removed")
        if counts[State.CONFLICT]:
            say("  resolve the conflicts, then run skillgen sync again")


def _request(outcome: Outcome) -> None:
    request = outcome.request
    if request is None and outcome.fork and any(file.state is State.CONFLICT for file in outcome.fork.files):
        say(
            "  conflicts, so nothing was committed: take a side with --ours or --theirs, or run skillgen sync and resolve them"
        )
    elif request is None:
        say("  nothing to change, so nothing to ask for")
    elif request.url:
        say(f"  committed on {request.branch}, and asked for: {request.url}")
    else:
        say(f"  committed on {request.branch}; gh is not there, so send it and open the request with")
        say(f"    {request.command}")


def _below_a(fork: Fork) -> Standing | None:
    """Return how a skill with edits, or a command beside it, is graded on the disk; None for A and for what is as rendered."""
    if fork.target.origin.upstream:
        return None
    edited = any(file.edited and file.path.endswith(".md") for file in fork.files)
    skill = fork.skill
    if not skill:
        return None
    from skillgen.load.copies import command_beside

    if not edited and not command_beside(fork.root, skill):
        return None
    from skillgen.sync.on_disk import stand_of

    standing = stand_of(fork)
    return standing if standing and standing.grade != "A" else None


def _forms(fork: Fork) -> Iterator[str]:
    """Say once how many unchanged files differ in their form, such as CRLF line ends, and what to do about it."""
    forms = Counter(file.detail for file in fork.files if file.state is State.CURRENT and file.detail)
    for detail, count in forms.items():
        repair = "; add a .gitattributes" if "CRLF" in detail else ""
        yield f"{count} {detail.replace('has ', 'with ', 1)}{repair}"


def _detail(file: FileState) -> str:
    line = f":{file.line}" if file.line else ""
    both = "edited" if file.edited and file.state is not State.EDITED else ""
    return ", ".join(part for part in (both, f"{file.detail}{' at line ' + line[1:] if line else ''}") if part)


def _print_summary(outcomes: Sequence[Outcome], wish: Wish) -> None:
    codes = Counter(outcome.code(wish) for outcome in outcomes)
    done = "are as they should be" if wish.action == "check" else "are done"
    text = f"{len(outcomes)} forks: {codes[0]} {done}"
    text += f", {codes[1]} are not" if codes[1] else ""
    say(text + (f", {codes[2]} without a result" if codes[2] else ""))


def _annotate(root: str, fork: Fork) -> None:
    for file in fork.files:
        if file.state is State.CURRENT and not file.detail:
            continue
        level = "error" if file.acts else "notice"
        text = f"{file.state}: {_detail(file)}" if _detail(file) else file.state
        repair = "; run skillgen sync" if file.acts else ""
        place = relative(os.path.join(root, file.path))
        say(annotation(level, text + repair, file=place, line=file.line, title="skillgen sync"))
    if fork.lock_outdated and not any(file.acts for file in fork.files):
        place = relative(os.path.join(root, NAME))
        say(annotation("error", f"{LOCK_STATE}; run skillgen sync", file=place, title="skillgen sync"))


def _data(outcome: Outcome, wish: Wish, examiner: Examiner) -> dict[str, Any]:
    fork = outcome.fork
    if fork is None:
        return {"path": outcome.root, "code": 2, "error": outcome.error}
    from skillgen.cli.proposal_report import proposal_data
    from skillgen.sync.diff import fork_diff

    changes: list[Change] | None = []
    if fork.recorded.contract != fork.target.contract:
        from skillgen.sync.changes import changes_of

        changes = changes_of(fork, examiner)
    return {
        "path": outcome.root,
        "code": outcome.code(wish),
        "flavor": fork.target.flavor,
        "from": {"id": fork.recorded.id, "revision": fork.recorded.revision, "contract": fork.recorded.contract},
        "to": {"id": fork.target.id, "revision": fork.target.revision, "contract": fork.target.contract},
        "lock": "outdated" if fork.lock_outdated else "current",
        "changes": None if changes is None else [asdict(change) for change in changes],
        "proposal": None if outcome.proposal is None else proposal_data(outcome.proposal),
        "note": fork.note,
        "ahead": {
            path: [{"line": number, "text": line} for number, line in lines] for path, lines in fork.ahead.items()
        },
        "moved": fork.moved[1] if fork.moved else "",
        "request": None if outcome.request is None else asdict(outcome.request),
        "written": sorted(fork.write) if wish.action == "sync" else [],
        "removed": fork.remove if wish.action == "sync" else [],
        "diff": "".join(f"{line}\n" for line in fork_diff(fork)) if wish.action == "dry-run" else "",
        "files": [
            {
                "path": file.path,
                "state": file.state.value,
                "edited": file.edited,
                "detail": file.detail,
                "line": file.line,
            }
            for file in fork.files
        ],
    }
