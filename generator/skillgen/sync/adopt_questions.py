"""Write what a text leaves open as JSON, for a program that can read the text."""

from __future__ import annotations

import json
from typing import Any

from skillgen.model.fields import choices_at
from skillgen.model.question import Question
from skillgen.model.resolved import format_key
from skillgen.sync.adopt_text import Adopted, Reading


def questions_json(adopted: Adopted) -> str:
    """Return the open questions with the lines that speak to them, and how an answer is written."""
    asked = [_entry(question, adopted.reading) for question in adopted.questions]
    data: dict[str, Any] = {"text": adopted.reading.path, "base": adopted.base, "questions": asked, "answers": []}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _entry(question: Question, reading: Reading) -> dict[str, Any]:
    choices = choices_at(question.keys[0])
    return {
        "question": question.text,
        **({"choices": list(choices)} if choices else {}),
        "keys": [
            {"key": format_key(key), "base": question.base.get(key), "least": question.least.get(key)}
            for key in question.keys
        ],
        "lines": [_line(line, reading) for line in question.lines],
    }


def _line(line: int, reading: Reading) -> dict[str, Any]:
    path, number = reading.whole.place(line)
    return {"path": path or reading.text.path.rpartition("/")[2], "line": number, "text": reading.text.lines[line - 1]}
