"""Make an upstream with many skills, and a fork that renamed most of them and patched some, as forks in the wild do."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from sync_world import git

from skillgen.build.inputs import Inputs
from skillgen.build.into import build_into

FLAVOR = """\
base: omc
revision: "1"
product: {name: ACME, title: acme-flow, author: Acme, homepage: "https://github.com/acme/acme-flow"}
plugin: {name: acme-flow, display_name: ACME cancel}
command: {form: "/acme-flow:cancel"}
root: {directory: .acme, central_variable: ACME_STATE_DIR, marker: .acme-workspace}
identity: {variables: [ACME_RUN_ID, CLAUDE_CODE_SESSION_ID]}
"""
UPSTREAM = {
    "LABEL": "OMC", "low": "omc", "title": "oh-my-claudecode", "root": ".omc", "ENV": "OMC", "SESSION": "OMC_SESSION_ID",
    "STATE": "OMC_STATE_DIR",
}  # fmt: skip
FORK = {
    "LABEL": "ACME", "low": "acme", "title": "acme-flow", "root": ".acme", "ENV": "ACME", "SESSION": "ACME_RUN_ID",
    "STATE": "ACME_STATE_DIR",
}  # fmt: skip
LINES = (
    "Run `/{title}:plan` before `/{title}:{low}-setup`, and read `{root}/state/plan-state.json` ({n}).",
    "The {LABEL} session is `${SESSION}`; its state lies in `${STATE}` or `~/{root}/state` ({n}).",
    "{LABEL}'s hooks call `mcp__plugin_{title}_t__state_read` with `{ENV}_DEBUG_{n}=1`.",
    "An atomcraft of commcenters is no {LABEL}, nor is OMCX{n}, omc2 or a decomcycle.",
    "See https://github.com/Yeachan-Heo/oh-my-claudecode/issues/{n} and oh-my-claudecode.dev/docs/{n}.",
    "Install it with `claude plugin marketplace add Yeachan-Heo/oh-my-claudecode` ({n}).",
    "This step is adapted from oh-my-claudecode, by its author ({n}).",
    "Write the result of step {n} to `{root}/plans/{n}.md`, then tell the user.",
    "Where step {n} fails, stop, and say in one sentence why it did.",
    "The {low} command of {title} takes `--step {n}`.",
)
"""What skills say: names that follow, and what no rename may touch."""


def text(skill: str, names: dict[str, str], lines: list[int]) -> str:
    """Return a SKILL.md of the given lines, each written with its number so that no two are alike."""
    n = dict(names)
    body = "\n\n".join(LINES[number % len(LINES)].format(n=number, **n) for number in lines)
    return (
        f"---\nname: {skill.format(**n)}\ndescription: Do what {n['title']} calls {skill.format(**n)}\nauthor: Yeachan Heo of "
        f"oh-my-claudecode\n---\n\n# {n['LABEL']} {skill.format(**n)}\n\n{body}\n\n## Credits\n\nMade for oh-my-claudecode.\n"
    )


@dataclass
class World:
    upstream: Path
    fork: Path
    equal: list[str]
    near: list[str]
    own: list[str]
    """Skills of the fork that share only their name."""

    def skill(self, name: str) -> Path:
        return self.fork / "skills" / name / "SKILL.md"


def lines_of(number: int) -> list[int]:
    return list(range(number * 40, number * 40 + 30))


def make(top: Path, *, holder: str = "skills", history: bool = True) -> World:
    """Make 40 skills upstream of which the fork has 37: 21 renamed only, 14 patched in up to a fifth of their lines, 2 its own."""
    upstream, fork = top / "upstream", top / "fork"
    (upstream / ".claude-plugin").mkdir(parents=True)
    (upstream / ".claude-plugin/plugin.json").write_text('{"name": "oh-my-claudecode", "version": "1.0.0"}\n')
    names = ["{low}-setup", "{low}-doctor", *(f"skill-{number}" for number in range(2, 40)), "cancel"]
    (fork / "flavors").mkdir(parents=True)
    (fork / "flavors/acme.yaml").write_text(FLAVOR)
    git(fork, "init", "-q", "-b", "main")
    assert not build_into(Inputs((str(fork / "flavors"),), ()), "acme", str(fork), check=False).left
    luck = random.Random(7)
    world = World(upstream, fork, [], [], [])
    for number, name in enumerate(names):
        here, there = name.format(**UPSTREAM), name.format(**FORK)
        lines = lines_of(number)
        put(upstream / "skills" / here / "SKILL.md", text(name, UPSTREAM, lines))
        if number >= 37:
            continue
        mine = text(name, FORK, lines)
        if number < 21:
            world.equal.append(there)
        elif number < 35:
            world.near.append(there)
            rows = mine.split("\n")
            for at in luck.sample(range(12, len(rows) - 8, 2), 1 + number % 6):
                rows[at] = rows[at] + f" Ask in #acme-{at} first."
            mine = "\n".join(rows)
        else:
            world.own.append(there)
            mine = f"---\nname: {there}\ndescription: Ours\n---\n\n# Ours\n\nNothing of theirs.\n"
        put(fork / holder / there / "SKILL.md", mine)
    put(upstream / "skills/skill-2/scripts/run.sh", "#!/bin/sh\necho omc .omc OMC_HOME atomcraft\n", 0o755)
    put(fork / holder / "skill-2/scripts/run.sh", "#!/bin/sh\necho acme .acme ACME_HOME atomcraft\n", 0o755)
    for root in (upstream / "skills", fork / holder):
        (root / "skill-3/logo.bin").write_bytes(b"omc\0.omc")
        put(root / "skill-4/LICENSE", "MIT, (c) 2025 the authors of OMC\n")
    put(fork / holder / "house/SKILL.md", "---\nname: house\ndescription: Ours alone\n---\n\n# House\n")
    if holder != "skills":
        (fork / "skills/cancel").rename(fork / holder / "cancel")
    for root in (upstream, fork):
        if history:
            git(root, "init", "-q", "-b", "main")
            commit(root, "As it was")
    return world


def put(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def commit(root: Path, message: str) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def advance(world: World, round_: int) -> None:
    """Change one line in every skill upstream, far from what the fork patched, and commit."""
    for path in sorted((world.upstream / "skills").glob("*/SKILL.md")):
        rows = path.read_text().split("\n")
        rows[-6] = rows[-6] + f" Since {round_}, OMC says so in `.omc/notes-{round_}`."
        path.write_text("\n".join(rows))
    commit(world.upstream, f"Round {round_}")
