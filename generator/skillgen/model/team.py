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
    start: Said
    end: Said


class NoTeam(Model):
    """No mode has workers; no mode has the action `shutdown` then."""

    kind: Annotated[Literal["none"], _KIND]


class TmuxTeam(Model):
    """Workers are tmux panes recorded in a configuration file."""

    kind: Annotated[Literal["tmux"], _KIND, Told(values=(("tmux", "through their tmux panes"),))]
    directory: RelPath
    """Directory of one team under the state directory; `{name}` is its name."""
    config: FileName
    manifest: FileName
    manifest_session: RelPath
    """Field of the manifest that names the leader's session."""
    inbox: RelPath
    """`{worker}` is the worker's name."""
    acknowledgement: RelPath
    inbox_text: Annotated[Said, SAYS]
    trigger: Annotated[Said, SAYS]
    session: FileName
    """The only session name that may be destroyed; `{name}` is the team's name."""
    grace_s: Grace
    interrupt_s: Annotated[Seconds, Read(facts=("timeout",))]
    name: NamePattern
    overlay: Overlay
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class OrchestratorTeam(Model):
    """A program of the plugin cancels a run; workers are its child processes."""

    kind: Annotated[Literal["orchestrator"], _KIND, Told(values=(("orchestrator", "by the plugin's own program"),))]
    program: RelPath
    reason: Said
    runs: RelPath
    run: NamePattern
    """Pattern of a run directory's name, which is the run's id."""
    manifest: FileName
    worker_program: FileName
    """A worker is a process of an interpreter that runs this file of the plugin …"""
    worker_config: FileName
    """… on this file, below its run's directory; whatever else names the file is no worker."""
    session: FileName
    """tmux session of a run; `{run}` is its id."""
    grace_s: Grace
    kill_s: Seconds
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class OrphanScan(Model):
    """A program of the plugin that looks for processes of one captured legacy team."""

    program: RelPath
    """Relative to the directory in which the product is installed, which a bundle that stands alone is not."""
    option: Said
    dry_run: Said
    name: NamePattern


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
    grace_s: Grace
    reconcile_s: Annotated[Seconds, Read(facts=("timeout",))]
    ask: Said
    """How the agent asks a teammate to shut down, for "ask each member …"."""
    ending: Said
    """What is left to do, or not to be done, once the members have answered."""
    scan: OrphanScan | None
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


class MessageTeam(Model):
    """Teammates answer messages; there is no timer."""

    kind: Annotated[Literal["message"], _KIND, Told(values=(("message", "by messages to them"),))]
    send: Said
    list: Said
    interrupt: Said
    dispose: Said
    dispose_since: Said
    """Which versions of the product have that tool."""
    registry: RelPath
    """`{run}` is the run's id."""
    run_state: RelPath
    report: Report
    report_left: Left = _LEFT
    report_cleared: Left = _CLEARED


Team = Annotated[NoTeam | TmuxTeam | OrchestratorTeam | NativeTeam | MessageTeam, Field(discriminator="kind")]


class Bridge(Model):
    """Files of worker daemons that bridge a team to MCP; paths relative to the state directory."""

    heartbeats: RelPath
    """`{team}` is the team's name; the last name is a pattern."""
    registry: RelPath
    session: FileName
    """tmux session of one worker: `{team}`, `{worker}`."""
