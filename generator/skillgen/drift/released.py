"""Say in words what a published contract changes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from skillgen.drift.meaning import changes
from skillgen.model.contract import Contract

_RELEASE = {"plugin.version", "plugin.marketplace"}


def released_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Sequence[str]:
    """Return what one contract.json says differently from another, the release itself left out."""
    try:
        before, after = (Contract.model_validate_json(json.dumps(contract)) for contract in (old, new))
    except ValidationError:
        return ["The published contract has another form; its differences cannot be told in words."]
    return [change.text for change in changes(before, after) if change.key not in _RELEASE]
