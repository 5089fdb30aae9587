"""A marketplace of a stranger leads no publication out of it, whatever it records and however it is laid out."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from publish_toys import bundle, git, publish

from skillgen.cli.publish import command
from skillgen.errors import SkillgenError
from skillgen.model.release import RECORD

VICTIM = "a stranger's own file\n"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "victim"
    path.mkdir()
    (path / "file").write_text(VICTIM)
    return path


def commit(market: Path) -> None:
    git(market, "add", "--all", "--force")
    git(market, "commit", "--quiet", "--allow-empty", "--message", "Stranger")


def outside(tmp_path: Path) -> dict[str, bytes]:
    """Return everything beside the market: what a publication may not change."""
    return {
        str(path): path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.is_symlink() and "my-market" not in path.parts
    }


def change_record(market: Path, change: Any) -> None:
    record = json.loads((market / RECORD).read_text())
    change(record["plugins"]["toy"])
    (market / RECORD).write_text(json.dumps(record))
    commit(market)


def refused(market: Path, tmp_path: Path, version: str = "0.2.0") -> str:
    before, head = outside(tmp_path), git(market, "rev-parse", "HEAD")
    with pytest.raises(SkillgenError) as caught:
        publish(market, bundle(version))
    assert outside(tmp_path) == before
    assert git(market, "rev-parse", "HEAD") == head
    return str(caught.value)


@pytest.mark.parametrize("path", ["../../../victim/file", "{victim}/file", ".git/hooks/x", "a/.GIT/config", "a\nb", ""])
def test_a_record_that_lists_a_file_elsewhere_is_refused(market: Path, tmp_path: Path, victim: Path, path: str) -> None:
    publish(market)
    listed = path.format(victim=victim)
    change_record(market, lambda row: row["files"].update({listed: {"sha256": "0" * 64, "mode": "0644"}}))
    assert f"{RECORD}: cannot be understood" in refused(market, tmp_path)


def test_a_directory_on_the_way_that_is_a_link_is_refused(market: Path, tmp_path: Path, victim: Path) -> None:
    publish(market)
    for name in ("skills", ".claude-plugin"):
        git(market, "rm", "-r", "--quiet", f"plugins/toy/{name}")
        (market / "plugins/toy" / name).symlink_to(victim)
    digest = hashlib.sha256(str(victim).encode()).hexdigest()

    def list_links(row: dict[str, Any]) -> None:
        row["files"] = {p: f for p, f in row["files"].items() if not p.startswith(("skills/", ".claude-plugin/"))}
        row["files"] |= {name: {"sha256": digest, "mode": "0644"} for name in ("skills", ".claude-plugin")}

    change_record(market, list_links)
    assert "plugins/toy/skills" in refused(market, tmp_path)
    assert [path.name for path in victim.iterdir()] == ["file"]


def test_a_marketplace_file_behind_a_link_is_refused(market: Path, tmp_path: Path, victim: Path) -> None:
    (market / ".claude-plugin").symlink_to(victim)
    commit(market)
    assert ".claude-plugin" in refused(market, tmp_path)
    assert [path.name for path in victim.iterdir()] == ["file"]


@pytest.mark.parametrize(
    "source", ["./../victim", "./.git/hooks", "./a/../../victim", "./a\nb", "./a:b", "././x", "/etc", "./.GIT", 3, None]
)
def test_an_entry_that_lies_elsewhere_is_refused(market: Path, tmp_path: Path, victim: Path, source: object) -> None:
    (market / ".claude-plugin").mkdir()
    listed = {"name": "m", "owner": {"name": "x"}, "plugins": [{"name": "toy", "source": source}]}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    commit(market)
    assert "from another place" in refused(market, tmp_path)


@pytest.mark.parametrize("name", ["x`id`", "a b", "\x1b]0;T\x07", "a\u202eb", "$(id)", "A", "x" * 65, "../x"])
def test_a_marketplace_whose_name_no_text_could_say_is_refused_in_one_line(market: Path, name: str) -> None:
    (market / ".claude-plugin").mkdir()
    listed = {"name": name, "owner": {"name": "x"}, "plugins": []}
    (market / ".claude-plugin/marketplace.json").write_text(json.dumps(listed))
    commit(market)
    ran = CliRunner().invoke(command, ["--to", str(market), "--flavor", "omc"], standalone_mode=False)
    assert isinstance(ran.exception, SkillgenError)
    said = str(ran.exception)
    assert said.isprintable() and ".claude-plugin/marketplace.json: the marketplace is called" in said


@pytest.mark.parametrize("version", ["", "1", "v9", "0.1.0\n", 3, None, "999999999999999999999999.0.0"])
def test_a_version_that_no_publication_wrote_is_refused_or_compared(
    market: Path, tmp_path: Path, version: object
) -> None:
    publish(market)
    change_record(market, lambda row: row.update(version=version))
    said = refused(market, tmp_path)
    assert "\n" not in said and ("cannot be understood" in said or "is lower" in said)


@pytest.mark.parametrize("text", ["[]", "{", "3", "[" * 100_000, '{"plugin": 3}'])
def test_a_contract_that_is_none_stops_the_publication_or_is_told(market: Path, tmp_path: Path, text: str) -> None:
    publish(market)
    (market / "plugins/toy/skills/cancel/contract.json").write_text(text)
    digest = hashlib.sha256(text.encode()).hexdigest()
    change_record(market, lambda row: row["files"]["skills/cancel/contract.json"].update(sha256=digest))
    assert "is no contract that could be compared" in refused(market, tmp_path)


def test_a_changelog_in_another_encoding_is_no_crash(market: Path) -> None:
    publish(market)
    (market / "plugins/toy/CHANGELOG.md").write_bytes(b"\xff\xfe# x\n")
    digest = hashlib.sha256(b"\xff\xfe# x\n").hexdigest()
    change_record(market, lambda row: row["files"]["CHANGELOG.md"].update(sha256=digest))
    publish(market, bundle("0.2.0"))
    assert "## 0.2.0" in (market / "plugins/toy/CHANGELOG.md").read_text()


_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.sampled_from(
        ["", ".", "..", "../victim/file", "/etc/passwd", ".git/config", "-f", ":(top)x", "\x1b]0;x\x07", "a\u202eb"]
    ),
    st.text(max_size=8),
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=6), inner, max_size=2),
    max_leaves=4,
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_record_broken_anywhere_ends_in_one_line_or_a_publication_and_changes_nothing_outside(
    market: Path, tmp_path: Path, victim: Path, data: st.DataObject
) -> None:
    if not (market / RECORD).exists():
        publish(market)
    good = (market / RECORD).read_text() if not (tmp_path / "good").exists() else (tmp_path / "good").read_text()
    (tmp_path / "good").write_text(good)
    start = git(market, "rev-list", "--max-parents=0", "HEAD") and git(
        market, "log", "--format=%H", "--grep=^Publish toy 0.1.0", "-1"
    )
    git(market, "reset", "--quiet", "--hard", start)
    record = json.loads(good)
    at: Any = record
    path = data.draw(st.sampled_from(_paths(record)))
    for key in path[:-1]:
        at = at[key]
    if data.draw(st.booleans()):
        at[path[-1]] = data.draw(_VALUES)
    else:
        at[str(data.draw(_SCALARS))] = at.pop(path[-1])
    (market / RECORD).write_text(json.dumps(record))
    commit(market)
    before = outside(tmp_path)
    try:
        publish(market, bundle("0.2.0"))
    except SkillgenError as error:
        assert str(error).isprintable() or "\n  " in str(error)
        assert git(market, "log", "-1", "--format=%s") == "Stranger"
    assert outside(tmp_path) == before


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if not isinstance(value, dict):
        return [at]
    return [path for key in value for path in [(*at, key), *_paths(value[key], (*at, key))]]
