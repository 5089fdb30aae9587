"""Read in what a client gave its model the command that the skill's text tells it to run."""

from __future__ import annotations

import re

from scripted_model import Conversation, Say, Step, Use

_FENCE = re.compile(r"```bash\n\s*(python3 [^\n]*/scripts/cancel\.py\"[^\n]*)\n")
#: How the hosts say where the skill lies: Claude Code, Copilot CLI and dsh name its directory, Codex and Droid the path of its text.
_PLACES = (
    re.compile(r"Base directory for this skill: (\S+?)/?\n"),
    re.compile(r"<path>(\S+)/SKILL\.md</path>"),
    re.compile(r'filePath="(\S+)/SKILL\.md"'),
)


def text_of(conversation: Conversation, title: str) -> str:
    """Return what the client sent of the skill; empty where the text has not arrived."""
    return next((text for text in conversation.texts if f"# Cancel {title}\n" in text), "")


def directory_of(text: str) -> str:
    """Return the skill's directory as the host tells it."""
    found = [match[1] for place in _PLACES if (match := place.search(text))]
    assert found, f"the host does not say where the skill lies: {text[:400]}"
    return found[0]


def line_of(text: str) -> str:
    """Return the line of the step `Look`, with the one thing filled in that an agent fills in: `<skill>`."""
    match = _FENCE.search(text)
    assert match, f"the text has no command: {text[:2000]}"
    line = match[1]
    if "<skill>" in line:
        line = line.replace("<skill>", directory_of(text))
    assert not re.search(r"[<>$]", line), f"{line} cannot be copied"
    return line


def runs(title: str, tool: str, argument: str, *, flags: str = "", dry_run: bool = True, **also: object) -> Step:
    """A step that runs the text's line, with the flags and, unless `dry_run`, without `--dry-run`."""

    def step(conversation: Conversation) -> Say | Use:
        line = line_of(text_of(conversation, title)) + flags
        return Use(tool, {argument: line if dry_run else line.replace(" --dry-run", ""), **also})

    return step


def asks(tool: str, **arguments: object) -> Step:
    """A step that calls a tool as given."""
    return lambda conversation: Use(tool, dict(arguments))


def says(words: str) -> Step:
    return lambda conversation: Say(words)
