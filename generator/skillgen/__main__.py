"""Start the command line."""

from __future__ import annotations

import sys


def main() -> None:
    from skillgen.cli import run

    sys.exit(run())


if __name__ == "__main__":
    main()
