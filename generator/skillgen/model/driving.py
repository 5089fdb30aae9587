"""Say how a product is driven: how it is got, seeded, asked and held to its own claims."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from skillgen.model.base import Key, Model, RelPath, RelPathOrSame, Said, Text, Variable

Json = Any
"""JSON, with placeholders in its strings."""


class TextAnswer(Model):
    """The reply holds this text."""

    kind: Literal["text"]
    holds: Said
    """The text, found anywhere in the reply, such as `Successfully wrote`."""


class JsonAnswer(Model):
    """The reply is JSON, and a value in it is this one, or is a list (or mapping) that has it."""

    kind: Literal["json"]
    at: Text
    """Keys down to the value, with `/` between them; empty for the whole reply."""
    equals: Json = None
    """The value that stands there; any JSON, such as `block`."""
    holds: Text = ""
    """An entry of the list, or a key of the mapping; `equals` is not looked at where this is given."""


class ExitAnswer(Model):
    """The command ends with this code."""

    kind: Literal["exit"]
    code: Annotated[int, Field(ge=0, le=255)]
    """The exit code, 0 to 255."""


Answer = Annotated[TextAnswer | JsonAnswer | ExitAnswer, Field(discriminator="kind")]


class ToolCall(Model):
    """A call of a state tool: the server's, else one of the verbs."""

    kind: Literal["tool"]
    tool: Said
    """The tool's name, such as `state_write`."""
    arguments: dict[str, Json] = Field(default_factory=dict)
    """Its arguments; placeholders such as `{record}`, `{session}` and `{now}` are filled in."""


Words = Annotated[tuple[Said | dict[str, Json], ...], Field(min_length=1)]
"""A command line, given as a list and never to a shell; a mapping in it is one argument, written as JSON."""


class Command(Model):
    """A program of the product's that is called."""

    kind: Literal["command"]
    command: Words
    input: Json = None
    """JSON that the command reads from stdin; null for nothing."""
    environment: dict[Variable, Text] = Field(default_factory=dict)
    """Variables that it is given beside the program's own."""


class RawFile(Model):
    """A file that is written by hand, since the product has no means of its own; the report says so."""

    kind: Literal["file"]
    path: Said
    """Begins with a placeholder that names a place of the run: `{workspace}`, `{home}`, `{tmp}`, `{state}`, or `{bin}`, whose
    programs are found first, so that a stand-in can lie there."""
    content: Json = None
    """What it holds: a text as it stands, anything else as JSON."""
    executable: bool = False
    """Whether it may be run as a program."""


Call = Annotated[ToolCall | Command, Field(discriminator="kind")]
Deed = Annotated[ToolCall | Command | RawFile, Field(discriminator="kind")]


class Part(Model):
    """A program that the product calls and that its package does not hold ready to run."""

    name: Key
    """By which `needs` names it."""
    needs: tuple[Said, ...]
    """Programs that have to be on PATH to make it."""
    install: Annotated[tuple[Said, ...], Field(min_length=1)]
    """Command that makes it, below `{target}`."""
    file: RelPath
    """The program, below `{target}`."""
    variable: Variable
    """By which the product is told where it lies."""


class Program(Model):
    """What is driven, and how it gets into a throw-away place."""

    name: Said
    """As its registry calls it."""
    version: Said
    """The version that the flavor's facts were held against last."""
    needs: tuple[Said, ...]
    """Programs that have to be on PATH."""
    install: tuple[Said, ...]
    """Command that installs the version into `{target}`; empty where no registry has it, so that `--program` names it."""
    directory: RelPathOrSame
    """The program's own directory below the target, and not below what `--program` names."""
    version_file: RelPath
    """JSON file in that directory with a key `version`."""
    environment: dict[Variable, Text] = Field(default_factory=dict)
    """Variables that every call of the product is given, such as `{CLAUDE_PLUGIN_ROOT: "{program}"}`."""
    parts: tuple[Part, ...] = ()
    """What needs one that cannot be had is listed as not proven."""


class Server(Model):
    """A server of state tools that is spoken to by JSON-RPC lines on stdin and stdout (MCP)."""

    command: Annotated[tuple[Said, ...], Field(min_length=1)]
    """How the server is started, a list such as `[node, "{program}/server.cjs"]`."""
    environment: dict[Variable, Text] = Field(default_factory=dict)
    """Variables that it is given beside the program's own."""


class Verbs(Model):
    """State tools that are subcommands of a program: `omx state write` is `command`, then `state write` and what follows here."""

    command: Annotated[tuple[Said, ...], Field(min_length=1)]
    """Stands for the first word of a tool's name."""
    needs: tuple[Key, ...] = ()
    """Parts of the program without which a call may fail, so that a failure shows nothing."""
    argument: Said
    """Option behind which the JSON object of all arguments stands."""
    switches: tuple[Said, ...] = ()
    """Options that every call ends with, such as `[--json]`."""


