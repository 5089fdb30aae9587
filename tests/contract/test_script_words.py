"""What the text says of the scripts is what the scripts do."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bundles import contract, flavors, shipped
from skill_text import spans

by_flavor = pytest.mark.parametrize("flavor", flavors())


def run(command: list[str], where: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in an empty project of a user who has nothing else."""
    project, home = where / "project", where / "home"
    project.mkdir(exist_ok=True)
    home.mkdir(exist_ok=True)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home)}
    return subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def script(flavor: str, name: str = "cancel.py") -> list[str]:
    path = shipped(flavor).skill.resolve() / "scripts" / name
    return ["python3" if name.endswith(".py") else "bash", str(path)]


def told(flavor: str) -> list[str]:
    """Return the arguments that the table in state.md explains."""
    section = shipped(flavor).text("references/state.md").section("Script")
    rows = [row for node in section.nodes for body in node.walk() if body.type == "tbody" for row in body.children]
    return [spans(row.children[0])[0] for row in rows]


@by_flavor
@pytest.mark.parametrize("name", ["cancel.py", "cancel.sh"])
def test_every_argument_is_told_and_every_told_one_is_taken(flavor: str, name: str, tmp_path: Path) -> None:
    done = run([*script(flavor, name), "--help"], tmp_path)
    assert done.returncode == 0, done
    taken = re.findall(r"^  (--[a-z-]+(?: [A-Z]+)?)  ", done.stdout, re.M)
    assert set(told(flavor)) == {"status", "explain [MODE]", *taken}
    assert "cancel.py status" in done.stdout and "cancel.py explain [MODE]" in done.stdout


@by_flavor
def test_the_short_text_names_no_argument_that_is_not_taken(flavor: str) -> None:
    names = {argument.split()[0] for argument in told(flavor)}
    section = shipped(flavor).main.section("Script")
    used = {span.split()[0] for span in section.spans if span.startswith("--")}
    assert used
    assert used <= names
    assert {"status", "explain"} <= set(section.spans)


@by_flavor
def test_the_command_of_the_text_runs(flavor: str, tmp_path: Path) -> None:
    block = next(fence.content for fence in shipped(flavor).main.fences if fence.info == "bash")
    host, skill = contract(flavor).host, str(shipped(flavor).skill.resolve())
    command = block.replace(host.skill_directory or "<skill>", skill).replace(host.session or "<session_id>", "s1")
    assert "<" not in command and "$" not in command
    if "--session-id" not in command:
        command = command.replace(" --dry-run", " --session-id s1 --dry-run")
    done = run(["bash", "-c", command], tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert contract(flavor).messages.none in done.stdout
    assert list((tmp_path / "project").iterdir()) == []


@by_flavor
def test_exit_codes_are_as_told(flavor: str, tmp_path: Path) -> None:
    text = shipped(flavor).main.section("Run").text
    assert "Exit 0 complete, 1 unresolved, 2 refused, nothing changed" in text
    assert run([*script(flavor), "--session-id", "s1"], tmp_path).returncode == 0
    assert run([*script(flavor), "--session-id", "s1", "--al"], tmp_path).returncode == 2


@by_flavor
def test_every_told_key_of_a_mode_is_taken(flavor: str, tmp_path: Path) -> None:
    modes = shipped(flavor).text("references/modes.md")
    keys = re.findall(r"Key for --mode: ([a-z-]+)", modes.text)
    assert keys == list(contract(flavor).modes)
    arguments = [argument for key in keys for argument in ("--mode", key)]
    done = run([*script(flavor), "--session-id", "s1", "--dry-run", *arguments], tmp_path)
    assert done.returncode == 0, done


@by_flavor
def test_the_status_line_of_the_readme_runs_from_the_project(flavor: str, tmp_path: Path) -> None:
    readme = (shipped(flavor).root / "README.md").read_text()
    (line,) = re.findall(r"^python3 .* status$", readme, re.M)
    done = run(["bash", "-c", line.replace("<plugin>", str(shipped(flavor).root.resolve()))], tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done
    assert str(tmp_path) in done.stdout, "it looks where it is run, not where the plugin lies"


@by_flavor
def test_nothing_that_the_script_prints_waits_for_a_variable_of_the_shell(flavor: str) -> None:
    """A host fills variables in in SKILL.md only; what the script prints is copied as it stands."""
    for module in sorted((shipped(flavor).skill / "scripts").rglob("*.py")):
        nodes = list(ast.walk(ast.parse(module.read_text())))
        said = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
                assert not re.search(r"\$\{?[A-Z][A-Z_]+", node.value), (module.name, node.lineno, node.value)


@by_flavor
def test_what_the_shell_does_without_python_is_as_told(flavor: str, tmp_path: Path) -> None:
    """A path on which there is bash and no python3."""
    told = shipped(flavor).text("references/state.md").section("Script").text
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("bash", "date", "mv", "rm", "cp", "cat", "git", "dirname", "readlink", "uname", "id"):
        if found := shutil.which(name):
            (tools / name).symlink_to(found)
    project, home = tmp_path / "project", tmp_path / "home"
    project.mkdir()
    home.mkdir()

    def shell(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(tools / "bash"), script(flavor, "cancel.sh")[1], *arguments]
        return subprocess.run(
            command,
            cwd=project,
            env={"PATH": str(tools), "HOME": str(home)},
            capture_output=True,
            text=True,
            timeout=60,
        )

    if contract(flavor).store.kind == "rows":
        assert "refuses everything: it opens no database" in told
        assert shell("--session-id", "s1").returncode == shell("--session-id", "s1", "--dry-run").returncode == 2
        return
    assert "refuses --force, --all, status, explain" in told
    for refused in (["--force"], ["--all"], ["status"], ["explain"]):
        own = ["--session-id", "s1"] if refused[0].startswith("-") else []
        assert shell(*refused, *own).returncode == 2, refused
    root = contract(flavor).root
    plain = [
        (name, mode)
        for name, mode in contract(flavor).modes.items()
        if not mode.links and not mode.retired and name not in contract(flavor).fallback.never
    ]
    name, mode = min(plain, key=lambda each: each[1].action != "clear")
    record = project / root.directory / root.state / f"sessions/s1/{mode.records[0]}-state.json"
    record.parent.mkdir(parents=True)
    record.write_text('{"active": true}')
    subprocess.run(["git", "init", "--quiet", project], check=True)
    done = shell("--session-id", "s1", "--mode", name)
    if mode.action != "clear":
        # Where a product removes no record but ends each in place, the shell needs jq.
        assert (done.returncode, record.read_text()) == (2, '{"active": true}') and "jq" in done.stderr, done
        return
    assert done.returncode == 0 and mode.message.partition("{")[0] in done.stdout, done
    assert not record.exists()
