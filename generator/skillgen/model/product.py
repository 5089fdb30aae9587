"""Say whose product a flavor is, how its plugin is called and which host loads it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from skillgen.model.base import Granted, Key, Model, RelPath, Said, Text, Web
from skillgen.model.told import MADE, SAYS, Told


class Product(Model):
    name: Said
    """Label that stands in messages, such as `OMC`."""
    title: Said
    """Long name."""
    author: Text
    """Who makes the product; empty where a flavor does not say."""
    homepage: Web
    """URL; empty where a flavor does not say."""
    license: Text
    """SPDX expression of the upstream product; empty where a flavor does not say."""
    plugin: Annotated[Text, MADE]
    """Name of the product's own plugin, by which its tools and other commands are called; empty where it is `plugin.name`."""
    noun: Annotated[Said, MADE]
    """What the product calls a thing that can be active, for "any active <name> <noun>"."""


class Upstream(Model):
    """The release whose text the flavor's facts were read from."""

    package: Text
    """Name in the package registry; empty where `repository` names it."""
    repository: Text
    """URL; empty where `package` names it."""
    version: Said
    """The release, such as `5.5.0`."""
    path: RelPath
    """The text's path inside the release."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest of that text's bytes."""
    proven: bool
    """Whether `skillgen conform` broke no law beside this very version."""


class Plugin(Model):
    name: Key
    """The name by which a host installs and calls the plugin, such as `oh-my-claudecode`."""
    display_name: Annotated[Said, MADE]
    """The name that catalogues show to people."""
    version: Annotated[str, MADE, Field(pattern=r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$")]
    """Semantic version of the rendered plugin."""
    description: Annotated[Said, MADE]
    """One sentence for manifests and marketplaces: what it cancels and what it leaves alone."""
    summary: Annotated[Said, MADE]
    """A few words for lists of skills and plugins, where a host shows them."""
    keywords: Annotated[tuple[Key, ...], MADE]
    """Words under which a marketplace finds the plugin."""
    author: Annotated[Said, MADE]
    """Who answers for the bundle; the product's own author is credited in the README."""
    license: Annotated[Said, MADE]
    """SPDX expression of the bundle's own text and code."""
    category: Annotated[Said, MADE]
    """Shelf in the clients that sort plugins, such as `Productivity`."""
    marketplace: Annotated[Key, MADE]
    """Name of the marketplace that lists the plugin."""
    hidden_by: Text
    """Which other skill of the same name the host prefers, one sentence; empty where the host keeps them apart."""
    package: Annotated[Text, MADE]
    """npm package name, where the host installs from npm; else empty."""


class Host(Model):
    id: Annotated[Key, MADE]
    """The host's file among the templates, `hosts/<id>.yaml`; what is not said here comes from there."""
    name: Said
    """The host's name as texts write it, such as `Claude Code`."""
    manifests: Annotated[
        tuple[Key, ...], MADE, Told(came="the bundle also serves {}", gone="the bundle no longer serves {}")
    ]
    """Hosts whose manifest the bundle carries; by default the flavor's own."""
    agent: Said
    """What the text calls the program that runs the skill."""
    skill_directory: Annotated[Text, MADE]
    """What the host fills in in SKILL.md for the skill's directory, such as `${CLAUDE_SKILL_DIR}`; empty where it fills in nothing."""
    session: Annotated[Text, MADE]
    """What the host fills in in SKILL.md for the session's id, such as `${CLAUDE_SESSION_ID}`; empty where it fills in nothing."""
    tells: Annotated[Said, MADE]
    """How the host tells the agent where the skill lies, for "<skill> is …"."""
    allowed_tools: Annotated[Granted, MADE]
    """Calls that need no further consent once the skill was called: the specification's `allowed-tools`, in the host's own
    spelling; empty where the host has no such rule."""


class Front(Model):
    """Front matter of SKILL.md."""

    name: Annotated[Key, MADE]
    """The skill's name and its directory's, such as `cancel`."""
    description: Annotated[Said, MADE, Field(max_length=1024)]
    """What the skill does and when to use it; what the product's own list of modes is, `{modes}` writes."""
    metadata: dict[Key, Said]
    """The family's own keys, under the specification's `metadata`."""
    host_keys: dict[Key, Said]
    """Keys outside the specification that stand at the top because this host really reads them: a declared exception."""


class Command(Model):
    form: Annotated[Said, SAYS]
    """How the host invokes the skill, such as `/oh-my-claudecode:cancel`; by default as the host calls a plugin's skill."""
    also: Annotated[
        tuple[Said, ...],
        SAYS,
        Told(came="it can also be called as {}", gone="it can no longer be called as {}"),
    ]
    """Other ways to invoke it."""
    upstream: Annotated[tuple[Said, ...], SAYS, MADE]
    """Forms that the product's own text tells and that do not reach this bundle on its host."""
    keywords: Annotated[tuple[Said, ...], Told(came="{} triggers the skill", gone="{} no longer triggers the skill")]
    """Words that trigger the skill when a user says them."""
    matching: Annotated[Text, SAYS]
    """How the host matches the keywords, one sentence."""
