"""Reading and writing JSON as JavaScript does, and matching session ids without `re`."""

from __future__ import annotations

import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.runtime.world import SCRIPTS, contract

if str(SCRIPTS) not in sys.path:
    sys.path.insert(0, str(SCRIPTS))

from cancel_runtime import records, request

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
PATTERNS = [contract(flavor)["identity"]["pattern"] for flavor in ("rcs", "omni", "pep", "omc", "omd")]


@given(VALUES)
def test_what_is_written_reads_as_the_same_and_is_laid_out_by_two_spaces(value: object) -> None:
    text = records.json_text(value)
    assert json.loads(text) == value
    assert text == json.dumps(value, indent=2, ensure_ascii=False)
    assert records.json_line(value) == json.dumps(value, ensure_ascii=False)


@given(VALUES, st.sampled_from([None, 2]))
def test_it_reads_what_the_json_package_reads(value: object, indent: int | None) -> None:
    assert records.parse_json(json.dumps(value, indent=indent).encode()) == value


@given(st.binary(max_size=30) | st.text('{}[]",:0123456789.eE+-truefalsn \n\\u', max_size=30).map(str.encode))
def test_it_refuses_what_the_json_package_refuses(data: bytes) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        wanted = json.loads(data.decode("utf-8"), parse_constant=refuse)
    except ValueError:
        with pytest.raises(ValueError, match=r"^is "):
            records.parse_json(data)
    else:
        assert records.parse_json(data) == wanted


@given(
    st.sampled_from(PATTERNS),
    st.text("abzAZ09_-.:/\\ \n\0é", max_size=8) | st.text(max_size=4) | st.integers(60, 260).map("a".__mul__),
)
def test_a_session_id_is_matched_as_the_pattern_says(rule: str, text: str) -> None:
    wanted = re.fullmatch(rule, text) is not None and not text.endswith("\n")
    assert request.matches(rule, text) == wanted


def test_no_pattern_of_a_flavor_needs_the_slow_way() -> None:
    for rule in PATTERNS:
        inner = rule[1:-1]
        assert request._atoms(inner.removeprefix(request._NO_DOTS)), rule
