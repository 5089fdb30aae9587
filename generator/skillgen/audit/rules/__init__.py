"""List the rules; each is one module of this package, in the order of their codes."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.engine import Rule

#: Module names; one line a rule.
RULES: tuple[str, ...] = (
    "sg101_no_front_matter",
    "sg102_front_matter_broken",
    "sg201_flag_by_substring",
    "sg202_sessions_killed_by_prefix",
    "sg203_tmux_target_not_exact",
    "sg204_state_rewritten_in_place",
    "sg205_recursive_removal_of_open_path",
    "sg206_kill_by_recorded_number",
    "sg207_gnu_date",
    "sg208_here_document_on_one_line",
    "sg209_block_does_not_parse",
    "sg210_shellcheck",
    "sg211_read_without_r",
    "sg212_exit_in_snippet",
    "sg213_sql_on_foreign_database",
    "sg214_unquoted_expansion",
    "sg215_two_clock_reads",
)


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Import and return every rule in the order of the list."""
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in RULES)  # type: ignore[misc]
