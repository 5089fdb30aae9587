"""Read a prompt file in TOML."""

from __future__ import annotations

import re
import tomllib

from skillgen.audit.front import Front, Key


def read_toml(lines: list[str]) -> tuple[Front, list[str]]:
    """Read a TOML prompt file; return its keys as front matter and its body, line for line (else blank lines)."""
    text = "\n".join(lines)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        match = re.search(r"line (\d+), column (\d+)", str(error))
        return (
            Front(
                problem=f"not valid TOML: {error}",
                problem_line=int(match[1]) if match else 1,
                problem_column=int(match[2]) if match else 1,
            ),
            list(lines),
        )
    keys = []
    for name, value in data.items():
        line = next((n for n, raw in enumerate(lines, 1) if re.match(rf"\s*\"?{re.escape(name)}\"?\s*=", raw)), 1)
        keys.append(Key(name, value if isinstance(value, (str, list, dict)) else str(value), line, 1))
    body = [""] * len(lines)
    prompt = next((key for key in keys if key.name == "prompt"), None)
    if prompt:
        first = prompt.line - 1
        quote = next((mark for mark in ('"""', "'''") if mark in lines[first]), "")
        if quote:
            opening = lines[first].split(quote, 1)[1]
            body[first] = opening
            for n in range(first + 1, len(lines)):
                if quote in lines[n]:
                    body[n] = lines[n].split(quote, 1)[0]
                    break
                body[n] = lines[n]
            else:
                body[first] = opening.split(quote, 1)[0]
        else:
            body[first] = str(prompt.value)
    return Front(1, 0, tuple(keys), body_line=1), body
