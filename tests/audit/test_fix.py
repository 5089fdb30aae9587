"""Let --fix repair what is safe, twice the same, and touch nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.main import cli

FRONT = "---\nname: x\ndescription: Stops a mode. Use when asked.\n---\n\n"

#: (before, after), each inside a bash block.
REPAIRS = [
    ("tmux kill-session -t x-team-a", "tmux kill-session -t =x-team-a"),
    ('tmux kill-session -t "$s" 2>/dev/null', 'tmux kill-session -t "=$s" 2>/dev/null'),
    ("tmux ls | while read s; do echo 1; done", "tmux ls | while IFS= read -r s; do echo 1; done"),
    ("while IFS=: read a b; do echo 1; done < f", "while IFS=: read -r a b; do echo 1; done < f"),
    ("cat $file", 'cat "$file"'),
    ("rm -f $DIR/a.json", 'rm -f "$DIR/a.json"'),
    (
        'date -u -d "+30 seconds" +"%Y-%m-%dT%H:%M:%SZ"',
        "python3 -c 'import datetime as d; print((d.datetime.now(d.timezone.utc) + d.timedelta(seconds=30))"
        '.strftime("%Y-%m-%dT%H:%M:%SZ"))\'',
    ),
    (
        'if [[ "$*" == *"--force"* ]] || [[ "$*" == *"--all"* ]]; then\n  FORCE_MODE=true\nfi',
        'for arg in "$@"; do\n  case "$arg" in\n    --force|--all) FORCE_MODE=true ;;\n  esac\ndone',
    ),
    (
        'if [[ "$*" == *"--all"* ]]; then\n  ALL=1\nfi',
        'for arg in "$@"; do\n  case "$arg" in\n    --all) ALL=1 ;;\n  esac\ndone',
    ),
]


def fix(path: Path) -> int:
    result = CliRunner().invoke(cli, ["audit", str(path), "--fix", "--no-shellcheck"], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value


def write(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes((FRONT + body).encode())
    return path


@pytest.mark.parametrize(("before", "after"), REPAIRS, ids=[before.split("\n")[0][:40] for before, _ in REPAIRS])
def test_a_safe_repair_is_made_once_and_stays(before: str, after: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"```bash\n{before}\n```\n")
    fix(path)
    assert path.read_text(encoding="utf-8") == f"{FRONT}```bash\n{after}\n```\n"
    stamp = path.stat().st_ino
    fix(path)
    assert path.stat().st_ino == stamp, "a second run writes nothing"


@pytest.mark.parametrize(
    "block",
    [
        # An else, a second statement and an unknown condition are not understood.
        'if [[ "$*" == *"--all"* ]]; then\n  ALL=1\nelse\n  ALL=0\nfi',
        'if [[ "$*" == *"--all"* ]]; then\n  ALL=1\n  echo all\nfi',
        'if [[ "$*" == *"--all"* ]] && [ -d .x ]; then\n  ALL=1\nfi',
        'date -d "next friday" +%F',
        'date -u -d "$when" +%F',
        'rm -rf "$STATE/$name"',
        'kill "$(cat daemon.pid)"',
    ],
)
def test_what_is_not_understood_stays_as_it_is(block: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"```bash\n{block}\n```\n")
    before = path.read_bytes()
    assert fix(path) == 1
    assert path.read_bytes() == before


def test_line_ends_mark_and_mode_of_a_repaired_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir()
    text = FRONT.replace("\n", "\r\n") + "```bash\r\ncat $file\r\n```\r\nlast\n"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    path.chmod(0o640)
    fix(path)
    assert path.read_bytes() == b"\xef\xbb\xbf" + text.replace("cat $file", 'cat "$file"').encode()
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_final_newline_and_hidden_characters_are_repaired(tmp_path: Path) -> None:
    path = write(tmp_path, "a\u200bb")
    fix(path)
    assert path.read_text(encoding="utf-8") == FRONT + "ab\n"


def test_a_waived_finding_is_not_repaired(tmp_path: Path) -> None:
    path = write(tmp_path, "```bash\n# skillgen: allow SG214 - the list is meant to split\ncat $files\n```\n")
    assert fix(path) == 0
    assert "cat $files" in path.read_text(encoding="utf-8")


def test_repairs_in_columns_behind_wide_characters_hit_the_right_place(tmp_path: Path) -> None:
    path = write(tmp_path, "1. 运行 `tmux kill-session -t x-team-a` 然后\n")
    fix(path)
    assert "`tmux kill-session -t =x-team-a` 然后" in path.read_text(encoding="utf-8")


def test_a_repair_leaves_a_text_in_normal_form_where_it_was_in_it(tmp_path: Path) -> None:
    # What stood before the hidden character is at the end of the line then.
    path = write(tmp_path, "Say it. \u200b\n\n- one\u200b\n- two\n")
    fix(path)
    assert path.read_text(encoding="utf-8") == FRONT + "Say it.\n\n- one\n- two\n"


def test_a_repair_leaves_the_form_of_a_text_that_has_its_own(tmp_path: Path) -> None:
    path = write(tmp_path, "* one\u200b\n* two\n\n| a   | b |\n|-----|---|\n| c\u200b | d |\n")
    fix(path)
    assert path.read_text(encoding="utf-8") == FRONT + "* one\n* two\n\n| a   | b |\n|-----|---|\n| c | d |\n"


@pytest.mark.parametrize(
    "body",
    ["\u200b# No heading\n", "first\n\u200b\nsame paragraph\n", "no break  \u200b\nhere\n", "\u200b- no item\n"],
)
def test_a_repair_that_would_render_to_something_else_is_left_to_a_person(body: str, tmp_path: Path) -> None:
    path = write(tmp_path, f"{body}\n\nEnd\u200b\n")
    assert fix(path) == 1
    assert path.read_text(encoding="utf-8") == f"{FRONT}{body}\n\nEnd\n", "the others are made all the same"


def test_a_repaired_text_in_normal_form_keeps_its_carriage_returns(tmp_path: Path) -> None:
    path = write(tmp_path, "")
    path.write_bytes((FRONT + "Say it. \u200b\n\n- one\n").replace("\n", "\r\n").encode())
    fix(path)
    assert path.read_bytes() == (FRONT + "Say it.\n\n- one\n").replace("\n", "\r\n").encode()
