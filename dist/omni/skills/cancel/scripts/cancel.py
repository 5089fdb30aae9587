"""Cancel the active mode of a session, as contract.json beside the scripts directory says. See --help."""

import os
import sys

if sys.version_info < (3, 9):  # noqa: UP036 (for interpreters that are too old; up to here they have to read this file)
    sys.stderr.write("cancel: python 3.9 or newer is needed\n")
    sys.exit(2)

import _frozen_importlib_external as _machinery  # what importlib.machinery shows, without what it costs

_here = os.path.dirname(os.path.abspath(__file__))
_UNWRITABLE = os.devnull + "/none"


def _absolute(part):
    try:
        return os.path.abspath(part)
    except OSError:  # the current directory is gone
        return part


def _cache():
    """Directory for bytecode: the one that Python was told, else one of this user's alone; or none can be kept.

    What lies beside a module in the bundle is never read: it need not be made of that module.
    """
    if sys.pycache_prefix:
        return sys.pycache_prefix
    home = os.path.join(os.environ.get("HOME", ""), "Library/Caches" if sys.platform == "darwin" else ".cache")
    base = os.environ.get("XDG_CACHE_HOME", "") or home
    path = os.path.join(base, "cancel-skill")
    if not os.path.isabs(base):
        return _UNWRITABLE
    try:
        if not os.path.lexists(path):
            os.mkdir(path, 0o700)
        for each in (base, path):
            found = os.lstat(each)
            if found.st_mode & 0o170022 != 0o040000 or found.st_uid != os.geteuid():
                return _UNWRITABLE
    except OSError:
        return _UNWRITABLE
    return path


class _Loader(_machinery.SourceFileLoader):
    """Load a module of the bundle from its source, with bytecode that is kept elsewhere."""

    prefix = _cache()

    def get_code(self, fullname):
        before = sys.pycache_prefix, sys.dont_write_bytecode
        sys.pycache_prefix = self.prefix
        sys.dont_write_bytecode = sys.dont_write_bytecode or self.prefix == _UNWRITABLE
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix, sys.dont_write_bytecode = before


class _Finder:
    """Find the runtime's modules beside this file and nowhere else, and of each nothing but its source."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        package, _, module = name.partition(".")
        if package != "cancel_runtime":
            return None
        if not module:
            return type(sys.__spec__)(name, None, is_package=True)
        file = os.path.join(_here, package, module + ".py")
        if not os.path.isfile(file):
            return None
        return _machinery.spec_from_file_location(name, file, loader=_Loader(name, file))


# An empty or relative part of PYTHONPATH is the project's directory: nothing of a project or of a user is imported.
_named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
_strange = {_absolute(part) for part in _named} - {os.path.dirname(os.__file__)} | {_here}
sys.path[:] = [part for part in sys.path if part and _absolute(part) not in _strange]
sys.meta_path.insert(0, _Finder)

from cancel_runtime.run import end, main  # noqa: E402

if __name__ == "__main__":
    end(main(sys.argv[1:], os.path.dirname(_here)))
