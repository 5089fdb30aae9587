"""Say how workers are stopped."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from skillgen.model.base import FileName, Model, RelPath, RelPathOrSame, Said
from skillgen.model.told import MADE, SAYS, Read, Told

Seconds = Annotated[int, Field(ge=0, le=600)]
Grace = Annotated[
    Seconds, Read(facts=("timeout",)), Told(change="time that workers get to stop: from {old} s to {new} s")
]
"""Seconds that workers get to stop by themselves, 0 to 600."""
Report = Annotated[tuple[Said, ...], MADE, SAYS]
"""Lines on one team; the first is the heading of a team that was cancelled."""
Left = Annotated[Said, MADE, SAYS]
"""The heading of a team that was not cancelled, and of one whose record was cleared by force while nobody asked or looked."""
_LEFT = 'Team "{team}" was not cancelled:'
_CLEARED = 'Team "{team}", of which only the record is known to be gone:'
_KIND = Read(facts=("team",))
NamePattern = Annotated[str, Field(pattern=r"^\^.*\$$")]


class Overlay(Model):
    """Text between two markers that a team added to a file of the workspace."""

    file: RelPath
    """The file, relative to the workspace, such as `AGENTS.md`."""
    start: Said
    """The line that begins the team's text."""
    end: Said
    """The line that ends it; the text goes with both lines, all around it stays."""


class NoTeam(Model):
    """No mode has workers; no mode has the action `shutdown` then."""

    kind: Annotated[Literal["none"], _KIND]


class TmuxTeam(Model):
    """Workers are tmux panes recorded in a configuration file."""

    kind: Annotated[Literal["tmux"], _KIND, Told(values=(("tmux", "through their tmux panes"),))]
    directory: RelPath
    """Directory of one team under the state directory, such as `team/{team}`; `{team}` is its name."""
    config: FileName
    """Its configuration file in that directory, which names the panes."""
    manifest: FileName
    """Its manifest in that directory, by which a team is known to be the session's."""
    manifest_session: RelPath
    """Field of the manifest that names the leader's session."""
    inbox: RelPath
    """File by which a worker is told, below the team's directory, such as `workers/{worker}/inbox.md`."""
    acknowledgement: RelPath
    """File in which a worker answers, below the team's directory; `{worker}` is its name."""
    inbox_text: Annotated[Said, SAYS]
    """What is written into a worker's inbox: the request to stop."""
    trigger: Annotated[Said, SAYS]
    """What is typed into a worker's pane so that it reads the inbox."""
    session: FileName
    """The only session name that may be destroyed, such as `omx-team-{team}`."""
    grace_s: Grace
    interrupt_s: Annotated[Seconds, Read(facts=("timeout",))]
    """Seconds between the interrupt (C-c) and the end of a pane, 0 to 600."""
    name: NamePattern
    """What a team's name looks like, a regular expression from ^ to $; another name becomes no path and no tmux target."""
    overlay: Overlay
    """Text that the team added to a file of the workspace and that goes with it."""
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


Argument = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]
Arguments = Annotated[tuple[Argument, ...], Field(max_length=20)]


