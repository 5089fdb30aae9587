"""Render the files of one bundle: the skill, its contract, and the manifests of its hosts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.exceptions import SecurityError

from skillgen.errors import InputError, Problem
from skillgen.model.contract import Contract
from skillgen.model.files import EXECUTABLE, PLAIN, RenderedFile, TemplateFile
from skillgen.model.places import place_problem
from skillgen.render.compiled import Compiled
from skillgen.render.environment import UnfilteredValue, environment
from skillgen.render.modules import RUNTIME, Modules
from skillgen.render.scene import scene
from skillgen.render.view import Path, View

_BUNDLE = "cancel/bundle/"
_SUFFIX = ".j2"
_FRONT = re.compile(r"---\n.*?\n---\n\n?", re.DOTALL)


class Renderer:
    """Templates compiled once, for as many contracts as there are.

    `templates`: path under `templates/` to file; `compiled`: what an earlier run compiled of them. `render` is pure and gives the same bytes for the same contract.
    """

    def __init__(self, templates: Mapping[str, TemplateFile], compiled: Compiled | None = None) -> None:
        self._files = templates
        self._modules = Modules(templates)
        #: Whether a user's own templates take part, which nobody holds to the form of ours.
        self._foreign = not all(file.own for file in templates.values())
        sources = {name: _decode(file) for name, file in templates.items() if name.endswith(_SUFFIX)}
        self._markdown = environment(sources, compiled, markdown=True)
        self._strict = environment(sources, compiled, markdown=False)

    def render(self, contract: Contract) -> tuple[dict[str, RenderedFile], set[Path]]:
        """Return the bundle's files by path, sorted, and the paths of all contract values that a template read.

        Raises InputError naming template, line and repair for every template that fails.
        """
        data = contract.model_dump(mode="json")
        seen: set[Path] = set()
        view = View(data, seen)
        names = {key: getattr(view, key) for key in data} | scene(view, data)
        files: dict[str, RenderedFile] = {}
        problems: list[Problem] = []
        for name, target in self._targets(data):
            template = self._files[name]
            if wrong := place_problem(target):
                problems.append(Problem(template.source, 0, 0, f"would be {target}, which {wrong}", "move it"))
                continue
            mode = EXECUTABLE if template.executable else PLAIN
            if not name.endswith(_SUFFIX):
                files[target] = RenderedFile(template.data, mode)
                continue
            env = self._markdown if target.endswith((".md", ".mdc")) else self._strict
            env.turns = 0
            try:
                rendered = env.get_template(name).render(names)
                # What has nothing to say, such as a reference or a licence without a text, is no file of the bundle.
                if rendered.strip():
                    if self._foreign and target.endswith(".md"):
                        rendered = _in_normal_form(rendered)
                    files[target] = RenderedFile(rendered.encode(), mode)
            except (
                TemplateError,
                SecurityError,
                UnfilteredValue,
                TypeError,
                AttributeError,
                KeyError,
                RecursionError,
                OverflowError,
            ) as error:
                problems.append(self._problem(name, error))
        if problems:
            raise InputError(problems)
        skill = f"skills/{contract.front.name}/"
        files[skill + "contract.json"] = RenderedFile(contract_bytes(data), PLAIN)
        return dict(sorted(files.items())), seen

    def _targets(self, data: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield template and target path; of two hosts with the same target the first wins."""
        taken: set[str] = set()
        modules = self._modules.needed(data)
        manifests = data["host"]["manifests"]
        skill = f"skills/{data['front']['name']}/"
        places = [(f"hosts/{host}/", "") for host in (*manifests, "common")] if manifests else []
        for prefix, under in [(_BUNDLE, skill), *places]:
            for name in self._files:
                if name.startswith(prefix) and (name in modules or not name.startswith(RUNTIME)):
                    below = name.removeprefix(prefix).removesuffix(_SUFFIX)
                    # What a host wants inside the skill stands in its `skill/`.
                    inside = prefix != _BUNDLE and below.startswith("skill/")
                    target = skill + below.removeprefix("skill/") if inside else under + below
                    if target not in taken:
                        taken.add(target)
                        yield name, target

    def _problem(self, name: str, error: Exception) -> Problem:
        where, line = name, 0
        if isinstance(error, TemplateSyntaxError):
            where, line = error.name or name, error.lineno
        else:
            trace = error.__traceback__
            while trace:
                if trace.tb_frame.f_code.co_filename in self._files:
                    where, line = trace.tb_frame.f_code.co_filename, trace.tb_lineno
                trace = trace.tb_next
        source = self._files[where].source if where in self._files else where
        repair = (
            "give the contract that value, or take the name out of the template"
            if isinstance(error, UndefinedError)
            else ""
        )
        if isinstance(error, RecursionError):
            return Problem(source, line, 0, "calls itself without an end", "let it end")
        return Problem(source, line, 0, str(error) or type(error).__name__, repair)


def contract_bytes(data: dict[str, Any]) -> bytes:
    """Return `contract.json`: keys in model order, two spaces, final newline."""
    return (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()


def _in_normal_form(text: str) -> str:
    """Return Markdown in its normal form; front matter stays."""
    from skillgen.model.markdown import normal

    front = _FRONT.match(text)
    head = front[0] if front else ""
    return head + normal(text[len(head) :])


def _decode(file: TemplateFile) -> str:
    try:
        return file.data.decode()
    except UnicodeDecodeError as error:
        line = file.data[: error.start].count(b"\n") + 1
        raise InputError([Problem(file.source, line, 0, "is not UTF-8", "save the template as UTF-8")]) from None


__all__ = ["Renderer", "contract_bytes"]
