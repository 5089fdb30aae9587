"""List what the global pass may remove, and what is never removed."""

from __future__ import annotations

from typing import Annotated, Literal

from skillgen.model.base import Model, RelPath, Said, Text
from skillgen.model.told import MADE, SAYS, Decides, Read, Told


class Artifact(Model):
    """One thing of the global pass, relative to the state directory."""

    path: RelPath
    """Where it lies, such as `checkpoints`."""
    kind: Literal["file", "tree", "empty-directory", "pid"]
    """`tree`: a directory with all in it; `empty-directory`: by rmdir; `pid`: only when its process is gone or not ours."""


class GlobalPass(Model):
    artifacts: Annotated[
        tuple[Artifact, ...],
        Read(facts=("artifact",)),
        Decides(asks="Which files does the widest run remove beside the records?", doubt=("artifact",)),
    ]
    """What is removed beside the records, each `{path: PATH, kind: KIND}`; nothing else goes."""
    captured_teams: Annotated[
        bool,
        Told(
            change="bridge files of captured teams: from {old} to {new}",
            values=((True, "removed"), (False, "left alone")),
        ),
    ]
    """Bridge files of the teams captured from the selected sessions go too."""
    gate: Annotated[
        Literal["every-session", "none"],
        MADE,
        Told(
            change="global pass: from {old} to {new}",
            values=(
                ("none", "unconditional"),
                ("every-session", "gated (only after every session succeeded)"),
            ),
        ),
    ]
    """What the product's own text asks before the pass; the runtime runs it only after every session succeeded, always."""
    uncaptured_teams: Annotated[
        Literal["protected", "swept"],
        MADE,
        Told(
            group="protections",
            change="uncaptured team roots: from {old} to {new}",
            values=(("protected", "protected"), ("swept", "swept away")),
        ),
    ]
    """What the product's own text does to team files that no selected session names; the runtime protects them, always."""


class Kept(Model):
    """Something that no form of the command removes, relative to the workspace."""

    path: RelPath
    """Where it lies; `{dir}` is `root.directory`, such as `{dir}/plans`."""
    kind: Literal["file", "tree"]
    """One `file`, or a `tree`: a directory with all in it."""
    what: Annotated[Text, SAYS]
    """What it holds, a few words such as `plan files`; may be empty."""


class Messages(Model):
    none: Said
    """Said when nothing was active."""
    none_hint: Text
    """Said after it, for the agent only."""
    force: Said
    """Said when scope all completed."""


class Verdict(Model):
    """Where the flavor departs from its reference text, and why."""

    id: Said
    """By which comments cite it, such as `R5`."""
    says: Said
    """The decision, one sentence."""
