"""Begin with a fork that has no lock: find the revision that it is nearest to, or bring it to the bundle."""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass, replace

from skillgen.build.contracts import resolve_all
from skillgen.drift.fold import fold
from skillgen.drift.merge_front import split_front
from skillgen.drift.near import nearness
from skillgen.drift.own_lines import line_digest
from skillgen.drift.place import SKILLS, belonging
from skillgen.drift.settle import in_form_of
from skillgen.errors import UsageError
from skillgen.load.files import read
from skillgen.load.fork import look
from skillgen.load.git import committed
from skillgen.load.known_lines import known_lines
from skillgen.load.moved import find_named
from skillgen.model.fork import FileState, State
from skillgen.model.lock import Entry, Mark
from skillgen.sync.examine import Examiner
from skillgen.sync.fork import Fork
from skillgen.sync.kept import kept_text
from skillgen.sync.names import contract_names, text_names

NEAR = 0.5
"""From so much alike on a fork counts as one that was built once; below, its text is another's."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a fork without a lock starts from."""

    entry: Entry
    near: dict[str, float]
    """Revision's id -> 0 to 1."""
    skill: tuple[str, str]
    """The skill's directory in the bundle, and where the fork has it."""

    @property
    def built(self) -> bool:
        return self.near[self.entry.id] >= NEAR

    @property
    def words(self) -> str:
        """What was found, for the reader of a report."""
        rates = ", ".join(f"{id_} {int(rate * 1000) / 10:g} %" for id_, rate in self.near.items())
        if self.built:
            return f"nearest is {self.entry.id} {self.entry.revision} ({rates} alike); its edits are held against that"
        return f"carries no bundle yet ({rates} alike); its own additions are put aside"


def find_start(root: str, flavor: str, examiner: Examiner) -> Start:
    """Return the nearest revision of the flavor. Raises UsageError for a fork without any cancel skill."""
    targets = examiner.targets
    targets.known(flavor)
    product = targets.entry(flavor, None)[0].flavor
    ids = dict.fromkeys([flavor, *targets.revisions(product)])
    skill = _skill(root, flavor, examiner)
    near = {}
    for id_ in ids:
        files = {path: file.data for path, file in targets.render(id_)[1].items() if _tells(path)}
        near[id_] = nearness(
            files,
            {
                path: _in_rendered_form(path, data, files[path])
                for path, data in _read_files(root, files, skill).items()
            },
        )
    best = max(near, key=lambda id_: near[id_])
    return Start(targets.render(best)[0], near, skill)


def adopt(root: str, start: Start, flavor: str, examiner: Examiner) -> Fork:
    """Return the fork as examined from that start; nothing is written yet."""
    full = examiner.targets.entry(flavor, None)[0]
    host = {path for path in full.files if not path.startswith(SKILLS)}
    present = look(root, (), host)
    rendered = [full.files, start.entry.files] if start.built else [full.files]
    same = {path: mark for path, mark in present.items() if any(files.get(path) == mark for files in rendered)}
    ours = belonging(full.files, same, present, manifests=False)
    owned = {path: mark for path, mark in full.files.items() if path in ours}
    files: dict[str, Mark] = {}
    if start.built:
        files = {path: mark for path, mark in start.entry.files.items() if path in ours or path.startswith(SKILLS)}
    moved = start.skill if start.skill[0] != start.skill[1] else None
    fork = examiner.examine(root, replace(start.entry, files=files, inputs=""), flavor, owned=owned, moved=moved)
    fork.lock_outdated = True
    fork.note = start.words
    if not start.built:
        _bring(fork, flavor, examiner)
    return fork


