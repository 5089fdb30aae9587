"""Make a repository in which everything that git can be led to run writes its name down."""

from __future__ import annotations

import os
import pty
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sync_world import git

TRIPWIRE = """#!/bin/sh
echo "$1" >> "{log}"
case "$1" in
  clean|smudge) cat ;;
  textconv) cat "$2" ;;
  pager) cat >/dev/null ;;
esac
exit 0
"""


@dataclass
class Armed:
    """A repository and the file in which what ran is named, one word a line."""

    top: Path
    log: Path

    def ran(self) -> set[str]:
        return set(self.log.read_text().split()) if self.log.exists() else set()


def arm(top: Path, log: Path) -> Armed:
    """Turn a directory into a repository of two commits that names a program wherever git would run one."""
    wire = log.parent / "tripwire"
    wire.write_text(TRIPWIRE.format(log=log))
    wire.chmod(0o755)
    git(top, "init", "-q", "-b", "main")
    (top / "a.x").write_text("one\n")
    (top / ".gitmodules").write_text('[submodule "m"]\n\tpath = m\n\turl = ./m\n')
    git(top, "add", "-A")
    git(top, "commit", "-qm", "One")
    git(top, "switch", "-qc", "side")
    (top / "a.x").write_text("side\n")
    git(top, "commit", "-qam", "Side")
    git(top, "switch", "-q", "main")
    (top / "a.x").write_text("two\n")
    (top / ".gitattributes").write_text("* filter=wire diff=wire merge=wire\n")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "Two")
    _sign(top)
    other = log.parent / "alternate"
    git(log.parent, "init", "-q", str(other))
    git(other, "commit", "-q", "--allow-empty", "-m", "Other")
    (top / ".git/objects/info").mkdir(exist_ok=True)
    (top / ".git/objects/info/alternates").write_text(f"{other}/.git/objects\n")
    for name in ("pre-commit", "post-index-change", "post-checkout", "reference-transaction"):
        hook = top / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f'#!/bin/sh\n"{wire}" hook\n')
        hook.chmod(0o755)
    settings = {
        "core.fsmonitor": f"{wire} fsmonitor",
        "core.hooksPath": "hooks",
        "core.pager": f"{wire} pager",
        "core.sshCommand": f"{wire} ssh",
        "core.alternateRefsCommand": f"{wire} alternate",
        "filter.wire.clean": f"{wire} clean",
        "filter.wire.smudge": f"{wire} smudge",
        "diff.wire.textconv": f"{wire} textconv",
        "diff.external": f"{wire} external",
        "merge.wire.driver": f"{wire} merge",
        "gpg.program": f"{top}/.git/gpg",
        "log.showSignature": "true",
        "submodule.m.update": f"!{wire} submodule",
        "submodule.m.url": "./m",
        "tar.wire.command": f"{wire} tar",
        "credential.helper": f"!{wire} credential",
        "core.askPass": f"{wire} askpass",
        "core.editor": f"{wire} editor",
        "sequence.editor": f"{wire} editor",
        "core.gitProxy": f"{wire} proxy",
        "alias.wired": f"!{wire} alias",
        "trailer.wire.command": f"{wire} trailer",
        "trailer.wire.key": "Wire",
        "extensions.partialClone": "far",
        "core.repositoryFormatVersion": "1",
        "remote.far.promisor": "true",
        "remote.far.url": "ssh://far.invalid/x",
        "protocol.allow": "always",
        "protocol.ext.allow": "always",
    }
    (top / ".git/gpg").write_text(f'#!/bin/sh\n"{wire}" gpg\n')
    (top / ".git/gpg").chmod(0o755)
    for name, value in settings.items():
        git(top, "config", name, value)
    log.unlink(missing_ok=True)
    return Armed(top, log)


def _sign(top: Path) -> None:
    """Give the newest commit a signature, which git would have a program look at."""
    commit = git(top, "cat-file", "commit", "HEAD")
    head, gap, message = commit.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n AAAA\n -----END PGP SIGNATURE-----"
    signed = top / ".git/signed"
    signed.write_text(f"{head}\n{signature}{gap}{message}")
    name = git(top, "hash-object", "-t", "commit", "-w", str(signed)).strip()
    git(top, "update-ref", "refs/heads/main", name)


def run_carelessly(armed: Armed, way: str) -> None:
    """Call git as a program without care would, so that this one way is seen to run what the repository names."""
    missing = "1" * 40
    plain = {
        "fsmonitor": ["status"],
        "hook": ["commit", "--allow-empty", "-m", "Three"],
        "clean": ["hash-object", "a.x"],
        "smudge": ["archive", "HEAD"],
        "textconv": ["log", "-p", "--no-ext-diff"],
        "external": ["diff", "HEAD^", "HEAD"],
        "merge": ["merge", "side"],
        "gpg": ["log", "-1"],
        "tar": ["archive", "--format=wire", "HEAD"],
        "alternate": ["rev-list", "--alternate-refs"],
        "credential": ["credential", "fill"],
        "editor": ["commit", "--allow-empty"],
        "alias": ["wired"],
        "trailer": ["interpret-trailers", "--trailer", "wire=x"],
        "ssh": ["cat-file", "-p", missing],
        "ext": ["cat-file", "-p", missing],
        "uploadpack": ["cat-file", "-p", missing],
    }
    far = {"ext": f"ext::{armed.log.parent}/tripwire ext", "uploadpack": f"file://{armed.log.parent}/alternate"}
    if way in far:
        git(armed.top, "config", "remote.far.url", far[way])
        git(armed.top, "config", "remote.far.uploadpack", f"{armed.log.parent}/tripwire uploadpack")
    clean = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ["-c", "user.name=T", "-c", "user.email=t@example.org"]
    if way == "pager":
        master, slave = pty.openpty()
        process = subprocess.Popen(
            ["git", "-C", armed.top, "log"], stdout=slave, stderr=slave, stdin=slave, env=clean | {"TERM": "xterm"}
        )
        os.close(slave)
        process.wait(timeout=30)
        os.close(master)
        return
    subprocess.run(
        ["git", "-C", armed.top, *who, *plain[way]],
        capture_output=True,
        check=False,
        input=b"protocol=https\nhost=far.invalid\n\n",
        env=clean,
        timeout=30,
    )
