"""Two skills or commands of one name.

What it checks: no two skills, and no skill and command, of a bundle have the same name.

Why it matters: some hosts flatten names: the first found wins without a word, and the other is never loaded.

How to fix it: rename one, or remove the command that only repeats the skill.
"""

from __future__ import annotations

from collections.abc import Iterator

from skillgen.audit.engine import Hit, Scope, Severity
from skillgen.audit.tree import Bundle
from skillgen.model.subject import Kind

CODE = "SG711"
TITLE = "two skills or commands of one name"
SEVERITY = Severity.WARNING
SCOPE = Scope.BUNDLE
CANCEL_ONLY = False


def check(subject: Bundle) -> Iterator[Hit]:
    seen: dict[str, str] = {}
    for skill in subject.skills:
        name = skill.text.front.string("name") or skill.name
        if name in seen:
            yield Hit(
                1,
                f"the skill {name} is also {seen[name]}",
                "rename one of them",
                1,
                path=skill.path[len(subject.root) + 1 :],
            )
        seen.setdefault(name, skill.path[len(subject.root) + 1 :])
    for text in subject.texts:
        if text.kind in (Kind.COMMAND, Kind.PROMPT):
            path = text.path[len(subject.root) + 1 :]
            name = path.rpartition("/")[2].rpartition(".")[0]
            if name in seen:
                yield Hit(
                    1,
                    f"the command {name} has the name of the skill {seen[name]}",
                    "rename it, or remove it",
                    1,
                    path=path,
                )
