"""Grade the skill of a fork as it lies on the disk, whatever its lock says of it."""

from __future__ import annotations

import os

from skillgen.errors import SkillgenError
from skillgen.load.copies import Copy, command_beside
from skillgen.sync.fork import Fork
from skillgen.sync.standing import Standing, stand


def stand_of(fork: Fork) -> Standing | None:
    """Return what the audit says of it and of a command beside it; None where there is nothing that can be read."""
    skill = fork.skill
    if not skill or not os.path.isfile(os.path.join(fork.root, skill, "SKILL.md")):
        return None
    try:
        return stand(Copy(fork.root, skill, command_beside(fork.root, skill)))
    except SkillgenError:
        return None
