"""Nothing that a flavor says is lost on the way to its bundle."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.model.files import TemplateFile
from skillgen.render.bundle import Renderer
from skillgen.render.coverage import Coverage

Run = Callable[..., Any]


def test_a_value_that_no_template_reads_is_told_with_file_and_line(skillgen: Run, tmp_path: Path) -> None:
    """An own SKILL.md and own references that leave out the asides would silently lose them."""
    flavors, templates = tmp_path / "flavors", tmp_path / "templates"
    flavors.mkdir()
    (flavors / "mine.yaml").write_text("base: pep\nasides:\n  - Nobody would ever read this.\n")
    own = Inputs((), ()).templates
    for name in own:
        if (name.startswith("cancel/bundle/") and name.endswith(".md.j2")) or name.startswith("cancel/partials/"):
            path = templates / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("# Nothing\n")
    result = skillgen(
        "build", "--flavor", "mine", "--flavors", flavors, "--templates", templates, "--out", tmp_path / "out"
    )
    assert result.code == 2
    place = f"{flavors}/mine.yaml:3:5"
    assert (
        f"{place}: `asides[0]` is read by no template and by no script, use it in a template, or leave it out"
        in result.err
    )
    assert not (tmp_path / "out").exists()


def unread(templates: dict[str, TemplateFile], flavor: str) -> set[str]:
    resolved = resolve_all(Inputs((), ()), [flavor])[flavor]
    _, seen = Renderer(templates).render(resolved.contract)
    return {problem.what.split("`")[1] for problem in Coverage(templates).unread(resolved, seen)}


@pytest.mark.parametrize("flavor", sorted(Inputs((), ()).files.paths))
def test_every_value_of_a_shipped_flavor_is_used(flavor: str) -> None:
    assert unread(Inputs((), ()).templates, flavor) == set()


def test_without_the_runtime_what_only_it_reads_would_be_told() -> None:
    templates = {
        name: file._replace(data=b"") if "/scripts/" in name else file
        for name, file in Inputs((), ()).templates.items()
    }
    assert unread(templates, "omc")
