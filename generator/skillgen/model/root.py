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
"""The product's own directory in the workspace, such as `.omc`; `{dir}` in texts."""


class StateOverride(Model):
    """A variable that names the state directory itself; nothing is appended to it."""

    variable: Variable
    """The variable's name, such as `RCS_TEAM_STATE_ROOT`."""
    allowed: Variable
    """Variable with the colon-separated roots that the override must lie under, when it is set."""


class SessionAuthority(Model):
    """A session file in a directory above that claims the current one; its name and its session stand in `identity.file`."""

    variable: Variable
    """The variable with the session's id; without it nothing is looked for above."""
    workspace: FileName
    """Field of the file with the directory that the session works in, which has to hold the current one."""
    state: FileName
    """Field of the file with the state directory, which has to be the file's own."""


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
    """Whether the workspace is looked for above the current directory: `none`, or `git-toplevel` for the top of the repository."""
    override: StateOverride | None
    """A variable that moves the whole state directory; null where the product has none."""
    workspace_variables: tuple[Variable, ...] = ()
    """Variables that name the directory in which `directory` lies, the first that is set; they come behind `override`, must lie where it
    must, and count, like it, only where no workspace is given."""
    authority: SessionAuthority | None = None
    """The climb by a session's own file, behind the variables; null where the product does not climb by it."""


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
    """Directory below `directory` in which the records lie, such as `state`."""
    central_variable: Variable
    """Variable that names one directory for all projects, such as `OMC_STATE_DIR`."""
    marker: FileName
    """File whose directory counts as the workspace of several repositories, such as `.omc-workspace`."""
    marker_off_variable: Variable
    """Variable that, set to 1, has the marker ignored."""
    without_git: Literal["home"]
    """Where state lies outside any repository: under the user's home."""


class DatabaseRoot(Model):
    """One database a user, and run directories under the workspace and the plugin."""

    kind: Annotated[Literal["database"], MADE, Told(values=(("database", "in one database a user"),))]
    home_variable: Variable
    """Variable that names the directory of the database, such as `OMNI_HOME`."""
    home: RelPath
    """Directory under the user's home when the variable is unset."""
    database: FileName
    """The database's file name there, such as `omni.db`."""
    directory: Directory
    """Where run directories and plans live, under the workspace and the plugin root."""
    plugin_variables: tuple[Variable, ...]
    """Variables that name the plugin's own root, the first that is set; run directories are looked for there too."""


Root = Annotated[WorkspaceRoot | LayeredRoot | DatabaseRoot, Field(discriminator="kind")]
