"""Tell what moved upstream."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from skillgen.cli.options import complete_flavor, reads_flavors
from skillgen.cli.say import say
from skillgen.model.visible import escaped

if TYPE_CHECKING:
    from skillgen.build.inputs import Inputs
    from skillgen.watch.compare import Watched
    from skillgen.watch.resting import Resting

EPILOG = """\b
Examples:
  skillgen watch oh-my-codex-0.20.3.tgz oh-my-codex-0.21.6.tgz --flavor omx
  skillgen watch ../upstream@v1:skills/cancel ../upstream@v2:skills/cancel
  skillgen watch old.tgz new.tgz --flavor mine --flavors flavors --format patch | git apply
  skillgen watch --check oh-my-codex-0.21.7.tgz            against the facts that are kept beside the flavor
  skillgen watch --pin oh-my-codex-0.21.6.tgz --flavor omx

\b
OLD and NEW: a text, a skill directory, a plugin tree, an npm .tgz, a zip, or REPOSITORY@REVISION:PATH. Nothing is fetched.
"""


@click.command(name="watch", epilog=EPILOG)
@click.argument("old", required=False)
@click.argument("new", required=False)
@click.option("--flavor", shell_complete=complete_flavor, help="Say which values of this flavor rest on what moved.")
@click.option("--check", "checked", metavar="PACKAGE", help="Hold a release against the facts kept beside the flavor.")
@click.option("--pin", "pinned", metavar="PACKAGE", help="Keep the facts of a release beside the flavor.")
@click.option("--skill", metavar="PATH", help="Path of the cancel text inside both releases, where they hold several.")
@click.option("--run", is_flag=True, help="Start the servers that the releases name, and ask them for their tools.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown", "github", "patch"]),
    default="text",
    show_default=True,
)
@reads_flavors
def command(
    old: str | None,
    new: str | None,
    flavor: str | None,
    checked: str | None,
    pinned: str | None,
    skill: str | None,
    run: bool,
    form: str,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Tell what moved between OLD and NEW in facts, without a base, and what text no fact explains.

    Exit code 0 if nothing moved in meaning, 1 if something did, 2 if there is no result.
    """
    from skillgen.build.inputs import Inputs
    from skillgen.errors import UsageError

    chosen = [bool(old or new), bool(checked), bool(pinned)]
    if sum(chosen) != 1 or bool(old) != bool(new):
        raise UsageError("there is nothing to compare; give OLD and NEW, or --check PACKAGE, or --pin PACKAGE")
    inputs = Inputs(flavors, templates)
    if flavor:
        inputs.known(flavor)
    if pinned:
        return _pin(inputs, pinned, flavor, skill)
    if checked:
        return _check(inputs, checked, flavor, skill, form)
    assert old and new
    return _compare(inputs, old, new, flavor, skill, form, run)


def _compare(inputs: Inputs, old: str, new: str, flavor: str | None, skill: str | None, form: str, run: bool) -> int:
    from skillgen.build.contracts import resolve_all
    from skillgen.load.package import open_package
    from skillgen.watch.compare import compare

    packages = open_package(old), open_package(new)
    watched = compare(*packages, skill)
    if run:
        from skillgen.watch.compare import with_served_tools

        watched = with_served_tools(watched, *packages)
    rests: Resting | None = None
    if flavor:
        from skillgen.watch.resting import resting

        rests = resting(flavor, resolve_all(inputs, [flavor])[flavor].contract, inputs, watched)
    _show(watched, flavor, rests, form)
    return 1 if watched.moved else 0


