"""Say what is known of a host: the program that loads plugins and runs skills."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from skillgen.model.node import Node, Place

Kind = Literal[
    "text",
    "url",
    "texts",
    "person",
    "path",
    "paths",
    "directories",
    "files",
    "parts",
    "commands",
    "servers",
    "plugins",
    "object",
    "list",
    "bool",
    "any",
]
"""What a manifest's key holds. `person`: an object with a name; `paths`, `directories`, `files`: one path or a list of them;
`parts`: such paths, or the part itself as an object; `commands` and `servers`: the same, with what such an object has to hold;
`plugins`: names of plugins, or objects with one."""


@dataclass(frozen=True, slots=True)
class Names:
    """How texts call a host."""

    word: str = ""
    """Stands in the names of products for the host, such as `claude` in oh-my-claudecode."""
    called: tuple[str, ...] = ()
    """Names in prose, the longest first."""
    not_before: tuple[str, ...] = ()
    """What makes a name another thing when it follows, such as `Cursor` before ` position`."""


@dataclass(frozen=True, slots=True)
class Session:
    """Variables by which a shell knows the host's session."""

    variables: tuple[str, ...] = ()
    """Set by the host in every shell that it starts, the best first."""
    never: tuple[str, ...] = ()
    """Named in texts, and set in no shell."""


@dataclass(frozen=True, slots=True)
class Substitutes:
    """What the host replaces in a text before the agent reads it."""

    arguments: tuple[Literal["skill", "command"], ...] = ()
    """Texts in which `$ARGUMENTS` is replaced."""
    variables: tuple[str, ...] = ()
    """Written `${NAME}` in a skill and replaced there."""
    commands: bool = False
    """Whether a command written `` !`…` `` is run and replaced when a text is loaded."""


@dataclass(frozen=True, slots=True)
class Skill:
    """How the host hands a skill's text to its agent, and what it lets the agent do with it."""

    directory: str = ""
    """Filled in in SKILL.md for the skill's directory, such as `${CLAUDE_SKILL_DIR}`; empty where nothing is."""
    session: str = ""
    """Filled in in SKILL.md for the session's id, such as `${CLAUDE_SESSION_ID}`; empty where nothing is."""
    tells: str = "the directory of this file"
    """How the agent knows where the skill lies, for "<skill> is …"."""
    allowed_tools: str = ""
    """Calls that need no further consent once the skill was called, as front matter spells them."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The file by which the host knows a plugin."""

    kind: Literal["plugin", "package"]
    """`plugin`: a JSON file of the host's own; `package`: the package.json of npm, with a patch beside it."""
    path: str
    """Where a bundle has it."""
    others: tuple[str, ...] = ()
    """Further places in which the host finds its own manifest."""
    beside: str = ""
    """A file that tells such a package from any other."""
    keys: dict[str, Kind] = field(default_factory=dict)
    """Keys that the host knows, with what they hold; nothing where any key is fine."""
    replaces: tuple[str, ...] = ()
    """Keys whose paths take the place of the directory of that name, in which the host looks else."""
    dotted: bool = False
    """Whether paths must begin with `./`."""
    longest_name: int = 64
    reserved: tuple[str, ...] = ()
    """Beginnings of names that the host keeps for itself."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The file by which the host knows a marketplace."""

    kind: Literal["owned", "shelved"]
    """`owned`: has an owner, a source is a path; `shelved`: no owner, a source is an object, an entry has a category."""
    places: tuple[str, ...]
    """Where the host looks, in its own order; a new one is written at the last."""
    reserved: tuple[str, ...] = ()
    """Names of marketplaces that the host keeps for its maker; one that ends in `-` stands for all that begin so."""
    keys: dict[str, Kind] = field(default_factory=dict)
    """Keys of the file itself whose values the host refuses where they are of another kind."""
    entry: dict[str, Kind] = field(default_factory=dict)
    """Keys of an entry beside those of a manifest; nothing where any key is fine."""
    sources: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Kinds of sources beside a path, with the keys that each needs."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a host reads at most; 0 where no limit is known."""

    skill_bytes: int = 0
    summary_least: int = 0
    """Characters of `plugin.summary`."""
    summary_most: int = 0


