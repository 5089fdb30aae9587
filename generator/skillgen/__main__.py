"""Start the command line."""

from __future__ import annotations

import sys


def main() -> None:
    from skillgen.cli.main import run

    sys.exit(run())


if __name__ == "__main__":
    main()
