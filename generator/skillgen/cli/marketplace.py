"""Run `skillgen marketplace`: list the bundles of a repository for its clients."""

from __future__ import annotations

from pathlib import Path

import click

from skillgen.cli.options import knows_hosts
from skillgen.cli.say import say


@click.command(
    name="marketplace",
    epilog="""\b
Examples:
  skillgen marketplace                       the bundles under dist/, for the repository in this directory
  skillgen marketplace --dist .              this directory is a plugin itself, and lists itself
  skillgen marketplace --check               exit 1 if a marketplace file is not what would be written
""",
)
@click.argument("root", default=".", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--dist",
    default="dist",
    show_default=True,
    metavar="DIR",
    help="Directory of bundles below ROOT; `.` where ROOT itself is one.",
)
@click.option("--name", help="Name of a marketplace that is new; by default the name of ROOT.")
@click.option("--owner", help="Owner of a marketplace that is new; by default its name.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if something would be written.")
@knows_hosts
def command(root: Path, dist: str, name: str | None, owner: str | None, check: bool) -> int:
    """Write the marketplace files of ROOT, one a client, over the bundles in DIST that carry that client's manifest.

    Claude Code reads .claude-plugin/marketplace.json, Codex .agents/plugins/marketplace.json, Copilot CLI
    .github/plugin/marketplace.json. Names, owners and entries that point elsewhere are kept.
    """
    from skillgen.errors import UsageError
    from skillgen.load.catalogues import read_bundles, read_catalogues
    from skillgen.pack.marketplace import catalogue_name, make_catalogues
    from skillgen.pack.place import write_whole

    below = "" if dist in (".", "./") else dist.strip("/")
    if dist.startswith("/") or ".." in below.split("/"):
        raise UsageError(f"--dist {dist}: lies outside the repository; name a directory below ROOT, or `.`")
    existing = read_catalogues(root)
    title = name or catalogue_name(root.resolve().name)
    made = make_catalogues(read_bundles(root, below), existing, below, title, owner or title)
    changed = sorted(path for path, data in made.items() if existing.get(path) != data)
    for path in changed:
        if not check:
            write_whole(root / path, made[path], 0o644)
        say(f"{root / path}: {'is not current, run `skillgen marketplace`' if check else 'written'}")
    return 1 if check and changed else 0
