"""Run `skillgen verify`: hold an archive or a tree against its records."""

from __future__ import annotations

import json
from pathlib import Path

import click

from skillgen.cli.options import knows_hosts
from skillgen.cli.say import say
from skillgen.model.visible import escaped


@click.command(
    epilog="""\b
Example:
  skillgen verify build/bundles/omc/oh-my-claudecode-0.1.0.zip
  skillgen verify ~/.claude/plugins/cache/m/oh-my-claudecode/0.1.0 --against build/bundles/omc
  skillgen verify ~/.claude/plugins/cache/m/oh-my-claudecode/0.1.0 --against ~/.claude/plugins/marketplaces/m
"""
)
@click.argument("file", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory that holds SHA256SUMS, provenance.json and sbom.spdx.json, by default the one that holds FILE; "
    "or a marketplace with skillgen-published.json.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@knows_hosts
def command(file: Path, against: Path | None, as_json: bool) -> int:
    """Hold FILE, an archive of `skillgen pack` or a directory, against its checksums, provenance and list of files.

    A directory may also be what `skillgen publish` wrote, in the marketplace or as a client installed it: it is held
    against the record at the marketplace's root (skillgen-published.json), which --against names from elsewhere.
    Of a plugin at a repository's root its own files and its skill are held so, not what lies beside them.

    Says which file differs, and what of an archive a public registry would refuse: more than 10 MB, a path of more than
    8 names, a name, description or licence over the usual limits. Exit 0 nothing differs, 1 something does, 2 there is nothing to hold it against or FILE is
    no archive that may be opened. The records are not signed: they show damage and edits, a signature shows the author.
    """
    from skillgen.load.artifact import read_archive, read_file
    from skillgen.load.directory import read_installed
    from skillgen.load.release import read_published, read_release
    from skillgen.pack.limits import over_limits
    from skillgen.pack.publish.record import read_record, recorded_release, within_bundle
    from skillgen.pack.verify import (
        Difference,
        choose_tree,
        refuse_unrecorded,
        verify_archive,
        verify_records,
        verify_tree,
    )

    published = read_published(file, against) if file.is_dir() else None
    found: list[Difference] = []
    if published:
        record = read_record(published)
        release, within = recorded_release(record), within_bundle(record)
    else:
        release, within = read_release(against or file.resolve().parent), lambda path: True
        found += verify_records(release)
    if file.is_dir():
        installed = read_installed(file, within)
        artifact = choose_tree(file.resolve().name, installed.files, release)
        if published and record[artifact].path:
            installed = read_installed(file)
        found += verify_tree(installed.files, release.trees[artifact])
        found += [Difference(path, what) for path, what in installed.odd]
    else:
        artifact, data = file.name, read_file(file)
        refuse_unrecorded(artifact, release)
        files = read_archive(str(file), data)
        found += verify_archive(artifact, data, files, release)
        found += [Difference(path, what) for path, what in over_limits(len(data), files)]
    if as_json:
        rows = [{"path": row.path, "what": row.what} for row in found]
        say(json.dumps({"file": str(file), "artifact": artifact, "differences": rows}, indent=2))
    else:
        for row in found:
            say(f"{file}: {escaped(row.path) + ' ' if row.path else ''}{escaped(row.what)}")
        if not found:
            say(f"{file}: is {artifact} as it was {'published' if published else 'packed'}")
    return 1 if found else 0
