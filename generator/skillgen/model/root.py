"""Say where state lives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, RelPathOrSame, Variable


class StateOverride(Model):
    """A variable that names the state directory itself; nothing is appended to it."""

    variable: Variable
    allowed: Variable
    """Variable with the colon-separated roots that the override must lie under, when it is set."""


class WorkspaceRoot(Model):
    """`<workspace>/<directory>/<state>`; the workspace is `--workspace` or the current directory."""

    kind: Literal["workspace"]
    directory: RelPath
    directory_variable: Variable | None
    """Variable that renames `directory`; one relative path, never climbing."""
    state: RelPathOrSame
    """Empty: records lie in `directory` itself."""
    climb: Literal["none", "git-toplevel"]
    override: StateOverride | None


class LayeredRoot(Model):
    """The chain of oh-my-claudecode: central directory, workspace marker, outermost superproject, home.

    Source: facts 6.3.1, read in and run against the published package.
    """

    kind: Literal["layered"]
    directory: RelPath
    state: RelPath
    central_variable: Variable
    marker: FileName
    marker_off_variable: Variable
    without_git: Literal["home"]


class DatabaseRoot(Model):
    """One database a user, and run directories under the workspace and the plugin."""

    kind: Literal["database"]
    home_variable: Variable
    home: RelPath
    """Directory under the user's home when the variable is unset."""
    database: FileName
    directory: RelPath
    """Where run directories and plans live, under the workspace and the plugin root."""
    plugin_variables: tuple[Variable, ...]


Root = Annotated[WorkspaceRoot | LayeredRoot | DatabaseRoot, Field(discriminator="kind")]
