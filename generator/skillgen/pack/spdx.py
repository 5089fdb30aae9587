"""List every file of every artifact as an SPDX 2.3 document."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from skillgen.model.files import Files
from skillgen.model.origin import Origin
from skillgen.pack.provenance import to_json
from skillgen.pack.sums import sha256

_CREATED = "1980-01-01T00:00:00Z"
"""SPDX wants a time; a real one would make every pack differ."""


def write_spdx(origin: Origin, artifacts: Mapping[str, tuple[Files, bytes | None]]) -> bytes:
    """Return the document over `artifacts`: name -> (files in it, its bytes, None for a plain tree)."""
    packages: list[dict[str, Any]] = []
    files: dict[str, dict[str, Any]] = {}
    relations: list[dict[str, str]] = []
    for name in sorted(artifacts):
        tree, data = artifacts[name]
        package = _package(origin, name, tree, data)
        packages.append(package)
        relations.append(_relation("SPDXRef-DOCUMENT", "DESCRIBES", package["SPDXID"]))
        for path in sorted(tree):
            entry = _file(path, *tree[path])
            files[entry["SPDXID"]] = entry
            relations.append(_relation(package["SPDXID"], "CONTAINS", entry["SPDXID"]))
    body = {
        "packages": packages,
        "files": sorted(files.values(), key=lambda entry: (entry["fileName"], entry["SPDXID"])),
        "relationships": relations,
    }
    title = f"{origin.plugin}-{origin.version}"
    return to_json(
        {
            "spdxVersion": "SPDX-2.3",
            "dataLicense": "CC0-1.0",
            "SPDXID": "SPDXRef-DOCUMENT",
            "name": title,
            "documentNamespace": f"https://spdx.org/spdxdocs/{title}-{sha256(to_json(body))}",
            "creationInfo": {"created": _CREATED, "creators": [f"Tool: skillgen-{origin.skillgen}"]},
            **body,
        }
    )


def _package(origin: Origin, name: str, tree: Files, data: bytes | None) -> dict[str, Any]:
    return {
        "SPDXID": f"SPDXRef-Package-{sha256(name.encode())[:16]}",
        "name": origin.plugin,
        "versionInfo": origin.version,
        "packageFileName": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": True,
        "packageVerificationCode": {"packageVerificationCodeValue": _verification_code(tree)},
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": origin.license,
        "licenseInfoFromFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
        **({"checksums": [{"algorithm": "SHA256", "checksumValue": sha256(data)}]} if data is not None else {}),
    }


def _file(path: str, data: bytes, mode: int) -> dict[str, Any]:
    identity = sha256(path.encode() + b"\0" + data)[:24]
    return {
        "SPDXID": f"SPDXRef-File-{identity}",
        "fileName": f"./{path}",
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": _sha1(data)},
            {"algorithm": "SHA256", "checksumValue": sha256(data)},
        ],
        "licenseConcluded": "NOASSERTION",
        "licenseInfoInFiles": ["NOASSERTION"],
        "copyrightText": "NOASSERTION",
        "comment": f"mode {mode:04o}",
    }


def _verification_code(tree: Files) -> str:
    """Return the code of SPDX 2.3, 7.9: SHA-1 over the sorted SHA-1 digests of the files."""
    return _sha1("".join(sorted(_sha1(data) for data, _ in tree.values())).encode())


def _sha1(data: bytes) -> str:
    """SPDX 2.3 makes SHA-1 mandatory; nothing here relies on it."""
    return hashlib.sha1(data, usedforsecurity=False).hexdigest()


def _relation(left: str, kind: str, right: str) -> dict[str, str]:
    return {"spdxElementId": left, "relationshipType": kind, "relatedSpdxElement": right}
