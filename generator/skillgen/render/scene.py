"""Derive from a contract the lists and words that templates walk; all logic of the text lives here."""

from __future__ import annotations

from typing import Any

from skillgen.render.calls import Calls
from skillgen.render.view import View

_FORMS = (("none", ""), ("force", " --force"), ("all", " --all"), ("both", " --force --all"))


def scene(view: View, data: dict[str, Any]) -> dict[str, Any]:
    """Return what a template sees beside the contract's own keys."""
    return {
        "groups": _groups(view),
        "mode_list": [_Named(key, mode) for key, mode in view.modes.pairs()],
        "forms": _forms(view),
        "same_flags": data["flags"]["force"] == data["flags"]["all"],
        "call": Calls(data["tools"]),
        "titles": {key: mode["title"] for key, mode in data["modes"].items()},
        "owners": _owners(data),
    }


class _Named:
    """A mode with its key; everything else is the contract's."""

    def __init__(self, key: str, mode: View) -> None:
        self.key = key
        self._mode = mode

    def __getattr__(self, name: str) -> Any:
        return getattr(self._mode, name)


def _groups(view: View) -> list[dict[str, Any]]:
    modes = dict(view.modes.pairs())
    return [
        {"number": number, "modes": [_Named(key, modes[key]) for key in group]}
        for number, group in enumerate(view.order, 1)
    ]


def _forms(view: View) -> list[dict[str, Any]]:
    """Return the forms of the command in words; where both flags mean what one means, `both` says nothing new."""
    same = view.flags.force.plain() == view.flags.all.plain() == view.flags.both.plain()
    return [
        {"call": view.command.form + flags, "selection": getattr(view.flags, key)}
        for key, flags in _FORMS
        if not (same and key == "both")
    ]


def _owners(data: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return for each mode the links that point at it, with the owner's title."""
    owners: dict[str, list[dict[str, Any]]] = {key: [] for key in data["modes"]}
    for key, mode in data["modes"].items():
        for link in mode["links"]:
            owners[link["to"]].append({**link, "owner": key, "title": mode["title"]})
    return owners
