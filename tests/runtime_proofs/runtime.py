"""Import the runtime as it lies in the templates, for the proofs that call it in this process."""

from __future__ import annotations

import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "templates" / "cancel" / "bundle" / "scripts"
sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import (  # noqa: E402
    act,
    plan,
    records,
    request,
    roots,
    run,
    steps,
    store_files,
    store_rows,
    teams,
)
from cancel_runtime.ops import Refused, Unresolved  # noqa: E402

sys.path.remove(str(SCRIPTS))

__all__ = [
    "SCRIPTS",
    "Refused",
    "Unresolved",
    "act",
    "plan",
    "records",
    "request",
    "roots",
    "run",
    "steps",
    "store_files",
    "store_rows",
    "teams",
]
