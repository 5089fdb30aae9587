"""From a hand-edited copy to a bundle, and ever after in sync: ten forks, walked whole."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from forks import CODEX, COMMANDS, COPILOT, FORKS, FORTY, REFERENCES, RUSSIAN, UNKNOWN, Wild, lay_out
from journey_world import Ran, Upstream, changed, git, lost, skillgen, tree

Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return partial(skillgen, capsys, monkeypatch)


def errors(run: Run, path: Path) -> tuple[list[str], set[str]]:
    """Return the grades, and the codes of all errors."""
    if not path.exists():
        return [], set()
    found = json.loads(run("audit", path, "--format", "json", "--no-shellcheck").out)["subjects"]
    codes = {one["code"] for subject in found for one in subject["findings"] if one["severity"] == "error"}
    return [subject["grade"] for subject in found], codes


@pytest.mark.slow
@pytest.mark.parametrize("wild", FORKS, ids=lambda wild: wild.name)
def test_a_copy_becomes_a_bundle_and_stays_in_sync(
    wild: Wild, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = Upstream(tmp_path / "upstream", monkeypatch)
    top = lay_out(wild, tmp_path / "fork")
    root = top / wild.root
    before, _ = errors(run, root / wild.skill)
    ran = run("adopt", "--safest", top)
    assert ran.code == 0, ran
    (flavor,) = (root / "flavors").glob("*.yaml")
    aside = root / "flavors" / f"{flavor.stem}.kept.md"

    # Only what is skillgen's changed.
    prefix = f"{wild.root}/" if wild.root else ""
    facts = f"flavors/{flavor.stem}.facts.json"  # what `watch --check` holds a newer text against
    mine = {f"flavors/{flavor.name}", f"flavors/{aside.name}", facts, "skillgen.lock", "commands/cancel.md"}
    for path in changed(top):
        assert path.removeprefix(prefix) in mine or path.startswith(f"{prefix}{wild.skill}/"), path
    assert (root / wild.skill / ".gitattributes").is_file()
    lock = (root / "skillgen.lock").read_text()
    assert (re.search(rf'skill: "?{wild.skill}"?\n', lock) is not None) == (wild.skill != "skills/cancel")
    assert "SKILL.md: 644" in lock and ".gitattributes" in lock

    # The grade is no worse, and no error is left.
    after, codes = errors(run, root / wild.skill)
    assert codes == set() and after == ["A"]
    assert not before or max(after) <= max(before)
    if (root / "commands/cancel.md").exists():
        assert errors(run, root / "commands/cancel.md")[1] == set()

    # Every sentence is in the bundle or put aside.
    now = "\n".join(
        path.read_text("utf-8", "replace") for path in [*(root / wild.skill).rglob("*"), aside] if path.is_file()
    )
    for name, text in wild.files.items():
        if name.startswith((f"{prefix}{wild.skill}/", f"{prefix}commands/cancel")) and not name.endswith(".bin"):
            assert lost(text, now) == [], name

    # Once more changes nothing, whichever of the two is run.
    done = tree(top)
    for command in (("adopt", top), ("sync", root), ("adopt", root / wild.skill), ("sync", root / wild.skill)):
        again = run(*command)
        assert again.code == 0 and tree(top) == done, (command, again)
    assert run("sync", "--check", root).code == 0
    git(top, "add", "-A")
    git(top, "commit", "-qm", "A bundle")

    # Three revisions later the house's own edit is there, and so is what changed.
    main = root / wild.skill / "SKILL.md"
    main.write_bytes(main.read_bytes() + b"\n## Our own\n\nThe house is told first.\n")
    upstream.replace("templates/cancel/skill.yaml", "\nstale_s: 7200\n", "\nstale_s: 14400\n")
    assert run("sync", "--check", root).code == 1
    assert run("sync", root).code == 0
    upstream.replace("templates/cancel/bundle/SKILL.md.j2", "\n## Rules\n", "\n## Rules of a cancel\n")
    text = flavor.read_text()
    flavor.write_text(re.sub(r"(?m)^revision: .*$", 'revision: "29990101"', text))
    assert run("sync", root).code == 0
    upstream.replace("templates/cancel/bundle/SKILL.md.j2", "\n## Rules of a cancel\n", "\n## What holds\n")
    assert run("sync", root).code == 0
    assert run("sync", "--check", root).code == 0
    said = main.read_bytes().decode()
    assert "The house is told first." in said and "## What holds" in said and "<<<<" not in said
    assert '"stale_s": 14400' in (root / wild.skill / "contract.json").read_text()
    for path in changed(top):
        assert path.removeprefix(prefix) in mine or path.startswith(f"{prefix}{wild.skill}/"), path


@pytest.mark.parametrize(("wild", "host"), [(COPILOT, "copilot"), (CODEX, "codex"), (FORTY, "claude-code")])
def test_host_author_and_licence_are_those_of_the_plugin_s_own_manifest(
    wild: Wild, host: str, tmp_path: Path, run: Run
) -> None:
    top = lay_out(wild, tmp_path / "fork")
    assert run("adopt", "--safest", top).code == 0
    contract = json.loads((top / "skills/cancel/contract.json").read_text())
    text = (top / "skills/cancel/SKILL.md").read_text()
    assert contract["host"]["id"] == host
    assert ("CLAUDE_SKILL_DIR" in text) == (host == "claude-code"), "what another host fills in is filled in by none"
    product = contract["product"]
    wanted = {"copilot": ("D", ""), "codex": ("W", ""), "claude-code": ("Acme People", "Apache-2.0")}[host]
    assert (product["author"], product["license"]) == wanted
    assert run("sync", "--check", top).code == 0


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"name": 3, "author": []}', '{"name": "../up"}', '{"homepage": "javascript:x"}']
)
def test_a_manifest_that_says_nonsense_says_nothing(text: str, tmp_path: Path, run: Run) -> None:
    top = lay_out(Wild("odd", FORTY.files | {".claude-plugin/plugin.json": text}), tmp_path / "fork")
    assert run("adopt", "--safest", top).code == 0
    assert [path.suffix for path in (top / "flavors").glob("*.yaml")] == [".yaml"]
    assert not (tmp_path / "up.yaml").exists()


def test_a_dry_run_shows_the_change_and_makes_none(tmp_path: Path, run: Run) -> None:
    top = lay_out(REFERENCES, tmp_path / "fork")
    before = tree(top)
    ran = run("adopt", "--dry-run", top)
    assert ran.code == 0 and tree(top) == before
    assert "-pkill -f fern-worker" in ran.out and "+skillgen-lock: 2" in ran.out
    assert "grade      D -> A" in ran.out or "-> A" in ran.out


def test_what_is_in_no_commit_is_not_replaced_unasked(tmp_path: Path, run: Run) -> None:
    top = lay_out(FORTY, tmp_path / "fork")
    skill = top / "skills/cancel/SKILL.md"
    skill.write_text(skill.read_text() + "\nA thought of this morning.\n")
    before = tree(top)
    ran = run("adopt", top)
    assert ran.code == 2 and tree(top) == before
    assert "skills/cancel/SKILL.md is in no commit as it is" in ran.err and "--uncommitted" in ran.err
    assert run("adopt", "--uncommitted", top).code == 0
    assert "A thought of this morning." in (top / "flavors/acme-flow.kept.md").read_text()


def test_a_script_that_something_else_of_the_plugin_names_stays(tmp_path: Path, run: Run) -> None:
    files = REFERENCES.files | {"hooks/hooks.json": '{"run": "${CLAUDE_PLUGIN_ROOT}/skills/cancel/scripts/sweep.sh"}\n'}
    top = lay_out(Wild("hooked", files), tmp_path / "fork")
    ran = run("adopt", top)
    assert ran.code == 0, ran
    assert (top / "skills/cancel/scripts/sweep.sh").exists()
    assert "scripts/sweep.sh: hooks/hooks.json names it" in ran.out
    assert run("sync", "--check", top).code == 0


def test_a_command_that_is_left_alone_keeps_its_findings_and_the_exit_code_says_so(tmp_path: Path, run: Run) -> None:
    top = lay_out(COMMANDS, tmp_path / "fork")
    ran = run("adopt", "--safest", "--keep-command", top)
    assert ran.code == 1
    assert (top / "commands/cancel.md").read_text() == COMMANDS.files["commands/cancel.md"]
    assert "SG202" in ran.out
    assert "command:" not in (top / "skillgen.lock").read_text()


def test_with_a_question_open_only_the_flavor_is_written_and_the_rest_after_the_last_answer(
    tmp_path: Path, run: Run
) -> None:
    top = lay_out(COMMANDS, tmp_path / "fork")
    ran = run("adopt", "--questions", tmp_path / "open.json", top)
    assert ran.code == 1 and changed(top) == {"flavors/moss.yaml"}, ran
    assert "`--force`" in ran.err and "flavors/moss.yaml" in ran.out
    assert len(json.loads((tmp_path / "open.json").read_text())["questions"]) == 1
    flavor = top / "flavors/moss.yaml"
    before = flavor.read_text()
    assert run("adopt", top).code == 1 and flavor.read_text() == before, "the second run changes nothing"
    flavor.write_text(before + "\n# Half way.\n")
    ran = run("adopt", top)
    assert ran.code == 1 and changed(top) == {"flavors/moss.yaml"}
    assert "moss.yaml:" in ran.err and "Which sessions does `--force` select" in ran.err
    answered = re.sub(r"scope:\n +unknown: .*\n +base: all\n +least: current\n", "scope: current\n", before)
    assert answered != before
    flavor.write_text(answered)
    assert run("adopt", top).code == 0
    assert flavor.read_text() == answered, "what a maintainer wrote stays byte for byte"
    assert run("sync", "--check", top).code == 0


def test_the_safest_answers_finish_what_an_open_question_held_up(tmp_path: Path, run: Run) -> None:
    top = lay_out(COMMANDS, tmp_path / "fork")
    assert run("adopt", top).code == 1
    assert run("adopt", "--safest", top).code == 0
    assert "(--safest)" in (top / "flavors/moss.yaml").read_text()
    assert run("sync", "--check", top).code == 0


def test_sync_says_of_an_edit_and_of_a_command_left_alone_how_they_are_graded_on_the_disk(
    tmp_path: Path, run: Run
) -> None:
    top = lay_out(COMMANDS, tmp_path / "fork")
    assert run("adopt", "--safest", "--keep-command", top).code == 1
    ran = run("sync", "--check", top)
    assert ran.code == 0 and "as it lies there: SG" in ran.out and "SG202" in ran.out
    git(top, "rm", "-q", "commands/cancel.md")
    assert "as it lies there" not in run("sync", "--check", top).out
    skill = top / "skills/cancel/SKILL.md"
    skill.write_text(skill.read_text() + "\nBe kind.\n")
    assert "as it lies there" not in run("sync", "--check", top).out, "an edit that breaks no rule"
    skill.write_text(skill.read_text() + "\n```bash\nrm -rf .moss/state/*\n```\n")
    ran = run("sync", "--check", top)
    assert ran.code == 0 and "as it lies there: SG205" in ran.out


def test_a_command_that_held_the_text_only_loads_the_skill(tmp_path: Path, run: Run) -> None:
    top = lay_out(COMMANDS, tmp_path / "fork")
    assert run("adopt", "--safest", top).code == 0
    command = (top / "commands/cancel.md").read_text()
    assert command.startswith("---\ndescription: Cancel any active MOSS mode\nargument-hint: '[--force]'\n---\n")
    assert "skills/cancel/SKILL.md" in command and "$ARGUMENTS" in command and "tmux" not in command
    assert "    command: commands/cancel.md\n" in (top / "skillgen.lock").read_text()


def test_with_o_only_the_flavor_is_written(tmp_path: Path, run: Run) -> None:
    top = lay_out(FORTY, tmp_path / "fork")
    assert run("adopt", top / "skills/cancel", "-o", top / "flavors/acme.yaml").code == 0
    assert changed(top) == {"flavors/acme.yaml"}


@pytest.mark.parametrize("link", ["skills", "skills/cancel", "skills/cancel/SKILL.md", "flavors"])
def test_nothing_is_written_through_a_link(link: str, tmp_path: Path, run: Run) -> None:
    top = lay_out(FORTY, tmp_path / "fork")
    away = tmp_path / "away"
    if (top / link).exists():
        (top / link).rename(away)
    else:
        away.mkdir()
    (top / link).symlink_to(away)
    git(top, "add", "-A")
    git(top, "commit", "-qm", "A link")
    before = tree(tmp_path)
    assert run("adopt", top).code == 2
    assert tree(tmp_path) == before


def test_several_skills_are_named_with_the_command_that_takes_one(tmp_path: Path, run: Run) -> None:
    files = FORTY.files | {"plugins/knit/skills/cancel/SKILL.md": FORTY.files["skills/cancel/SKILL.md"]}
    top = lay_out(Wild("two", files), tmp_path / "fork")
    ran = run("adopt", top)
    assert ran.code == 2 and "skillgen adopt" in ran.err and "plugins/knit/skills/cancel" in ran.err
    assert changed(top) == set()


@pytest.mark.parametrize(
    ("files", "root", "skill"),
    [
        ({"zonk.toml": 'name = "reed"\n'}, "", "agent/skills/cancel"),
        ({"zonk.toml": '[tool]\nname = "reed"\n'}, "agent", "skills/cancel"),
        ({"reed.yaml": "name: reed\n"}, "", "agent/skills/cancel"),
        ({".zonk/plugin.json": '{"name": "reed"}'}, "", "agent/skills/cancel"),
        ({"agent/reed.json": '{"name": "reed"}', "zonk.toml": 'name = "all"\n'}, "agent", "skills/cancel"),
        ({"package.json": '{"name": "all"}'}, "agent", "skills/cancel"),
        ({"zonk.json": "[broken"}, "agent", "skills/cancel"),
        (
            {"zonk.toml": 'name = "x"\n', "agent/.claude-plugin/plugin.json": '{"name": "reed"}'},
            "agent",
            "skills/cancel",
        ),
    ],
)
def test_the_lock_lies_where_a_manifest_of_whatever_host_names_the_plugin(
    files: dict[str, str], root: str, skill: str, tmp_path: Path
) -> None:
    from skillgen.load.copies import find_copy

    text = UNKNOWN.files["agent/skills/cancel/SKILL.md"]
    top = lay_out(Wild("one", {**files, "agent/skills/cancel/SKILL.md": text}), tmp_path / "fork")
    copy = find_copy(str(top))
    assert (os.path.relpath(copy.root, top), copy.skill) == (root or ".", skill)


def test_a_manifest_outside_the_repository_names_no_plugin_in_it(tmp_path: Path) -> None:
    from skillgen.load.copies import find_copy

    (tmp_path / "zonk.toml").write_text('name = "x"\n')
    top = lay_out(Wild("one", {"agent/skills/cancel/SKILL.md": "x\n"}), tmp_path / "fork")
    assert os.path.relpath(find_copy(str(top)).root, top) == "agent"


def test_a_product_that_tells_of_cancelling_in_agents_md_alone_is_told_what_to_do(tmp_path: Path, run: Run) -> None:
    top = lay_out(Wild("told", {"AGENTS.md": "# Agents\n\n## Cancel\n\nCall state_clear.\n"}), tmp_path / "fork")
    ran = run("adopt", top)
    assert ran.code == 2
    assert "move what AGENTS.md says of cancelling into skills/cancel/SKILL.md" in ran.err
    assert changed(top) == set()


def test_another_skill_of_a_fork_is_not_taken_for_the_fork(tmp_path: Path, run: Run) -> None:
    top = lay_out(UNKNOWN, tmp_path / "fork")
    assert run("adopt", "--safest", top).code == 0
    assert run("sync", "--check", top / "agent/skills/cancel").code == 0
    ran = run("sync", "--check", top / "agent/skills/row")
    assert ran.code == 2 and "there is no skillgen.lock" in ran.err


def test_what_is_put_aside_claims_no_word_for_the_bundle_that_the_bundle_does_not_say(tmp_path: Path, run: Run) -> None:
    top = lay_out(RUSSIAN, tmp_path / "fork")
    assert run("adopt", "--safest", top).code == 0
    kept = (top / "flavors/yolka.kept.md").read_text("utf-8")
    # The text lets `--force` reach every session; the safest answer does not.
    assert json.loads((top / "skills/cancel/contract.json").read_text("utf-8"))["flags"]["force"]["scope"] == "current"
    assert "Флаг `--force` удаляет состояние всех сессий." in kept
    assert "the bundle states itself" not in kept
    (reason,) = [line for line in kept.splitlines() if line.startswith("<!-- line 12:")]
    assert "what nobody can be sure of; the bundle does the milder thing" in reason
