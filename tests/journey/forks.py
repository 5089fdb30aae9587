"""Ten forks as they are in the wild: each a plugin with a hand-edited cancel skill, of nobody's product."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from journey_world import git

Files = dict[str, str]


@dataclass(frozen=True)
class Wild:
    """One fork."""

    name: str
    files: Files
    skill: str = "skills/cancel"
    """Where its skill lies, or comes to lie, relative to the lock."""
    root: str = ""
    """Where the lock comes to lie, relative to the repository."""
    crlf: bool = False


def manifest(name: str, **more: object) -> str:
    return json.dumps({"name": name, "version": "3.1.0", "description": f"{name}: modes", **more}, indent=2) + "\n"


def other_skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: Does {name}. Use when {name} is asked for.\n---\n\n# {name.title()}\n\nDo {name}.\n"


FRONT = "---\nname: cancel\ndescription: Cancel any active {0} mode ({1}). Use when the user asks to stop one.\n---\n\n"

ORDER = """\
# Cancel {0}

Start with `{1}`. Records are `{2}/state/sessions/<session_id>/<mode>-state.json`.

## Order

1. Autopilot: `state_clear(mode="autopilot", session_id="<session_id>")`
2. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`
3. Ultrawork: `state_clear(mode="ultrawork", session_id="<session_id>")`

"""
HOUSE = """\
## House rules

Tell the people in #ops before anything is cancelled.

- Ask the lead of the shift twice.
- Write the ticket's number down:

  ```text
  ACME-1234
  ```

| Who | Whom |
|-----|------|
| ops | the night shift |

"""
CLEANUP = """\
## Cleanup

1. Greet the user.
2. `tmux list-sessions -F '#{session_name}' | grep '^acme-' | xargs -n1 tmux kill-session -t`
3. `rm -rf .acme/state/*`
"""


def text(name: str, form: str, root: str, *rest: str) -> str:
    return FRONT.format(name, "autopilot, ralph, ultrawork") + ORDER.format(name, form, root) + "".join(rest)


FORTY = Wild(
    "forty-skills-and-another-licence",
    {
        ".claude-plugin/plugin.json": manifest("acme-flow", license="Apache-2.0", author={"name": "Acme People"}),
        "LICENSE": "Apache License, Version 2.0\n",
        "README.md": "# ACME Flow\n\nForty skills.\n",
        ".gitignore": "dist/\n",
        **{f"skills/skill-{n}/SKILL.md": other_skill(f"skill-{n}") for n in range(39)},
        "skills/cancel/SKILL.md": text("ACME", "/acme-flow:cancel", ".acme", HOUSE, CLEANUP),
    },
)
LOCAL = Wild(
    "project-local",
    {
        "src/main.py": "print('hello')\n",
        ".claude/settings.json": "{}\n",
        ".claude/skills/cancel/SKILL.md": text("LOOM", "/loom:cancel", ".loom", HOUSE),
        ".claude/skills/weave/SKILL.md": other_skill("weave"),
    },
    ".claude/skills/cancel",
)
MONOREPO = Wild(
    "monorepo",
    {
        ".claude-plugin/marketplace.json": json.dumps(
            {"name": "shelf", "owner": {"name": "S"}, "plugins": [{"name": "knit", "source": "./plugins/knit"}]}
        ),
        "plugins/knit/.claude-plugin/plugin.json": manifest("knit", license="MIT"),
        "plugins/knit/skills/cancel/SKILL.md": text("KNIT", "/knit:cancel", ".knit", CLEANUP),
        "plugins/purl/.claude-plugin/plugin.json": manifest("purl"),
        "plugins/purl/skills/purl/SKILL.md": other_skill("purl"),
    },
    root="plugins/knit",
)
COPILOT = Wild(
    "copilot-plugin",
    {
        "plugin.json": manifest("dune", author={"name": "D"}),
        "skills/cancel/SKILL.md": text("DUNE", "/dune:cancel", ".dune", HOUSE),
    },
)
CODEX = Wild(
    "codex-plugin",
    {
        ".codex-plugin/plugin.json": manifest("weft", author={"name": "W"}),
        "skills/cancel/SKILL.md": text("WEFT", "$weft:cancel", ".weft", HOUSE, CLEANUP),
    },
)
UNKNOWN = Wild(
    "host-that-nobody-knows",
    {
        "zonk.toml": 'name = "reed"\n',
        "agent/skills/cancel/SKILL.md": text("REED", "/reed:cancel", ".reed", HOUSE),
        "agent/skills/row/SKILL.md": other_skill("row"),
    },
    "agent/skills/cancel",
)
REFERENCES = Wild(
    "references-with-the-shell-in-them",
    {
        ".claude-plugin/plugin.json": manifest("fern"),
        "skills/cancel/SKILL.md": text("FERN", "/fern:cancel", ".fern")
        + "See [the workers](references/workers.md) and run `scripts/sweep.sh`.\n",
        "skills/cancel/references/workers.md": "# Workers\n\nThe night shift is asked by pager first.\n\n"
        "```bash\npkill -f fern-worker\nkill $(cat .fern/worker.pid)\n```\n",
        "skills/cancel/references/modes.md": "# Modes of Fern\n\nRalph is called Robert in the office.\n",
        "skills/cancel/scripts/sweep.sh": "#!/bin/sh\n# Sweep what is left of Fern.\nrm -rf .fern/state/*\n",
        "skills/cancel/assets/logo.bin": "\0\1\2",
    },
)
COMMANDS = Wild(
    "commands-only",
    {
        ".claude-plugin/plugin.json": manifest("moss"),
        "commands/cancel.md": "---\ndescription: Cancel any active MOSS mode\nargument-hint: '[--force]'\n---\n\n"
        + ORDER.format("MOSS", "/moss:cancel", ".moss")
        + HOUSE
        + CLEANUP.replace("acme", "moss"),
        "commands/plan.md": "---\ndescription: Plan a thing\n---\n\nPlan it.\n",
    },
)
JAPANESE = Wild(
    "japanese",
    {
        ".claude-plugin/plugin.json": manifest("mizuha"),
        "skills/cancel/SKILL.md": """\
---
name: cancel
description: 実行中の作業を止める。「みずはを止めて」「水羽終了」と言われたときに使う。
---

# /mizuha:cancel

Mizuha の作業を安全に止めます。記録は `.mizuha/state/sessions/<session_id>/<mode>-state.json` にあります。

## 順序

1. `state_clear(mode="drift", session_id="<session_id>")` を呼ぶ。
2. `state_clear(mode="anchor", session_id="<session_id>")` を呼ぶ。

## 当番の決まり

夜勤の当番に必ず電話で知らせてから止めること。

## メッセージ

| モード | メッセージ |
|---|---|
| Drift | 「漂流の監視を終えました。」 |
| Anchor | 「錨の監視を終えました。」 |
""",
    },
)
CRLF = Wild(
    "crlf-with-autocrlf",
    {
        ".claude-plugin/plugin.json": manifest("hulk"),
        "skills/cancel/SKILL.md": text("HULK", "/hulk:cancel", ".hulk", HOUSE, CLEANUP),
    },
    crlf=True,
)
RUSSIAN = Wild(
    "russian-with-a-hook-and-crlf",
    {
        ".claude-plugin/plugin.json": manifest("yolka", license="BSD-3-Clause", author={"name": "Аня Ёжикова"}),
        "hooks/hooks.json": json.dumps(
            {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/stop.sh"}]}]}}
        ),
        "hooks/stop.sh": "#!/bin/sh\ngrep -l active .yolka/state/sessions/*/*-state.json && exit 2\nexit 0\n",
        "skills/cancel/SKILL.md": """\
---
name: cancel
description: Остановить любой активный режим Ёлка (autopilot, ralph, ultrawork). Вызывать, когда просят «стоп» или «отмена».
---

# /yolka:cancel

Ёлка хранит состояние в `.yolka/state/sessions/<session_id>/<mode>-state.json`. Сессию называет `YOLKA_SESSION_ID`.

## Порядок

1. `state_clear(mode="autopilot", session_id="<session_id>")`
2. `state_clear(mode="ralph", session_id="<session_id>")` — вместе с ним заканчивается связанный ultrawork.
3. `state_clear(mode="ultrawork", session_id="<session_id>")`

Флаг `--force` удаляет состояние всех сессий.

## Чего нельзя трогать

Никогда не удаляйте `.yolka/plans/` и `.yolka/state/boulder.json`: там работа людей.

## Уборка

- Удалите `.yolka/state/boulder.json`, если он остался.
- `pkill -f yolka-worker`

## Правила дома

Сначала напишите дежурному в #дежурка, потом отменяйте.

| Смена | Кому |
|---|---|
| ночь | Ане |
""",
    },
    crlf=True,
)
GERMAN = Wild(
    "german-in-a-subdirectory-that-protects-what-it-removes",
    {
        "packages/agents/.codex-plugin/plugin.json": manifest("birke", author={"name": "B"}),
        "packages/agents/hooks/stop.py": "# reads .birke/state\n",
        "packages/agents/skills/cancel/SKILL.md": """\
---
name: cancel
description: Beendet jeden aktiven Birke-Modus (autopilot, ralph, ultrawork). Nutze es, wenn jemand abbrechen will.
---

# Birke abbrechen

Aufruf: `/birke:cancel`. Der Zustand liegt in `.birke/state/sessions/<session_id>/<mode>-state.json`.

## Reihenfolge

1. Autopilot: `state_clear(mode="autopilot", session_id="<session_id>")`
2. Ralph: `state_clear(mode="ralph", session_id="<session_id>")`
3. Ultrawork: `state_clear(mode="ultrawork", session_id="<session_id>")`

## Aufräumen

Lösche danach `.birke/state/checkpoints/` und `.birke/state/hud-state.json`.

## Schutz

Lösche niemals `.birke/state/checkpoints/`: dort liegen die Sicherungen der Nacht.

Frage vorher die Schichtleitung.
""",
        "packages/web/index.ts": "export {}\n",
    },
    root="packages/agents",
)
FORKS = (FORTY, LOCAL, MONOREPO, COPILOT, CODEX, UNKNOWN, REFERENCES, COMMANDS, JAPANESE, CRLF, RUSSIAN, GERMAN)


def lay_out(wild: Wild, top: Path) -> Path:
    """Write a fork into a repository of one commit, and return the directory."""
    for name, content in wild.files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
    git(top, "init", "-q", "-b", "main")
    git(top, "config", "core.autocrlf", "true" if wild.crlf else "false")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "By hand")
    if wild.crlf:
        for path in (top / name for name in wild.files):
            path.unlink()
        git(top, "checkout", "-q", "--", ".")
        assert b"\r\n" in (top / "skills/cancel/SKILL.md").read_bytes()
    return top