@dataclass(frozen=True, slots=True)
class Host:
    """One host; the file `hosts/<id>.yaml` holds exactly these fields, the id apart."""

    id: str
    name: str
    agent: str = ""
    """What a text calls the program that runs the skill."""
    names: Names = Names()
    home: str = ""
    """Its directory below the user's home."""
    session: Session = Session()
    plugin_root: str = ""
    """Variable that names the plugin's directory in hooks and servers."""
    substitutes: Substitutes = Substitutes()
    skill: Skill = Skill()
    command: str = ""
    """How a plugin's skill is called; `{plugin}` and `{skill}` stand for their names."""
    tools: str = ""
    """How a tool of a plugin's server is called; `{plugin}`, `{server}` and `{tool}` stand for their names."""
    scripts: bool = False
    """Whether the agent may run a skill's scripts in a shell."""
    manifest: Manifest | None = None
    catalogue: Catalogue | None = None
    limits: Limits = Limits()
    skill_only: bool = False
    """A host without a plugin format: its bundle is the skill alone."""
    client: str = ""
    """The client in tests/clients that proves what stands here; empty where none does."""
    offered: bool = False
    """Whether bundles can be built for it: there are templates, or the skill is all."""
    node: Node = field(default=Node(None, Place("", 0, 0)), repr=False, compare=False)
    """The file as it was read, with the place of every value."""

    def says(self) -> re.Pattern[str] | None:
        """Return what finds the host's name or home in a text; None where a text cannot name it."""
        parts = []
        if self.names.called:
            after = "".join(f"(?!{re.escape(text)})" for text in self.names.not_before)
            parts.append(rf"\b(?:{'|'.join(map(re.escape, self.names.called))})\b{after}")
        if self.home:
            parts.append(rf"(?:~|\$HOME)/{re.escape(self.home)}\b")
        return re.compile("|".join(parts), re.A) if parts else None

    @property
    def place(self) -> str:
        """Where a bundle has this host's manifest; empty without one."""
        return self.manifest.path if self.manifest else ""

    @property
    def places(self) -> tuple[str, ...]:
        """Where the host looks for a marketplace."""
        return self.catalogue.places if self.catalogue else ()

    @property
    def shelved(self) -> bool:
        return bool(self.catalogue and self.catalogue.kind == "shelved")

    def form(self, plugin: str, skill: str) -> str:
        """Return how a skill of a plugin is called; empty where that is not known."""
        return self.command.replace("{plugin}", plugin).replace("{skill}", skill)


@dataclass(frozen=True)
class Hosts(Mapping[str, Host]):
    """All known hosts by id, sorted."""

    known: Mapping[str, Host]

    def __getitem__(self, id_: str) -> Host:
        return self.known[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)

    @cached_property
    def offered(self) -> tuple[str, ...]:
        """Ids of the hosts that bundles can be built for."""
        return tuple(id_ for id_, host in self.known.items() if host.offered)

    @cached_property
    def manifests(self) -> dict[str, str]:
        """Place of a plugin manifest -> id of the host that it belongs to."""
        found: dict[str, str] = {}
        for host in self.known.values():
            if host.manifest:
                found |= dict.fromkeys((host.manifest.path, *host.manifest.others), host.id)
        return found

    @cached_property
    def signs(self) -> dict[str, str]:
        """File that marks a directory as a plugin's root -> id of the host."""
        return {
            path: host.id
            for host in self.known.values()
            if (own := host.manifest)
            for path in ([own.path, *own.others] if own.kind == "plugin" else [own.beside])
        }

    @cached_property
    def listing(self) -> tuple[Host, ...]:
        """Hosts that have marketplaces."""
        return tuple(host for host in self.known.values() if host.catalogue and host.manifest)

    @cached_property
    def catalogues(self) -> tuple[str, ...]:
        """Every place of a marketplace file."""
        found = [path for host in self.known.values() if host.catalogue for path in host.catalogue.places]
        return tuple(dict.fromkeys(found))

    def lister(self, place: str) -> Host:
        """Return the host whose marketplace file lies at a place; raise KeyError where none does."""
        for host in self.listing:
            if place in host.places:
                return host
        raise KeyError(place)
