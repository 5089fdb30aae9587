#!/usr/bin/env python3
"""Set up skillgen in this checkout's own .venv and run it, or its tests.

    python3 generator/dev.py build --flavor omc     any skillgen command
    python3 generator/dev.py test [PYTEST ARGS]     all tests that need no minutes and no client of a host
    python3 generator/dev.py test --everything      those too

Nothing outside the checkout is changed. This file runs on any Python 3.6 or newer, to say what is missing.
"""

import hashlib
import os
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
OLDEST = (3, 11)


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0
    python = ready("test" if arguments[0] == "test" else "")
    if arguments[0] != "test":
        return run([python, "-m", "skillgen", *arguments])
    chosen = arguments[1:]
    if "--everything" in chosen:
        chosen.remove("--everything")
    else:
        chosen = ["-m", "not slow and not client", *chosen]
    os.chdir(ROOT)
    return run([python, "-m", "pytest", *chosen])


def ready(extra):
    """Return the Python of .venv with skillgen installed, and with the extra's packages."""
    if sys.version_info < OLDEST:
        return newer()
    python = os.path.join(VENV, "bin", "python")
    stamp = os.path.join(VENV, "installed" + ("-" + extra if extra else ""))
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        wanted = hashlib.sha256(file.read()).hexdigest()
    if works(python) and read(stamp) == wanted:
        return python
    if not works(python):
        create()
    say("installing skillgen into .venv")
    target = ROOT + ("[" + extra + "]" if extra else "")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--editable", target]
    if subprocess.call(pip):
        stop("pip could not install the packages (see above); run this again when the network is there")
    # Every start would compile the sources again where Python is told to write no bytecode.
    subprocess.call([python, "-m", "compileall", "-q", os.path.join(ROOT, "generator", "skillgen")])
    with open(stamp, "w") as file:
        file.write(wanted)
    return python


def create():
    """Make a fresh .venv; a half-made one is thrown away."""
    try:
        import ensurepip  # noqa: F401
        import venv
    except ImportError:
        stop(
            "this Python has no venv module. Debian and Ubuntu keep it apart:\n"
            "    apt install python3-venv\n"
            "then run the same command again"
        )
    say("creating .venv")
    shutil.rmtree(VENV, ignore_errors=True)
    venv.create(VENV, with_pip=True, symlinks=True)


def newer():
    """Start again under a newer Python, if one is on the PATH."""
    for minor in range(20, OLDEST[1] - 1, -1):
        python = shutil.which("python3.%d" % minor)
        if python and works(python):
            os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:]])
    stop("skillgen needs Python 3.11 or newer; this is %d.%d and no newer one is on the PATH" % sys.version_info[:2])


def works(python):
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return subprocess.call([python, "-c", check], stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def run(command):
    """Become the command where the system can, so that signals reach it."""
    sys.stdout.flush()
    os.execv(command[0], command)


def say(text):
    print("skillgen: " + text, file=sys.stderr, flush=True)


def stop(text):
    say(text)
    sys.exit(2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
