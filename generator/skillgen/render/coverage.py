"""Prove that every value of a contract is used: read by a template, by the runtime, or by the rendering itself."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from skillgen.errors import Problem
from skillgen.model.files import TemplateFile
from skillgen.model.resolved import Resolved, format_key
from skillgen.render.modules import Modules
from skillgen.render.view import Path, leaves

#: A quoted word; parsing every script would cost a build more than rendering does.
_QUOTED = re.compile(rb"""["']([A-Za-z_][A-Za-z0-9_]*)["']""")
#: What no text need show: it decides which files there are and how calls are spelled, or a marketplace, some host or `diff` tells it.
_RENDERING = (
    ("schema_version",),
    ("flavor",),
    ("host", "id"),
    ("host", "manifests"),
    ("plugin", "category"),
    ("plugin", "marketplace"),
    ("plugin", "summary"),
    ("global_pass", "uncaptured_teams"),
    ("tools", "style"),
    ("tools", "arguments"),
    # Said where a form selects every session; a flavor of which none does may have it from its base.
    ("tools", "list_all_call"),
)
#: What a manifest and a README tell; which of it, depends on the host.
_OF_PLUGIN = ("plugin", "product")


class Coverage:
    """Knows what the runtime reads; asked once for each contract."""

    def __init__(self, templates: Mapping[str, TemplateFile]) -> None:
        self._templates = templates
        self._modules = Modules(templates)
        self._quoted: dict[str, frozenset[str]] = {}

    def unread(self, resolved: Resolved, seen: Collection[Path]) -> list[Problem]:
        """Return a problem for each value that says something and that nothing reads.

        `seen`: paths that templates read. The runtime reads a value if the modules that the bundle gets hold each key of its
        path as a quoted word; keys that a flavor chooses, such as those of modes, are walked and not named.
        """
        problems = []
        # Without a plugin there is nothing in which these could be told; with another host than the base's, not all of the base's.
        plugin = bool(resolved.contract.host.manifests)
        data = resolved.contract.model_dump(mode="json")
        modules = self._modules.needed(data)
        for path in leaves(data):
            if path in seen or not _says(data, path) or path[:1] in _RENDERING or path[:2] in _RENDERING:
                continue
            chosen = 1 if path[0] == "modes" else None
            keys = [step for index, step in enumerate(path) if isinstance(step, str) and index != chosen]
            if not all(any(key in self._quoted_words(name) for name in modules) for key in keys):
                place = resolved.place(path)
                if path[0] in _OF_PLUGIN and not (plugin and place.path == resolved.tree.place.path):
                    continue
                what = f"`{format_key(path)}` is read by no template and by no script"
                problems.append(place.problem(what, "use it in a template, or leave it out"))
        return problems

    def _quoted_words(self, name: str) -> frozenset[str]:
        found = self._quoted.get(name)
        if found is None:
            words = _QUOTED.findall(self._templates[name].data)
            found = self._quoted[name] = frozenset(word.decode() for word in words)
        return found


def _says(data: object, path: Path) -> bool:
    """Tell whether a value says anything: nothing is lost with an empty one, a `false` or the kind `none`."""
    for step in path:
        data = data[step]  # type: ignore[index]
    return data not in (None, "", False, "none") and data != [] and data != {}
