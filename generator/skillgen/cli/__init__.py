"""Join the steps into commands: one file a command, loaded only when it is asked for."""

from __future__ import annotations

from skillgen.cli.main import run

__all__ = ["run"]
