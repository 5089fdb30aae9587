"""Give every test of this directory the command line and forks."""

from __future__ import annotations

from sync_world import built, built_old, fork, old, skillgen

__all__ = ["built", "built_old", "fork", "old", "skillgen"]