def _bring(fork: Fork, flavor: str, examiner: Examiner) -> None:
    """Put the rendered text in the place of the handwritten one; what that said beyond it goes beside the flavor."""
    path = f"{fork.target.usual}/SKILL.md"
    place = fork.place(path)
    ours = fold(read(os.path.join(fork.root, place)))
    rendered = examiner.targets.render(flavor)[1][path]
    text = _in_rendered_form(path, ours.data, rendered.data).decode("utf-8", "replace")
    contract = resolve_all(examiner.targets.inputs, [flavor])[flavor].contract
    names = {*contract_names(contract), *text_names(text)}
    known = known_lines() | {
        line_digest(line, names)
        for file in examiner.targets.render(flavor)[1].values()
        for line in file.data.decode("utf-8", "replace").split("\n")
    }
    front, body = split_front(rendered.data.decode())
    front, granted = front_with_own(front, split_front(text)[0], known, names)
    fork.write[place] = (ours.unfold((front + body).encode()), rendered.mode)
    fork.merged[place] = False
    words = "has no additions of its own"
    kept, count = kept_text(place, text, known, names, granted)
    if kept:
        aside = f"{fork.target.origin.flavors or 'flavors'}/{flavor}.kept.md"
        if os.path.lexists(os.path.join(fork.root, aside)):
            raise UsageError(
                f"{fork.root}/{aside}: is there already; move it, since what this text had of its own goes there"
            )
        fork.write[aside] = (kept.encode(), 0o644)
        words = f"{count} block{'' if count == 1 else 's'} of its own put aside in {aside}"
    fork.files = [FileState(place, State.OUTDATED, True, words) if file.path == place else file for file in fork.files]
    if not is_committed(fork.root, place):
        # In no history, so that the text would be gone.
        fork.write[f"{place}.orig"] = (read(os.path.join(fork.root, place)), 0o644)


_GRANTS = ("allowed-tools", "hooks", "permissions")
"""Keys of front matter by which a text gives itself rights; the bundle's own say what it needs."""


def front_with_own(rendered: str, ours: str, known: Collection[str], names: Collection[str]) -> tuple[str, list[str]]:
    """Add the keys that only the fork's front matter has and that no published text has; return those that grant apart."""
    keys = {line.split(":")[0] for line in rendered.split("\n")}
    own = [
        line
        for line in ours.split("\n")[1:-2]
        if line_digest(line, names)
        and line_digest(line, names) not in known
        and not line.startswith((" ", "-", "#"))
        and ":" in line
        and line.split(":")[0] not in keys
    ]
    granted = [line for line in own if line.split(":")[0] in _GRANTS]
    added = "".join(f"{line}\n" for line in own if line not in granted)
    return (rendered.removesuffix("---\n") + added + "---\n" if added else rendered), granted


def _in_rendered_form(path: str, ours: bytes, rendered: bytes) -> bytes:
    """Return a fork's Markdown as it would be rendered wherever it says the same in another form."""
    text = fold(ours).data
    if not path.endswith(".md") or text == rendered or b"\0" in text:
        return text
    front, body = split_front(text.decode("utf-8", "replace"))
    return (front + in_form_of(body, split_front(rendered.decode())[1])).encode()


def _tells(path: str) -> bool:
    """Tell whether a file says what its flavor is; the scripts are the same in all."""
    return path.startswith(SKILLS) and "/scripts/" not in path


def _skill(root: str, flavor: str, examiner: Examiner) -> tuple[str, str]:
    usual = examiner.targets.entry(flavor, None)[0].usual
    if os.path.isfile(os.path.join(root, usual, "SKILL.md")):
        return usual, usual
    found = find_named(root, usual.split("/")[-1])
    if len(found) == 1:
        return usual, found[0]
    if found:
        raise UsageError(f"{root}: holds several cancel skills ({', '.join(found)}); name the plugin root of one")
    raise UsageError(f"{root}: holds no {usual}/SKILL.md; run skillgen build --flavor {flavor} --into {root}")


def _read_files(root: str, paths: dict[str, bytes], skill: tuple[str, str]) -> dict[str, bytes]:
    found = {}
    for path in paths:
        place = os.path.join(root, skill[1] + path.removeprefix(skill[0]))
        if os.path.isfile(place) and not os.path.islink(place):
            found[path] = read(place)
    return found


def is_committed(root: str, path: str) -> bool:
    """Tell whether the file, as it is, is in the history of a repository."""
    blob = committed(root, path)
    return blob is not None and fold(blob).data == fold(read(os.path.join(root, path))).data
