"""Say of an adopted mode what is true of it by its data alone."""

from __future__ import annotations

import re
from typing import Any

#: Braces that the runtime fills in a message; all others are a text's own.
_FILLED = frozenset({"phase", "team", "mode", "session_id"})


def pretty(key: str) -> str:
    return key.replace("-", " ").title()


def does(mode: dict[str, Any]) -> str:
    """Return one sentence on what cancelling a mode does."""
    title = mode["title"]
    return {
        "clear": f"Ends {title} and removes its record.",
        "deactivate": f"Ends {title} and keeps its record, inactive.",
        "terminalize": f"Ends {title} and keeps its record in a terminal state.",
        "shutdown": f"Stops the workers of {title} and clears its state.",
        "global": f"Ends {title}, which all sessions share.",
    }[str(mode["action"])]


def message(value: str) -> str:
    """Return a message of a text with braces that nothing fills in turned into angles."""

    def angled(match: re.Match[str]) -> str:
        return match[0] if match[1] in _FILLED else f"<{match[1]}>"

    return re.sub(r"\{([A-Za-z_][\w-]*)\}", angled, " ".join(value.split()))


def said_without_variables(value: str) -> str:
    """Return the sentences of a message in which no variable of a shell stands; a command such as `$cancel` is none."""
    sentences = re.split(r"(?<=[.!?。！？])\s+", value)
    return " ".join(sentence for sentence in sentences if not re.search(r"\$(?:\{\w|[A-Z_]{2})", sentence))


def stop_hook(facts_say: bool) -> str:
    return "The product's text tells of a stop hook." if facts_say else "The product's text tells of no stop hook."
