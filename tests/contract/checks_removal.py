"""Hold what a rendered text removes, keeps and stops against the contract: global pass, preserved paths, teams."""

from __future__ import annotations

from collections.abc import Iterator

from skill_text import Bundle, plain, spans

from skillgen.model.contract import Contract
from skillgen.model.global_pass import Artifact, Kept
from skillgen.model.team import MessageTeam, NativeTeam, OrchestratorTeam, TmuxTeam

#: What stands behind an artifact that is removed under a condition.
CONDITIONS = {
    "file": "",
    "tree": "",
    "empty-directory": "when it is empty",
    "pid": "once its process is gone or is not ours",
}


def state_directory(contract: Contract) -> str:
    root = contract.root
    return root.directory if root.kind == "database" else f"{root.directory}/{root.state}"


def shown(thing: Artifact | Kept) -> str:
    return thing.path + ("" if thing.kind in ("file", "pid") else "/")


def the_global_pass_removes_exactly_the_list(bundle: Bundle, contract: Contract) -> Iterator[str]:
    section = bundle.text("references/global-pass.md").section("What the pass may remove")
    state = state_directory(contract)
    expected = [f"{state}/{shown(one)} {CONDITIONS[one.kind]}".strip() for one in contract.global_pass.artifacts]
    if contract.global_pass.captured_teams and contract.bridge:
        bridge = contract.bridge
        expected.append(
            f"{state}/{bridge.heartbeats.replace('{team}', '<team>')} and the entries of {state}/{bridge.registry}, for teams of the captured sessions only"
        )
    told = [plain(item) for item in section.items]
    if contract.global_pass.artifacts and contract.store.kind == "rows":
        if not told or "rows of the empty-session slot" not in told[-1]:
            yield "rows of the empty-session slot are missing"
        told = told[:-1]
    if told != expected:
        yield f"the list differs: {sorted(set(told) ^ set(expected)) or 'in its order'}"


def what_is_kept_is_listed_and_guarded(bundle: Bundle, contract: Contract) -> Iterator[str]:
    section = bundle.text("references/global-pass.md").section("What is never removed")
    told = [plain(item) for item in section.items]
    expected = [f"{shown(one)}: {one.what}" if one.what else shown(one) for one in contract.kept]
    if told != expected:
        yield f"global-pass.md: kept differs: {sorted(set(told) ^ set(expected)) or 'in its order'}"
    guards = [item for item in bundle.main.section("Rules").items if plain(item).startswith("No flag removes")]
    found = [span for item in guards for span in spans(item)]
    if found != [shown(one) for one in contract.kept]:
        yield f"SKILL.md: no flag removes {found}"


def nothing_kept_is_removed(bundle: Bundle, contract: Contract) -> Iterator[str]:
    text = bundle.text("references/global-pass.md")
    kept = [span for item in text.section("What is never removed").items for span in spans(item)[:1]]
    for item in text.section("What the pass may remove").items:
        for span in spans(item):
            yield from (
                f"{span} is removed and kept"
                for path in kept
                if span == path or span.startswith(path.rstrip("/") + "/")
            )


def the_pass_waits_for_every_session(bundle: Bundle, contract: Contract) -> Iterator[str]:
    if not contract.global_pass.artifacts:
        return
    told = bundle.text("references/global-pass.md").text
    gate = "asks for this gate" if contract.global_pass.gate == "every-session" else "clears without that gate"
    if gate not in told:
        yield f"global-pass.md does not say {gate!r}"
    swept = "text sweeps team files" in told
    if swept != (contract.global_pass.uncaptured_teams == "swept"):
        yield f"global-pass.md is wrong about team files that are {contract.global_pass.uncaptured_teams}"
    everything = bundle.main.section("All sessions").text
    if "only if all succeeded" not in everything or "bars the global pass" not in everything:
        yield "SKILL.md: the pass is not barred by a failure"


