"""Find the rules; each is one module `sg<number>_<name>.py` of this package, in the order of their codes."""

from __future__ import annotations

import importlib
from functools import lru_cache
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.engine import Rule

RULES: tuple[str, ...] = tuple(sorted(found.name for found in iter_modules(__path__)))
"""Module names, found on disk: a rule is there once its file is."""

CODES = tuple(name.partition("_")[0].upper() for name in RULES)
"""The code of each rule, known without importing it."""


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Import and return every rule in the order of the list."""
    return tuple(importlib.import_module(f"{__name__}.{name}") for name in RULES)
