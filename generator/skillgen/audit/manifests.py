"""Read the JSON manifests of a bundle once, with the lines of their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from skillgen.audit.tree import Bundle
from skillgen.hosts import known_hosts
from skillgen.model import host as hosts

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
    """Yield the plugin manifests that are JSON objects; a package.json counts only in a bundle of such a host."""
    for path, host in known_hosts().manifests.items():
        if path in bundle.files and (not is_package(host) or is_packaged(bundle, host)):
            manifest = read(bundle, path, host)
            if not manifest.error:
                yield manifest


def all_manifests(bundle: Bundle) -> Iterator[Manifest]:
    """Yield every JSON file that a host reads, those that cannot be read as well."""
    known = known_hosts()
    for path in dict.fromkeys((*known.manifests, *known.catalogues, *OTHERS)):
        if path in bundle.files:
            yield read(bundle, path, known.manifests.get(path, ""))


def manifest_of(host: str) -> hosts.Manifest:
    """Return what is known of a host's manifest; of a file that no host claims, nothing."""
    known = known_hosts().get(host)
    return (known.manifest if known else None) or hosts.Manifest("plugin", "")


def is_package(host: str) -> bool:
    """Whether the host's manifest is npm's package.json."""
    return manifest_of(host).kind == "package"


def is_packaged(bundle: Bundle, host: str) -> bool:
    """Whether the bundle's package.json is meant for a host."""
    manifest = manifest_of(host)
    return manifest.beside in bundle.files or f'"{host}"' in _text(bundle, manifest.path)


def read(bundle: Bundle, path: str, host: str = "") -> Manifest:
    return _parse(path, host, _text(bundle, path))


def _text(bundle: Bundle, path: str) -> str:
    if path not in bundle.files or bundle.files[path].escapes:
        return ""
    return bundle.files[path].read().decode("utf-8", "replace")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no value of JSON")


@lru_cache(maxsize=64)
def _parse(path: str, host: str, text: str) -> Manifest:
    twice: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        twice.extend(key for key in dict.fromkeys(keys) if keys.count(key) > 1)
        return dict(items)

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_constant=_refuse_constant)
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        return Manifest(path, host, text, {}, error.msg, error.lineno)
    except UnicodeEncodeError:
        half = re.search(r"\\u[dD][89a-fA-F]", text)
        line = text.count("\n", 0, half.start()) + 1 if half else 1
        return Manifest(path, host, text, {}, "an escape is half of a character (a lone surrogate)", line)
    except (ValueError, RecursionError) as error:
        return Manifest(path, host, text, {}, str(error), 1)
    if not isinstance(data, dict):
        return Manifest(path, host, text, {}, "the file holds no JSON object", 1)
    return Manifest(path, host, text, data, twice=tuple(dict.fromkeys(twice)))
