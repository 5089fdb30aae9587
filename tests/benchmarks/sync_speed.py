"""Measure `skillgen sync --check` of many forks beside hashing their files, `cruft check` and `copier update --pretend`.

usage: python tests/benchmarks/sync_speed.py [--forks 200] [--rounds 7] [--others 10] [--tools DIR]
`--others`: projects that cruft and copier, one process each, are measured on; 0 leaves them out. `--tools`: where their
programs are, such as the bin directory of a virtual environment (pip install cruft copier).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from side_by_side import Candidate, compare

from skillgen.build.locks import read_lock
from skillgen.build.rebuild import write_lock
from skillgen.model.lock import Mark

HASH = """
import hashlib, os, sys
for root, _, names in os.walk(sys.argv[1]):
    for name in names:
        with open(os.path.join(root, name), "rb") as file:
            hashlib.sha256(file.read()).hexdigest()
"""
SKILLGEN = [sys.executable, "-m", "skillgen"]


def make_forks(top: Path, count: int) -> Path:
    """Build a fork, and copy it until there are `count`."""
    top.mkdir()
    build = [*SKILLGEN, "build", "--flavor", "omc", "--into", str(top / "fork-0")]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    for number in range(1, count):
        shutil.copytree(top / "fork-0", top / f"fork-{number}")
    return top


def make_small_forks(top: Path, forks: Path, count: int) -> Path:
    """Make forks of twelve files, about as large as a bundle's without the modules of its script."""
    one = top / "fork-0"
    one.mkdir(parents=True)
    (entry,) = read_lock(str(forks / "fork-0")).values()
    files = {}
    names = sorted(entry.files, key=lambda path: ("cancel_runtime" in path, path))[:12]
    for name in names:
        data = (forks / "fork-0" / name).read_bytes()
        (one / name).parent.mkdir(parents=True, exist_ok=True)
        (one / name).write_bytes(data)
        (one / name).chmod((forks / "fork-0" / name).stat().st_mode & 0o777)
        files[name] = Mark(sha256(data).hexdigest(), entry.files[name].executable)
    write_lock(str(one), {entry.id: replace(entry, files=files)})
    for number in range(1, count):
        shutil.copytree(one, top / f"fork-{number}")
    return top


def edit_forks(forks: Path, top: Path) -> Path:
    """Copy forks and edit the text of each, so that none is as it was built."""
    shutil.copytree(forks, top)
    for skill in top.glob("*/skills/cancel/SKILL.md"):
        with skill.open("a") as file:
            file.write(f"\nOwn words of {skill.parts[-4]}.\n")
    return top


def git(top: Path, *arguments: str) -> None:
    who = ["-c", "user.name=B", "-c", "user.email=b@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *arguments], cwd=top, check=True, capture_output=True)


def make_projects(top: Path, forks: Path, tools: Path, count: int) -> tuple[Path, Path]:
    """Make projects of cruft and of copier from a template with the same twelve files."""
    for tool in ("cruft", "copier"):
        template = top / f"{tool}-template"
        inner = template / "{{cookiecutter.name}}" if tool == "cruft" else template
        shutil.copytree(forks / "fork-0", inner, ignore=shutil.ignore_patterns("skillgen.lock"))
        if tool == "cruft":
            (template / "cookiecutter.json").write_text('{"name": "fork", "_copy_without_render": ["*"]}\n')
        else:
            (template / "copier.yml").write_text("name: {type: str, default: fork}\n_exclude: [copier.yml, .git]\n")
            (template / "{{_copier_conf.answers_file}}.jinja").write_text("{{ _copier_answers|to_nice_yaml }}\n")
        git(template, "init", "-q", "-b", "main")
        git(template, "add", "-A")
        git(template, "commit", "-qm", "Template")
        git(template, "tag", "1.0.0")
        made = top / tool
        made.mkdir()
        if tool == "cruft":
            create = [tools / "cruft", "create", "--no-input", "--output-dir", made / "0", template]
        else:
            create = [tools / "copier", "copy", "--defaults", "--quiet", template, made / "0" / "fork"]
        (made / "0").mkdir()
        subprocess.run([str(part) for part in create], check=True, capture_output=True)
        git(made / "0" / "fork", "init", "-q")
        git(made / "0" / "fork", "add", "-A")
        git(made / "0" / "fork", "commit", "-qm", "Project")
        for number in range(1, count):
            shutil.copytree(made / "0", made / str(number))
    return top / "cruft", top / "copier"


def loop(command: str, made: Path) -> list[str]:
    return ["bash", "-c", f'for project in "{made}"/*/fork; do (cd "$project" && {command}) || exit 1; done']


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--forks", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--others", type=int, default=10)
    parser.add_argument("--tools", type=Path, default=Path(sys.executable).parent)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="skillgen-bench-") as directory:
        top = Path(directory)
        os.environ["XDG_CACHE_HOME"] = str(top / "cache")
        forks = make_forks(top / "forks", given.forks)
        small = make_small_forks(top / "small", forks, given.forks)
        edited = edit_forks(forks, top / "edited")
        files = len(next(iter(read_lock(str(forks / "fork-0")).values())).files)
        for words, where in (
            (f"{given.forks} forks of {files} files", forks),
            (f"{given.forks} forks of 12 files", small),
            (f"{given.forks} forks of {files} files, one file of each edited", edited),
        ):
            check = Candidate("skillgen sync --check", [*SKILLGEN, "sync", "--check", where])
            hashing = Candidate("hashing the files in one Python process", [sys.executable, "-c", HASH, where])
            print("\n".join(compare(words, [check, hashing], given.rounds)), flush=True)
        if given.others and (given.tools / "cruft").exists() and (given.tools / "copier").exists():
            few = make_forks(top / "few", given.others)
            cruft, copier = make_projects(top / "others", few, given.tools, given.others)
            candidates = [
                Candidate("cruft check, one process each", loop(f'"{given.tools / "cruft"}" check', cruft)),
                Candidate(
                    "copier update --pretend, one process each",
                    loop(f'"{given.tools / "copier"}" update --pretend --defaults --quiet', copier),
                ),
                Candidate("skillgen sync --check, one process", [*SKILLGEN, "sync", "--check", few]),
            ]
            print("\n".join(compare(f"{given.others} forks of {files} files", candidates, 3)), flush=True)


if __name__ == "__main__":
    main()
