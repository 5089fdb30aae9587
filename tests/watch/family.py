"""One family's cancel text in revisions, each with one planted change, with and without noise."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Revision:
    """What one revision says; `text` writes it down."""

    flags: str = "same"
    variables: tuple[str, ...] = ("LOOM_SESSION_ID",)
    order: tuple[str, ...] = ("autopilot", "ralph", "ultrawork", "team")
    messages: dict[str, str] = field(
        default_factory=lambda: {
            "autopilot": "Autopilot cancelled at phase: {phase}. Progress preserved for resume.",
            "ralph": "Ralph cancelled. Persistent mode deactivated.",
            "ultrawork": "Ultrawork cancelled. Parallel execution mode deactivated.",
            "team": "Team cancelled. Teammates shut down and cleaned up.",
        }
    )
    artifacts: tuple[str, ...] = ("ralph-state.json", "ultrawork-state.json")
    team: str = "send each member a `shutdown_request` with `SendMessage` and wait up to 15 seconds for the answers"
    clear: str = "state_clear"
    kept: tuple[str, ...] = (".loom/plans/",)

    def sections(self) -> dict[str, str]:
        title = {"autopilot": "Autopilot", "ralph": "Ralph", "ultrawork": "Ultrawork", "team": "Team"}
        scope = {"same": ("Every session", "Every session"), "split": ("Current session only", "Every session")}[
            self.flags
        ]
        flags = (
            "| Invocation | Scope |\n|---|---|\n| no flags | Current session only |\n"
            f"| `--force` | {scope[0]}, without waiting |\n| `--all` | {scope[1]}, then all legacy files |"
        )
        deeds = {
            "autopilot": 'Set `active` to `false` in its state file; call `state_write(mode="autopilot", session_id, active=false)`. '
            "Keep its progress; resume with `/loom:autopilot`.",
            "ralph": f'Call `{self.clear}(mode="ralph", session_id)`.',
            "ultrawork": f'Call `{self.clear}(mode="ultrawork", session_id)`.',
            "team": f'Read the team, then {self.team}. After that call `{self.clear}(mode="team", session_id)`.',
        }
        order = "\n".join(f"{number}. {title[mode]}" for number, mode in enumerate(self.order, 1))
        handlers = "\n\n".join(f"### {title[mode]}\n\n{deeds[mode]}" for mode in self.order)
        messages = "\n".join(f'| {title[mode]} | "{self.messages[mode]}" |' for mode in self.order)
        removed = "\n".join(f"- `.loom/state/{name}`" for name in self.artifacts)
        kept = "\n".join(f"- `{path}`" for path in self.kept)
        return {
            "Usage": f"Run `/loom:cancel` to end the active mode of this session.\n\n{flags}",
            "Session": "State lies in `.loom/state/sessions/<session_id>/<mode>-state.json`. The session id is the first of "
            + ", ".join(f"`${name}`" for name in self.variables)
            + " that is set. Without one refuse.",
            "Cancel order": f"Cancel in this order:\n\n{order}",
            "What each mode does": handlers,
            "Messages": f"| Mode | Message |\n|---|---|\n{messages}",
            "Force clear": f"With `--all`, after every session, remove these legacy files:\n\n{removed}",
            "Always preserved": f"Never delete these:\n\n{kept}",
        }

    def text(self, noise: bool = False) -> str:
        head = "---\nname: cancel\ndescription: Cancel any active LOOM mode. Use when the user asks to cancel or stop.\n---\n\n# Cancel LOOM\n"
        parts = list(self.sections().items())
        if noise:
            parts = [*parts[2:4], *parts[:2], *parts[4:]]
            parts = [(_HEADINGS.get(name, name), _wrapped(body)) for name, body in parts]
        return head + "".join(f"\n## {name}\n\n{body}\n" for name, body in parts)


_HEADINGS = {"Usage": "用法", "Session": "会话", "Messages": "消息", "Cancel order": "Order of cancelling"}


def _wrapped(body: str) -> str:
    """Break paragraphs anew; lists, tables and headings keep their lines."""
    out = []
    for block in body.split("\n\n"):
        plain = not block.startswith(("|", "-", "#", "1."))
        out.append(
            "\n".join(textwrap.wrap(block, 58, break_long_words=False, break_on_hyphens=False)) if plain else block
        )
    return "\n\n".join(out).replace("\0", " ")


BASE = Revision()
PLANTED: dict[str, tuple[Revision, str, str]] = {
    "flags split": (replace(BASE, flags="split"), "scope", "current"),
    "identity added": (
        replace(BASE, variables=("LOOM_THREAD_SESSION_ID", "LOOM_SESSION_ID")),
        "variable",
        "LOOM_THREAD_SESSION_ID",
    ),
    "order moved": (replace(BASE, order=("ralph", "autopilot", "ultrawork", "team")), "order", "1"),
    "mode retired": (replace(BASE, order=("autopilot", "ralph", "team")), "mode", "Ultrawork"),
    "message changed": (
        replace(BASE, messages={**BASE.messages, "ralph": "Ralph ended. The loop is over."}),
        "message",
        "Ralph ended. The loop is over.",
    ),
    "artifact list grown": (
        replace(BASE, artifacts=(*BASE.artifacts, "boulder.json")),
        "artifact",
        ".loom/state/boulder.json",
    ),
    "team mechanism replaced": (
        replace(
            BASE, team="send C-c to each worker pane with `tmux send-keys` and close the panes with `tmux kill-pane`"
        ),
        "team",
        "tmux",
    ),
    "tool renamed": (replace(BASE, clear="mode_clear"), "tool", "mode_clear"),
    "protection added": (replace(BASE, kept=(*BASE.kept, ".loom/ledger/")), "preserved", ".loom/ledger/"),
}
"""Name -> the revision that differs from BASE in this alone, and the kind and value of the fact that shows it."""
