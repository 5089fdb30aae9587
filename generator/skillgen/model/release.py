"""Hold what the records beside an artifact say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SUMS = "SHA256SUMS"
PROVENANCE = "provenance.json"
SPDX = "sbom.spdx.json"
RECORD = "skillgen-published.json"
"""What `skillgen publish` leaves at the root of a marketplace repository."""


@dataclass(frozen=True, slots=True)
class Release:
    sums: Mapping[str, str]
    """SHA256SUMS: name below the directory -> SHA-256 in hex."""
    subjects: Mapping[str, str]
    """Subjects of the provenance statement: name -> SHA-256 in hex."""
    trees: Mapping[str, Mapping[str, tuple[str, int]]]
    """List of files: artifact -> path in it -> (SHA-256 in hex, mode)."""
    digests: Mapping[str, str]
    """List of files: archive -> SHA-256 in hex."""
    records: Mapping[str, bytes]
    """The provenance and the list as bytes, which SHA256SUMS covers as well."""
