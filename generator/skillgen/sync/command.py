"""Keep the command beside a skill what the adoption made of it: its own front matter, and one sentence that loads the skill."""

from __future__ import annotations

import os
from dataclasses import replace

from skillgen.drift.fold import fold
from skillgen.drift.merge_front import split_front
from skillgen.load.files import read
from skillgen.load.fork import behind_link
from skillgen.model.fork import FileState, State
from skillgen.sync.fork import Fork

STUB = "Load the skill `{name}` of this plugin, `{skill}/SKILL.md`, and do what it says. Its arguments: $ARGUMENTS\n"
_START = STUB.split("{name}", maxsplit=1)[0]


def stub(skill: str) -> str:
    """Return the sentence for a skill's directory, relative to the fork's root."""
    return STUB.format(name=skill.rsplit("/", 1)[-1], skill=skill)


def examine_command(fork: Fork, favor: str) -> None:
    """Put down how the recorded command stands, and what a sync would make of it; one that is gone stays so."""
    path = fork.recorded.origin.command
    skill = fork.skill
    if not path or not skill:
        return
    target = os.path.join(fork.root, path)
    words = stub(skill)
    if not os.path.isfile(target) or behind_link(fork.root, path):
        gone = not os.path.lexists(target)
        fork.note = "; ".join(
            filter(None, (fork.note, f"{path}, which loaded the skill, is {'gone' if gone else 'no file'}"))
        )
        _release(fork)
        return
    form = fold(read(target))
    text = form.data.decode("utf-8", "replace")
    front, body = split_front(text)
    if body.strip() == words.strip():
        fork.files = [*fork.files, FileState(path, State.CURRENT)]
        return
    moved = body.strip().startswith(_START) and "\n" not in body.strip()
    if favor == "ours" and not moved:
        fork.files = [*fork.files, FileState(path, State.EDITED, True, "is the fork's own again")]
        _release(fork)
        return
    state, detail = State.OUTDATED, "loads the skill from another place" if moved else "loads the skill again"
    if not moved and not favor:
        what = "says more than to load the skill; --theirs makes it load the skill alone, --ours keeps it"
        fork.files = [*fork.files, FileState(path, State.CONFLICT, True, what)]
        return
    fork.files = [*fork.files, FileState(path, state, not moved, detail)]
    mode = 0o755 if os.stat(target).st_mode & 0o100 else 0o644
    fork.write[path] = (form.unfold((front + words).encode()), mode)


def _release(fork: Fork) -> None:
    fork.target = replace(fork.target, origin=replace(fork.target.origin, command=""))
    fork.lock_outdated = True
