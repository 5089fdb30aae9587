"""What the shell judges and what it keeps: only a record's own fields count, and what jq would alter is not rewritten."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from .shell_world import Shell

OURS = ("--session-id", "s1")
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


@pytest.fixture(params=["without jq", pytest.param("with jq", marks=needs_jq)])
def either(request: pytest.FixtureRequest, bundles: Path, tmp_path: Path) -> Shell:
    one = Shell(bundles, tmp_path, ["bash"])
    if request.param == "with jq":
        one.provide("jq")
    return one


AT_REST = [
    '{"meta": {"active": true}}',
    '{"a": [{"active": true}], "phase": "x"}',
    '{"a": {"b": {"active": true}}, "c": {}}',
    '{"a": [[], {}, {"x": "}", "active":true}]}',
    '{"active": false, "meta": {"active": true}}',
    '{"meta": {"active": true}, "active": null}',
    '{"a": "{\\"active\\": true}"}',
    '{"\\"active": true}',
    '{"x \\"active": true}',
    '{"a": "\\\\", "meta": {"active": true}}',
    '{"a": "\\\\\\"", "b": "active", "c": true}',
    '{"activex": true, "xactive": true, "ACTIVE": true}',
]


@pytest.mark.parametrize("text", AT_REST)
@pytest.mark.parametrize("flavor", ["omc", "pep"])
def test_only_the_flag_of_the_record_itself_makes_it_active(text: str, flavor: str, either: Shell) -> None:
    json.loads(text)
    record = either.record(flavor, "ralph", text)
    done = either.run(flavor, *OURS)
    assert (done.exit, record.exists()) == (0, True), done
    assert record.read_text() == text
    assert "No active" in done.stdout
    told = either.python(flavor, *OURS)
    assert "No active" in told.stdout, "cancel.py judges it in another way"


ACTIVE = [
    '{"active": true, "meta": {"active": false}}',
    '{"meta": {"active": false, "a": [1, {"active": "x"}]}, "active": true}',
    '{"a": [1, [2, {"b": "]"}]], "active": true}',
    '{"active":true,"a":"\\\\"}',
    '\n{ "n": -1.5e+3 ,"active"\t:\r\n true }\n',
]


@pytest.mark.parametrize("text", ACTIVE)
def test_a_nested_flag_denies_nothing(text: str, either: Shell) -> None:
    json.loads(text)
    record = either.record("pep", "ralph", text)
    done = either.run("pep", *OURS)
    assert (done.exit, record.exists()) == (0, False), done


@pytest.mark.parametrize(
    ("text", "phase"),
    [
        ('{"active": true, "meta": {"phase": "inner"}}', "unknown"),
        ('{"meta": {"current_phase": "inner"}, "phase": "outer", "active": true}', "outer"),
        ('{"active": true, "phase": "a \\"b\\" \\\\ c"}', 'a "b" \\ c'),
    ],
)
def test_the_phase_is_the_record_s_own(text: str, phase: str, either: Shell) -> None:
    either.record("omd", "autopilot", text)
    done = either.run("omd", *OURS)
    assert f"at phase: {phase}." in done.stdout, done


def test_a_choice_is_made_by_the_record_s_own_field(either: Shell) -> None:
    either.record("omd", "deep-interview", {"active": True, "meta": {"spec_path": "x.md"}})
    assert "No spec was written" in either.run("omd", *OURS).stdout


@pytest.mark.parametrize("text", ['{"active": true, "active": false}', '{"active": false, "active": true}'])
def test_a_flag_that_is_given_twice_is_not_judged(text: str, either: Shell) -> None:
    record = either.record("pep", "ralph", text)
    either.run("pep", *OURS)
    assert record.read_text() == text


def ledger(shell: Shell, text: str | bytes) -> Path:
    shell.session("omc")
    root = shell.state("omc") / "skill-active-state.json"
    root.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


MINE = '"a":{"session_id":"s1"}'
KEPT = {
    "a big integer": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":12345678901234567890}}}}}}',
    "a long fraction": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":0.12345678901234567890}}}}}}',
    "a number spelled otherwise": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":1.50}}}}}}',
    "an exponent": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":1E400}}}}}}',
    "a byte that is no text": b'{"active_skills":{"a":{"session_id":"s1"},"b":{"session_id":"s2","t":"\xff"}}}',
    "half a pair": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","t":"\\ud800"}}}}}}',
    "a NUL": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2"}}}}}}\0',
    "a key that is there twice": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","k":1,"k":2}}}}}}',
    "two documents": f'{{"active_skills":{{{MINE}}}}}{{"active_skills":{{"b":{{"session_id":"s2"}}}}}}',
    "two documents on two lines": f'{{"active_skills":{{{MINE}}}}}\n{{"active_skills":{{"b":{{"session_id":"s2"}}}}}}\n',
    "a list": f'[{{"active_skills":{{{MINE}}}}}]',
    "a number that is none": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":01}}}}}}',
    "no number at all": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","n":nan}}}}}}',
    "an escape that means something else": f'{{"active_skills":{{{MINE},"b":{{"session_id":"s2","t":"\\u0041"}}}}}}',
}


@pytest.mark.parametrize("what", sorted(KEPT))
def test_other_sessions_slots_are_kept_byte_for_byte_or_the_ledger_is_left(what: str, either: Shell) -> None:
    root = ledger(either, KEPT[what])
    before = root.read_bytes()
    done = either.run("omc", *OURS)
    assert root.read_bytes() == before, done
    assert done.exit == 1 and str(root) in done.stdout, done


@needs_jq
@pytest.mark.parametrize(
    "slot",
    [
        {"session_id": "s2", "n": 1, "t": 'ä \u2028 😀 \u007f \\ " / \n \t \b'},
        {"session_id": "s2", "n": [1.5, -0.25, 1e21, 9007199254740991, True, None], "o": {}, "l": []},
        {"session_id": "s2", "started_at": "2026-09-12T00:00:00.000Z", "x": "a: b, {c} [d]"},
    ],
)
def test_what_jq_keeps_is_rewritten_and_every_other_slot_is_the_same(slot: object, one_shell: Shell) -> None:
    one_shell.provide("jq")
    text = json.dumps(
        {"version": 2, "active_skills": {"a": {"session_id": "s1"}, "b": slot}}, indent=2, ensure_ascii=False
    )
    root = ledger(one_shell, text)
    done = one_shell.run("omc", *OURS)
    if done.exit == 0:
        after = root.read_text()
        assert '"a"' not in after
        assert json.loads(after)["active_skills"] == {"b": slot}
        mine = json.dumps(slot, separators=(",", ":"), ensure_ascii=False)
        assert mine in "".join(json.dumps(json.loads(after), separators=(",", ":"), ensure_ascii=False))
    else:
        assert (done.exit, root.read_text()) == (1, text)
    if "x" in slot or "o" in slot:  # type: ignore[operator]
        assert done.exit == 0, done


@needs_jq
@pytest.mark.parametrize("what", sorted(set(KEPT) - {"two documents", "two documents on two lines", "a list"}))
def test_a_record_is_changed_in_place_only_if_all_else_stays(what: str, one_shell: Shell) -> None:
    one_shell.provide("jq")
    text = KEPT[what]
    text = text if isinstance(text, bytes) else text.encode()
    record = one_shell.record("pep", "autopilot")
    record.write_bytes(b'{"active":true,"phase":"x",' + text[1:])
    before = record.read_bytes()
    done = one_shell.run("pep", *OURS)
    assert record.read_bytes() == before, done
    assert done.exit == 2, done


@needs_jq
@pytest.mark.parametrize("text", ['{"active":true}\n{"active":false}', '{"active":true} {}', '[{"active":true}]'])
def test_a_file_of_two_documents_is_no_record(text: str, one_shell: Shell) -> None:
    one_shell.provide("jq")
    record = one_shell.record("omc", "ralph", text)
    assert one_shell.run("omc", *OURS).exit == 2
    assert record.read_text() == text


@needs_jq
@pytest.mark.parametrize(
    "text", ['{"active":true,"n":01%s}', '{"active":true,"n":nan%s}', '{"active":true,"t":"\udcff"%s}']
)
def test_a_large_file_is_judged_like_a_small_one(text: str, one_shell: Shell) -> None:
    one_shell.provide("jq")
    record = one_shell.record("omc", "ralph")
    data = (text % (',"p":"' + "x" * 100_000 + '"')).encode("utf-8", "surrogateescape")
    record.write_bytes(data)
    assert one_shell.run("omc", *OURS).exit == 2
    assert record.read_bytes() == data


def test_a_no_that_is_text_is_at_rest_and_said_once(one_shell: Shell) -> None:
    path = one_shell.record("omc", "ralph", {"active": "false", "session_id": "s1"})
    for ran in (
        one_shell.run("omc", "--session-id", "s1", "--json"),
        one_shell.python("omc", "--session-id", "s1", "--json"),
    ):
        said = [text for text in ran.report["warnings"] if "has the text" in text]
        assert (
            ran.exit == 0 and said == [said[0]] and said[0].startswith(f'{path} has the text "false" for `active`:')
        ), ran
    assert path.exists()


@pytest.mark.parametrize("flavor", ["rcs", "omx"])
def test_of_a_shared_last_record_only_this_session_s_part_is_said_to_be_gone(one_shell: Shell, flavor: str) -> None:
    one_shell.provide("jq")
    entries = [{"skill": "a", "active": True, "session_id": name} for name in ("s1", "s2")]
    root = one_shell.state(flavor) / "skill-active-state.json"
    said = []
    for run in (one_shell.run, one_shell.python):
        one_shell.record(flavor, "ultraqa")
        root.write_text(json.dumps({"active": True, "active_skills": entries}))
        ran = run(flavor, "--session-id", "s1")
        assert ran.exit == 0 and [entry["session_id"] for entry in json.loads(root.read_text())["active_skills"]] == [
            "s2"
        ]
        said.append([line for line in ran.stdout.splitlines() if line.startswith("skill-active")])
    assert said[0] == said[1] == ["skill-active (session s1): this session's part is taken out"]
