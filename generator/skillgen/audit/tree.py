"""Give rules a skill directory or a bundle to look at."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from skillgen.audit.text import Text
from skillgen.audit.views import make_text
from skillgen.model.subject import File, Kind, Tree


class Skill:
    """A directory with a SKILL.md: its texts and files."""

    def __init__(self, tree: Tree, shell: Any = None, bundle: Bundle | None = None, prefix: str = "") -> None:
        self.tree = tree
        self.bundle = bundle
        self.root = f"{tree.path}/{prefix}".rstrip("/") if prefix else tree.path
        self.name = prefix.rstrip("/").rpartition("/")[2] or tree.name
        self.files: dict[str, File] = {
            path.removeprefix(prefix): file for path, file in tree.files.items() if path.startswith(prefix)
        }
        self.texts = tuple(
            make_text(source, skill=self, shell=shell)
            for source in tree.sources
            if source.path.startswith(f"{self.root}/") and source.kind in (Kind.SKILL, Kind.REFERENCE, Kind.COMMAND)
        )

    @property
    def path(self) -> str:
        """The path that findings about the whole skill carry: its SKILL.md."""
        return self.text.path

    @cached_property
    def text(self) -> Text:
        """The SKILL.md itself."""
        return next(text for text in self.texts if text.kind is Kind.SKILL)

    def exists(self, path: str) -> bool:
        """Whether `path` names a file or directory of the skill, its bundle or the repository around it."""
        if path.rstrip("/") in self.files or any(name.startswith(path.rstrip("/") + "/") for name in self.files):
            return True
        return self.tree.exists(path)


class Bundle:
    """A plugin root: its manifests, skills, commands and scripts."""

    def __init__(self, tree: Tree, shell: Any = None) -> None:
        self.tree = tree
        self.path = self.root = tree.path
        self.name = tree.name
        self.files = dict(tree.files)
        prefixes = sorted(
            path.rpartition("/")[0] + "/"
            for path in tree.files
            if path.rpartition("/")[2] == "SKILL.md" and "/" in path
        )
        known = {source.path for source in tree.sources}
        self.skills = tuple(
            Skill(tree, shell, self, prefix) for prefix in prefixes if f"{tree.path}/{prefix}SKILL.md" in known
        )
        inside = {text.path for skill in self.skills for text in skill.texts}
        self.texts = (
            *(text for skill in self.skills for text in skill.texts),
            *(make_text(source, bundle=self, shell=shell) for source in tree.sources if source.path not in inside),
        )

    def exists(self, path: str) -> bool:
        """Whether `path` names a file or directory of the bundle or of the repository around it."""
        if path.rstrip("/") in self.files or any(name.startswith(path.rstrip("/") + "/") for name in self.files):
            return True
        return self.tree.exists(path)
