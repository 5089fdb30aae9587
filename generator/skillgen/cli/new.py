"""Write a starting point for a flavor."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, reads_templates
from skillgen.cli.say import say

EPILOG = """\b
Examples:
  skillgen new mine > mine.yaml              to standard output
  skillgen new mine --from pep --flavors my-flavors
                                             to my-flavors/mine.yaml
  skillgen build --flavor mine --flavors my-flavors
"""


@click.command(name="new", epilog=EPILOG)
@click.argument("id_", metavar="ID")
@click.option(
    "--from",
    "source",
    default="omc",
    show_default=True,
    metavar="FLAVOR",
    shell_complete=complete_flavor,
    help="The flavor that it starts from.",
)
@click.option(
    "--flavors", type=click.Path(file_okay=False), metavar="DIR", help="Write DIR/ID.yaml; also read from there."
)
@reads_templates
def command(id_: str, source: str, flavors: str | None, templates: tuple[str, ...]) -> int:
    """Write a commented flavor ID that loads and builds, and names what else may differ."""
    import json
    import os
    import re

    from skillgen.build.contracts import Documents
    from skillgen.build.inputs import Inputs
    from skillgen.errors import InputError, UsageError
    from skillgen.load.git import git
    from skillgen.model.starter import SCHEMA, starter, still_named
    from skillgen.pack.write import Writer
    from skillgen.resolve.schema import flavor_schema

    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id_) or len(id_) > 64:
        raise UsageError(f"{id_!r} is no flavor id; use lower-case letters, digits and single hyphens, at most 64")
    inputs = Inputs([flavors] if flavors and os.path.isdir(flavors) else [], templates)
    if id_ in inputs.files.paths:
        raise UsageError(f"there is a flavor {id_} already ({inputs.files.paths[id_]}); choose another id")
    documents = Documents(inputs, [inputs.known(source)])
    base = documents.resolve(source)
    if base is None:
        raise InputError(documents.problems)
    text = starter(id_, base, (git(["config", "user.name"], ".") or b"").decode("utf-8", "replace").strip())
    made = documents.add(id_, text.encode()).resolve(id_)
    if made is None:
        raise InputError(documents.problems)
    text += still_named(made, base)
    if not flavors:
        say(text, nl=False)
        return 0
    with Writer(flavors) as writer:
        writer.stage(f"{id_}.yaml", text.encode(), 0o644)
        if not os.path.lexists(os.path.join(flavors, SCHEMA)):
            writer.stage(SCHEMA, json.dumps(flavor_schema(inputs.hosts), indent=2).encode() + b"\n", 0o644)
        writer.commit()
    say(f"{flavors}/{id_}.yaml written; build it with: skillgen build --flavor {id_} --flavors {flavors}")
    return 0
