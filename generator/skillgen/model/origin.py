"""Say what an artifact was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the files of a bundle come from; everything that provenance states."""

    skillgen: str
    """Version of skillgen."""
    flavor: str
    revision: str
    plugin: str
    """Name of the plugin."""
    version: str
    """Semantic version of the plugin."""
    license: str
    """SPDX expression."""
    skill: str
    """Directory name of the skill."""
    contract: str
    """SHA-256 of the bundle's contract.json, in hex."""
    sources: Mapping[str, str]
    """Template, skill and flavor files that were read: name -> SHA-256 in hex."""
