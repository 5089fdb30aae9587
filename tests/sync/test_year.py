"""A year of ten forks and twenty revisions: every fork follows, and keeps what its people wrote."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sync_world import SKILL, Cli, git, tree

from skillgen.build.inputs import Inputs
from skillgen.build.into import render_one

FORKS, REVISIONS = 10, 20
CONTRACT = "skills/cancel/contract.json"
MARKERS = re.compile(rb"^(?:<<<<<<<|=======|>>>>>>>|\|\|\|\|\|\|\|)[^\n]*\r?\n", re.MULTILINE)


class Model:
    """A flavor of one's own in a repository, changed again and again."""

    def __init__(self, top: Path, chance: random.Random) -> None:
        self.top, self.chance = top, chance
        self.values: dict[str, object] = {"base": "omc"}
        top.mkdir()
        git(top, "init", "-q", "-b", "main")

    def revise(self, number: int) -> None:
        """Change one to three facts, and commit."""
        self.values["revision"] = f"2027{number:04}"
        for _ in range(self.chance.randint(1, 3)):
            change = self.chance.choice(["none", "force", "mode", "stale", "kept", "note", "title", "keyword"])
            if change == "none":
                self.values["messages"] = {"none": f"Nothing runs ({number})."}
            elif change == "force":
                self.values["messages"] = {"force": f"All gone ({number})."}
            elif change == "mode":
                mode = self.chance.choice(["ralph", "autopilot", "ultragoal"])
                self.values["mode"] = {"detail": [f"Detail {number}."]} if mode == "ultragoal" else {}
            elif change == "stale":
                self.values["stale_s"] = 3600 + 60 * number
            elif change == "kept":
                kept = [{"path": f".omc/kept-{n}", "kind": "tree", "what": f"kept {n}"} for n in range(number % 4 + 1)]
                self.values["kept"] = kept
            elif change == "note":
                self.values["notes"] = [f"Note {n}." for n in range(number % 3 + 1)]
            elif change == "title":
                self.values["product"] = {"title": f"oh-my-claudecode {number}"}
            else:
                self.values["command"] = {"keywords": ["cancelomc", "stopomc", f"word{number}"]}
        (self.top / "mine.yaml").write_text(json.dumps(self.values, indent=1) + "\n")
        git(self.top, "add", "-A")
        git(self.top, "commit", "-qm", f"Revision {number}")


class Owner:
    """The people of one fork, who edit it as they please and resolve what conflicts."""

    def __init__(self, fork: Path, chance: random.Random, name: str) -> None:
        self.fork, self.chance, self.name = fork, chance, name
        self.tokens: dict[str, set[str]] = {}
        self.crlf = chance.random() < 0.3
        self.count = 0

    def token(self, path: str) -> str:
        self.count += 1
        word = f"own-{self.name}-{self.count}-end"
        self.tokens.setdefault(path, set()).add(word)
        return word

    def edit(self) -> None:
        files = sorted((self.fork / "skills/cancel").glob("**/*.md"))
        path = self.chance.choice([self.fork / SKILL, *files])
        name = path.relative_to(self.fork).as_posix()
        text = path.read_bytes().decode().replace("\r\n", "\n")
        rows = text.split("\n")
        front = rows.index("---", 1) if rows[0] == "---" else -1
        heads = [n for n, row in enumerate(rows) if row.startswith("#") and n > front]
        kind = self.chance.choice(["section", "paragraph", "end", "word", "file", "front", "runtime"])
        if kind == "section" and heads:
            at = self.chance.choice(heads)
            rows[at:at] = [f"## House rule {self.token(name)}", "", f"Text {self.token(name)}.", ""]
        elif kind == "paragraph" and heads:
            at = self.chance.choice(heads) + 1
            rows[at:at] = ["", f"Paragraph {self.token(name)}."]
        elif kind == "end":
            rows[-1:] = ["", f"Last {self.token(name)}.", ""]
        elif kind == "word":
            lines = [n for n, row in enumerate(rows) if n > front and row[:1].isalpha() and "own-" not in row]
            if lines:
                at = self.chance.choice(lines)
                rows[at] += f" And {self.token(name)}."
        elif kind == "front" and front > 0:
            rows[front:front] = [f"own{self.count}: {self.token(name)}"]
        elif kind == "runtime":
            path = self.chance.choice(sorted((self.fork / "skills/cancel/scripts").glob("**/*.py")))
            name = path.relative_to(self.fork).as_posix()
            rows = [*path.read_bytes().decode().replace("\r\n", "\n").split("\n")[:-1], f"# {self.token(name)}", ""]
        elif kind == "file":
            name = f"skills/cancel/references/{self.name}-{self.count}.md"
            path, rows = self.fork / name, [f"Own {self.token(name)}.", ""]
        path.write_bytes("\n".join(rows).replace("\n", "\r\n" if self.crlf else "\n").encode())

    def resolve(self) -> None:
        """Take both sides of every conflict."""
        for path in (self.fork / "skills").glob("**/*"):
            if path.is_file() and b"<<<<<<<" in path.read_bytes():
                path.write_bytes(MARKERS.sub(b"", path.read_bytes()))

    def check(self) -> None:
        for name, words in self.tokens.items():
            text = (self.fork / name).read_text()
            lost = [word for word in words if word not in text]
            assert not lost, (self.name, name, lost)


