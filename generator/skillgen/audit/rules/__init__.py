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
    "sg103_skill_name",
    "sg104_name_unlike_directory",
    "sg105_description_missing",
    "sg106_description_too_long",
    "sg107_description_without_when",
    "sg108_unknown_front_matter_key",
    "sg109_front_matter_flow_style",
    "sg110_front_matter_key_twice",
    "sg111_byte_order_mark",
    "sg112_carriage_returns",
    "sg113_no_final_newline",
    "sg114_heading_glued",
    "sg115_front_matter_type",
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
    "sg301_state_tool_without_session",
    "sg302_unscoped_file_in_default_path",
    "sg303_empty_identity_widens",
    "sg304_session_variable_never_set",
    "sg305_home_of_every_project",
    "sg306_write_argument_ignored",
    "sg307_tool_run_as_program",
    "sg308_workflow_id_without_condition",
    "sg309_flags_never_received",
    "sg501_terminal_but_removed",
    "sg502_extra_steps_for_force",
    "sg503_cancel_says_run_cancel",
    "sg504_mode_missing_elsewhere",
    "sg506_mode_not_in_order",
    "sg507_numbers_jump",
    "sg508_rule_said_twice",
    "sg509_wait_nobody_can_check",
    "sg510_list_in_two_forms",
    "sg511_link_tested_two_ways",
    "sg512_field_under_two_names",
    "sg513_tool_in_two_shapes",
    "sg514_deletes_what_it_keeps",
    "sg515_phase_not_read",
    "sg516_goal_paused_without_reading",
    "sg517_store_said_two_ways",
    "sg518_check_that_changes",
    "sg601_foreign_keyword",
    "sg602_empty_remnant",
    "sg603_another_host",
    "sg604_variable_by_replacement",
    "sg605_broken_by_replacement",
    "sg606_foreign_root_or_prefix",
    "sg607_foreign_version_fact",
    "sg701_path_not_there",
    "sg702_source_lines_in_prose",
    "sg703_upstream_issue_number",
    "sg704_fence_never_closed",
    "sg705_template_left_over",
    "sg706_live_command",
    "sg707_hidden_character",
    "sg708_argument_placeholder",
    "sg709_longer_than_read",
    "sg710_link_to_missing_file",
    "sg711_name_twice_in_bundle",
)


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Import and return every rule in the order of the list."""
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in RULES)  # type: ignore[misc]
