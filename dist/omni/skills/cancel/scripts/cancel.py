"""Cancel the active mode of a session, as contract.json beside the scripts directory says. See --help."""

import os
import sys

if sys.version_info < (3, 9):  # noqa: UP036 (for interpreters that are too old)
    sys.stderr.write("cancel: python 3.9 or newer is needed\n")
    sys.exit(2)

_here = os.path.dirname(os.path.abspath(__file__))
if sys.path[0] != _here:
    sys.path.insert(0, _here)

from cancel_runtime.main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.path.dirname(_here)))
