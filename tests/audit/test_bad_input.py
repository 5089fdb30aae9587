"""Give the audit what no person wrote: an exit code and a clear line each, in little time and memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from skillgen.cli.main import cli

FRONT = b"---\nname: x\ndescription: Stops a mode. Use when asked.\n---\n"
ALIASES = b"".join(b"%c: &%c [%s]\n" % (98 + i, 98 + i, b",".join([b"*%c" % (97 + i)] * 9)) for i in range(12))
TEXTS: dict[str, tuple[bytes, int, str]] = {
    "binary": (bytes(range(256)) * 20, 2, "binary"),
    "a NUL in the text": (FRONT + b"a\0b", 2, "binary"),
    "empty": (b"", 1, "the file is empty"),
    "five megabytes": (FRONT + b"line of text here\n" * 300_000, 2, "5273 KiB long"),
    "one line of more than a megabyte": (FRONT + b"a `b` *c* [d](e) " * 70_000, 2, "KiB long"),
    "sixty thousand lines": (FRONT + b"- a\n" * 60_000, 2, "lines, more than the 50000 that are read"),
    "one line of 400 KiB": (FRONT + b"a `b` *c* [d](e) <x " * 20_000, 0, "no cancel skill"),
    "an unclosed fence": (FRONT + b"```bash\necho a\n", 1, "SG704"),
    "nested fences": (FRONT + b"````\n```bash\nx\n```\n````\n", 0, "no cancel skill"),
    "CRLF": ((FRONT + b"# a\n\nb\n").replace(b"\n", b"\r\n"), 1, "SG112"),
    "a byte order mark": (b"\xef\xbb\xbf" + FRONT, 1, "SG111"),
    "UTF-16": (FRONT.decode().encode("utf-16"), 2, "UTF-16"),
    "UTF-16 without a mark": (FRONT.decode().encode("utf-16-le"), 2, "UTF-16"),
    "Latin-1": (FRONT + "é\n".encode("latin-1"), 2, "5:1: byte 0xe9 is not UTF-8"),
    "front matter only": (FRONT, 0, "no cancel skill"),
    "front matter never closed": (b"---\nname: x\n", 1, "never closed"),
    "anchors": (b"---\nname: &a x\ndescription: *a\n---\n", 1, "SG109"),
    "aliases of aliases": (b"---\nname: x\na: &a [x,x,x,x]\n" + ALIASES + b"description: y\n---\n", 1, "SG109"),
    "YAML nested 5,000 deep": (b"---\nname: " + b"[" * 5000 + b"\n---\n", 1, "SG102"),
    "10,000 headings": (
        FRONT + b"".join(b"## Heading %d of many\n\ntext\n\n" % i for i in range(10_000)),
        0,
        "no cancel skill",
    ),
    "20,000 table rows": (FRONT + b"|a|b|\n|-|-|\n" + b"|x|y|\n" * 20_000, 0, "no cancel skill"),
    "5,000 shell blocks": (FRONT + b"```bash\nrm -rf $x\n```\n\n" * 5000, 1, "SG205"),
    "20,000 open substitutions": (FRONT + b"```bash\n" + b"$(" * 20_000 + b"\n```\n", None, ""),  # type: ignore[dict-item]
    "lists 300 deep": (FRONT + b"".join(b"  " * i + b"- a\n" for i in range(300)), None, ""),  # type: ignore[dict-item]
    "back quotes": (FRONT + b"`" * 30_000 + b"\n", 0, "no cancel skill"),
    "braces that multiply": (FRONT + b"- `.x/" + b"{a,b}" * 40 + b".json`\n", 0, "no cancel skill"),
    "calls without an end": (FRONT + b'state_clear(mode="x"' * 5000, None, ""),  # type: ignore[dict-item]
}


def audit(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, ["audit", *arguments, "--no-shellcheck"], standalone_mode=False)
    assert result.exception is None, result.exception
    return result.return_value, result.output


@pytest.mark.parametrize("name", TEXTS)
def test_every_text_gets_an_exit_code_and_a_clear_line(name: str, tmp_path: Path) -> None:
    data, code, words = TEXTS[name]
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(data)
    start = time.process_time()
    found, output = audit(str(path))
    assert time.process_time() - start < 10
    assert found == code or (code is None and found in (0, 1))
    assert words in output
    assert "Traceback" not in output


PEAK = "import re, sys, skillgen.cli.main as c; c.run(); print(re.search(r'VmHWM:\\s*(\\d+)', open('/proc/self/status').read())[1], file=sys.stderr)"


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("name", ["10,000 headings", "20,000 table rows", "5,000 shell blocks", "aliases of aliases"])
def test_the_heaviest_of_them_stay_below_200_mib(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(TEXTS[name][0])
    command = [sys.executable, "-c", PEAK, "audit", str(path), "--no-shellcheck", "--format", "github"]
    done = subprocess.run(command, capture_output=True, check=True, text=True)
    assert int(done.stderr.split()[-1]) < 200 * 1024


def test_a_loop_of_links_is_walked_once(tmp_path: Path) -> None:
    (tmp_path / "a" / "x").mkdir(parents=True)
    (tmp_path / "a" / "x" / "SKILL.md").write_bytes(FRONT)
    (tmp_path / "a" / "up").symlink_to("..")
    (tmp_path / "a" / "x" / "self").symlink_to(".")
    code, output = audit(str(tmp_path))
    assert code == 0
    assert output.count("SKILL.md") + output.count("no cancel skill") == 1


def test_one_unreadable_text_does_not_hide_the_others(tmp_path: Path) -> None:
    for name, data in (("bad", b"\xff\xfe\0\0"), ("x", FRONT + b"```bash\necho\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "SKILL.md").write_bytes(data)
    code, output = audit(str(tmp_path))
    assert code == 2
    assert "SG704" in output
    assert "bad/SKILL.md" in output


def archive(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in entries.items():
            target.writestr(name, data)
    return path


@pytest.mark.parametrize(
    ("entries", "code", "words"),
    [
        ({"x/SKILL.md": FRONT + b"# x\n"}, 0, "no cancel skill"),
        ({"x/SKILL.md": FRONT + b"```bash\n"}, 1, "SG704"),
        ({"../x/SKILL.md": FRONT}, 2, "leaves it"),
        ({"/x/SKILL.md": FRONT}, 2, "leaves it"),
        ({"x/a.txt": b"a"}, 2, "holds no SKILL.md"),
        ({"x/SKILL.md": FRONT, "x/zeros": b"\0" * (80 << 20)}, 2, "unpacks to"),
        ({"x/SKILL.md": FRONT + b"a" * (20 << 20)}, 2, "unpacks to"),
        ({"x/SKILL.md": FRONT, **{f"x/{n}": b"" for n in range(6000)}}, 2, "6001 files"),
    ],
)
def test_archives_are_read_in_place_and_dangerous_ones_refused(
    entries: dict[str, bytes], code: int, words: str, tmp_path: Path
) -> None:
    path = archive(tmp_path / "x.skill", entries)
    before = sorted(tmp_path.iterdir())
    found, output = audit(str(path))
    assert found == code
    assert words in output
    assert sorted(tmp_path.iterdir()) == before


def as_link(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, 0o120777 << 16
    return info


def test_a_link_in_an_archive_is_no_text(tmp_path: Path) -> None:
    hidden = FRONT + b"```bash\n"
    for name in ("SKILL.md", "commands/cancel.md", "references/more.md"):
        path = tmp_path / "x.skill"
        with zipfile.ZipFile(path, "w") as target:
            if name != "SKILL.md":
                target.writestr("x/SKILL.md", FRONT + b"# x\n")
            target.writestr(as_link(f"x/{name}"), hidden)
        code, output = audit(str(path))
        assert "SG704" not in output, name
        assert code == (2 if name == "SKILL.md" else 0), output
        assert name != "SKILL.md" or "the archive holds no SKILL.md" in output


def test_a_cut_archive_a_pipe_and_a_missing_path_are_refused(tmp_path: Path) -> None:
    whole = archive(tmp_path / "x.skill", {"x/SKILL.md": FRONT * 50})
    cut = tmp_path / "cut.skill"
    cut.write_bytes(whole.read_bytes()[:80])
    os.mkfifo(tmp_path / "pipe")
    for path, words in (
        (cut, "not a readable archive"),
        (tmp_path / "pipe", "neither a file"),
        (tmp_path / "no", "no such"),
    ):
        code, output = audit(str(path))
        assert code == 2
        assert words in output


def test_nothing_of_a_block_is_ever_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    blocks = [
        f"touch {mark}",
        f"set +n\ntouch {mark}",
        f"x=$(touch {mark})",
        f"}}\ntouch {mark}",
        f"'\ntouch {mark}\n'",
    ]
    body = b"".join(b"```bash\n" + block.encode() + b"\n```\n\n" for block in blocks)
    path = tmp_path / "x" / "SKILL.md"
    path.parent.mkdir()
    path.write_bytes(FRONT + body)
    audit(str(path))
    assert not mark.exists()


def test_an_unknown_rule_is_refused() -> None:
    result = CliRunner().invoke(cli, ["audit", ".", "--select", "SG999"], standalone_mode=False)
    assert "no rule has this code" in str(result.exception)
