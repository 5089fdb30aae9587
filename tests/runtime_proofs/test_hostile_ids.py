"""Give the scripts session ids that would harm a careless program."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime_proofs import tree
from runtime_proofs.bundle import FLAVORS, contract, run
from runtime_proofs.runtime import Refused, request
from runtime_proofs.scenario import Place, place

HOSTILE = {
    "dots": "..",
    "dot": ".",
    "up": "../x",
    "up-from-a-session": "s1/../s2",
    "slash": "a/b",
    "absolute": "/etc",
    "backslash": "a\\b",
    "300-characters": "a" * 300,
    "newline-at-the-end": "s1\n",
    "newline": "s1\ns2",
    "carriage-return": "s1\r",
    "option": "-rf",
    "command": "$(touch pwned)",
    "backticks": "`touch pwned`",
    "semicolon": "s1;touch pwned",
    "glob": "*",
    "tilde": "~",
    "space": "s 1",
    "tab": "s1\t",
    "empty": "",
    "blank": "   ",
    "umlaut": "sö",
    "digit-of-another-script": "s١",
    "quote": "s1' OR '1'='1",
    "escape": "\x1b[31m",
    "not-utf-8": "s\udcff",
}
LONG_IS_FINE = {"omd"}
FINE = {("rcs", "option"), ("omx", "option"), ("omd", "option"), ("omni", "option")}
"""Their patterns allow a leading hyphen; then there is simply no such session."""


def put(flavor: str, base: Path) -> Place:
    if flavor == "omni":
        return place(
            flavor, base, rows={"s1": {"ralph": {}}, "s2": {"ralph": {}}, "": {"ralph": {}}, "..": {"ralph": {}}}
        )
    mode = "ralplan" if flavor == "omd" else "pipeline"
    names = [f"@s1/{mode}", f"@s2/{mode}", f"@/{mode}", f"^/ws/{mode}-state.json", f"^/ws/a/b/{mode}-state.json"]
    return place(flavor, base, dict.fromkeys(names, "active"))


def whole(base: Place) -> tree.Snapshot:
    return {name: value for name, value in tree.snapshot(base.base).items() if "omni.db-" not in name}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("flavor", FLAVORS)
@pytest.mark.parametrize("how", ["py", "bare"])
def test_a_hostile_argument_changes_nothing(flavor: str, name: str, how: str, tmp_path: Path) -> None:
    here = put(flavor, tmp_path / "b")
    before = whole(here)
    done = run(flavor, [f"--session-id={HOSTILE[name]}"], cwd=here.cwd, home=here.home, how=how)
    assert whole(here) == before, done
    assert "Traceback" not in done.stderr, done
    if (flavor, name) in FINE or (name == "300-characters" and flavor in LONG_IS_FINE):
        assert done.exit in (0, 1, 2), done
    else:
        assert (done.exit, done.stdout) == (2, ""), done
        assert done.stderr.strip(), "refused without a word"
    assert "\x1b" not in done.stderr + done.stdout, "an escape sequence reached the terminal"


@pytest.mark.parametrize("name", sorted(set(HOSTILE) - {"empty", "blank"}))
@pytest.mark.parametrize("flavor", ["rcs", "pep", "omc", "omni"])
def test_a_hostile_variable_changes_nothing(flavor: str, name: str, tmp_path: Path) -> None:
    here = put(flavor, tmp_path / "b")
    before = whole(here)
    variable = contract(flavor)["identity"]["variables"][0]
    done = run(flavor, [], cwd=here.cwd, home=here.home, env={variable: HOSTILE[name]})
    trimmed = name in {"newline-at-the-end", "carriage-return", "tab"}
    if trimmed or (flavor, name) in FINE:
        assert done.exit in (0, 2), done
        return
    assert whole(here) == before, done
    assert (done.exit, done.stdout) == (2, ""), done
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("value", ["s1\0", "\0", "s\0/../s2", "s1\n", "\ud800", "a" * 100_000, "..", "a/b"])
@pytest.mark.parametrize("flavor", FLAVORS)
def test_the_function_itself_refuses_what_no_argument_can_carry(flavor: str, value: str) -> None:
    if value == "a" * 100_000 and flavor in LONG_IS_FINE:
        pytest.skip("its pattern has no length")
    rule = contract(flavor)["identity"]
    with pytest.raises(Refused) as refused:
        request.checked(rule, value, "--session-id")
    assert len(str(refused.value)) < 400, "the message repeats all of it"


@pytest.mark.parametrize("name", ["newline", "space", "command", "option"])
def test_a_session_directory_with_a_hostile_name_is_no_session(name: str, tmp_path: Path) -> None:
    here = place("omc", tmp_path / "b", {"@s1/pipeline": "active"})
    odd = here.base / "ws/.omc/state/sessions" / HOSTILE[name]
    odd.mkdir()
    (odd / "pipeline-state.json").write_text('{"active": true}')
    done = run("omc", ["--all"], cwd=here.cwd, home=here.home)
    assert (odd / "pipeline-state.json").exists(), done
    assert "Traceback" not in done.stderr
