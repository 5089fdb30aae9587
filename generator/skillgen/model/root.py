"""Say where state lives."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, RelPathOrSame, Variable
from skillgen.model.told import MADE, Decides, Read, Told

_WHERE = Decides(
    asks="In which directory of the project (`root.directory`) does the product keep its state, and in which one below that (`root.state`, empty where there is none)?",
    always=True,
)
Directory = Annotated[
    RelPath,
    Read(facts=("root",)),
    _WHERE,
    Told(change="state directory: from {old} to {new}"),
]


class StateOverride(Model):
    """A variable that names the state directory itself; nothing is appended to it."""

    variable: Variable
    allowed: Variable
    """Variable with the colon-separated roots that the override must lie under, when it is set."""


class WorkspaceRoot(Model):
    """`<workspace>/<directory>/<state>`; the workspace is `--workspace` or the current directory."""

    kind: Annotated[Literal["workspace"], MADE, Told(values=(("workspace", "in the workspace"),))]
    directory: Directory
    directory_variable: Variable | None
    """Variable that renames `directory`; one relative path, never climbing."""
    state: Annotated[RelPathOrSame, _WHERE]
    """Empty: records lie in `directory` itself."""
    climb: Annotated[
        Literal["none", "git-toplevel"],
        Decides(
            least="none", words=("show-toplevel", "git root", "repository root", "repo root", "root of the repository")
        ),
    ]
    override: StateOverride | None
    workspace_variables: tuple[Variable, ...] = ()
    """Variables that name the directory in which `directory` lies, the first that is set; they come behind `override`, must lie where it
    must, and count, like it, only where no workspace is given."""


class LayeredRoot(Model):
    """The chain of oh-my-claudecode: central directory, workspace marker, outermost superproject, home.

    Source: facts 6.3.1, read in and run against the published package.
    """

    kind: Annotated[
        Literal["layered"],
        MADE,
        Told(values=(("layered", "found through superproject, marker, central directory and home"),)),
    ]
    directory: Directory
    state: RelPath
    central_variable: Variable
    marker: FileName
    marker_off_variable: Variable
    without_git: Literal["home"]


class DatabaseRoot(Model):
    """One database a user, and run directories under the workspace and the plugin."""

    kind: Annotated[Literal["database"], MADE, Told(values=(("database", "in one database a user"),))]
    home_variable: Variable
    home: RelPath
    """Directory under the user's home when the variable is unset."""
    database: FileName
    directory: Directory
    """Where run directories and plans live, under the workspace and the plugin root."""
    plugin_variables: tuple[Variable, ...]


Root = Annotated[WorkspaceRoot | LayeredRoot | DatabaseRoot, Field(discriminator="kind")]
