"""Cancel the active mode of a session, as contract.json beside the scripts directory says. See --help."""

import os
import sys

if sys.version_info < (3, 9):  # noqa: UP036 (for interpreters that are too old)
    sys.stderr.write("cancel: python 3.9 or newer is needed\n")
    sys.exit(2)

_here = os.path.dirname(os.path.abspath(__file__))
# An empty or relative part of PYTHONPATH is the project's directory: nothing of a project or of a user is imported.
_named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
_strange = {os.path.abspath(part) for part in _named} - {os.path.dirname(os.__file__)} | {_here}
sys.path[:] = [_here, *(part for part in sys.path if part and os.path.abspath(part) not in _strange)]

from cancel_runtime.run import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.path.dirname(_here)))
