"""Say whose text it is: product, plugin prefix, state root, host program."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.text import Text

#: Host -> how it is called in a text.
HOST_NAMES = {
    "claude": re.compile(r"\bClaude Code\b|~/\.claude\b|\$HOME/\.claude\b", re.A),
    "codex": re.compile(r"\bCodex(?: CLI)?\b|~/\.codex\b", re.A),
    "gemini": re.compile(r"\bGemini(?: CLI)?\b|~/\.gemini\b", re.A),
    "copilot": re.compile(r"\b(?:GitHub )?Copilot(?: CLI)?\b(?!-)|~/\.copilot\b", re.A),
    "qwen": re.compile(r"\bQwen(?: Code)?\b|~/\.qwen\b", re.A),
    "opencode": re.compile(r"\bOpenCode\b|~/\.config/opencode\b", re.A),
    "kimi": re.compile(r"\bKimi(?: CLI| Code)?\b|~/\.kimi\b", re.A),
    "kiro": re.compile(r"\bKiro\b|~/\.kiro\b", re.A),
    "cursor": re.compile(r"\bCursor\b(?! position)|~/\.cursor\b", re.A),
    "qoder": re.compile(r"\bQoder\b|~/\.qoder\b", re.A),
    "codebuddy": re.compile(r"\bCodeBuddy(?: Code)?\b|~/\.codebuddy\b", re.A),
    "grok": re.compile(r"\bGrok(?: Build| CLI)?\b|~/\.grok\b", re.A),
}
#: One of these stands in every match.
HOST_PIECES = {
    "claude": ("Claude Code", "/.claude"),
    "codex": ("Codex", "~/.codex"),
    "gemini": ("Gemini", "~/.gemini"),
    "copilot": ("Copilot", "~/.copilot"),
    "qwen": ("Qwen", "~/.qwen"),
    "opencode": ("OpenCode", "~/.config/opencode"),
    "kimi": ("Kimi", "~/.kimi"),
    "kiro": ("Kiro", "~/.kiro"),
    "cursor": ("Cursor", "~/.cursor"),
    "qoder": ("Qoder", "~/.qoder"),
    "codebuddy": ("CodeBuddy", "~/.codebuddy"),
    "grok": ("Grok", "~/.grok"),
}
_MANIFESTS = {
    "claude": (".claude-plugin/plugin.json",),
    "codex": (".codex-plugin/plugin.json",),
    "gemini": ("gemini-extension.json",),
    "cursor": (".cursor-plugin/plugin.json",),
    "copilot": (".plugin/plugin.json", ".github/plugin/plugin.json"),
}
#: `/plugin:skill`. That the slash comes first lets the search run from slash to slash.
PREFIX = re.compile(r"/(?<![\w/]/)([a-z][\w-]*):[a-z]", re.A)
_PATH_HOSTS = re.compile(rf"(?:^|/)\.({'|'.join(HOST_NAMES)})(?:/|$)", re.A)


def host_of(text: Text) -> str:
    """Return the host that structure names (manifest, path, label), '' when it is unknown or there are several."""
    if text.bundle is not None:
        found = [host for host, names in _MANIFESTS.items() if any(name in text.bundle.files for name in names)]
        if not found and "plugin.json" in text.bundle.files:
            found = ["copilot"]
        if found:
            return found[0] if len(found) == 1 else ""
    if match := _PATH_HOSTS.search(text.path):
        return match[1]
    label = " ".join((*text.facts.values("label"), *map(namespace, text.facts.values("invocation")))).lower()
    hosts = [host for host in HOST_NAMES if host in label]
    if not hosts:
        hosts = [
            host
            for host, pattern in HOST_NAMES.items()
            if any(pattern.search(h.text) for h in text.document.headings[:1])
        ]
    return hosts[0] if len(hosts) == 1 else ""


def namespace(invocation: str) -> str:
    """Return the plugin prefix of `/plugin:cancel`, '' without one."""
    return invocation.lstrip("/$").rpartition(":")[0]


@lru_cache(maxsize=64)
def _contract_words(data: bytes) -> frozenset[str]:
    try:
        return frozenset(_strings(json.loads(data)))
    except (ValueError, RecursionError):
        return frozenset()


def _strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [word for item in value.values() for word in _strings(item)]
    if isinstance(value, list):
        return [word for item in value for word in _strings(item)]
    return []


def declared(text: Text, word: str) -> bool:
    """Whether the skill's own contract.json or its front matter declares a word."""
    if text.skill is not None and "contract.json" in text.skill.files:
        return word in _contract_words(text.skill.files["contract.json"].read())
    key = next((text.front.get(name) for name in ("triggers", "keywords") if text.front.get(name)), None)
    return bool(key and word in str(key.value))
