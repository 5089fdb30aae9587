"""Copilot CLI and dsh hand the installed skill to a scripted model, which runs the command that the text gives."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import termios
import time
from pathlib import Path

import pytest
from real import Home, client
from scripted_model import Conversation, Model, Say, Step, Use, serve
from text_commands import asks, directory_of, line_of, runs, says, text_of

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not os.environ.get("SKILLGEN_SLOWER_CLIENTS"), reason="tests/clients/run-slower runs these"),
]


def provider(model: Model) -> dict[str, str]:
    return {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_MODEL": "gpt-4.1",
    }


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


# Copilot CLI


@pytest.fixture
def copilot(stranger: Home) -> Path:
    """Install the bundle as a stranger does; return the skill's directory."""
    program = client("copilot")
    assert stranger.run(program, "plugin", "marketplace", "add", "owner/repo").code == 0
    assert stranger.run(program, "plugin", "install", "copilot-omni@skillgen").code == 0
    (skill,) = [row for row in stranger.run(program, "skill", "list", "--json").json() if row["name"] == "cancel"]
    return Path(skill["path"])


def rows(home: Home) -> list[tuple[str, str]]:
    with sqlite3.connect(home.path / ".omni/omni.db") as database:
        return sorted(database.execute("SELECT mode, session_id FROM state"))


def seed_rows(home: Home, *found: tuple[str, str]) -> None:
    (home.path / ".omni").mkdir()
    with sqlite3.connect(home.path / ".omni/omni.db") as database:
        database.executescript(
            "CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (6);"
            "CREATE TABLE state (mode TEXT NOT NULL, body TEXT NOT NULL, session_id TEXT NOT NULL DEFAULT '',"
            " updated_at REAL NOT NULL, PRIMARY KEY (mode, session_id));"
        )
        for mode, session in found:
            body = json.dumps({"phase": "execution", "iteration": 3})
            database.execute("INSERT INTO state VALUES (?, ?, ?, ?)", (mode, body, session, time.time()))


def talk_to_copilot(home: Home, project: Path, *script: Step, env: dict[str, str] | None = None) -> Model:
    with serve(*script) as model:
        done = home.run(
            client("copilot"),
            *("-p", "Please cancel ralph.", "--allow-all-tools", "--allow-all-paths"),
            cwd=project,
            env={**provider(model), **(env or {})},
        )
    assert done.code == 0 and not model.errors, (model.errors, done.text[-2000:])
    return model


def in_bash(*, dry_run: bool = False) -> Step:
    return runs("copilot-omni", "bash", "command", dry_run=dry_run, description="Run the cancel script")


def test_copilots_model_runs_the_texts_line_for_the_slot_that_the_skills_use(
    copilot: Path, stranger: Home, project: Path
) -> None:
    """Copilot's shell names no session of the product's, so its skills write into the empty slot, and ours ends that."""
    seed_rows(stranger, ("ralph", ""))
    script = (asks("skill", skill="cancel"), in_bash(dry_run=True), in_bash(), in_bash(dry_run=True), says("Done."))
    model = talk_to_copilot(stranger, project, *script)
    text = text_of(model.last, "copilot-omni")
    assert directory_of(text) == str(copilot)
    assert line_of(text) == f'python3 "{copilot}/scripts/cancel.py" --dry-run'
    _, looked, done, again = model.last.results
    assert "would" in looked and "ralph" in looked
    assert "Ralph cancelled. Persistent mode deactivated." in done
    assert "No active copilot-omni modes detected." in again
    assert rows(stranger) == []


def test_in_copilot_the_products_own_variable_names_the_session(copilot: Path, stranger: Home, project: Path) -> None:
    seed_rows(stranger, ("ralph", "s1"), ("ralph", "s2"))
    script = (asks("skill", skill="cancel"), in_bash(), says("Done."))
    model = talk_to_copilot(stranger, project, *script, env={"OMNI_SESSION_ID": "s1"})
    assert "Ralph cancelled. Persistent mode deactivated." in model.last.results[1]
    assert rows(stranger) == [("ralph", "s2")]


def test_the_form_that_copilot_offers_hands_the_text_over(copilot: Path, stranger: Home, project: Path) -> None:
    """Typed into its prompt, where a menu shows the form; `copilot -p` leaves the choice to the model."""
    with serve(says("Read.")) as model:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(stranger.path),
            "TERM": "xterm-256color",
            "COPILOT_AUTO_UPDATE": "false",
            **stranger.env,
            **provider(model),
        }
        screen = type_into([client("copilot"), "--allow-all-tools", "--allow-all-paths"], project, environment, model)
    assert "/copilot-omni:cancel" in screen
    assert text_of(model.last, "copilot-omni")