class ProgramTeam(Model):
    """A command of the product stops the workers of a team that its files describe; the script itself ends none.

    Arguments are passed one by one, never through a shell; `{team}` in them is the team's name.
    """

    kind: Annotated[Literal["program"], _KIND, Told(values=(("program", "by the product's own command"),))]
    program: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")]
    """Bare name, looked up in `PATH` outside the project."""
    stop: Annotated[Arguments, Field(min_length=1)]
    """Its arguments that stop one team, such as `[team, shutdown, "{team}"]`."""
    force: Arguments
    """Added to `stop` on the user's own `--force` alone."""
    look: Annotated[Arguments, Field(min_length=1)]
    """Asks for one team: an object of JSON on stdout …"""
    look_key: FileName
    """… which under this key …"""
    look_missing: Said
    """… says this of a team that is not there."""
    limit_s: Annotated[Seconds, Read(facts=("timeout",))]
    """Seconds that `stop` may take, 0 to 600; then it is ended and the team is unresolved."""
    start_s: Seconds
    """Seconds that a team that is starting gets to record its workers, 0 to 600."""
    repair: Annotated[Said, SAYS]
    """How the program is had where `PATH` does not name it."""
    refuses: Annotated[Said, SAYS]
    """What `stop` refuses without `force`, for "It refuses …"."""
    merges: Annotated[Said, SAYS]
    """What `stop` does to the workers' commits and worktrees, for "It …"."""
    directory: RelPath
    """Directory of one team under the state directory; `{team}` is its name."""
    config: FileName
    """File of that directory with the workers, their panes, processes and worktrees."""
    manifest: FileName
    """File of that directory that says whose team it is."""
    manifest_session: RelPath
    """Field of the manifest that names the leader's session."""
    worktrees: RelPath
    """Directory of a team's worktrees under `root.directory`, there before any record of a team that is starting."""
    suffix: Literal["none", "sha256-8"]
    """What of its session a team's name ends with: nothing, or the first eight digits of the SHA-256 of the id."""
    session: FileName
    """tmux session that only this team has; without a directory of the team it shows that its workers live."""
    name: NamePattern
    """What a team's name looks like, a regular expression from ^ to $; another name is passed to no command."""
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class OrchestratorTeam(Model):
    """A program of the plugin cancels a run; workers are its child processes."""

    kind: Annotated[Literal["orchestrator"], _KIND, Told(values=(("orchestrator", "by the plugin's own program"),))]
    program: RelPath
    """The program, relative to the plugin's root, such as `scripts/omni_team.py`."""
    reason: Said
    """The reason that it is given, such as `user-cancel`."""
    runs: RelPath
    """Directory of all runs, under the workspace and the plugin's root, such as `.omni/runs`."""
    run: NamePattern
    """Pattern of a run directory's name, which is the run's id."""
    manifest: FileName
    """File in a run's directory that names its tmux session and branches."""
    worker_program: FileName
    """A worker is a process of an interpreter that runs this file of the plugin …"""
    worker_config: FileName
    """… on this file, below its run's directory; whatever else names the file is no worker."""
    session: FileName
    """tmux session of a run; `{run}` is its id."""
    grace_s: Grace
    kill_s: Seconds
    """Seconds between the request to end (TERM) and the end by force (KILL) of a worker that stays, in a forced run; 0 to 600."""
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class OrphanScan(Model):
    """A program of the plugin that looks for processes of one captured legacy team."""

    program: RelPath
    """Relative to the directory in which the product is installed, which a bundle that stands alone is not."""
    option: Said
    """Option behind which the team's name stands, such as `--team-name`."""
    dry_run: Said
    """Option that has it only list, such as `--dry-run`."""
    name: NamePattern
    """What a team's name looks like, a regular expression from ^ to $; no other name is handed to the program."""


class NativeTeam(Model):
    """Teammates of the host; only the agent can ask them."""

    kind: Annotated[Literal["native"], _KIND, Told(values=(("native", "by the agent, who asks its teammates"),))]
    name_field: FileName
    """Field of the team record with the team's name."""
    members: Literal["record", "home"]
    """Where the members stand: in the session's record, or in the team's `config.json` under `members_home`."""
    members_home: RelPathOrSame
    """Directory under the user's home with one directory a team, never deleted."""
    tasks_home: RelPathOrSame
    """Directory under the user's home with the tasks of one directory a team, never deleted."""
    grace_s: Grace
    reconcile_s: Annotated[Seconds, Read(facts=("timeout",))]
    """Seconds to wait before the team's record is read once more, 0 to 600."""
    ask: Said
    """How the agent asks a teammate to shut down, for "ask each member …"."""
    ending: Said
    """What is left to do, or not to be done, once the members have answered."""
    scan: OrphanScan | None
    """A program of the plugin that looks for what a team left running; null where there is none."""
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class MessageTeam(Model):
    """Teammates answer messages; there is no timer."""

    kind: Annotated[Literal["message"], _KIND, Told(values=(("message", "by messages to them"),))]
    send: Said
    """Tool that sends a teammate a message."""
    list: Said
    """Tool that lists teammates."""
    interrupt: Said
    """Tool that interrupts one."""
    dispose: Said
    """Tool that gives up a run's working tree; called only after the user has seen what would be lost."""
    dispose_since: Said
    """Which versions of the product have that tool."""
    registry: RelPath
    """`{run}` is the run's id."""
    run_state: RelPath
    """File that names the current run, such as `state/run-state.json`."""
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


Team = Annotated[
    NoTeam | TmuxTeam | ProgramTeam | OrchestratorTeam | NativeTeam | MessageTeam, Field(discriminator="kind")
]


class Bridge(Model):
    """Files of worker daemons that bridge a team to MCP; paths relative to the state directory."""

    heartbeats: RelPath
    """`{team}` is the team's name; the last name is a pattern."""
    registry: RelPath
    """File that lists the worker daemons."""
    session: FileName
    """tmux session of one worker: `{team}`, `{worker}`."""
