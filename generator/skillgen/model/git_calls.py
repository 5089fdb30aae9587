"""Say how git is called so that nothing it reads can run, and so that it asks the repository that was named."""

from __future__ import annotations

from collections.abc import Mapping

LOCAL = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_CONFIG",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_DIR",
        "GIT_GRAFT_FILE",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REF_STORAGE_FORMAT",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""Variables that tie git to one repository, as a hook inherits them (`git rev-parse --local-env-vars`, gitglossary)."""

QUIET = (
    "--no-pager",
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
)
"""Options for a call that only reads: no directory passes for a repository unnamed, no hook, monitor or pager runs."""

READING = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    # Both keep a partial clone from fetching; older releases of git know only the second, which refuses every transport.
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "",
}
"""Variables for a call that only reads: no lock is taken, nobody is asked, nothing is fetched."""


def unbound(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables that tie git to a repository of the caller's."""
    return {name: value for name, value in environment.items() if name not in LOCAL}
