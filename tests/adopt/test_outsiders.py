"""Texts from far outside, in languages and of hosts that nobody here reads, become bundles that do what they say."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PORTUGUESE = """\
---
name: cancel
description: Cancel any active Maré mode (vigia, faxina, corrida). Encerra o modo ativo quando a pessoa pede.
---
# Cancel

O comando é `/mare:cancel`. Registros: `.mare/estado/sessions/<session_id>/vigia-state.json`, `.mare/estado/sessions/<session_id>/faxina-state.json` e
`.mare/estado/sessions/<session_id>/corrida-state.json`.

1. Corrida
2. Vigia
3. Faxina

- **vigia**: o registro some do disco, nada se aproveita
- **faxina**: o registro fica onde está, com `active` em `false`, para retomar depois
- **corrida**: o registro some do disco também

`/mare:cancel --force` vale para a sessão atual e mais nenhuma.
"""
POLISH = """\
---
name: cancel
description: Cancel any active Żuraw mode (dźwig, patrol). Kończy tryb na życzenie użytkownika.
---
# Cancel

Polecenie: `/zuraw:cancel`. Stan leży w `.zuraw/stan/dzwig-state.json` i `.zuraw/stan/patrol-state.json`.

| Tryb | Co się dzieje |
|---|---|
| dzwig | zapis zostaje zlikwidowany |
| patrol | zapis przechodzi w stan końcowy i zostaje |

`--all` sprząta także katalog `.zuraw/stan/kolejka/`.
"""
TURKISH = """\
---
name: cancel
description: Cancel any active Kervan mode (nobet, kesif). Kullanıcı isteyince çalışan kipi bitirir.
---
# Cancel

Komut `/kervan:cancel`. Kipler: nobet, kesif.

- nobet: `kervan_clear(mode="nobet", oturum="<id>")` çağrısı kaydı siler
- kesif: kaydı dokunulmadan durur, yalnızca etkin olmaktan çıkar

Kayıtlar proje kökünde `.kervan/kayit/` altındadır: `.kervan/kayit/sessions/<session_id>/<mode>-state.json`.

