"""Build the sandboxed Jinja environment: strict names, and no value lands anywhere without its filter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import StrictUndefined, TemplateNotFound, nodes
from jinja2.exceptions import SecurityError
from jinja2.loaders import BaseLoader
from jinja2.sandbox import ImmutableSandboxedEnvironment

from skillgen.render.compiled import Compiled
from skillgen.render.escape import FILTERS, Safe, say, text
from skillgen.render.scene import Named
from skillgen.render.view import View
from skillgen.render.words import TESTS, WORDS


class _Sources(BaseLoader):
    def __init__(self, sources: Mapping[str, str]) -> None:
        self._sources = sources

    def get_source(self, environment: Any, template: str) -> tuple[str, str, Any]:
        if template not in self._sources:
            raise TemplateNotFound(template)
        return self._sources[template], template, lambda: True


_WINDOWS = frozenset({View, Named})


TURNS = 200_000
"""Turns that the loops of one rendering take at most; the longest of ours take a few hundred."""


class CountingEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox, which need not be asked about a window on the contract: it shows values only.

    Its loops count their turns, so that a template which loops for ever ends.
    """

    turns = 0
    intercepted_binops = frozenset({"*", "**"})

    def counted(self, values: Any) -> Any:
        """Give the values of a loop as long as turns are left."""
        for value in values:
            self.turns += 1
            if self.turns > TURNS:
                raise SecurityError(f"loops more than {TURNS:,} times")
            yield value

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        large = max((abs(side) for side in (left, right) if isinstance(side, int)), default=0)
        if large > 1_000 and not (operator == "*" and isinstance(left, int | float) and isinstance(right, int | float)):
            raise SecurityError(f"repeats or raises by {large:,}, 1,000 are the most")
        return super().call_binop(context, operator, left, right)

    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        tree = super()._parse(source, name, filename)
        for loop in tree.find_all(nodes.For):
            if not loop.recursive:
                call = nodes.Call(nodes.EnvironmentAttribute("counted"), [loop.iter], [], None, None)
                loop.iter = call.set_lineno(loop.lineno, override=True).set_environment(self)
        return tree

    def getattr(self, obj: Any, attribute: str) -> Any:
        if type(obj) in _WINDOWS and not attribute.startswith("_"):
            try:
                return getattr(obj, attribute)
            except AttributeError:
                pass
        return super().getattr(obj, attribute)


class UnfilteredValue(TypeError):
    """A template puts a value into a script or a data file without the filter of that place."""


def _markdown(value: Any) -> Any:
    return value if isinstance(value, Safe) else text(value)


def _strict(value: Any) -> Any:
    if isinstance(value, Safe | int) or value == "":
        return value
    raise UnfilteredValue(f"the value {value!r} passes no filter; write it as {{{{ … | sh }}}} or {{{{ … | json }}}}")


def environment(sources: Mapping[str, str], compiled: Compiled | None = None, *, markdown: bool) -> CountingEnvironment:
    """Return an environment over `sources` (template name to text).

    With `markdown`, a bare value is written as Markdown text; else a bare string raises `UnfilteredValue`.
    """
    env = CountingEnvironment(
        loader=_Sources(sources),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # `${#x}` is bash; Jinja's own `{#` would eat it.
        comment_start_string="{##",
        comment_end_string="##}",
        finalize=_markdown if markdown else _strict,
        cache_size=-1,
        auto_reload=False,
        bytecode_cache=compiled,
    )
    env.filters.update(FILTERS)
    env.tests.update(TESTS)
    env.filters.update(WORDS)
    env.globals["say"] = say
    return env
