"""`skillgen watch` finds what moved, names little else, and says what it could not read."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from watch.family import BASE, PLANTED


def watch(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skillgen", "watch", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=cwd,
    )


def texts(directory: Path, old: str, new: str) -> tuple[str, str]:
    names = []
    for name, text in (("old", old), ("new", new)):
        path = directory / name / "cancel" / "SKILL.md"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
        names.append(str(path.parent))
    return names[0], names[1]


def compared(directory: Path, old: str, new: str, *more: str, code: int = 1) -> dict[str, Any]:
    done = watch(*texts(directory, old, new), "--format", "json", *more)
    assert done.returncode == code, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("noise", [False, True], ids=["plain", "noise"])
@pytest.mark.parametrize("planted", PLANTED)
def test_a_planted_change_is_found_and_at_most_one_other_is_named_as_behaviour(
    planted: str, noise: bool, tmp_path: Path
) -> None:
    revision, kind, value = PLANTED[planted]
    found = compared(tmp_path, BASE.text(), revision.text(noise))
    facts = [(move["before"] or move["after"])["kind"] for move in found["moves"]]
    values = [
        fact["value"]
        for move in found["moves"]
        for fact in (move["before"], move["after"])
        if fact and fact["kind"] == kind
    ]
    assert value in values, found["moves"]
    group = next(move["group"] for move in found["moves"] if (move["before"] or move["after"])["kind"] == kind)
    others = {move["group"] for move in found["moves"] if move["behaviour"]} - {group}
    assert len(others) <= 1, (others, facts)


def test_noise_alone_moves_nothing(tmp_path: Path) -> None:
    found = compared(tmp_path, BASE.text(), BASE.text(noise=True))
    assert found["moves"] == []
    assert found["unexplained"]["moved"]


def test_two_equal_texts_say_nothing_in_any_order_of_sections(tmp_path: Path) -> None:
    done = watch(*texts(tmp_path, BASE.text(), BASE.text()))
    assert done.returncode == 0 and "Nothing moved in meaning." in done.stdout
    sections = BASE.text().split("\n## ")
    turned = "\n## ".join([sections[0], *reversed(sections[1:])])
    done = watch(*texts(tmp_path / "turned", BASE.text(), turned))
    assert done.returncode == 0, done.stdout


def test_a_changed_line_that_no_fact_explains_is_quoted_with_the_honest_count(tmp_path: Path) -> None:
    new = BASE.text() + "\n## Weather\n\nOn rainy days tell the user to bring an umbrella.\n"
    done = watch(*texts(tmp_path, BASE.text(), new))
    assert done.returncode == 1
    assert "2 of 2 changed lines hold nothing that the reader knows." in done.stdout
    assert "On rainy days tell the user to bring an umbrella." in done.stdout


@pytest.fixture
def flavors(tmp_path: Path) -> Path:
    """Make a flavor of the family's base by adopting it."""
    (tmp_path / "flavors").mkdir()
    skill = tmp_path / "base" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_text(BASE.text(), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "skillgen",
        "adopt",
        str(skill),
        "-o",
        str(tmp_path / "flavors" / "loom.yaml"),
        "--safest",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return tmp_path / "flavors"


def test_a_flavor_follows_what_is_said_by_a_patch_that_git_takes(flavors: Path, tmp_path: Path) -> None:
    new = PLANTED["message changed"][0]
    found = compared(tmp_path, BASE.text(), new.text(), "--flavor", "loom", "--flavors", str(flavors))
    assert [value["key"] for value in found["values"]] == ["modes.ralph.message"]
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    patch = "".join(line if line.endswith("\n") else line + "\n" for line in found["patch"])
    done = subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Ralph ended. The loop is over." in (flavors / "loom.yaml").read_text(encoding="utf-8")


def test_what_the_newer_text_no_longer_says_is_asked_and_never_taken_as_a_change(flavors: Path, tmp_path: Path) -> None:
    new = BASE.text().replace("- `.loom/plans/`", "- everything else")
    found = compared(tmp_path, BASE.text(), new, "--flavor", "loom", "--flavors", str(flavors))
    assert found["values"] == [] and found["patch"] == []
    assert any(".loom/plans/" in question for question in found["questions"]), found["questions"]


def test_the_patch_asks_for_what_decides_and_nothing_is_built_before_it_is_answered(
    flavors: Path, tmp_path: Path
) -> None:
    old = BASE.text()
    line = next(line for line in old.splitlines() if line.startswith('Call `state_clear(mode="ultrawork"'))
    one, two = texts(tmp_path, old, old.replace(line, "It comes to an end."))
    done = watch(one, two, "--flavor", "loom", "--flavors", str(flavors), "--format", "patch")
    assert "unknown: The newer text no longer says" in done.stdout, done.stdout
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    subprocess.run(["git", "apply"], input=done.stdout, text=True, cwd=tmp_path, check=True)
    command = [
        sys.executable,
        "-m",
        "skillgen",
        "build",
        "loom",
        "--flavors",
        str(flavors),
        "--out",
        str(tmp_path / "dist"),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 2 and "`modes.ultrawork.action` is open" in built.stderr, built.stderr
    assert not (tmp_path / "dist").exists()


def package(directory: Path, name: str, version: str, text: str, extra: dict[str, str] | None = None) -> str:
    """Write an npm archive with a skill, a manifest and what else is given."""
    files = {
        "package.json": json.dumps({"name": name, "version": version}),
        "skills/cancel/SKILL.md": text,
        **(extra or {}),
    }
    path = directory / f"{name}-{version}.tgz"
    with tarfile.open(path, "w:gz") as archive:
        for inside, content in files.items():
            info = tarfile.TarInfo(f"package/{inside}")
            data = content.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return str(path)


def test_packages_tell_skills_tools_hooks_programs_and_variables(tmp_path: Path) -> None:
    hooks = json.dumps({"hooks": {"Stop": [{"command": "node ${ROOT}/scripts/stop.mjs"}]}})
    old = package(tmp_path, "loom", "1.0.0", BASE.text(), {
        "hooks/hooks.json": hooks,
        "scripts/stop.mjs": "process.env.LOOM_STATE_DIR; process.env.LOOM_A",
        "skills/weave/SKILL.md": "# Weave\n" + "word " * 900,
        "skills/spin/SKILL.md": "# Spin\n",
        "tools.json": json.dumps([{"name": "state_clear", "inputSchema": {"type": "object"}}]),
    })  # fmt: skip
    new = package(tmp_path, "loom", "1.1.0", BASE.text(), {
        "hooks/hooks.json": hooks,
        "scripts/stop.mjs": "process.env.LOOM_STATE_DIR; process.env.LOOM_B",
        "skills/weave/SKILL.md": "# Weave\n\nRemoved. Use /loom:spin.\n",
        "skills/knit/SKILL.md": "# Knit\n",
        "tools.json": json.dumps([{"name": "state_clear", "inputSchema": {"type": "object", "required": ["mode"]}}]),
    })  # fmt: skip
    done = watch(old, new, "--format", "json")
    found = {(each["kind"], each["name"], each["state"]) for each in json.loads(done.stdout)["packages"]}
    assert found >= {
        ("skill", "spin", "removed"),
        ("skill", "knit", "added"),
        ("skill", "weave", "stub"),
        ("tool", "state_clear", "changed"),
        ("hook script", "scripts/stop.mjs", "changed"),
        ("variable", "LOOM_A", "removed"),
        ("variable", "LOOM_B", "added"),
        ("manifest", "package.json", "changed"),
    }


def test_a_pin_says_what_moved_since(flavors: Path, tmp_path: Path) -> None:
    own = ["--flavors", str(flavors)]
    old = package(tmp_path, "loom", "5.5.0", BASE.text())
    assert watch("--pin", old, "--flavor", "loom", *own).returncode == 0
    kept = json.loads((flavors / "loom.facts.json").read_text(encoding="utf-8"))
    assert kept["upstream"]["version"] == "5.5.0" and kept["upstream"]["path"] == "skills/cancel/SKILL.md"
    assert not any(fact["kind"] == "front" for fact in kept["facts"]), "prose of the upstream was copied"
    assert watch("--check", old, *own).returncode == 0
    new = package(tmp_path, "loom", "5.6.0", PLANTED["flags split"][0].text())
    done = watch("--check", new, *own)
    assert done.returncode == 1
    assert "the facts of loom are of 5.5.0, this is 5.6.0;" in done.stdout and "scope of --force 'all'" in done.stdout
    other = package(tmp_path, "other", "1.0.0", BASE.text())
    done = watch("--check", other, *own)
    assert done.returncode == 2 and "name one with --flavor" in done.stderr


def test_a_revision_of_a_repository_is_read_without_running_what_it_names(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    tripped = tmp_path / "tripped"
    skill = repository / "skills" / "cancel" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    git = ["git", "-C", str(repository), "-c", "user.name=a", "-c", "user.email=a@example"]
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    for number, text in enumerate((BASE.text(), PLANTED["flags split"][0].text())):
        skill.write_text(text, encoding="utf-8")
        (repository / ".gitattributes").write_text("* filter=trip diff=trip\n")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", str(number)], check=True)
    for key in ("filter.trip.smudge", "diff.trip.textconv", "core.fsmonitor"):
        subprocess.run([*git, "config", key, f"touch {tripped}"], check=True)
    done = watch(f"{repository}@HEAD~1:skills/cancel", f"{repository}@HEAD:skills/cancel")
    assert done.returncode == 1 and "scope of --force 'all'" in done.stdout, done.stderr
    assert not tripped.exists()


@pytest.mark.parametrize("kind", ["tgz", "zip"])
def test_an_archive_whose_path_climbs_is_refused_and_nothing_is_written(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"evil.{kind}"
    if kind == "tgz":
        with tarfile.open(path, "w:gz") as archive:
            info = tarfile.TarInfo("package/../../evil")
            info.size = 1
            archive.addfile(info, io.BytesIO(b"x"))
    else:
        with zipfile.ZipFile(path, "w") as made:
            made.writestr("../evil", "x")
    done = watch(str(path), str(path))
    assert done.returncode == 2 and "a path that leaves it" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == [path]


def test_what_is_no_text_and_no_archive_is_refused_in_one_line(tmp_path: Path) -> None:
    binary, huge, fifo = tmp_path / "a.bin", tmp_path / "huge.md", tmp_path / "pipe"
    binary.write_bytes(b"\x00\x01")
    huge.write_bytes(b"x" * (2 << 20))
    os.mkfifo(fifo)
    for path, said in (
        (binary, "is binary"),
        (huge, "is larger than"),
        (fifo, "not a regular file"),
        (tmp_path / "no", "no such"),
    ):
        done = watch(str(path), str(path))
        assert done.returncode == 2 and said in done.stderr, (path, done.stderr)
        assert len(done.stderr.splitlines()) == 1


def test_an_old_without_a_flavor_two_products_and_several_skills_are_said(tmp_path: Path) -> None:
    one = package(tmp_path, "loom", "1.0.0", "# Weather\n\nIt rains.\n")
    two = package(
        tmp_path, "knit", "1.0.0", BASE.text(), {"plugins/x/skills/cancel/SKILL.md": BASE.text() + "\nMore.\n"}
    )
    done = watch(one, two)
    assert done.returncode == 1
    assert "names fewer than two modes" in done.stdout
    assert "the two are different products: loom and knit" in done.stdout
    assert "holds several cancel skills" in done.stdout and "plugins/x/skills/cancel/SKILL.md" in done.stdout
    done = watch(two, two, "--skill", "plugins/x/skills/cancel/SKILL.md")
    assert done.returncode == 0 and "plugins/x/skills/cancel/SKILL.md →" in done.stdout
    done = watch(two, two, "--skill", "nowhere.md")
    assert done.returncode == 2 and "there are skills/cancel/SKILL.md" in done.stderr


def test_servers_are_asked_only_where_the_user_wants_them_run(tmp_path: Path) -> None:
    server = (
        "import sys, json, pathlib\n"
        "for line in sys.stdin:\n"
        "    m = json.loads(line)\n"
        "    tools = [{'name': 'VERSION_tool', 'inputSchema': {'type': 'object'}}]\n"
        "    print(json.dumps({'id': m['id'], 'result': {'tools': tools}}), flush=True)\n"
    )
    names = []
    for version in ("one", "two"):
        config = json.dumps({"mcpServers": {"s": {"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/server.py"]}}})
        extra = {".mcp.json": config, "server.py": server.replace("VERSION", version)}
        names.append(package(tmp_path, f"loom-{version}", "1.0.0", BASE.text(), extra))
    assert "one_tool" not in watch(*names).stdout
    done = watch(*names, "--run")
    assert "tool added: two_tool" in done.stdout and "tool removed: one_tool" in done.stdout, done.stdout


def test_every_kind_of_fact_has_its_group() -> None:
    from skillgen.model.facts import KINDS
    from skillgen.watch.moves import GROUPS

    grouped = [kind for kinds in GROUPS.values() for kind in kinds]
    assert sorted(grouped) == sorted(KINDS)


def test_github_and_markdown_forms_hold_no_line_that_runs_a_command(tmp_path: Path) -> None:
    new = BASE.text().replace("Ralph cancelled. Persistent mode deactivated.", "Ralph ended.%0A::error::x")
    old, newer = texts(tmp_path, BASE.text(), new)
    done = watch(old, newer, "--format", "github")
    assert not any(line.startswith("::error") for line in done.stdout.splitlines())
    assert watch(old, newer, "--format", "markdown").stdout.startswith("### ")
