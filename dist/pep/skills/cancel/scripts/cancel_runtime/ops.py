"""Do every operation on files, SQL, processes and time in one place, so that a test can stop or fail each of them."""

import os
import time

hook = None
"""None, or a function (when, name, target): called "before" and "after" every operation that goes through `do`."""


def do(name, target, function, *arguments, **options):
    """Call `function`; with a hook, announce it before and after."""
    if hook is None:
        return function(*arguments, **options)
    hook("before", name, target)
    result = function(*arguments, **options)
    hook("after", name, target)
    return result


def now_ms():
    """Milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def monotonic():
    return time.monotonic()


def sleep(seconds):
    time.sleep(seconds)


def home():
    """The user's home directory as the environment names it, or ""."""
    return os.environ.get("HOME", "")
