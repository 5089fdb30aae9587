"""Show a contract to templates and remember every value that one of them reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Path = tuple[str | int, ...]


class View:
    """Read-only window on a mapping or a list; `seen` collects the paths of the values read through it."""

    __slots__ = ("_data", "_path", "_seen")

    def __init__(self, data: Any, seen: set[Path], path: Path = ()) -> None:
        self._data = data
        self._seen = seen
        self._path = path

    def _show(self, key: str | int) -> Any:
        return show(self._data[key], self._seen, (*self._path, key))

    def __getattr__(self, name: str) -> Any:
        # Jinja asks for attributes that no contract has; AttributeError makes them undefined.
        if isinstance(self._data, dict) and name in self._data:
            return self._show(name)
        raise AttributeError(name)

    def __getitem__(self, key: str | int) -> Any:
        return self._show(key)

    def __iter__(self) -> Iterator[Any]:
        if isinstance(self._data, dict):
            return iter(self._data)
        return (self._show(number) for number in range(len(self._data)))

    def __len__(self) -> int:
        self._seen.add(self._path)
        return len(self._data)

    def __contains__(self, item: object) -> bool:
        self._seen.add(self._path)
        return item in self._data

    def pairs(self) -> list[tuple[str, Any]]:
        """Return key and value of a mapping, in order."""
        return [(key, self._show(key)) for key in self._data]

    def plain(self) -> Any:
        """Return the data itself; counts as reading all of it."""
        self._seen.update(leaves(self._data, self._path))
        return self._data


def show(value: Any, seen: set[Path], path: Path) -> Any:
    """Wrap a mapping or list; note that a scalar was read."""
    if isinstance(value, dict | list):
        seen.add(path)
        return View(value, seen, path)
    seen.add(path)
    return value


def leaves(data: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the path of every scalar and every empty mapping or list."""
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from leaves(value, (*path, key))
    elif isinstance(data, list) and data:
        for number, value in enumerate(data):
            yield from leaves(value, (*path, number))
    else:
        yield path
