"""Build what was adopted and run it: it works where the text keeps its state and does what the text says."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from skillgen.cli.main import cli
from skillgen.load.flavors import parse_mapping
from skillgen.model.node import plain

FLAT = """\
---
name: cancel
description: Cancel any active Otter mode (dive, float). Use when the user asks to stop one.
---
# Cancel

`/otter:cancel` ends the active Otter mode.

| Mode | Record | What happens |
|---|---|---|
| Dive | `.otter/dive-state.json` | cleared |
| Float | `.otter/float-state.json` | cleared |

## Cancel order

1. Float
2. Dive

## If Dive Active

`state_clear(mode="dive", session_id="<session_id>")`

## If Float Active

`state_clear(mode="float", session_id="<session_id>")`

Session records lie in `.otter/sessions/<session_id>/`.

## Messages

| Mode | Message |
|---|---|
| Dive | "Dive cancelled. Back at the surface." |
| Float | "Float cancelled." |
"""

TEAM = """\
---
name: cancel
description: Cancel any active Heron mode (wade, ralph, team). Use when the user asks to stop one.
---
# Cancel

`/heron:cancel` ends the active Heron mode. Records are `.heron/state/sessions/<session_id>/<mode>-state.json`.

1. Team (tmux workers): send C-c to each pane, wait up to 15 s, then `tmux kill-session -t "=heron-<name>"`
2. Ralph
3. Wade

Call `state_clear(mode="<mode>", session_id="<session_id>")` for each.
"""


def run(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, list(arguments), standalone_mode=False)
    assert result.exception is None, result.exception
    return result


@pytest.fixture
def bundle(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Adopt and build the text that the test names; return the skill's directory."""
    text, *options = request.param
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(text, encoding="utf-8")
    (tmp_path / "flavors").mkdir()
    run("adopt", str(source), "-o", str(tmp_path / "flavors" / "fork.yaml"), "--safest", *options)
    run("build", "--flavor", "fork", "--flavors", str(tmp_path / "flavors"), "--out", str(tmp_path / "dist"))
    assert "grade A" in run("audit", str(tmp_path / "dist" / "fork"), "--no-shellcheck").output
    return tmp_path / "dist" / "fork" / "skills" / "cancel"


