"""Template text left over.

What it checks: `{{ name }}`, `{% if … %}`, `<%= … %>` outside fences of a template language, unless the text is about
templates. Inside quotes, a code span or a fence without a language it is a note: the author may have meant it for the reader
to fill in. `{{args}}` in a TOML prompt and `--format '{{.Names}}'` are no breach.

Why it matters: a generator did not finish: the agent gets the name of a value instead of the value.

How to fix it: render it, and check the renderer for undefined names. What the agent is to fill in is better written `<name>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.fragments import PLAIN
from skillgen.audit.hits import LONG_LINE
from skillgen.audit.text import Text
from skillgen.model.subject import Kind

CODE = "SG705"
TITLE = "template text left over"
SEVERITY = Severity.ERROR
SCOPE = Scope.TEXT
CANCEL_ONLY = False

_LEFT = re.compile(
    r"\{\{-?\s*[A-Za-z_][\w.| ()'\"-]*?\s*-?\}\}|\{%-?\s*\w[^%\n]*%\}|<%[=-]?\s*\w[^%\n]*%>|\{#[^#\n]+#\}", re.A
)
_OPENS = re.compile(r"\{[{%#]")
_LANGUAGES = {
    "jinja",
    "jinja2",
    "j2",
    "django",
    "html",
    "hbs",
    "handlebars",
    "mustache",
    "liquid",
    "erb",
    "ejs",
    "go-template",
    "gotmpl",
    "yaml",
    "yml",
    "helm",
    "njk",
    "twig",
    "vue",
    "toml",
}
_ABOUT = re.compile(
    r"\bjinja\w*|\bhandlebars\b|\bmustache\b|\bliquid\b|\bhelm\b|\bnunjucks\b|\bgo template|\bejs\b|\btemplat(?:e|es|ing) (?:engine|syntax|language|variables?|text)|模板|템플릿|テンプレート",
    re.I | re.A,
)


def check(subject: Text) -> Iterator[Hit]:
    text = subject.source.text
    if "/templates/" in subject.path or "/assets/" in subject.path:
        return  # text that is meant to be filled in
    if not (_OPENS.search(text) or ("%" in text and "<%" in text)) or _ABOUT.search(text):
        return
    skipped = {
        line
        for fence in subject.document.fences
        if fence.lang in _LANGUAGES
        for line in range(fence.line, fence.end + 1)
    }
    shown = {
        line
        for fence in subject.document.fences
        if fence.lang in PLAIN | {"md", "markdown"} and not fence.indented
        for line in range(fence.first, fence.end + 1)
    }
    for number in range(1, len(subject.lines) + 1):
        line = subject.lines[number - 1]
        if number in skipped or ("{" not in line and "<%" not in line) or len(line) > LONG_LINE:
            continue
        for match in _LEFT.finditer(line):
            if match[0] == "{{ARGUMENTS}}":
                continue  # replaced by the plugin that loads the text; SG708 speaks of hosts
            if match[0] in ("{{args}}", "{{ args }}") and subject.kind in (Kind.PROMPT, Kind.COMMAND):
                continue
            if (
                line[: match.start()].endswith("$")
                or match[0].startswith("{{.")
                or (match[0].startswith("{#") and line[: match.start()].endswith("#"))
            ):
                continue
            if match[0].startswith("{#") and ("tmux" in line or "$" in line[: match.start()][-1:]):
                continue
            if number in shown or (number >= subject.body_line and _is_quoted(subject.lines, number, match.start())):
                message = f"{match[0]} looks like template text; nothing fills it in unless the agent does"
                repair = "write <name> for what the agent fills in, render what a generator should have"
                yield Hit(number, message, repair, match.start() + 1, match.end() + 1, severity=Severity.NOTE)
            else:
                yield Hit(number, f"{match[0]} was never rendered", "render it", match.start() + 1, match.end() + 1)


def _is_quoted(lines: list[str], number: int, at: int) -> bool:
    """Whether a place stands inside double quotes, which may open and close on other lines of its paragraph, or code."""
    line = lines[number - 1]
    before, after = line[:at], line[at:]
    first, last = number - 1, number
    while first > max(0, number - 12) and lines[first - 1].strip():
        first -= 1
    while last < min(len(lines), number + 12) and lines[last].strip():
        last += 1
    above = sum(row.count('"') for row in lines[first : number - 1]) + before.count('"')
    if above % 2 and ('"' in after or any('"' in row for row in lines[number:last])):
        return True
    return any(before.count(mark) % 2 and mark in after for mark in ('"', "`")) or any(
        before.rfind(left) > before.rfind(right) and right in after for left, right in ("“”", "「」", "『』")
    )