def type_into(command: list[str], where: Path, environment: dict[str, str], model: Model) -> str:
    """Start a program on a terminal, trust the directory, type the form and wait until the model is asked."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(where)
        os.execvpe(command[0], command, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    seen = bytearray()

    def read_for(seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    seen.extend(os.read(terminal, 65536))
                except OSError:
                    return

    try:
        read_for(8)
        os.write(terminal, b"1\r")
        read_for(2)
        for letter in "/copilot-omni:cancel":
            os.write(terminal, letter.encode())
            read_for(0.05)
        read_for(2)
        shown = bytes(seen)
        os.write(terminal, b"\r")
        end = time.monotonic() + 30
        while time.monotonic() < end and not model.sent:
            read_for(0.5)
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(terminal)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b\][^\x07]*\x07", "", shown.decode("utf-8", "replace"))


# dsh


@pytest.fixture
def dsh(built: Path, stranger: Home, tmp_path: Path) -> Path:
    """Install the packed package; return the skill's directory."""
    from click.testing import CliRunner

    from skillgen.cli.pack import command

    arguments = ["--flavor", "omd", "--out", str(tmp_path / "packed"), "--dist", str(built / "dist")]
    assert CliRunner().invoke(command, arguments, standalone_mode=False).return_value == 0
    package = tmp_path / "packed/omd/omd-cancel-0.1.0.tgz"
    added = stranger.run(client("dsh"), "plugin", "--profile", "headless", "add", package)
    assert added.code == 0, added.text
    (stranger.path / "patch.yml").write_text("- id: hmr\n  disabled: false\n")
    return stranger.path / ".dsh/profiles/headless/node_modules/omd-cancel/skills/cancel"


def talk_to_dsh(home: Home, project: Path, prompt: str, *script: Step) -> Model:
    with serve(*script) as model:
        done = home.run(
            client("dsh"),
            *("--profile", "headless", "--patch", home.path / "patch.yml", prompt),
            cwd=project,
            env={
                "DEEPSEEK_BASE_URL": model.url,
                "DEEPSEEK_API_KEY": "none",
                "DSH_PERMISSION_MODE": "danger-full-access",
            },
        )
    assert done.code == 0 and not model.errors, (model.errors, done.text[-2000:])
    return model


def in_dsh(*, dry_run: bool = False) -> Step:
    return runs("omd", "bash", "command", dry_run=dry_run, description="Run the cancel script")


#: A mode that began in this session: its record lies where the shell's own variable says.
SEED = (
    'd=".omd/state/sessions/$DSH_SESSION_ID"; mkdir -p "$d" .omd/state/sessions/other; '
    'printf \'{"active": true, "current_phase": "loop"}\' | tee "$d/ralph-state.json" >.omd/state/sessions/other/ralplan-state.json; '
    'echo "session $DSH_SESSION_ID"'
)


def seeded(conversation: Conversation) -> Say | Use:
    return Use("bash", {"command": SEED, "description": "Begin a mode"})


@pytest.mark.parametrize("typed", [True, False], ids=["typed", "by the model"])
def test_a_cancel_runs_the_texts_line_in_dsh(dsh: Path, stranger: Home, project: Path, typed: bool) -> None:
    script = (seeded, in_dsh(dry_run=True), in_dsh(), in_dsh(dry_run=True), says("Done."))
    if not typed:
        script = (asks("skill", name="cancel"), *script)
    model = talk_to_dsh(stranger, project, "/cancel" if typed else "Please stop ralph.", *script)
    text = text_of(model.last, "omd")
    assert directory_of(text) == str(dsh)
    assert line_of(text) == f'python3 "{dsh}/scripts/cancel.py" --dry-run'
    session, looked, done, again = model.last.results[-4:]
    match = re.search(r"session ([A-Za-z0-9_-]+)", session)
    assert match and f"Session {match[1]}: would" in looked, (session, looked)
    assert "Ralph cancelled. PRD and progress preserved under .omd/prd/." in done
    assert "No active omd modes detected." in again
    places = project / ".omd/state/sessions"
    assert not (places / match[1] / "ralph-state.json").exists()
    assert (places / "other/ralplan-state.json").exists()


def test_dsh_hands_nothing_over_for_the_products_own_command(dsh: Path, stranger: Home, project: Path) -> None:
    model = talk_to_dsh(stranger, project, "/omd-cancel", says("What is meant?"))
    assert text_of(model.last, "omd") == ""
    readme = " ".join((dsh.parents[1] / "README.md").read_text().split())
    assert "`/omd-cancel` of the product's own text does not reach this skill here" in readme
