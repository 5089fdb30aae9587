"""`skillgen report`: one page that shows everything, needs no network, and works in a browser without a mouse."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from skillgen.cli.main import run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=5000",
]
EVERY = [word for id_ in ("omc", "omc-20260824", "omni", "pep", "rcs", "omd") for word in ("--flavor", id_)]
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on all flavors and on three forks: current, edited and outdated, without a result."""
    top = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:

        def skillgen(*args: str) -> int:
            patch.setattr("sys.argv", ["skillgen", *args])
            return run()

        patch.chdir(top)
        assert skillgen("build", "--flavor", "omc", "--into", "forks/current") == 0
        assert skillgen("build", "--flavor", "omc-20260824", "--into", "forks/old") == 0
        shutil.copytree(top / "forks/current", top / "forks/broken")
        (top / "forks/broken/skillgen.lock").write_text("<script>alert(1)</script>\n")
        skill = top / "forks/old/skills/cancel/SKILL.md"
        skill.write_text(skill.read_text() + "\nOwn.\n")
        assert skillgen("report", "forks", *EVERY, "--out", "page.html") == 0
    return top / "page.html"


class Reader(HTMLParser):
    """Collect what the tests ask for, and refuse tags that do not nest."""

    VOID = frozenset({"meta", "input", "br", "link", "img"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(text: str) -> Reader:
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
    return reader


def test_the_page_fetches_nothing(page: Path) -> None:
    text = page.read_text()
    reader = read(text)
    for tag, attributes in reader.attributes:
        assert "src" not in attributes, tag
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        assert (attributes.get("href") or "#").startswith("#")
    assert "default-src 'none'" in text
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_every_flavor_and_mode_stands_in_the_matrix(page: Path) -> None:
    reader = read(page.read_text())
    for word in ("omc-20260824", "rcs", "omni", "pep", "omd", "Autopilot", "Self-Improve", "Forge"):
        assert word in reader.text


def test_ids_are_unique_and_every_label_and_link_has_its_target(page: Path) -> None:
    attributes = [found for _, found in read(page.read_text()).attributes]
    ids = [found["id"] for found in attributes if "id" in found]
    assert len(ids) == len(set(ids))
    for found in attributes:
        for name in ("for", "aria-labelledby"):
            assert set((found.get(name) or "").split()) <= set(ids)
        if (found.get("href") or "").startswith("#"):
            assert (found["href"] or "")[1:] in ids


def test_every_fork_is_shown_as_it_stands(page: Path) -> None:
    text = page.read_text()
    forks = text[text.index('id="forks"') :]
    assert re.findall(r'<details class="fork c(\d)".*?</span> (\S+)', forks, re.DOTALL) == [
        ("2", "forks/broken"),
        ("0", "forks/current"),
        ("1", "forks/old"),
    ]
    assert "<td><code>skills/cancel/SKILL.md</code></td><td>yes</td><td>its edits merge</td>" in forks


def test_forks_come_first_with_a_headline_a_legend_and_the_day(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(page.parent)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")
    out = tmp_path / "page.html"
    monkeypatch.setattr("sys.argv", ["skillgen", "report", "forks", "--out", str(out)])
    assert run() == 0
    text = out.read_text()
    assert "3 forks: 1 current, 1 to be synced, 1 without a result (2027-01-15)" in text
    assert text.index('id="forks"') < text.index('id="modes"')
    assert "Grades are of the skill as it lies in the fork" in text
    words = read(text).text
    assert "omc-20260824" in words and "copilot-omni" not in words, "only flavors that the forks carry"
    assert len(text) < 200_000, "small enough to mail"


def test_a_fork_is_graded_as_it_lies_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    def skillgen(*args: str) -> int:
        monkeypatch.setattr("sys.argv", ["skillgen", *args])
        return run()

    assert skillgen("build", "--flavor", "omc", "--into", "fork") == 0
    skill = tmp_path / "fork/skills/cancel/SKILL.md"
    skill.write_text(
        skill.read_text()
        + "\n## Ours\n\n```bash\ntmux ls | grep '^omc-' | xargs -n1 tmux kill-session -t\nrm -rf .omc/state/*\n```\n"
    )
    assert skillgen("report", "fork") == 0
    text = (tmp_path / "report.html").read_text()
    forks = text[text.index('id="forks"') : text.index('id="modes"')]
    assert "1 fork: 1 current, 1 graded below A as it lies there" in text
    assert "SG202" in forks and "SG205" in forks and '<span class="grade gA">' not in forks


def test_every_flavor_on_one_page_is_small_enough_to_mail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "page.html"
    monkeypatch.setattr("sys.argv", ["skillgen", "report", "--out", str(out)])
    assert run() == 0
    assert out.stat().st_size < 640_000


def test_the_same_input_gives_the_same_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(page.parent)
    monkeypatch.setattr("sys.argv", ["skillgen", "report", "forks", *EVERY, "--out", "again.html"])
    assert run() == 0
    assert (page.parent / "again.html").read_bytes() == page.read_bytes()


def test_text_from_a_flavor_cannot_become_markup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "evil.yaml").write_text(
        'base: omc\nproduct: {title: "</script><script>alert(1)</script>"}\nmessages: {none: "<img src=x onerror=y>"}\n'
    )
    out = tmp_path / "page.html"
    args = ["report", "--flavors", str(tmp_path), "--flavor", "evil", "--flavor", "omc", "--out", str(out)]
    monkeypatch.setattr("sys.argv", ["skillgen", *args])
    assert run() == 0
    assert "<script>alert" not in out.read_text()
    assert "<img" not in out.read_text()


def test_no_page_is_put_in_the_place_of_a_device_or_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("sys.argv", ["skillgen", "report", "--flavor", "omc", "--out", str(pipe)])
    assert run() == 2
    assert pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]


def browse(arguments: list[str], profile: Path) -> bytes:
    assert CHROMIUM
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={profile}", *arguments]
    return subprocess.run(command, capture_output=True, timeout=120, check=True).stdout


@needs_browser
@pytest.mark.slow
def test_a_browser_compares_what_is_chosen_from_the_keyboard(page: Path, tmp_path: Path) -> None:
    # What a keyboard does to a native control arrives as its change event; focus must be able to reach it.
    script = """<script>
    const log = [];
    for (const id of ["order-of", "from", "to", "swap", "only"]) {
      document.getElementById(id).focus();
      log.push(document.activeElement.id);
    }
    const choose = (id, value) => {
      document.getElementById(id).value = value;
      document.getElementById(id).dispatchEvent(new Event("change"));
    };
    choose("order-of", "rcs"); choose("from", "omc"); choose("to", "pep");
    const rows = () => document.querySelectorAll("#changes tbody tr").length;
    const all = rows();
    document.getElementById("only").click();
    const some = rows();
    document.getElementById("swap").click();
    document.title = [log.join(" "), all > some, some > 0, document.getElementById("from-head").textContent,
      [...document.querySelectorAll(".drawing")].filter((d) => d.offsetHeight).map((d) => d.dataset.flavor)].join("|");
    </script></body>"""
    copy = tmp_path / "driven.html"
    copy.write_text(page.read_text().replace("</body>", script))
    dom = browse(["--dump-dom", copy.as_uri()], tmp_path / "profile").decode()
    assert "<title>order-of from to swap only|true|true|pep|rcs</title>" in dom


@needs_browser
@pytest.mark.slow
def test_a_browser_draws_and_prints_the_page(page: Path, tmp_path: Path) -> None:
    shot, pdf = tmp_path / "page.png", tmp_path / "page.pdf"
    browse(["--window-size=1280,2400", f"--screenshot={shot}", page.as_uri()], tmp_path / "one")
    assert shot.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert shot.stat().st_size > 50_000, "an empty page is smaller"
    browse([f"--print-to-pdf={pdf}", "--no-pdf-header-footer", page.as_uri()], tmp_path / "two")
    assert pdf.read_bytes()[:5] == b"%PDF-"
    assert pdf.read_bytes().count(b"/Type /Page\n") + pdf.read_bytes().count(b"/Type/Page") >= 3
