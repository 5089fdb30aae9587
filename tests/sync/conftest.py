"""Give every test of this directory the command line and a fork."""

from __future__ import annotations

from sync_world import built, fork, skillgen

__all__ = ["built", "fork", "skillgen"]
