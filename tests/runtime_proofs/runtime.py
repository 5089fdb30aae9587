"""Import the runtime as it lies in the templates, for the proofs that call it in this process."""

from __future__ import annotations

import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "templates" / "cancel" / "bundle" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import drivers, engine, files, identity, plan, records, roots, steps  # noqa: E402
from cancel_runtime import rows as row_store  # noqa: E402
from cancel_runtime.errors import Refused, Unresolved  # noqa: E402

sys.path.remove(str(SCRIPTS))

__all__ = [
    "SCRIPTS",
    "Refused",
    "Unresolved",
    "drivers",
    "engine",
    "files",
    "identity",
    "plan",
    "records",
    "roots",
    "row_store",
    "steps",
]