def cancel(bundle: Path, workspace: Path, *arguments: str) -> dict[str, Any]:
    script = [sys.executable, str(bundle / "scripts" / "cancel.py"), "--json", *arguments]
    ran = subprocess.run(script, cwd=workspace, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def record(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"active": true, "session_id": "s1"}', encoding="utf-8")
    return path


_PROGRAMS = [
    "bash",
    "cat",
    "cp",
    "date",
    "dirname",
    "git",
    "grep",
    "head",
    "ls",
    "mkdir",
    "mv",
    "od",
    "rm",
    "sed",
    "tr",
    "wc",
    "sync",
]


def without_python(bundle: Path, work: Path, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run cancel.sh where there is no python3."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in _PROGRAMS:
        for place in ("/usr/bin", "/bin"):
            if (Path(place) / name).exists():
                (tools / name).symlink_to(Path(place) / name)
                break
    script = ["bash", str(bundle / "scripts" / "cancel.sh"), *arguments]
    environment = {"PATH": str(tools), "HOME": str(tmp_path)}
    return subprocess.run(script, cwd=work, capture_output=True, text=True, env=environment, check=False)


@pytest.mark.parametrize("bundle", [(FLAT, "--base", "pep")], indirect=True)
def test_records_in_the_root_itself_are_found_there(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    mine = record(work / ".otter" / "sessions" / "s1" / "dive-state.json")
    decoy = record(work / ".otter" / "state" / "sessions" / "s1" / "float-state.json")
    found = cancel(bundle, work, "--session-id", "s1")
    assert [mode["message"] for mode in found["sessions"][0]["modes"]] == ["Dive cancelled. Back at the surface."]
    assert not mine.exists() and decoy.exists()
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    assert "`.otter/sessions/<session_id>/<mode>-state.json`" in text


@pytest.mark.parametrize("bundle", [(FLAT, "--base", "pep")], indirect=True)
def test_records_in_the_root_itself_are_found_without_python(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    mine = record(work / ".otter" / "sessions" / "s1" / "dive-state.json")
    ran = without_python(bundle, work, tmp_path, "--session-id", "s1")
    assert (ran.returncode, mine.exists()) == (0, False), ran.stderr
    assert "Dive cancelled. Back at the surface." in ran.stdout


@pytest.mark.parametrize(
    "bundle", [(FLAT, "--base", base) for base in ("rcs", "omni", "omd", "pep", "omc")], indirect=True
)
def test_a_text_without_a_team_has_none_on_any_base(bundle: Path) -> None:
    assert not (bundle / "references" / "team.md").exists()
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    assert "## Team" not in text and "teammate" not in text and "Workers stop first" not in text
    order = text.split("## Cancel order")[1]
    assert order.index("**Float**") < order.index("**Dive**")


BARE = """\
---
name: cancel
description: Cancel any active Finch mode (hop, glide). Use when the user asks to stop one.
---
# Cancel

Say `/finch:cancel`. Each active Finch mode has a record in `.finch/state/`:

- **Hop**: delete `.finch/state/hop-state.json`
- **Glide**: delete `.finch/state/glide-state.json`
"""


@pytest.mark.parametrize("bundle", [(BARE, "--base", base) for base in ("rcs", "omd", "pep", "omc")], indirect=True)
def test_a_text_that_names_no_tool_gets_none(bundle: Path, tmp_path: Path) -> None:
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    assert "state_" not in text and "`--mode hop`" in text
    assert "None is called here" in (bundle / "references" / "state.md").read_text(encoding="utf-8")
    work = tmp_path / "work"
    mine = record(work / ".finch" / "state" / "hop-state.json")
    found = cancel(bundle, work, "--mode", "hop")
    assert (found["complete"], mine.exists()) == (True, False)


@pytest.mark.parametrize("bundle", [(BARE, "--base", base) for base in ("rcs", "omd", "pep", "omc")], indirect=True)
@pytest.mark.parametrize("arguments", [(), ("--force",)])
def test_records_of_a_product_without_sessions_end_whatever_session_the_host_names(
    bundle: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    for variable in ("CLAUDE_CODE_SESSION_ID", "CLAUDE_SESSION_ID", "CODEX_SESSION_ID", "SESSION_ID"):
        monkeypatch.setenv(variable, "s1")
    work = tmp_path / "work"
    records = [record(work / ".finch" / "state" / f"{mode}-state.json") for mode in ("hop", "glide")]
    found = cancel(bundle, work, *arguments)
    assert [mode["mode"] for mode in found["sessions"][0]["modes"]] == ["hop", "glide"]
    assert not any(path.exists() for path in records)


@pytest.mark.parametrize("bundle", [(BARE, "--base", base) for base in ("rcs", "omd", "pep", "omc")], indirect=True)
def test_a_product_without_sessions_is_told_of_none(bundle: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (bundle / "SKILL.md", *(bundle / "references").iterdir())]
    said = [line for text in texts for line in text.splitlines() if "session" in line]
    assert all("keeps no sessions" in line for line in said), said
    assert "`.finch/state/<mode>-state.json`" in texts[0]


@pytest.mark.parametrize("bundle", [(BARE, "--base", "pep")], indirect=True)
def test_a_session_named_to_a_product_without_sessions_is_refused(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    mine = record(work / ".finch" / "state" / "hop-state.json")
    script = [sys.executable, str(bundle / "scripts" / "cancel.py"), "--session-id", "s1"]
    ran = subprocess.run(script, cwd=work, capture_output=True, text=True, check=False)
    assert (ran.returncode, mine.exists()) == (2, True)
    assert "keeps no sessions" in ran.stderr


@pytest.mark.parametrize("bundle", [(BARE, "--base", "pep")], indirect=True)
def test_a_record_without_sessions_is_removed_without_python(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    mine = record(work / ".finch" / "state" / "hop-state.json")
    ran = without_python(bundle, work, tmp_path)
    assert (ran.returncode, mine.exists()) == (0, False), ran.stderr
    assert "Hop cancelled." in ran.stdout


@pytest.mark.parametrize("bundle", [(TEAM, "--base", "rcs")], indirect=True)
def test_workers_are_not_stopped_by_another_products_files(bundle: Path, tmp_path: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert contract["team"] == {"kind": "none"}
    assert contract["modes"]["team"]["action"] == "clear"
    said = "Nothing here stops its workers; see first that they have ended."
    assert said in (bundle / "SKILL.md").read_text(encoding="utf-8")
    written = (tmp_path / "flavors" / "fork.yaml").read_text(encoding="utf-8")
    assert "workers of team are stopped by tmux" in written.split("# Could not be placed")[1]


def test_without_an_order_the_file_says_whose_it_is(tmp_path: Path) -> None:
    text = TEAM.replace(
        '1. Team (tmux workers): send C-c to each pane, wait up to 15 s, then `tmux kill-session -t "=heron-<name>"`\n2. Ralph\n3. Wade\n',
        "",
    )
    written = _adopted(tmp_path, text + "\n`.heron/state/wade-state.json`, `.heron/state/ralph-state.json`\n")
    assert "# The text gives no order; this one is the base's for what both have" in written


def test_a_mode_that_lives_in_the_text_is_no_remnant(tmp_path: Path) -> None:
    text = TEAM.replace("Wade", "Ultrawork").replace("wade", "ultrawork")
    values = _values(_adopted(tmp_path, text, "--base", "omc"))
    assert values["modes"]["ultrawork"]["retired"] is False
    assert values["modes"]["ultrawork"]["title"] == "Ultrawork"


def test_a_label_left_by_another_product_names_nothing(tmp_path: Path) -> None:
    text = TEAM.replace("active Heron mode", "active OMC mode")
    written = _adopted(tmp_path, text, "--base", "omc")
    assert _values(written)["product"]["name"] == "heron"
    assert "the label OMC" in written.split("# Could not be placed")[1]


def test_a_prefix_of_another_product_is_no_way_to_call_this_one(tmp_path: Path) -> None:
    written = _adopted(tmp_path, TEAM + "\nIn older texts: `/pepcode:cancel`, or plain `/cancel`.\n", "--base", "omc")
    command = _values(written)["command"]
    assert (command["form"], command["upstream"]) == ("/heron:cancel", ("/cancel",))
    assert "the command /pepcode:cancel" in written.split("# Could not be placed")[1]


def test_front_matter_of_the_base_does_not_reach_another_product(tmp_path: Path) -> None:
    front = _values(_adopted(tmp_path, TEAM, "--base", "rcs"))["front"]
    assert set(front["metadata"]) == {"surface-class", "domain", "audience", "artifact-type"}
    assert set(front["metadata"].values()) == {None}


def _adopted(tmp_path: Path, text: str, *options: str) -> str:
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(text, encoding="utf-8")
    target = tmp_path / "fork.yaml"
    run("adopt", str(source), "-o", str(target), *options)
    return target.read_text(encoding="utf-8")


def _values(written: str) -> Any:
    node = parse_mapping("fork.yaml", written.encode(), [])
    assert node is not None
    return plain(node)


SLOTS = """\
---
name: cancel
description: Cancel any active Wren mode (perch, soar, team). Use when the user asks to stop one.
---
# Cancel

`/wren:cancel` ends the active Wren mode of this session.

1. Perch: `state_clear(mode="perch", session_id="<session_id>")`
2. Soar: `state_write(mode="soar", session_id="<session_id>", active=false)`, which keeps its record for a resume
3. Team: ask every worker to stop, then `state_write(mode="team", session_id="<session_id>", active=false)`

`/wren:cancel --force` does the same for every session.

| Mode | Message |
|---|---|
| Perch | "Perch cancelled." |
| Soar | "Soar cancelled. Go on with `/wren:soar`." |
"""


@pytest.mark.parametrize("bundle", [(SLOTS, "--base", "pep")], indirect=True)
def test_all_is_not_called_cleared_while_a_record_of_the_root_is_active(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    left = work / ".wren" / "state" / "perch-state.json"
    left.parent.mkdir(parents=True)
    left.write_text('{"active": true}', encoding="utf-8")
    script = [sys.executable, str(bundle / "scripts" / "cancel.py"), "--force"]
    ran = subprocess.run(script, cwd=work, capture_output=True, text=True, check=False)
    assert (ran.returncode, left.exists()) == (1, True)
    assert "modes cleared" not in ran.stdout and f"{left} is active in the root slot" in ran.stdout


@pytest.mark.parametrize(
    "bundle",
    [(SLOTS.replace("every session.", "every session and legacy state files."), "--base", "pep")],
    indirect=True,
)
def test_records_of_the_root_go_in_the_global_pass_of_a_text_that_says_so(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    left = work / ".wren" / "state" / "perch-state.json"
    left.parent.mkdir(parents=True)
    left.write_text('{"active": true}', encoding="utf-8")
    found = cancel(bundle, work, "--force")
    assert (found["complete"], left.exists()) == (True, False)


@pytest.mark.parametrize("bundle", [(SLOTS, "--base", "omc")], indirect=True)
def test_a_command_in_the_message_of_what_is_kept_resumes_it(bundle: Path) -> None:
    text = (bundle / "references" / "modes.md").read_text(encoding="utf-8")
    assert "| Soar | its record | `/wren:soar` |" in text


@pytest.mark.parametrize("bundle", [(SLOTS, "--base", "omc")], indirect=True)
def test_a_record_that_stays_is_called_kept(bundle: Path) -> None:
    text = (bundle / "references" / "modes.md").read_text(encoding="utf-8")
    assert "Ends Team and keeps its record, inactive." in text
    assert "| Team | its record | none |" in text


@pytest.mark.parametrize(
    "bundle",
    [(BARE.replace("Say `", "hop: 세션 종료, 상태 초기화. 분석 세션도 끝납니다. Say `"), "--base", "omc")],
    indirect=True,
)
def test_nothing_is_said_of_how_programs_of_the_base_write(bundle: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert contract["identity"] == {"kind": "none"}
    assert contract["store"]["lock"] == {"kind": "directory"} and not contract["store"]["adopt_owned"]
    assert contract["fallback"]["never"] == []


@pytest.mark.parametrize(
    "bundle", [(SLOTS.replace("perch", "swarm").replace("Perch", "Swarm"), "--base", "rcs")], indirect=True
)
def test_a_record_that_the_text_clears_by_a_tool_is_known_to_it(bundle: Path) -> None:
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    assert "**Swarm**: clear `swarm`" in text


NATIVE = """\
---
name: cancel
description: Cancel any active WAGTAIL mode (nest, team). Use when the user asks to stop one.
---
# Cancel

`/cancel` ends the active WAGTAIL mode of this session. Load the tools with
`ToolSearch(query="select:mcp__plugin_oh-my-wagtail_t__state_clear,mcp__plugin_oh-my-wagtail_t__state_read")`.

1. Nest: `state_clear(mode="nest", session_id="<session_id>")`
2. Team (native): its members stand in `~/.wagtail-host/teams/`, its tasks in `~/.wagtail-host/tasks/`

Records are `.wagtail/state/sessions/<session_id>/<mode>-state.json`.

## If Team Active

Call `SendMessage(type: "shutdown_request", recipient: "<member>", content: "Cancelling")` for each member, wait up to 15 s,
then look for what is left:

```bash
node "${WAGTAIL_ROOT}/scripts/cleanup-orphans.mjs" --team-name "{team_name}"
```

`state_clear(mode="team", session_id="<session_id>")`
"""


@pytest.mark.parametrize("bundle", [(NATIVE, "--base", "omc")], indirect=True)
def test_a_server_in_the_name_of_a_tool_gives_the_plugins_name(bundle: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert (contract["plugin"]["name"], contract["product"]["name"]) == ("oh-my-wagtail", "WAGTAIL")
    assert "mcp__plugin_oh-my-wagtail_t__state_clear" in (bundle / "SKILL.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("bundle", [(NATIVE, "--base", base) for base in ("pep", "omc")], indirect=True)
def test_teams_lie_where_the_text_says(bundle: Path) -> None:
    texts = [path.read_text(encoding="utf-8") for path in (bundle / "SKILL.md", *(bundle / "references").iterdir())]
    assert not any(".claude/" in text for text in texts)
    assert "`~/.wagtail-host/teams/`" in (bundle / "references" / "team.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("bundle", [(NATIVE, "--base", "omc")], indirect=True)
def test_a_program_of_the_product_is_looked_for_where_the_product_is(bundle: Path) -> None:
    text = (bundle / "references" / "team.md").read_text(encoding="utf-8")
    assert '"<product>/scripts/cleanup-orphans.mjs"' in text
    assert "WAGTAIL_ROOT" not in text, "a plugin root is the bundle's own, which does not hold the program"


@pytest.mark.parametrize("bundle", [(NATIVE, "--base", "rcs")], indirect=True)
def test_what_the_tools_of_the_base_do_is_listed_for_checking(bundle: Path, tmp_path: Path) -> None:
    written = (tmp_path / "flavors" / "fork.yaml").read_text(encoding="utf-8")
    listed = written.split("# The text does not say this")[1]
    assert "tools.clear_without_session: current" in listed and "tools.write: merge" in listed


TMUX = """\
---
name: cancel
description: Cancel any active Dunlin mode (probe, team). Use when the user asks to stop one.
---
# Cancel

`/dunlin:cancel` ends what runs: every tmux session named `dunlin-<name>`, then the state.

| Mode | What is saved | Where |
|---|---|---|
| probe | its phase | `.dunlin/state/probe-state.json` |
| team | the list of tasks | `.dunlin/state/team-log.md` |

```bash
tmux list-sessions -F "#{session_name}" | grep dunlin
```

- Probe: stop the loop.
- Team: stop the workers with `tmux kill-session -t "=dunlin-<name>"`.

State files are kept for a resume.

## Force clear

With `--force`, remove the state files:

```bash
rm -f .dunlin/state/probe-state.json
```
"""


@pytest.mark.parametrize("bundle", [(TMUX, "--base", base) for base in ("pep", "rcs")], indirect=True)
def test_sessions_of_tmux_are_no_sessions_of_the_product(bundle: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert contract["identity"] == {"kind": "none"}


@pytest.mark.parametrize("bundle", [(TMUX, "--base", base) for base in ("pep", "rcs")], indirect=True)
def test_nothing_is_called_kept_that_force_removes(bundle: Path) -> None:
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    kept = next((line for line in text.splitlines() if line.startswith("- No flag removes")), "")
    assert "probe-state.json" not in kept


@pytest.mark.parametrize("bundle", [(TMUX, "--base", base) for base in ("pep", "rcs")], indirect=True)
def test_a_mode_whose_record_nothing_removes_keeps_it(bundle: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert {mode["action"] for mode in contract["modes"].values()} == {"deactivate"}


@pytest.mark.parametrize(
    "bundle",
    [(NATIVE.replace("~/.wagtail-host/", "~/.copilot/"), "--base", base) for base in ("pep", "omc")],
    indirect=True,
)
def test_a_home_of_another_known_host_makes_a_bundle_for_it(bundle: Path) -> None:
    plugin = bundle.parents[1]
    assert (plugin / "plugin.json").exists() and not (plugin / ".claude-plugin").exists()
    assert "Claude" not in (bundle / "references" / "state.md").read_text(encoding="utf-8")


MARKED = """\
---
name: cancel
description: Cancel any active Plover mode (autopilot, swarm). Use when the user asks to stop one.
---
# Cancel

`/plover:cancel` ends the active Plover mode; `/plover:cancel --force` all of them.

1. Autopilot
2. Swarm

Records: `.plover/state/autopilot-state.json` → Autopilot, `.plover/state/swarm.db` → Swarm.

## Swarm

```bash
sqlite3 .plover/state/swarm.db "UPDATE swarm_session SET active = 0;"
echo "Swarm cancelled. $DONE_TASKS of $TOTAL_TASKS tasks were done."
```

## Force clear

- `.plover/state/autopilot-state.json`
- `.plover/state/swarm.db`
"""


@pytest.mark.parametrize("bundle", [(MARKED, "--base", "pep")], indirect=True)
def test_a_mode_that_shows_by_a_database_alone_ends_in_the_global_pass(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    database = record(work / ".plover" / "state" / "swarm.db")
    assert "Swarm is active and has no record of its own" in cancel(bundle, work)["warnings"][0]
    assert database.exists()
    assert cancel(bundle, work, "--force")["complete"] and not database.exists()
    text = (bundle / "SKILL.md").read_text(encoding="utf-8")
    assert "**Swarm**: it has no record of its own; only the global pass stops it," in text


@pytest.mark.parametrize("bundle", [(MARKED, "--base", "pep")], indirect=True)
def test_no_message_holds_a_variable_that_only_a_shell_would_fill(bundle: Path) -> None:
    contract = json.loads((bundle / "contract.json").read_text(encoding="utf-8"))
    assert contract["modes"]["swarm"]["message"] == "Swarm cancelled."


def test_what_the_flavor_takes_over_is_not_called_left_behind(tmp_path: Path) -> None:
    source = tmp_path / "SKILL.md"
    source.write_text(BARE.replace(".finch/", ".omc/"), encoding="utf-8")
    run("adopt", str(source), "-o", str(tmp_path / "fork.yaml"))
    written = (tmp_path / "fork.yaml").read_text(encoding="utf-8")
    checked, _, left = written.partition("# Not carried over")
    assert "root.directory: .omc is another product's" in checked
    assert "SG608" not in left


@pytest.mark.parametrize("bundle", [(BARE.replace("-state.json", ".mode.json"), "--base", "pep")], indirect=True)
def test_records_are_called_as_in_the_text(bundle: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    mine = record(work / ".finch" / "state" / "hop.mode.json")
    assert [mode["mode"] for mode in cancel(bundle, work)["sessions"][0]["modes"]] == ["hop"]
    assert '"active": true' not in (mine.read_text(encoding="utf-8") if mine.exists() else "")
    assert "`.finch/state/<mode>.mode.json`" in (bundle / "SKILL.md").read_text(encoding="utf-8")


def test_modes_that_share_one_record_make_no_flavor(tmp_path: Path) -> None:
    text = "\n".join(line for line in BARE.splitlines() if "delete" not in line)
    source = tmp_path / "SKILL.md"
    source.write_text(
        f"{text}\nSet `active` to false for hop or glide in `.finch/state/active-modes.json`.\n\n- **Hop**\n- **Glide**\n",
        encoding="utf-8",
    )
    arguments = ["adopt", str(source), "--base", "pep", "-o", str(tmp_path / "fork.yaml")]
    result = CliRunner().invoke(cli, arguments, standalone_mode=False)
    assert "share the record active-modes.json" in str(result.exception), result.output
    assert not (tmp_path / "fork.yaml").exists()
