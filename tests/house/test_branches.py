"""No function of the reader and the rules takes more than fifteen ways through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "generator" / "skillgen"
MOST = 15


def test_no_function_of_reader_and_rules_has_more_than_fifteen_branches() -> None:
    command = [
        sys.executable, "-m", "ruff", "check", "--isolated", "--select", "C901", "--output-format", "json",
        "--config", f"lint.mccabe.max-complexity={MOST}", str(PACKAGE / "audit"), str(PACKAGE / "reader"),
    ]  # fmt: skip
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    assert [found["message"] for found in json.loads(ran.stdout)] == []