`--force` bütün oturumları kapsar.
"""


@dataclass(frozen=True)
class Case:
    text: str
    base: str
    host: dict[str, str]
    answers: tuple[tuple[str, Any, str], ...]
    """Key, value, and words of the line that says it."""
    records: dict[str, str]
    """Mode to the path of its record."""
    ends: dict[str, str]
    """Mode to what the text says becomes of its record: gone, inactive or ended."""
    arguments: tuple[str, ...] = ()
    stays: tuple[str, ...] = ()


CASES = {
    "portuguese": Case(
        PORTUGUESE, "omc", {},
        (
            ("modes.vigia.action", "clear", "nada se aproveita"),
            ("modes.corrida.action", "clear", "some do disco também"),
            ("modes.faxina.action", "deactivate", "fica onde está"),
            ("modes.faxina.all_action", "same", "fica onde está"),
            ("flags.force.scope", "current", "nenhuma"),
        ),
        {mode: f".mare/estado/sessions/s1/{mode}-state.json" for mode in ("vigia", "faxina", "corrida")},
        {"vigia": "gone", "corrida": "gone", "faxina": "inactive"},
        ("--session-id", "s1"),
        (".mare/estado/sessions/s2/vigia-state.json",),
    ),
    "polish": Case(
        POLISH, "pep", {},
        (
            ("modes.dzwig.action", "clear", "zlikwidowany"),
            ("modes.patrol.action", "terminalize", "stan końcowy"),
            ("modes.patrol.all_action", "same", "stan końcowy"),
            ("flags.all.scope", "all", "kolejka"),
        ),
        {mode: f".zuraw/stan/{mode}-state.json" for mode in ("dzwig", "patrol")},
        {"dzwig": "gone", "patrol": "ended"},
        (),
        (".omc/state/dzwig-state.json",),
    ),
    "turkish": Case(
        TURKISH, "rcs", {},
        (
            ("modes.kesif.action", "deactivate", "dokunulmadan"),
            ("modes.nobet.action", "clear", "kaydı siler"),
            ("modes.kesif.all_action", "same", "dokunulmadan"),
            ("modes.nobet.all_action", "same", "kaydı siler"),
            ("flags.force.scope", "all", "bütün"),
        ),
        {mode: f".kervan/kayit/sessions/s1/{mode}-state.json" for mode in ("nobet", "kesif")},
        {"nobet": "gone", "kesif": "inactive"},
        ("--force",),
    ),
}  # fmt: skip


def line_of(text: str, words: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if words in line)


@pytest.mark.parametrize("name", CASES)
def test_a_text_from_far_outside_is_adopted_by_answers_and_its_script_does_what_it_says(
    skillgen: Any, tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(case.text, encoding="utf-8")
    flavors, asked = tmp_path / "flavors", tmp_path / "open.json"
    flavors.mkdir()
    out = flavors / f"{name}.yaml"
    assert skillgen("adopt", source, "-o", out, "--base", case.base, "--questions", asked).code == 1
    data = json.loads(asked.read_text("utf-8"))
    open_ = {one["key"] for question in data["questions"] for one in question["keys"]}
    assert len(data["questions"]) <= 4
    data["answers"] = [
        {"keys": [key], "value": value, "path": "SKILL.md", "line": line_of(case.text, words)}
        for key, value, words in case.answers
        if key in open_ or key.endswith("all_action")
    ]
    asked.write_text(json.dumps(data), "utf-8")
    found = skillgen("adopt", source, "-o", out, "--base", case.base, "--answers", asked)
    assert not [
        line for line in found.err.splitlines() if " question" in line and "open" in line and "no question" not in line
    ], found.err
    built = skillgen("build", name, "--flavors", flavors, "--out", tmp_path / "dist")
    assert built.code == 0, built.err
    work = tmp_path / "work"
    paths = {mode: work / path for mode, path in case.records.items()}
    for path in (*paths.values(), *(work / path for path in case.stays)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"active": true, "current_phase": "run", "mine": 1}', "utf-8")
    script = tmp_path / "dist" / name / "skills" / "cancel" / "scripts" / "cancel.py"
    ran = subprocess.run(
        [sys.executable, str(script), "--json", *case.arguments], cwd=work, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for mode, end in case.ends.items():
        assert _state(paths[mode]) == end, (mode, ran.stdout)
    assert all(json.loads((work / path).read_text("utf-8"))["active"] is True for path in case.stays)


def _state(path: Path) -> str:
    if not path.exists():
        return "gone"
    data = json.loads(path.read_text("utf-8"))
    assert data["mine"] == 1, "what else the record holds stays"
    if data["active"]:
        return "active"
    return "ended" if data.get("completed_at") else "inactive"


@pytest.mark.parametrize("name", CASES)
def test_the_safest_bundle_of_such_a_text_removes_nothing(skillgen: Any, tmp_path: Path, name: str) -> None:
    case = CASES[name]
    source = tmp_path / "cancel" / "SKILL.md"
    source.parent.mkdir()
    source.write_text(case.text, encoding="utf-8")
    flavors = tmp_path / "flavors"
    flavors.mkdir()
    out = flavors / f"{name}.yaml"
    assert skillgen("adopt", source, "-o", out, "--base", case.base, "--safest").code == 0
    assert skillgen("build", name, "--flavors", flavors, "--out", tmp_path / "dist").code == 0
    work = tmp_path / "work"
    paths = [work / path for path in (*case.records.values(), *case.stays)]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"active": true, "mine": 1}', "utf-8")
    script = tmp_path / "dist" / name / "skills" / "cancel" / "scripts" / "cancel.py"
    for arguments in (case.arguments, ("--force",), ("--all",)):
        subprocess.run([sys.executable, str(script), *arguments], cwd=work, capture_output=True, check=False)
    assert all(path.exists() for path in paths)
