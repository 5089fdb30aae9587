"""A bundle's files are valid for their readers: front matter, links, shell, characters, normal form."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import mdformat
import pytest
from bundles import contract, flavors, shipped
from skill_text import Text

from skillgen.cli.audit import command as audit

TEXTS = [(flavor, name) for flavor in flavors() for name in shipped(flavor).names]
by_text = pytest.mark.parametrize(("flavor", "name"), TEXTS, ids=lambda value: value)
by_flavor = pytest.mark.parametrize("flavor", flavors())


@by_flavor
def test_front_matter_reads_back_equal(flavor: str) -> None:
    front = contract(flavor).front
    expected = {"name": front.name, "description": front.description, **front.host_keys}
    if contract(flavor).host.allowed_tools:
        expected["allowed-tools"] = contract(flavor).host.allowed_tools
    if front.metadata:
        expected["metadata"] = front.metadata
    assert shipped(flavor).main.front == expected
    assert shipped(flavor).skill.name == front.name


@by_flavor
def test_the_description_says_what_and_when(flavor: str) -> None:
    description = shipped(flavor).main.front["description"]
    assert len(description) <= 1024
    assert contract(flavor).product.name in description
    assert "Use when" in description
    for key, mode in contract(flavor).modes.items():
        assert key in description or mode.retired


@by_flavor
def test_the_reference_validator_of_agent_skills_accepts_it(flavor: str, tmp_path: Path) -> None:
    skill = tmp_path / "cancel"
    skill.mkdir()
    shutil.copy(shipped(flavor).skill / "SKILL.md", skill)
    program = Path(sys.executable).with_name("agentskills")
    done = subprocess.run([program, "validate", skill], capture_output=True, text=True, timeout=60, check=False)
    declared = sorted(contract(flavor).front.host_keys)
    if not declared:
        assert done.returncode == 0, done
    else:
        # Keys that the flavor's host reads beyond the specification are the one thing that may be found.
        complaints = [line for line in (done.stdout + done.stderr).splitlines() if line.strip().startswith("- ")]
        assert len(complaints) == 1, done
        assert re.findall(r"[Uu]nexpected fields in frontmatter: ([\w, -]+)\.", complaints[0]) == [", ".join(declared)]


@by_flavor
def test_a_keyword_that_no_hook_reads_stands_in_the_description(flavor: str) -> None:
    told = contract(flavor)
    assert told.command.keywords
    if not told.command.matching:
        description = shipped(flavor).main.front["description"]
        assert [word for word in told.command.keywords if word not in description] == []


@by_flavor
def test_no_dot_is_escaped_where_a_reader_would_copy_it(flavor: str) -> None:
    for path in [*shipped(flavor).root.glob("*.md"), *shipped(flavor).skill.rglob("*.md")]:
        for span in re.findall(r"`[^`\n]+`|^```.*?^```", path.read_text(), re.M | re.S):
            assert not re.search(r"\d\\\.\d", span), (path.name, span)


@by_flavor
def test_the_auditor_has_nothing_to_say_but_notes(flavor: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert audit.main([str(shipped(flavor).root)], standalone_mode=False) == 0
    assert "grade A" in capsys.readouterr().out


@by_flavor
def test_every_link_leads_to_a_file_of_the_skill(flavor: str) -> None:
    skill = shipped(flavor).skill
    for text in shipped(flavor).texts():
        for _, target in text.links:
            path = (skill / text.name).parent / target
            assert path.resolve().is_relative_to(skill.resolve()), (text.name, target)
            assert path.is_file(), (text.name, target)


@by_flavor
def test_every_reference_can_be_reached_from_the_skill(flavor: str) -> None:
    bundle = shipped(flavor)
    reached, waiting = set(), ["SKILL.md"]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += [
                f"{Path(name).parent.as_posix()}/{target}".removeprefix("./") for _, target in bundle.text(name).links
            ]
    assert reached == set(bundle.names)


@by_flavor
def test_what_the_text_calls_exists(flavor: str) -> None:
    bundle = shipped(flavor)
    named = {found for text in bundle.texts() for found in re.findall(r"scripts/cancel\.\w+", text.body)}
    assert named == {"scripts/cancel.py", "scripts/cancel.sh"}
    for name in named:
        assert (bundle.skill / name).is_file(), name


def fences(text: Text) -> list[tuple[str, str]]:
    return [(fence.info, fence.content) for fence in text.fences]


@by_text
def test_every_shell_block_parses_and_passes_shellcheck(flavor: str, name: str, tmp_path: Path) -> None:
    for language, block in fences(shipped(flavor).text(name)):
        assert language in ("bash", "text"), f"a block is marked {language!r}"
        if language == "bash":
            file = tmp_path / "block.sh"
            file.write_text(block)
            judge_shell(file)


@by_flavor
def test_every_shell_script_parses_and_passes_shellcheck(flavor: str) -> None:
    scripts = sorted(shipped(flavor).root.rglob("*.sh"))
    assert scripts
    for script in scripts:
        judge_shell(script)


def judge_shell(file: Path) -> None:
    shellcheck = Path(sys.executable).with_name("shellcheck")
    for command in (["bash", "-n"], ["bash", "--posix", "-n"], [shellcheck, "-s", "bash", "-S", "style"]):
        done = subprocess.run([*command, file], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


@by_text
def test_a_text_holds_nothing_hidden_live_or_left_over(flavor: str, name: str) -> None:
    source = (shipped(flavor).skill / name).read_bytes().decode()
    assert source.endswith("\n") and not source.endswith("\n\n")
    assert "\r" not in source
    assert "!`" not in source and "```!" not in source
    assert not re.search(r"\{\{|\}\}|\{%|%\}|\{##", source)
    assert not re.search(r"[ \t]$", source, re.M)
    hidden = [char for char in source if unicodedata.category(char) in ("Cc", "Cf", "Co", "Cn") and char != "\n"]
    assert hidden == []


@by_text
def test_no_word_runs_into_the_next(flavor: str, name: str) -> None:
    body = re.sub(r"```.*?```", "", shipped(flavor).text(name).body, flags=re.S)
    # A code span stands between spaces, brackets and marks, never against a letter.
    for before, after in re.findall(r"(.?)`[^`\n]+`(.?)", body):
        assert not before.isalnum(), body
        assert not after.isalnum(), body
    assert not re.search(r" {2,}(?=\S)", re.sub(r"^ +", "", body, flags=re.M)), body
    assert not re.search(r" [.,;:](?:\s|$)", body), body


def without_long_lists(text: Text) -> str:
    """Leave out all but nine items of a longer list: mdformat pads the numbers of such a list with zeros."""
    lines = text.body.split("\n")
    gone: set[int] = set()
    for node in text.tree.walk():
        if node.type == "ordered_list" and len(node.children) > 9:
            for item in node.children[9:]:
                assert item.map
                gone |= set(range(*item.map))
            # The blank line behind the list stays.
            gone -= {line for line in gone if not lines[line].strip()}
    return "\n".join(line for number, line in enumerate(lines) if number not in gone)


@by_text
def test_a_text_is_in_the_normal_form_of_mdformat(flavor: str, name: str) -> None:
    body = without_long_lists(shipped(flavor).text(name))
    options = {"number": True, "plugin": {"tables": {"compact_tables": True}}}
    assert mdformat.text(body, options=options, extensions={"gfm", "tables"}) == body.lstrip("\n")
