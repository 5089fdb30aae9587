"""The licence of a bundle is the one that its flavor declares, in the user's name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

KNOWN = ("MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "Unlicense", "CC0-1.0")
NAMED = ("MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause")


@pytest.fixture
def build(skillgen: Any, tmp_path: Path) -> Any:
    def made(licence: str, *more: object) -> Path:
        (tmp_path / "flavors").mkdir(exist_ok=True)
        plugin = f'plugin: {{license: {licence}, author: "Ann & <Sons>"}}'
        (tmp_path / "flavors/mine.yaml").write_text(f"base: pep\n{plugin}\n")
        places = ["--flavors", tmp_path / "flavors", "--out", tmp_path / "dist", *more]
        done = skillgen("build", "--flavor", "mine", *places)
        assert done.code == 0, done.err
        return tmp_path / "dist/mine"

    return made


@pytest.mark.parametrize("licence", KNOWN)
def test_a_usual_licence_stands_in_the_bundle_with_the_users_name(build: Any, licence: str) -> None:
    bundle = build(licence)
    text = (bundle / "LICENSE").read_text()
    first = {
        "Apache-2.0": "Apache License",
        "Unlicense": "This is free",
        "CC0-1.0": "Creative Commons",
        "MPL-2.0": "Mozilla",
    }
    begins = {"0BSD": "BSD Zero Clause", "BSD-2-Clause": "BSD 2-Clause", "BSD-3-Clause": "BSD 3-Clause", **first}
    assert text.startswith(begins.get(licence, licence))
    assert ("Copyright (c) Ann & <Sons>\n" in text) is (licence in NAMED)
    assert "skillgen maintainers" not in text
    assert f"The text and code here are {licence}, see `LICENSE`." in (bundle / "README.md").read_text()


def test_a_licence_without_a_known_text_brings_none_and_the_readme_says_so(build: Any) -> None:
    bundle = build("LicenseRef-Mine")
    assert not (bundle / "LICENSE").exists()
    assert "LicenseRef-Mine; the text of that licence is not part of this bundle." in (bundle / "README.md").read_text()


def test_a_users_own_licence_text_is_one_template(build: Any, tmp_path: Path) -> None:
    (tmp_path / "own/licences").mkdir(parents=True)
    (tmp_path / "own/licences/LicenseRef-Mine.txt.j2").write_text("All rights are {{ plugin.author | line }}'s.\n")
    bundle = build("LicenseRef-Mine", "--templates", tmp_path / "own")
    assert (bundle / "LICENSE").read_text() == "All rights are Ann & <Sons>'s.\n"


@pytest.mark.parametrize(
    "homepage", ["javascript:alert(1)", "example.org", "file:///etc/passwd", "https://", "ftp://example.org", "//x"]
)
def test_a_homepage_that_is_no_web_address_is_refused(skillgen: Any, tmp_path: Path, homepage: str) -> None:
    (tmp_path / "mine.yaml").write_text(f'base: pep\nproduct:\n  homepage: "{homepage}"\n')
    done = skillgen("build", "--flavor", "mine", "--flavors", tmp_path, "--out", tmp_path / "dist")
    assert done.code == 2
    assert "mine.yaml:3:13: `product.homepage`" in done.err and "write one that begins with https://" in done.err
