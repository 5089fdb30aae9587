"""Read the JSON manifests of a bundle once, with the lines of their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from skillgen.audit.tree import Bundle
from skillgen.model.clients import CATALOGUES

PLUGINS = {
    ".claude-plugin/plugin.json": "claude-code",
    ".codex-plugin/plugin.json": "codex",
    ".plugin/plugin.json": "copilot",
    "plugin.json": "copilot",
    ".github/plugin/plugin.json": "copilot",
    "gemini-extension.json": "gemini",
    "package.json": "dsh",
}
"""Plugin manifests by path, with the host that reads them; a package.json counts only in a bundle for dsh."""

OTHERS = (".mcp.json", ".github/mcp.json", "hooks.json", "hooks/hooks.json")


@dataclass(frozen=True)
class Manifest:
    """One manifest; `data` is empty where the file is no JSON object, and `error` then says why."""

    path: str
    host: str
    text: str
    data: Mapping[str, Any]
    error: str = ""
    line: int = 0
    twice: tuple[str, ...] = ()
    """Keys that stand twice in one object."""

    def line_of(self, key: str, value: object = None) -> int:
        """Return the line of `"key"` (followed by `value` where given), else 1."""
        tail = re.escape(json.dumps(value, ensure_ascii=False)) if value is not None else ""
        found = re.search(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:\s*" + tail, self.text)
        return self.text.count("\n", 0, found.start()) + 1 if found else 1


def plugin_manifests(bundle: Bundle) -> Iterator[Manifest]:
    """Yield the plugin manifests that are JSON objects."""
    for path, host in PLUGINS.items():
        if path in bundle.files and (host != "dsh" or is_dsh(bundle)):
            manifest = read(bundle, path, host)
            if not manifest.error:
                yield manifest


def all_manifests(bundle: Bundle) -> Iterator[Manifest]:
    """Yield every JSON file that a host reads, those that cannot be read as well."""
    for path in (*PLUGINS, *CATALOGUES, *OTHERS):
        if path in bundle.files:
            yield read(bundle, path, PLUGINS.get(path, ""))


def is_dsh(bundle: Bundle) -> bool:
    return "cordis.patch.yml" in bundle.files or '"dsh"' in _text(bundle, "package.json")


def read(bundle: Bundle, path: str, host: str = "") -> Manifest:
    return _parse(path, host, _text(bundle, path))


def _text(bundle: Bundle, path: str) -> str:
    if path not in bundle.files or bundle.files[path].escapes:
        return ""
    return bundle.files[path].read().decode("utf-8", "replace")


@lru_cache(maxsize=64)
def _parse(path: str, host: str, text: str) -> Manifest:
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        twice.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)
        return dict(items)

    try:
        data = json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        return Manifest(path, host, text, {}, error.msg, error.lineno)
    except (ValueError, RecursionError) as error:
        return Manifest(path, host, text, {}, str(error), 1)
    if not isinstance(data, dict):
        return Manifest(path, host, text, {}, "the file holds no JSON object", 1)
    return Manifest(path, host, text, data, twice=tuple(dict.fromkeys(twice)))