class Seed(Model):
    """How a mode is made active."""

    modes: tuple[Key, ...] = ()
    """Empty: every mode that no other seed names."""
    needs: tuple[Key, ...] = ()
    """Parts of the program; without them the next seed for the mode is taken."""
    phase: dict[Key, Said] = Field(default_factory=dict)
    """Mode -> what `{phase}` stands for; "executing" for others."""
    by: Deed
    """The call or file that makes the mode active."""
    done: Answer | None = None
    """What a seed that worked answers; null where only a look tells."""


class Ask(Model):
    """A question to the product about one mode of one session."""

    by: Call
    """The call that asks."""
    yes: Answer
    """The reply that says yes."""
    modes: tuple[Key, ...] = ()
    """Modes that the product answers for; empty for all."""


class Contrary(Model):
    """A question to the product whose yes shows that a claim is not so."""

    by: Call
    """The call that asks."""
    yes: Answer
    """The reply that says yes, and so that the claim is not so."""
    what: Said
    """What is so instead, for "it says …, and …"."""


class Claim(Model):
    """What the product says of its own deed, such as its own cancel, which is held against its own judges as well."""

    name: Said
    """What is claimed, a few words for the report."""
    verdict: Text = ""
    """The flavor's verdict on it."""
    modes: tuple[Key, ...] = ()
    """Modes that are made active before, each in a place of its own; empty for all."""
    active: bool = True
    """Whether a mode is active before; else nothing is, and `modes` does not count."""
    workers: bool = False
    """Whether it is tried with live workers, in place of `modes`; they are asked for afterwards as well."""
    needs: tuple[Key, ...] = ()
    """Parts of the program without which it cannot be tried."""
    given: tuple[Deed, ...] = ()
    """What is done before, in order."""
    by: Call
    """The call whose reply is held against what is so."""
    subdirectory: bool = False
    """It is called in a directory below the project's root, not in the root."""
    says: Answer
    """The reply that claims success."""
    ended: bool = True
    """It claims that the mode has ended, so that the product's listing and its hook are asked for that."""
    contrary: tuple[Contrary, ...] = ()
    """Further questions whose yes shows that the claim is not so."""


class Workers(Model):
    """How a team with live workers is begun, and how one sees that they live."""

    mode: Key
    """The mode whose workers these are."""
    needs: tuple[Said, ...] = ()
    """Programs that have to be on PATH."""
    begin: Annotated[tuple[Deed, ...], Field(min_length=1)]
    """What begins a team, in order."""
    begun: Ask | None = None
    """Has the product finished beginning? Null where a live worker shows it."""
    alive: Ask
    """Does a worker live? Asked again and again until one does."""
    within_s: Annotated[int, Field(ge=1, le=600)] = 30
    """How long they may take to begin."""


class Hold(Model):
    """A command that takes the product's own lock on `{path}`, prints `held`, and lets go when its stdin ends."""

    command: Annotated[tuple[Said, ...], Field(min_length=1)]
    """The command, a list; `{path}` is the record whose lock it takes."""


class Driving(Model):
    """`<flavor>.conform.yaml`: everything that `skillgen conform` needs to drive one product."""

    program: Program
    """What is driven, and how it gets into a throw-away place."""
    workspace: Literal["git", "plain"] = "git"
    """What the project of a run is: a `git` repository, or a `plain` directory."""
    state: Said
    """Where the product keeps its state in the run, for `{state}`: a path that begins with a placeholder."""
    server: Server | None = None
    """The server of state tools; null where the product has none."""
    verbs: Verbs | None = None
    """How state tools are called where no server holds them."""
    start: tuple[Command, ...] = ()
    """Commands that begin the session `{session}`, in order."""
    seed: Annotated[tuple[Seed, ...], Field(min_length=1)]
    """How each mode is made active; the first that fits a mode is taken."""
    list: Ask
    """Is the mode active for the product?"""
    hook: Ask | None = None
    """Does the product's stop hook hold the session? Asked with that one mode active."""
    claims: tuple[Claim, ...] = ()
    """What the product says of its own deeds, each held against what is so."""
    workers: Workers | None = None
    """How a team with live workers is begun; null where the product has none."""
    hold: Hold | None = None
    """How the product's own lock is taken, so that a cancel meets it held; null where it has none."""
    timeout_s: Annotated[int, Field(ge=1, le=600)] = 60
    """How long one answer may take."""
