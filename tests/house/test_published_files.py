"""What the repository publishes beside its code: workflows, forms, promises, and commands that name the right package."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from skillgen import __version__

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
EXAMPLES = sorted((ROOT / "examples").glob("sync-*.yml"))


def schema_says(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    """Hold files against a schema that the validator brings along; the network is not asked."""
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    return subprocess.run([*command, *map(str, paths)], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("github-workflows", [*WORKFLOWS, *EXAMPLES]),
        ("github-issue-forms", FORMS),
        ("github-issue-config", [ROOT / ".github/ISSUE_TEMPLATE/config.yml"]),
    ],
)
def test_github_takes_workflows_examples_and_forms(schema: str, paths: list[Path]) -> None:
    assert paths
    done = schema_says(schema, *paths)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_workflow_with_a_mistake_would_be_noticed(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(WORKFLOWS[0].read_text().replace("runs-on:", "run-on:"))
    assert schema_says("github-workflows", wrong).returncode == 1


def test_every_promised_python_and_system_runs_everything() -> None:
    job = YAML(typ="safe").load(ROOT / ".github/workflows/tests.yml")["jobs"]["everything"]
    promised = [line.rpartition(" ")[2] for line in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", line)]
    assert job["strategy"]["matrix"]["python"] == promised
    assert {name.split("-")[0] for name in job["strategy"]["matrix"]["system"]} == {"ubuntu", "macos"}
    assert any(step.get("run") == "/bin/bash .ci/run" for step in job["steps"])


@pytest.mark.parametrize("path", [*WORKFLOWS, *EXAMPLES], ids=lambda path: path.name)
def test_the_steps_of_every_workflow_are_shell_that_parses(path: Path) -> None:
    jobs = YAML(typ="safe").load(path)["jobs"]
    scripts = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    assert scripts
    for script in scripts:
        plain = re.sub(r"\$\{\{.*?\}\}", "VALUE", script)
        done = subprocess.run(["bash", "-n"], input=plain, text=True, capture_output=True, check=False)
        assert done.returncode == 0, (script, done.stderr)


def test_pre_commit_hands_ruff_no_file_that_is_none_of_its() -> None:
    """It names every file, those that pyproject.toml excludes too."""
    hooks = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    ruff = [hook["entry"].split() for hook in hooks if "ruff" in hook["entry"]]
    assert ruff
    excluded = next(ROOT.glob("dist/*/skills/cancel/scripts/cancel.py"))
    for command in ruff:
        done = subprocess.run([ROOT / command[0], *command[1:], excluded], cwd=ROOT, capture_output=True, check=False)
        assert done.returncode == 0, (command, done.stdout)
        bare = [word for word in command if word != "--force-exclude"]
        assert bare != command


def test_the_hooks_of_pre_commit_run_what_ci_runs() -> None:
    hooks = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    ci = (ROOT / ".ci/run").read_text()
    for hook in hooks:
        assert hook["entry"].split(" --")[0].removesuffix(" .") in ci, hook["entry"]


STRANGER = "skillgen"
"""On the Python package index this name belongs to somebody else's program."""


def installs(text: str) -> list[str]:
    """Return the packages that commands in a text install or run straight from the index."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        for match in re.finditer(
            r"\b(?:pip3? install|pipx (?:install|run)|uv (?:pip|tool) (?:install|run)|uvx)\s+([^`]+)", line
        ):
            words = [word.strip("\"'`,;:.()[]") for word in match[1].split()]
            if "--from" not in words and "--spec" not in words:
                found += [re.split(r"[=<>~!\[@]", word)[0] for word in words if not word.startswith("-")]
    return found


def shipped_texts() -> list[Path]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    ends = (".md", ".j2", ".yml", ".yaml", ".py", ".sh", ".toml", ".html", "run", "install")
    return [ROOT / name for name in listed if name.endswith(ends) and not name.startswith("tests/house/")]


def test_no_command_that_is_shipped_installs_the_strangers_package() -> None:
    assert PROJECT["name"] != STRANGER
    wrong = [
        str(path.relative_to(ROOT))
        for path in shipped_texts()
        if path.is_file() and STRANGER in installs(path.read_text())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("- run: pip install skillgen", True),
        ("pip3 install -U 'skillgen==0.2.0'", True),
        ("uvx skillgen build", True),
        ("pipx run skillgen", True),
        ("uv tool install skillgen[x]", True),
        ("`pipx install skillgen`", True),
        ("uvx --from cancel-skillgen skillgen build", False),
        ("pip install cancel-skillgen", False),
        ("pip install -e .", False),
        ('pip install "cancel-skillgen @ git+https://github.com/OWNER/skillgen@0123"', False),
    ],
)
def test_the_strangers_package_is_seen_in_every_form_of_the_command(text: str, found: bool) -> None:
    assert (STRANGER in installs(text)) is found


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_examples_install_from_a_commit(path: Path) -> None:
    workflow = YAML(typ="safe").load(path)
    assert re.fullmatch(r"git\+https://github\.com/OWNER/REPO@[0-9a-f]{40}", workflow["env"]["SKILLGEN"])
    assert f'"{PROJECT["name"]} @ $SKILLGEN"' in path.read_text()


def test_every_test_that_security_md_names_exists() -> None:
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "SECURITY.md").read_text()))
    assert len(named) >= 20
    there = {
        name for path in (ROOT / "tests").rglob("*.py") for name in re.findall(r"def (test_\w+)", path.read_text())
    }
    assert named <= there, sorted(named - there)


def test_the_changelog_knows_this_version_or_what_comes_next() -> None:
    heads = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert heads[0] == "Unreleased" or heads[0].split()[0] == __version__, heads