def prepare(top: Path, chance: random.Random) -> list[Owner]:
    owners = []
    for number in range(FORKS):
        fork = top / f"fork-{number}"
        shutil.copytree(top.parent / "first", fork)
        owner = Owner(fork, random.Random(chance.random()), str(number))
        if owner.crlf:
            for path in (fork / "skills").glob("**/*.md"):
                path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
        if number % 2:
            git(fork, "init", "-q")
            git(fork, "add", "-A")
            git(fork, "commit", "-qm", "As built")
        owners.append(owner)
    return owners


@pytest.mark.slow
@settings(
    max_examples=1,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(seed=st.integers(0, 10**9))
def test_a_year(seed: int, tmp_path_factory: pytest.TempPathFactory, skillgen: Cli) -> None:
    chance = random.Random(seed)
    top = tmp_path_factory.mktemp("year")
    model = Model(top / "model", chance)
    model.revise(0)
    options = ("--flavors", model.top)
    skillgen("build", "--flavor", "mine", "--into", top / "first", *options)
    (top / "forks").mkdir()
    owners = prepare(top / "forks", chance)
    conflicts = 0
    for number in range(1, REVISIONS + 1):
        for owner in owners:
            for _ in range(chance.randint(0, 2)):
                owner.edit()
        assert skillgen("sync", "--check", top / "forks", *options).code == 0, "local edits alone are no drift"
        model.revise(number)
        assert skillgen("sync", "--check", top / "forks", *options).code == 1
        ran = skillgen("sync", "--json", top / "forks", *options)
        assert ran.code in (0, 1), ran.err
        found = {
            Path(fork["path"]).name: [file for file in fork["files"] if file["state"] == "conflict"]
            for fork in ran.json["forks"]
        }
        conflicts += sum(map(len, found.values()))
        rendered = render_one(Inputs([str(model.top)], ()), "mine")[1]
        wanted = json.loads(rendered[CONTRACT].data)
        for owner in owners:
            owner.check()
            assert json.loads((owner.fork / CONTRACT).read_text()) == wanted
            before = tree(owner.fork)
            owner.resolve()
            assert bool(found[owner.fork.name]) == (tree(owner.fork) != before)
            owner.check()
        assert skillgen("sync", "--check", top / "forks", *options).code == 0
        before = tree(top / "forks")
        assert skillgen("sync", top / "forks", *options).code == 0
        assert tree(top / "forks") == before, "a second sync changes nothing"
    assert conflicts < FORKS * REVISIONS, "most edits merge"


def test_five_forks_get_a_fix_that_is_made_once(tmp_path: Path, skillgen: Cli) -> None:
    model = Model(tmp_path / "model", random.Random(1))
    model.revise(0)
    options = ("--flavors", model.top)
    forks = [tmp_path / f"fork-{number}" for number in range(5)]
    for number, fork in enumerate(forks):
        skillgen("build", "--flavor", "mine", "--into", fork, *options)
        (fork / SKILL).write_text((fork / SKILL).read_text() + f"\nOwn {number}.\n")
    assert skillgen("sync", "--check", *forks, *options).code == 0
    model.values["messages"] = {"none": "Nothing to cancel here."}
    model.values["revision"] = "20280101"
    (model.top / "mine.yaml").write_text(json.dumps(model.values))
    assert skillgen("sync", "--check", *forks, *options).code == 1
    assert skillgen("sync", *forks, *options).code == 0
    for number, fork in enumerate(forks):
        text = (fork / SKILL).read_text()
        assert "Nothing to cancel here." in text
        assert text.endswith(f"\nOwn {number}.\n")
    assert skillgen("sync", "--check", *forks, *options).code == 0
