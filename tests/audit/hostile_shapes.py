"""Texts that a person never writes and a stranger may send: one short piece repeated, in every place that is read."""

from __future__ import annotations

from collections.abc import Callable

FRONT = """---
name: cancel
description: Cancels the active mode. Use when a mode such as autopilot, ralph or ultrawork must stop.
---
# Cancel

Stops the active mode: `/cancel`, `/cancel --force` for all sessions.

| Mode | State |
| --- | --- |
| autopilot | `.omc/state/autopilot-state.json` |
| ralph | `.omc/state/ralph-state.json` |
| ultrawork | `.omc/state/ultrawork-state.json` |

1. Read `state_list_active()`.
2. Clear it: `state_clear(mode="ralph", session_id="x")`.

"""


def _times(piece: str, size: int) -> str:
    return (piece * (size // len(piece) + 1))[:size]


def _prose(piece: str) -> Callable[[int], str]:
    return lambda size: FRONT + _times(piece, size) + "\n"


def _fence(piece: str, lang: str = "bash") -> Callable[[int], str]:
    return lambda size: f"{FRONT}```{lang}\n{_times(piece, size)}\n```\n"


def _front(before: str, piece: str, after: str = "") -> Callable[[int], str]:
    return lambda size: f"---\nname: cancel\n{before}{_times(piece, size)}{after}\n---\n# Cancel\n\nStop.\n"


def _nested(before: str, after: str, lang: str = "") -> Callable[[int], str]:
    def make(size: int) -> str:
        count = size // (len(before) + len(after))
        inner = before * count + "x" + after * count
        return f"{FRONT}```{lang}\n{inner}\n```\n" if lang else f"{FRONT}{inner}\n"

    return make


SHAPES: dict[str, Callable[[int], str]] = {
    # One line of prose
    "spaces": _prose(" "),
    "tabs": _prose("\t"),
    "letters": _prose("a"),
    "words": _prose("cancel "),
    "modes": _prose("autopilot, ralph and ultrawork, "),
    "backticks": _prose("`"),
    "code spans": _prose("`x` "),
    "open code spans": _prose("``` ` "),
    "pipes": _prose("|"),
    "brackets": _prose("["),
    "closed brackets": _prose("[]"),
    "links": _prose("[a](b) "),
    "open links": _prose("[a]("),
    "nested links": _nested("[", "](b)"),
    "images": _prose("![a"),
    "stars": _prose("*"),
    "emphasis": _prose("*a **b "),
    "underscores": _prose("_a"),
    "strikes": _prose("~~a"),
    "angles": _prose("<"),
    "tags": _prose("<a "),
    "comments": _prose("<!-- "),
    "closed comments": _prose("<!-- a -->"),
    "waivers": _prose("<!-- skillgen: allow SG201 - x -->"),
    "entities": _prose("&amp;"),
    "ampersands": _prose("&"),
    "urls": _prose("https://a.b/c "),
    "one url": lambda size: FRONT + "https://" + _times("a.", size) + "\n",
    "paths": _prose(".omc/state/x.json "),
    "one path": lambda size: FRONT + "`" + _times("a/", size) + "`\n",
    "dots": _prose("."),
    "hyphens": _prose("-"),
    "backslashes": _prose("\\"),
    "dollars": _prose("$"),
    "braces": _prose("{"),
    "placeholders": _prose("{{x}} "),
    "parentheses": _prose("("),
    "quotes": _prose('"'),
    "numbers": _prose("1"),
    "CJK": _prose("取消"),
    "CJK sentences": _prose("取消模式。"),
    "invisible": _prose("\u200b"),
    "invisible joined": _prose("a\u200d"),
    "tag characters": _prose("\U0001f3f4\U000e0067"),
    "a flag of tags": lambda size: FRONT + "\U0001f3f4" + "\U000e0067" * size + "\n",
    "combining": _prose("a\u0301"),
    "calls": _prose('state_clear(mode="ralph") '),
    "open calls": _prose("state_clear("),
    "flags": _prose("--force "),
    "one flag": lambda size: FRONT + "`--" + _times("a-", size) + "`\n",
    # Many lines
    "line feeds": _prose("\n"),
    "bullets": _prose("- a\n"),
    "numbered": _prose("1. a\n"),
    "nested lists": lambda size: FRONT + "".join(f"{' ' * (2 * (i % 40))}- a\n" for i in range(size // 44)),
    "quotes of lines": _prose("> a\n"),
    "nested quotes": _prose(">"),
    "headings": _prose("# a\n\n"),
    "deep headings": _prose("###### autopilot\n\ntext\n\n"),
    "table rows": lambda size: FRONT + "| a | b |\n| - | - |\n" + _times("| ralph | x |\n", size),
    "table cells": lambda size: FRONT + _times("| a ", size // 2) + "|\n" + _times("| - ", size // 2) + "|\n",
    "fences": _prose("```\n"),
    "shell fences": _prose("```bash\nrm -rf x\n```\n"),
    "references": _prose("[a]: b\n"),
    "open references": _prose("[a]:\n"),
    "html": _prose("<div>\n"),
    "indented": _prose("    a\n\n"),
    "steps": _prose("1. Cancel ralph first, then `state_clear`.\n"),
    # Shell
    "pipeline": _fence("a | "),
    "table cells in a fence": _fence("a | a | a "),
    "homes": lambda size: f"{FRONT}```bash\nrm -rf {_times('$HOME/', size)}\n```\n",
    "tmux calls": _fence("tmux kill-session -t x\n"),
    "tmux in one line": _fence("tmux kill-session -t x; "),
    "removals": _fence('rm -rf "$X"/*\n'),
    "and": _fence("a && "),
    "semicolons": _fence(";"),
    "open substitutions": _fence("$("),
    "substitutions": _nested("$(", ")", "bash"),
    "open backticks": _fence("`a "),
    "open single": _fence("'a "),
    "open double": _fence('"a '),
    "quoted": _fence("'a'\"b\""),
    "variables": _fence('"$A" '),
    "assignments": _fence("A=$A\n"),
    "one assignment": lambda size: f"{FRONT}```bash\nA={_times('$A', size)}\n```\n",
    "here-documents": _fence("cat <<EOF\n"),
    "closed here-documents": _fence("cat <<'E'\na\nE\n"),
    "redirects": _fence("> a "),
    "functions": _nested("f() { ", "; }", "bash"),
    "ifs": _nested("if a; then ", "; fi", "bash"),
    "cases": _fence("case a in a) "),
    "loops": _fence("while true; do "),
    "arithmetic": _nested("$((", "))", "bash"),
    "parameters": _nested("${a:-", "}", "bash"),
    "tests": _fence("[[ -f a ]] && "),
    "comments in shell": _fence("# a\n"),
    "backslashed lines": _fence("a \\\n"),
    "sqlite": _fence('sqlite3 x "DELETE FROM a"\n'),
    "json fence": _fence('{"a": [', "json"),
    "plain fence": _fence("rm -rf $HOME/x | a\n", ""),
    # Front matter
    "a long description": _front("description: ", "a "),
    "keys": lambda size: "---\nname: cancel\n" + "".join(f"k{i}: a\n" for i in range(size // 10)) + "---\n# Cancel\n",
    "one key twice": _front("description: x\n", "a: b\n"),
    "flow": _front("description: x\nallowed-tools: ", "["),
    "anchors": _front("description: x\na: &a ", "&a "),
    "aliases": _front("description: x\naliases:\n", "  - a\n"),
}
