"""A table of modules that is wrong is told with its line and what would be right."""

from __future__ import annotations

import pytest

from skillgen.build.inputs import Inputs
from skillgen.errors import InputError
from skillgen.render.modules import RUNTIME, TABLE, Modules


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("ops: always\n", "ops: sometimes\n", "`ops` is neither `always` nor a list of cases"),
        ("ops: always\n", "ops: []\n", "`ops` is neither `always` nor a list of cases"),
        ("ops: always\n", "ops: [store]\n", "has a case that is no mapping"),
        ("ops: always\n", "ops: [{store.kind: {}}]\n", "neither a word nor a list of words"),
        ("ops: always\n", "ops: always\nnobody: always\n", "there is no module `nobody`"),
        ("ops: always\n", "ops: {always\n", "is no YAML"),
    ],
)
def test_a_wrong_line_is_named(old: str, new: str, what: str) -> None:
    templates = Inputs((), ()).templates
    table = templates[TABLE]
    text = table.data.decode()
    assert old in text
    with pytest.raises(InputError) as raised:
        Modules({**templates, TABLE: table._replace(data=text.replace(old, new).encode())}).needed({})
    (problem,) = raised.value.problems
    assert problem.path == table.source and problem.line > 0 and problem.repair
    assert what in problem.what


def test_a_module_that_the_table_does_not_name_is_named() -> None:
    templates = Inputs((), ()).templates
    extra = templates[RUNTIME + "ops.py"]._replace(source="mine/extra.py")
    with pytest.raises(InputError, match=r"mine/extra.py: is not named in .*modules.yaml, add a line for extra"):
        Modules({**templates, RUNTIME + "extra.py": extra}).needed({})


def test_a_missing_table_is_named() -> None:
    templates = {name: file for name, file in Inputs((), ()).templates.items() if name != TABLE}
    with pytest.raises(InputError, match=r"modules.yaml: is missing"):
        Modules(templates).needed({})
