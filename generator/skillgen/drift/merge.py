"""Merge one file three ways: front matter and JSON as data, Markdown by sections, everything else by lines."""

from __future__ import annotations

from dataclasses import dataclass

from skillgen.drift.apart import RESERVED
from skillgen.drift.merge_front import merge_front, split_front
from skillgen.drift.merge_json import merge_json
from skillgen.drift.merge_sections import merge_sections
from skillgen.drift.settle import settle
from skillgen.model.fork import Lines, Merged


@dataclass(frozen=True, slots=True)
class Merger:
    """`lines` settles what has no structure; `favor` (`ours`, `theirs` or empty) is the side that wins a conflict."""

    lines: Lines
    favor: str = ""

    def merge(self, path: str, base: bytes, ours: bytes, theirs: bytes) -> Merged:
        """Return the merge of three texts with line feeds only."""
        if quick := _merge_trivially(base, ours, theirs):
            return quick
        if any(b"\0" in side for side in (base, ours, theirs)):
            return Merged(theirs, 0) if self.favor == "theirs" else Merged(ours, 0 if self.favor else 1)
        if any(mark in side for side in (base, ours, theirs) for mark in RESERVED):
            return Merged(*self.lines(base, ours, theirs))
        if path.endswith((".md", ".mdc")):
            return self._markdown(base, ours, theirs)
        if path.endswith(".json"):
            return merge_json(base, ours, theirs, self.lines, self.favor)
        return Merged(*self.lines(base, ours, theirs))

    def _markdown(self, base: bytes, ours: bytes, theirs: bytes) -> Merged:
        try:
            sides = [side.decode() for side in (base, ours, theirs)]
        except UnicodeDecodeError:
            return Merged(*self.lines(base, ours, theirs))
        if any("\r" in side for side in sides):
            # A bare carriage return is a line end to Markdown and none to git.
            return Merged(*self.lines(base, ours, theirs))
        (front_b, body_b), (front_o, body_o), (front_t, body_t) = map(split_front, sides)
        front = merge_front(front_b, front_o, front_t, self.lines, self.favor)
        if body_o not in (body_b, body_t) and body_b != body_t:
            body_b, body_o, body_t = settle(body_b, body_o, body_t)
        body = merge_sections(body_b, body_o, body_t, self.lines)
        return Merged(front.data + body.data, front.conflicts + body.conflicts)


def _merge_trivially(base: bytes, ours: bytes, theirs: bytes) -> Merged | None:
    if ours in (base, theirs):
        return Merged(theirs)
    return Merged(ours) if theirs == base else None
