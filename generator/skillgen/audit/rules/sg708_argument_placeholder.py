"""Argument placeholder that the host does not know.

What it checks: `$ARGUMENTS` in a skill or command for Codex, Copilot CLI or Gemini CLI, `{{args}}` outside a TOML
prompt. The host must be known by manifest, path or product; of a text alone whose host is unknown the first `$ARGUMENTS` is a
note, as is `{{ARGUMENTS}}`, which no host replaces itself.

Why it matters: the placeholder reaches the agent as it stands; flags that the user typed are lost.

How to fix it: use the host's own form, or take the arguments from the user's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.hits import scan
from skillgen.audit.language import forbidden
from skillgen.audit.product import host_of
from skillgen.audit.text import Text
from skillgen.hosts import known_hosts
from skillgen.model.subject import Kind

CODE = "SG708"
TITLE = "argument placeholder that the host does not know"
SEVERITY = Severity.WARNING
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_PLACEHOLDER = re.compile(r"\$ARGUMENTS\b|\$\{ARGUMENTS[^}]*\}", re.A)
_PLUGINS = (".claude-plugin/plugin.json", ".claude-plugin/marketplace.json", "CLAUDE.md")
_LOADED = re.compile(r"\{\{\s?ARGUMENTS\s?\}\}", re.A)
_ARGS = re.compile(r"\{\{\s?args\s?\}\}", re.A)


def check(subject: Text) -> Iterator[Hit]:
    text = subject.source.text
    if "ARGUMENTS" not in text and "args" not in text:
        return
    host = host_of(subject)
    kind = "command" if subject.kind is Kind.COMMAND else "skill"
    bad = bool(host) and kind not in known_hosts()[host].substitutes.arguments
    if bad or subject.kind is Kind.PROMPT:
        for number, match in scan(subject, _PLACEHOLDER):
            if not forbidden(subject.lines[number - 1], match.start(), match.end()):
                yield Hit(
                    number,
                    f"{known_hosts()[host].name if host else 'a TOML prompt'} does not replace {match[0]}",
                    "use the host's own form",
                    match.start() + 1,
                    match.end() + 1,
                )
    elif not host and subject.bundle is None:
        yield from _unknown(subject)
    for number, match in scan(subject, _LOADED):
        if not forbidden(subject.lines[number - 1], match.start(), match.end()):
            yield Hit(
                number,
                f"no host replaces {match[0]}; the plugin that loads the text has to",
                "use the host's own form, or say that the plugin replaces it",
                match.start() + 1,
                match.end() + 1,
                severity=Severity.NOTE,
            )
    if subject.kind is Kind.SKILL and host not in ("gemini", "qwen"):
        for number, match in scan(subject, _ARGS):
            yield Hit(
                number,
                f"{match[0]} is replaced in TOML prompts only",
                "use the host's own form",
                match.start() + 1,
                match.end() + 1,
            )


def _unknown(subject: Text) -> Iterator[Hit]:
    """The first placeholder of a text that says nothing about its host."""
    if subject.skill is not None and any(map(subject.skill.exists, _PLUGINS)):
        return  # a plugin for Claude Code is around it
    for number, match in scan(subject, _PLACEHOLDER):
        if forbidden(subject.lines[number - 1], match.start(), match.end()):
            continue
        yield Hit(
            number,
            f"nothing here says for which host this is: Codex, Copilot CLI and Gemini CLI do not replace {match[0]} in a skill",
            "keep it where only Claude Code loads the text, else take the arguments from the user's words",
            match.start() + 1,
            match.end() + 1,
            severity=Severity.NOTE,
        )
        return