def _check(inputs: Inputs, name: str, flavor: str | None, skill: str | None, form: str) -> int:
    from skillgen.load.package import open_package
    from skillgen.watch.compare import read
    from skillgen.watch.pins import load, moved_since, pin_path
    from skillgen.watch.releases import product_of, version_of
    from skillgen.watch.telling import told

    package = open_package(name)
    product, version = product_of(package), version_of(package)
    if flavor is None:
        flavor = _pinned_to(inputs, name, product)
    pin = load(pin_path(flavor, inputs.files.paths))
    reading = read(package, skill or (pin.upstream["path"] if pin.upstream.get("path") in package.files else None))
    found = moved_since(pin, reading)
    was = escaped(pin.upstream.get("version", "")) or "an unknown version"
    head = f"the facts of {flavor} are of {was}, this is {escaped(version) or 'an unknown version'}; {_count(len(found), 'fact')} moved"
    say(told(found, head, form), nl=False)
    return 1 if found else 0


def _pinned_to(inputs: Inputs, name: str, product: str) -> str:
    """Return the flavor whose pin names a product: the user's own before a shipped one, one before what is older than it."""
    from skillgen.errors import UsageError
    from skillgen.model.semver import is_version, version_key
    from skillgen.watch.pins import load, pin_path

    pins = {id_: load(path) for id_ in inputs.files.paths if os.path.lexists(path := pin_path(id_, inputs.files.paths))}
    fitting = [id_ for id_, pin in pins.items() if product and pin.upstream.get("package") == product]
    own = [id_ for id_ in fitting if inputs.is_own(id_)]
    versions = {id_: str(pins[id_].upstream.get("version")) for id_ in own or fitting}
    keys = {id_: version_key(version) if is_version(version) else () for id_, version in versions.items()}
    found = [id_ for id_, key in keys.items() if key == max(keys.values())]
    if len(found) != 1:
        named = ", ".join(f"{id_} ({pin.upstream.get('package')})" for id_, pin in pins.items()) or "none"
        raise UsageError(
            f"{name}: no single flavor is pinned to {product or 'it'}; name one with --flavor (pinned: {named})"
        )
    return found[0]


def _pin(inputs: Inputs, name: str, flavor: str | None, skill: str | None) -> int:
    from skillgen.errors import UsageError
    from skillgen.load.files import shown
    from skillgen.load.package import open_package
    from skillgen.model.pin import dump_pin
    from skillgen.pack.write import Writer
    from skillgen.sync.edits import FlavorEdit
    from skillgen.watch.compare import read
    from skillgen.watch.pins import make_pin, pin_path

    if flavor is None:
        raise UsageError("--pin keeps the facts of a flavor; name it with --flavor ID")
    package = open_package(name)
    pin = make_pin(package, read(package, skill))
    if not (pin.upstream["package"] and pin.upstream["version"]):
        raise UsageError(
            f"{name}: no package.json or plugin.json in it states a name and a version; pin a whole release"
        )
    edit = FlavorEdit(inputs, flavor)
    known = edit.written(("upstream",)) or {}
    # What was proven was so beside that very release.
    same = all(known.get(key, pin.upstream[key]) == pin.upstream[key] for key in ("package", "version"))
    for key, value in {**pin.upstream, "repository": "", "proven": same and bool(known.get("proven"))}.items():
        if known.get(key) != value:
            edit.put(("upstream", key), value)
    path = pin_path(flavor, inputs.files.paths)
    with Writer(os.path.dirname(path) or ".") as writer:
        writer.stage(os.path.basename(path), dump_pin(pin), 0o644)
        writer.stage(f"{flavor}.yaml", edit.text().encode(), 0o644)
        writer.commit()
    what = escaped(f"{pin.upstream['package']} {pin.upstream['version']}")
    say(f"{shown(path)}: {_count(len(pin.facts), 'fact')} of {what}")
    return 0


def _show(watched: Watched, flavor: str | None, rests: Resting | None, form: str) -> None:
    from skillgen.watch.telling import as_json, whole

    if form == "patch":
        say("".join(line if line.endswith("\n") else line + "\n" for line in (rests.patch if rests else ())), nl=False)
        return
    if form == "json":
        import json

        result: dict[str, Any] = as_json(watched, flavor, rests)
        say(json.dumps(result, indent=2, ensure_ascii=False))
        return
    say(whole(watched, flavor, rests, form), nl=False)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
