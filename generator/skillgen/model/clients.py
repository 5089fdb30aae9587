"""Name the clients that have marketplaces, and where each looks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Client:
    """Where one client looks, relative to the repository's root and to a bundle's root."""

    host: str
    catalogues: tuple[str, ...]
    """Places of the marketplace file in the client's own order; a new one is written at the last."""
    manifest: str


CLIENTS = (
    Client("claude-code", (".claude-plugin/marketplace.json",), ".claude-plugin/plugin.json"),
    Client("codex", (".agents/plugins/marketplace.json",), ".codex-plugin/plugin.json"),
    Client(
        "copilot", ("marketplace.json", ".plugin/marketplace.json", ".github/plugin/marketplace.json"), "plugin.json"
    ),
)
"""Clients that have marketplaces; dsh installs npm packages and has none."""

CATALOGUES = tuple(path for client in CLIENTS for path in client.catalogues)
"""Every place of a marketplace file."""
