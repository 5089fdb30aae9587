"""Find the rules; each is one file `sg<number>_<name>` of this package, Python or YAML, in the order of their codes."""

from __future__ import annotations

import importlib
from functools import lru_cache
from importlib.resources import files
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skillgen.audit.engine import Rule

_YAML = {name.removesuffix(".yaml") for found in files(__name__).iterdir() if (name := found.name).endswith(".yaml")}

RULES: tuple[str, ...] = tuple(sorted({*(found.name for found in iter_modules(__path__)), *_YAML}))
"""Names of the files, found on disk: a rule is there once its file is."""

CODES = tuple(name.partition("_")[0].upper() for name in RULES)
"""The code of each rule, known without reading it."""


@lru_cache(maxsize=1)
def all_rules() -> tuple[Rule, ...]:
    """Import or read and return every rule in the order of the list."""
    return tuple(_asked(name) if name in _YAML else importlib.import_module(f"{__name__}.{name}") for name in RULES)


def _asked(name: str) -> Rule:
    """Read a rule that is a pattern or a question."""
    from ruamel.yaml import YAML

    from skillgen.audit.asked import AskedRule

    text = files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return AskedRule(f"{__name__}.{name}", YAML(typ="safe").load(text))
