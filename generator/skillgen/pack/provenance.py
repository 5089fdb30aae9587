"""State where artifacts come from, as an in-toto statement with a SLSA provenance predicate.

Formats: https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md and https://slsa.dev/spec/v1.0/provenance.
The statement is not signed; whoever publishes signs it (`cosign attest-blob`, `gh attestation`). It holds no time, so
that two packs of the same sources are the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from skillgen.model.origin import Origin

STATEMENT = "https://in-toto.io/Statement/v1"
PREDICATE = "https://slsa.dev/provenance/v1"
BUILD_TYPE = "urn:skillgen:pack:1"


def write_provenance(origin: Origin, formats: Iterable[str], subjects: Mapping[str, str]) -> bytes:
    """Return the statement about `subjects` (file name -> SHA-256 in hex)."""
    return to_json(
        {
            "_type": STATEMENT,
            "subject": [{"name": name, "digest": {"sha256": subjects[name]}} for name in sorted(subjects)],
            "predicateType": PREDICATE,
            "predicate": {
                "buildDefinition": {
                    "buildType": BUILD_TYPE,
                    "externalParameters": {
                        "flavor": origin.flavor,
                        "revision": origin.revision,
                        "plugin": origin.plugin,
                        "version": origin.version,
                        "formats": sorted(formats),
                    },
                    "internalParameters": {"contract": {"sha256": origin.contract}},
                    "resolvedDependencies": [
                        {"name": name, "digest": {"sha256": origin.sources[name]}} for name in sorted(origin.sources)
                    ],
                },
                "runDetails": {"builder": {"id": "urn:skillgen", "version": {"skillgen": origin.skillgen}}},
            },
        }
    )


def to_json(value: Any) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()
