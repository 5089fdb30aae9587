"""List the shell blocks of subjects, for a real shell to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skillgen.audit.text import Text
from skillgen.model.subject import Source, Tree


def shell_blocks(subjects: Iterable[Source | Tree]) -> Iterator[str]:
    """Yield the text of every fenced shell block."""
    for subject in subjects:
        for source in (subject,) if isinstance(subject, Source) else subject.sources:
            if "```" in source.text or "~~~" in source.text:
                yield from (fragment.text for fragment in Text(source).fragments if fragment.kind == "fence")
