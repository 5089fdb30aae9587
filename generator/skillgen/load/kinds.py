"""Say what a file below a skill or plugin is for, by its path."""

from __future__ import annotations

from skillgen.model.subject import Kind

JUNK = (".DS_Store",)
COMMAND_DIRECTORIES = frozenset({"commands", "command", "prompts", "workflows"})


def kind_of(path: str) -> Kind:
    """Return what a text is for, by its path."""
    parts = path.split("/")
    if parts[-1] == "SKILL.md":
        return Kind.SKILL
    if parts[-1].endswith(".toml"):
        return Kind.PROMPT
    if parts[-1].endswith((".md", ".mdc", ".mdx")) and COMMAND_DIRECTORIES & set(parts[:-1]):
        return Kind.COMMAND
    return Kind.TEXT
