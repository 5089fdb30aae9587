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
)


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Import and return every rule in the order of the list."""
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in RULES)  # type: ignore[misc]
