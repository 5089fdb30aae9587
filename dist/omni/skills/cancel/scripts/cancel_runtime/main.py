"""Join the steps: arguments, root, store, run, report; and choose the exit code."""

import os
import sys

from cancel_runtime import command, jsontext
from cancel_runtime.errors import Refused


def main(arguments, skill):
    """Run `cancel.py` for the skill in the directory `skill`; the exit code."""
    try:
        contract = read_contract(skill)
        request = command.request(contract, arguments)
        if request.help:
            return _print(command.usage(contract), 0)
        from cancel_runtime import roots

        place = roots.place(contract, request.workspace, skill)
        from cancel_runtime.run import store_for

        store = store_for(contract, place, request)
        try:
            return _work(contract, request, place, store)
        finally:
            store.close()
    except Refused as error:
        from cancel_runtime.text import clean

        sys.stderr.write("cancel: " + clean(str(error)) + "\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("cancel: interrupted; run it again to finish\n")
        return 1
    except OSError as error:
        from cancel_runtime.text import clean

        sys.stderr.write("cancel: stopped in the middle: " + clean(str(error)) + "; run it again\n")
        return 1


def read_contract(skill):
    path = os.path.join(skill, "contract.json")
    try:
        with open(path, "rb") as file:
            contract = jsontext.parse(file.read())
    except (OSError, ValueError) as error:
        raise Refused(path + " cannot be read: " + str(error)) from None
    if not isinstance(contract, dict) or contract.get("schema_version") != 1:
        raise Refused(path + " is no contract that this script knows; render the skill again")
    return contract


def _work(contract, request, place, store):
    if request.status:
        from cancel_runtime import status
        from cancel_runtime.identity import keeps_sessions

        request.scope = "all" if request.session_id is None else "current"

        report, readable = status.status(contract, request, place, store)
        written = status.write(report, request.json, keeps_sessions(contract))
        return _print(written, 0 if readable else 1)
    from cancel_runtime.run import run

    report = run(contract, request, place, store, _say(request))
    if request.json:
        return _print(report.json(), 0 if report.complete else 1)
    from cancel_runtime import text

    hint = contract["messages"]["none_hint"] if not report.active and request.scope != "all" else ""
    lines = text.whole(report, hint)
    return _print("".join(text.clean(line) + "\n" for line in lines), 0 if report.complete else 1)


def _say(request):
    """In words the phase and path of what is removed stand there before it goes; with --json the report alone is printed."""

    def say(words):
        if not request.json:
            from cancel_runtime import text

            _print("".join(text.clean(line) + "\n" for line in words.split("\n")), 0)

    return say


def _print(words, code):
    data = words.encode("utf-8", "backslashreplace")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever read the report is gone; what was done is done, and the exit code says how it went.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code
