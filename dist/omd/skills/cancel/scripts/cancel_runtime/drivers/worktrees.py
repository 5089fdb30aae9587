"""Ask git what would be lost with a worker's worktree or branch; it changes nothing."""

import os

from cancel_runtime import ops

TIMEOUT_S = 20


def dirty(path):
    """Say what a worktree holds that no commit has: `""` if nothing, else a sentence."""
    code, out = git(path, "status", "--porcelain", "--untracked-files=normal")
    if code is None:
        return "git could not be asked whether it holds uncommitted changes"
    if code:
        return "it is no worktree that git can read"
    lines = out.splitlines()
    return f"it holds {len(lines)} uncommitted change{'s' if len(lines) > 1 else ''}" if lines else ""


def branch_exists(path, branch):
    return bool(branch) and git(path, "show-ref", "--verify", "--quiet", f"refs/heads/{branch}")[0] == 0


def ahead(path, branch, base):
    """Number of commits on a branch that its base lacks, or None where git cannot tell."""
    code, out = git(path, "rev-list", "--count", f"refs/heads/{branch}", "--not", f"refs/heads/{base}", "--")
    return int(out) if code == 0 and out.strip().isdigit() else None


def git(path, *arguments):
    """Exit code and output of git in `path`; code None where it cannot be run. Takes no lock and starts no monitor."""
    import subprocess

    environ = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environ.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", LC_ALL="C")
    try:
        done = ops.do(
            "run",
            "git " + " ".join(arguments),
            subprocess.run,
            ["git", "-C", path, "-c", "core.fsmonitor=false", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
            env=environ,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return None, ""
    return done.returncode, os.fsdecode(done.stdout)
