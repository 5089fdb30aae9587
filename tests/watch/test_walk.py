"""A maintainer's walk: a fork of a real release, what upstream changed on one screen, the patch, the answers, the sync."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from watch.test_real_packages import packed

pytestmark = [pytest.mark.slow, pytest.mark.client]
ROOT = Path(__file__).parents[2]
PLUGIN = "plugins/oh-my-codex"

#: A maintainer at the editor: what was right of the older text still is, but the mode that now ends like the others.
EDITOR = """
import sys
from ruamel.yaml import YAML
yaml = YAML()
yaml.width = 10_000
path = sys.argv[1]
with open(path) as file:
    flavor = yaml.load(file)
said = {("flags", "force", "scope"): "current", ("modes", "ultraqa", "action"): "terminalize"}
asked = []
def answer(node, at=()):
    for key, value in list(node.items()):
        if isinstance(value, dict) and "unknown" in value:
            asked.append(".".join((*at, key)))
            node[key] = said.get((*at, key), value["base"])
        elif isinstance(value, dict):
            answer(value, (*at, key))
answer(flavor)
with open(path, "w") as file:
    yaml.dump(flavor, file)
print("answered:", " ".join(asked))
"""


@pytest.fixture
def fork(tmp_path: Path) -> Path:
    """Make a fork of the release 0.20.3: its plugin under another name, adopted, with an edit of its own, all committed."""
    with tarfile.open(packed("oh-my-codex", "0.20.3")) as archive:
        archive.extractall(tmp_path / "release", filter="data")
    fork = tmp_path / "weft"
    shutil.copytree(tmp_path / "release/package" / PLUGIN, fork)
    for path in (path for path in fork.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        for old, new in (("oh-my-codex", "weft"), ("OMX", "WEFT"), ("omx", "weft")):
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")
    run(fork, "git init -q . && git add -A && git commit -qm fork")
    run(fork, "skillgen adopt --yes --safest .")
    skill = fork / "skills/cancel/SKILL.md"
    house = "\n## House rule\n\nTell the night shift before you end a team.\n"
    skill.write_text(skill.read_text(encoding="utf-8") + house, encoding="utf-8")
    run(fork, "git add -A && git commit -qm adopted")
    (tmp_path / "editor.py").write_text(EDITOR, encoding="utf-8")
    for version in ("0.20.3", "0.21.6"):
        shutil.copy(packed("oh-my-codex", version), fork / f"oh-my-codex-{version}.tgz")
    return fork


def run(fork: Path, script: str, expected: int = 0) -> str:
    who = {f"GIT_{role}_{part}": "weft@localhost" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=fork,
        env={**os.environ, **who, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout


def commands() -> list[str]:
    """Return the README's commands for a moved upstream, for this fork and these releases."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"<!-- watch: begin -->\n```bash\n(.*?)```\n<!-- watch: end -->", text, re.DOTALL)
    assert match
    named = match[1].replace("loom-1.0.0", "oh-my-codex-0.20.3").replace("loom-1.1.0", "oh-my-codex-0.21.6")
    return named.replace("mine", "weft").strip().split("\n")


def test_a_fork_at_0_20_3_follows_0_21_6_as_the_readme_says(fork: Path) -> None:
    look, patch, answer, sync, *rest = commands()
    assert answer.startswith("# In flavors/weft.yaml write the value")
    screen = run(fork, look, expected=1).partition("\n--- a/")[0].split("\n")
    assert len(screen) <= 52 and max(map(len, screen)) <= 120, "it is no screen any more"
    said = "\n".join(screen)
    for change in ("flag '--all' (refused)", "tool 'state_list_active', 'state_get_status', 'state_clear'"):
        assert change in said, change
    assert "flags.all.refused" in said and "? to answer in the patch: tools" in said
    run(fork, patch)
    assert (
        "is open"
        in subprocess.run(
            [sys.executable, "-m", "skillgen", "sync", "."], cwd=fork, capture_output=True, text=True, check=False
        ).stderr
    )
    assert "answered: " in run(fork, f"{sys.executable} ../editor.py flavors/weft.yaml")
    run(fork, sync)
    text = (fork / "skills/cancel/SKILL.md").read_text(encoding="utf-8")
    assert "Tell the night shift before you end a team." in text
    assert """`weft state clear --input '{"mode":"<record>","session_id":"<session_id>"}' --json`""" in text
    assert "`$weft:cancel --all`: refused" in text and "state_clear" not in text
    script = f"{sys.executable} skills/cancel/scripts/cancel.py --session-id s1 --all"
    assert "--all" in run(fork, f"{script} 2>&1", expected=2)
    run(fork, "skillgen sync --check . && skillgen audit skills/cancel")
    for command in rest:
        run(fork, command)
    run(fork, "skillgen watch --check oh-my-codex-0.21.6.tgz --flavors flavors")


@pytest.mark.parametrize(
    ("package", "version"), [("oh-my-codex", "0.21.6"), ("oh-my-claude-sisyphus", "5.5.0"), ("oh-my-codex", "0.20.3")]
)
def test_the_facts_beside_a_shipped_flavor_are_those_of_its_release(package: str, version: str) -> None:
    flavor = {"0.21.6": "omx", "5.5.0": "omc", "0.20.3": "omx-0-20"}[version]
    command = [sys.executable, "-m", "skillgen", "watch", "--check", packed(package, version)]
    # Without a name the newest pin of a product is the one that is meant.
    more = ["--flavor", flavor] if flavor == "omx-0-20" else []
    done = subprocess.run([*command, *more], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout == f"the facts of {flavor} are of {version}, this is {version}; 0 facts moved\n"