def the_bridge_is_named_exactly(bundle: Bundle, contract: Contract) -> Iterator[str]:
    section = bundle.text("references/team.md").section("Workers behind MCP")
    if contract.bridge is None:
        if section.nodes:
            yield "team.md speaks of MCP workers"
        return
    state, bridge = state_directory(contract), contract.bridge
    for name in (f"{state}/{bridge.heartbeats}", f"{state}/{bridge.registry}", bridge.session):
        if name.replace("{", "<").replace("}", ">") not in section.spans:
            yield f"team.md: {name} is missing"


def teams_are_stopped_as_the_contract_says(bundle: Bundle, contract: Contract) -> Iterator[str]:
    short, full = bundle.main.section("Team"), bundle.text("references/team.md")
    team = contract.team
    wanted: list[str] = []
    both: list[str] = []
    times: list[str] = []
    if isinstance(team, TmuxTeam):
        directory = f"{state_directory(contract)}/{team.directory.replace('{team}', '<team>')}"
        wanted = [
            team.manifest,
            team.manifest_session.replace("/", "."),
            team.overlay.file,
            f"{directory}/{team.config}",
        ]
        both = [
            *wanted,
            team.inbox.replace("{worker}", "<worker>"),
            f'tmux kill-session -t "={team.session.replace("{team}", "<team>")}"',
            team.trigger,
            team.acknowledgement.replace("{worker}", "<worker>"),
            team.overlay.start,
            team.overlay.end,
            team.name,
        ]
        times = [f"{team.grace_s} s", f"{team.interrupt_s} s"]
    elif isinstance(team, OrchestratorTeam):
        wanted = [f"{team.runs}/<run_id>", "--team-root DIR"]
        both = [
            "--team-root DIR",
            f"{team.runs}/<run_id>/",
            f'python3 "<product>/{team.program}" cancel <run_id> --reason "{team.reason}"',
            team.program,
            team.worker_program,
            team.worker_config,
            team.run,
            team.manifest,
            team.session.replace("{run}", "<run_id>"),
        ]
        times = [f"{team.grace_s} s"]
    elif isinstance(team, NativeTeam):
        times = [f"{team.grace_s} s", f"{team.reconcile_s} s"]
        wanted = ["--team-confirmed", "--responded NAME", "--silent NAME"]
        both = [*wanted, team.name_field, f"~/{team.members_home}/", f"~/{team.tasks_home}/"]
        if team.scan:
            both += [team.scan.name, team.scan.dry_run, team.scan.program]
            program = f'node "<product>/{team.scan.program}" {team.scan.option} "<captured_team_name>"'
            if not any(fence.content.startswith(program) for fence in full.fences):
                yield "team.md: the scan is missing"
        for sentence in (team.ask, team.ending):
            if " ".join(sentence.replace("`", "").split()) not in short.text:
                yield f"SKILL.md: {sentence!r} is missing"
    elif isinstance(team, MessageTeam):
        wanted = [team.list, team.interrupt, team.send, f"{contract.root.directory}/{team.run_state}"]
        wanted += ["--team-confirmed", "--responded NAME", "--silent NAME"]
        both = [*wanted, f"{contract.root.directory}/{team.registry.replace('{run}', '<runId>')}"]
        if not any(span.startswith(f"{team.dispose}(") for span in short.spans):
            yield f"SKILL.md: {team.dispose} is missing"
    yield from (f"SKILL.md, Team: {name} is missing" for name in wanted if name not in short.spans)
    yield from (f"team.md: {name} is missing" for name in both if name not in full.spans)
    for time in times:
        yield from (
            f"{name}: the time {time} is missing"
            for name, told in (("SKILL.md", short.text), ("team.md", full.text))
            if f" {time}" not in told
        )


CHECKS = (
    the_global_pass_removes_exactly_the_list,
    what_is_kept_is_listed_and_guarded,
    nothing_kept_is_removed,
    the_pass_waits_for_every_session,
    the_bridge_is_named_exactly,
    teams_are_stopped_as_the_contract_says,
)
