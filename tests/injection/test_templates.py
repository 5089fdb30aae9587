"""A template is a guest: it sees the contract, reaches nothing else, and its mistakes have a file and a line."""

from __future__ import annotations

import pytest
from hostile import contracts, inputs

from skillgen.errors import InputError, Problem
from skillgen.model.files import TemplateFile
from skillgen.render.bundle import Renderer

PLACE = "cancel/bundle/references/guest"


def render(text: str, suffix: str = ".md.j2") -> str:
    """Render one template of a third party beside the shipped ones."""
    file = TemplateFile("mine" + suffix, text.encode(), False, False)
    files, _ = Renderer({**inputs().templates, PLACE + suffix: file}).render(contracts()["omc"])
    return files["skills/cancel/references/guest" + suffix.removesuffix(".j2")].data.decode()


def problems(text: str, suffix: str = ".md.j2") -> tuple[Problem, ...]:
    with pytest.raises(InputError) as caught:
        render(text, suffix)
    return caught.value.problems


@pytest.mark.parametrize(
    "trick",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ product.__class__ }}",
        "{{ product._data }}",
        "{{ product._seen }}",
        "{{ product.__init__.__globals__ }}",
        "{{ call.__class__.__init__.__globals__ }}",
        "{{ call._spell('x', 'y', {}) }}",
        "{{ say.__globals__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ modes | attr('__class__') }}",
        "{{ lipsum.__globals__['os'] }}",
        "{{ self.__init__ }}",
        "{{ '%s'.__mod__ }}",
        "{{ '{0.__class__}'.format('') }}",
        "{{ modes.keys.__self__ }}",
    ],
)
def test_a_template_reaches_no_python_through_attributes(trick: str) -> None:
    found = problems(f"one\n\n{trick}\n")
    assert [(problem.path, problem.line) for problem in found] == [("mine.md.j2", 3)]
    assert found[0].what


@pytest.mark.parametrize("change", ["{% set _ = modes.update({}) %}", "{% set _ = order.append(1) %}"])
def test_a_template_changes_no_contract(change: str) -> None:
    assert [(problem.path, problem.line) for problem in problems(change)] == [("mine.md.j2", 1)]


@pytest.mark.parametrize("name", ["{{ nothing }}", "{{ product.nickname }}", "{{ modes['ecomode'].title }}"])
def test_a_name_without_a_value_is_an_error_with_file_and_line(name: str) -> None:
    found = problems(f"a\n\nb\n\n{name}\n")
    assert [(problem.path, problem.line) for problem in found] == [("mine.md.j2", 5)]
    assert found[0].repair


def test_a_name_without_a_value_in_an_included_part_is_reported_there() -> None:
    part = TemplateFile("parts/mine.j2", b"x\n{{ nothing }}\n", False, False)
    whole = TemplateFile("mine.md.j2", b'{% include "cancel/partials/mine.md.j2" %}\n', False, False)
    templates = {**inputs().templates, PLACE + ".md.j2": whole, "cancel/partials/mine.md.j2": part}
    with pytest.raises(InputError) as caught:
        Renderer(templates).render(contracts()["omc"])
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [("parts/mine.j2", 2)]


def test_every_broken_template_is_reported_at_once() -> None:
    broken = {
        f"{PLACE}{number}.md.j2": TemplateFile(f"mine{number}", text, False, False)
        for number, text in enumerate([b"{{ nothing }}", b"a\n{% if %}\n", b"{{ ''.__class__ }}"])
    }
    with pytest.raises(InputError) as caught:
        Renderer({**inputs().templates, **broken}).render(contracts()["omc"])
    found = [(problem.path, problem.line) for problem in caught.value.problems]
    assert found == [("mine0", 1), ("mine1", 2), ("mine2", 1)]


@pytest.mark.parametrize("suffix", [".sh.j2", ".json.j2", ".yml.j2"])
def test_a_bare_string_in_a_script_or_a_data_file_is_refused(suffix: str) -> None:
    assert [problem.line for problem in problems("x\n{{ product.name }}\n", suffix)] == [2]
    assert render("{{ product.name | sh }}\n", suffix) == "'OMC'\n"


def test_bash_that_looks_like_a_comment_stays() -> None:
    assert render("${#x} {# y #}\n", ".sh.j2") == "${#x} {# y #}\n"
    assert render("a{## gone ##}b\n", ".sh.j2") == "ab\n"


def test_a_missing_part_is_an_error_with_file_and_line() -> None:
    found = problems('a\n{% include "cancel/partials/none.md.j2" %}\n')
    assert [(problem.path, problem.line) for problem in found] == [("mine.md.j2", 2)]


def test_a_template_that_is_not_utf8_is_an_error_with_file_and_line() -> None:
    file = TemplateFile("mine", b"a\n\xff\n", False, False)
    with pytest.raises(InputError) as caught:
        Renderer({**inputs().templates, PLACE + ".md.j2": file})
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [("mine", 2)]
