"""Say how forks stand, and bring them up to date with their own edits kept."""

from __future__ import annotations

import click

from skillgen.cli.options import complete_flavor, json_option, reads_flavors

EPILOG = """\b
Examples:
  skillgen sync --check .                          exit 1 if this fork is out of date
  skillgen sync --dry-run .                        what would change, as a diff
  skillgen sync . --commit-message message.txt     bring it up to date, and say why
  skillgen sync --pull-request .                   on a branch, as a request (your commit hooks run)
  skillgen sync --check forks.yaml --json          many forks at once
  skillgen sync --skills ../upstream .             follow its other skills, too (FROM@REVISION: at a commit)
  skillgen sync --flavor omc --adopt-lock .        begin with a fork that has no lock
"""


@click.command(name="sync", epilog=EPILOG)
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@click.option("--flavor", metavar="ID", shell_complete=complete_flavor, help="Bring forks to this one, not their own.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if sync would have to act.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would change as a unified diff.")
@click.option("--strict", is_flag=True, help="Local edits and unexpected files make the exit code 1, too.")
@click.option("--ours", "favor", flag_value="ours", help="In a conflict take the fork's side.")
@click.option("--theirs", "favor", flag_value="theirs", help="In a conflict take the rendered side.")
@click.option("--adopt-lock", is_flag=True, help="Begin with a fork that has no lock; needs --flavor.")
@click.option("--propose", is_flag=True, help="Offer local edits back as a change to the flavor's YAML; write nothing.")
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATH",
    help="Leave this file of the bundle, or this followed skill, out of the fork from now on.",
)
@click.option("--include", multiple=True, metavar="PATH", help="Take a file back that was left out.")
@click.option("--skills", metavar="FROM", help="Follow the other skills of the upstream in FROM, in this fork's names.")
@click.option("--with-manifest", is_flag=True, help="Write the host's manifest, README and licence, too.")
@click.option("-q", "--quiet", is_flag=True, help="Only forks in which there is something to do.")
@click.option("-v", "--verbose", is_flag=True, help="Every file, the unchanged ones too.")
@click.option(
    "--pull-request", is_flag=True, help="Commit it on a branch, and open a request where gh is; else say how."
)
@click.option("--commit-message", metavar="FILE", type=click.Path(dir_okay=False), help="Write what changed there.")
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@json_option
@reads_flavors
def command(
    paths: tuple[str, ...],
    flavor: str | None,
    check: bool,
    dry_run: bool,
    strict: bool,
    favor: str | None,
    adopt_lock: bool,
    propose: bool,
    exclude: tuple[str, ...],
    include: tuple[str, ...],
    skills: str | None,
    with_manifest: bool,
    quiet: bool,
    verbose: bool,
    pull_request: bool,
    commit_message: str | None,
    form: str,
    as_json: bool,
    flavors: tuple[str, ...],
    templates: tuple[str, ...],
) -> int:
    """Update forks of a flavor three-way; PATH is a fork's plugin root, a directory of checkouts, or a forks.yaml;
    without one it is this directory.

    Only the skill and the lock are written, unless --with-manifest. Exit 0 if all is done, 1 while something is left to do,
    2 if there is no result.
    """
    from skillgen.cli.sync_report import report
    from skillgen.sync.run import Wish, go_through, make_examiner, overall

    if sum((check, dry_run, propose)) > 1:
        raise click.UsageError("--check, --dry-run and --propose exclude each other; give one of them")
    if adopt_lock and (not flavor or check or propose):
        raise click.UsageError(
            "--adopt-lock needs --flavor, and neither --check nor --propose; give `--flavor ID --adopt-lock`"
        )
    if pull_request and (check or dry_run or propose or adopt_lock or commit_message):
        raise click.UsageError(
            "--pull-request goes without --check, --dry-run, --propose, --adopt-lock and --commit-message; give it alone"
        )
    action = "check" if check else "dry-run" if dry_run else "propose" if propose else "sync"
    action = "request" if pull_request else action
    if adopt_lock and (exclude or include):
        raise click.UsageError("--exclude and --include are for a fork that has a lock; run them after --adopt-lock")
    if skills and (flavor or adopt_lock or propose or with_manifest):
        raise click.UsageError(
            "--skills goes without --flavor, --adopt-lock, --propose and --with-manifest; run it after them"
        )
    wish = Wish(
        paths or (".",),
        flavor or "",
        action,
        favor or "",
        strict,
        adopt_lock,
        exclude,
        include,
        skills or "",
        manifest=with_manifest,
    )
    outcomes = go_through(wish, make_examiner(wish, flavors, templates))
    report(outcomes, wish, "json" if as_json else form, verbosity=verbose - quiet)
    if commit_message:
        from skillgen.sync.changes import commit_message as in_words
        from skillgen.sync.changes import write_message

        done = [(outcome.fork, outcome.examiner) for outcome in outcomes if outcome.fork is not None]
        write_message(commit_message, in_words(done))
    return overall(outcomes, wish)
