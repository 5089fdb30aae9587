"""`skillgen.lock` reads back as it was written, and shows when a hand was in it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from skillgen.errors import InputError
from skillgen.model.lock import Entry, Mark
from skillgen.model.lock_text import format_lock, parse_lock
from skillgen.model.places import one_name, place_problem

names = st.text(st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Zl", "Zp"]), min_size=1, max_size=12)
paths = st.builds("skills/cancel/{}".format, names).filter(lambda path: not place_problem(path))
versions = st.sampled_from(["0.1.0", "12.3.4rc1", "0.1.0.dev3+local"])
digests = st.integers(0, 2**256 - 1).map("{:064x}".format)
ids = st.lists(st.text("abcxyz019", min_size=1, max_size=6), min_size=1, max_size=3).map("-".join)
entries = st.builds(
    Entry,
    id=ids,
    flavor=ids,
    revision=names,
    skillgen=versions,
    schema=st.integers(0, 99),
    base=st.lists(ids, max_size=2).map(tuple),
    contract=digests,
    inputs=digests | st.just(""),
    files=st.dictionaries(paths, st.builds(Mark, digests, st.booleans()), max_size=4).filter(
        lambda files: not one_name(files)
    ),
)
locks = st.lists(entries, max_size=3, unique_by=lambda entry: entry.id)


@settings(max_examples=50, deadline=None)
@given(locks)
def test_a_lock_reads_back_as_it_was_written(found: list[Entry]) -> None:
    assert parse_lock("f", format_lock(found)) == {entry.id: entry for entry in found}


@settings(max_examples=50, deadline=None)
@given(locks)
def test_the_order_of_entries_and_files_does_not_matter(found: list[Entry]) -> None:
    assert format_lock(found) == format_lock(reversed(found))


@settings(max_examples=100, deadline=None)
@given(st.lists(entries, min_size=1, max_size=2, unique_by=lambda entry: entry.id), st.data())
def test_a_changed_line_breaks_the_seal_or_is_refused(found: list[Entry], data: st.DataObject) -> None:
    lines = format_lock(found).decode().split("\n")
    number = data.draw(st.integers(3, len(lines) - 2))
    changed = data.draw(st.sampled_from(["drop", "double", "edit"]))
    if changed == "drop":
        del lines[number]
    elif changed == "double":
        lines.insert(number, lines[number])
    else:
        lines[number] = lines[number][:-1] + ("0" if lines[number][-1:] != "0" else "1")
    try:
        read = parse_lock("f", "\n".join(lines).encode())
    except InputError:
        return
    assert read != {entry.id: entry for entry in found}
    # An entry whose own name is gone goes with it; of what is left nothing may claim to be whole and be another.
    for entry in read.values():
        assert not entry.sealed or entry in found


def test_it_is_yaml_for_everyone_else() -> None:
    entry = Entry("omc", "omc", "1", "0.1", 1, (), "a" * 64, "", {'b "x": 1.md': Mark("b" * 64, True)})
    read = YAML(typ="safe").load(format_lock([entry]))
    assert read["bundles"]["omc"]["files"] == {'b "x": 1.md': "755 " + "b" * 64}


def test_a_broken_entry_stays_broken_until_it_is_built_again() -> None:
    entry = Entry("omc", "omc", "r1", "0.1", 1, (), "a" * 64, "", {})
    broken = parse_lock("f", format_lock([entry]).replace(b"r1", b"r2"))
    assert not broken["omc"].sealed
    assert not parse_lock("f", format_lock(broken.values()))["omc"].sealed


@pytest.mark.parametrize(
    "text", ["", "\n", "x", "skillgen-lock: 1\n", "skillgen-lock: 1\nbundles:\n    files:\n", "\x00\xff"]
)
def test_what_is_no_lock_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_lock("f", text.encode("latin-1"))


def test_a_lock_with_windows_line_ends_is_read() -> None:
    entry = Entry("omc", "omc", "r1", "0.1", 1, (), "a" * 64, "", {"a": Mark("b" * 64, False)})
    assert parse_lock("f", format_lock([entry]).replace(b"\n", b"\r\n")) == {"omc": entry}
