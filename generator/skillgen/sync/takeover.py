"""Plan how a hand-edited copy becomes a bundle: the flavor, the skill in its place, what is put aside, the lock."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from skillgen.build.inputs import Inputs
from skillgen.drift.merge_front import split_front
from skillgen.drift.own_lines import line_digest
from skillgen.drift.place import SKILLS
from skillgen.errors import InputError, Problem, UsageError
from skillgen.load.copies import Copy
from skillgen.load.decode import decode
from skillgen.load.files import read
from skillgen.load.flavors import FACTS
from skillgen.load.fork import behind_link
from skillgen.load.plugin_name import plugin_name
from skillgen.model.files import RenderedFile, is_ignored
from skillgen.model.lock import NAME, UNFINISHED, Entry, ForkOrigin
from skillgen.sync.command import stub as stub_of
from skillgen.sync.kept import Old, kept_texts
from skillgen.sync.standing import Standing, stand, stand_after

if TYPE_CHECKING:
    from skillgen.model.contract import Contract
    from skillgen.sync.adopt_answers import FileAnswers
    from skillgen.sync.adopt_text import Adopted, Answers

FLAVORS = "flavors"
_LARGEST = 128 << 10
"""Bytes of a script that is put aside."""
_READ = 1 << 20
"""Bytes of a file that is searched for names of the skill's scripts."""


@dataclass(slots=True)
class Takeover:
    """What one adoption would do; paths are relative to the copy's root."""

    copy: Copy
    id: str
    base: str
    adopted: Adopted | None
    """None where the flavor was there already, so that the text was not asked."""
    before: Standing
    after: Standing | None = None
    """None while a question is open."""
    files: dict[str, tuple[bytes, int]] = field(default_factory=dict)
    """The lock comes last."""
    removed: list[str] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)
    """Files of the old skill that stay, and why."""
    kept: int = 0
    open: list[str] = field(default_factory=list)
    """What keeps the flavor from being built: its open questions."""

    @property
    def flavor(self) -> str:
        return f"{FLAVORS}/{self.id}.yaml"

    @property
    def facts(self) -> str:
        return f"{FLAVORS}/{self.id}{FACTS}"

    @property
    def aside(self) -> str:
        return f"{FLAVORS}/{self.id}.kept.md"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for."""

    base: str | None = None
    """The flavor to build on, None for the nearest."""
    id: str = ""
    """The flavor's id, "" for the name of the plugin."""
    stub: bool = True
    """Whether a command that is a copy of its own becomes one that loads the skill."""
    safest: bool = False
    given: FileAnswers | None = None
    asking: Answers | None = None
    """Somebody at the terminal."""


def plan_takeover(copy: Copy, inputs: Inputs, asked: Asked) -> Takeover:
    """Return the plan; raises UsageError or InputError where the text carries no flavor or cannot be replaced."""
    from skillgen.adopt.writing import is_sealed
    from skillgen.sync.adopt_answers import FormerAnswers, Several
    from skillgen.sync.adopt_text import adopt_text

    id_ = asked.id or _free_id(_slug(plugin_name(copy.root)), inputs)
    adopted = None
    text = _own_flavor(copy.root, id_)
    if not text or is_sealed(text):
        # As a former run left it: nobody has answered in it yet.
        former = FormerAnswers(text) if text else None
        adopted = adopt_text(
            copy.text,
            id_ or "adopted",
            inputs,
            asked.base,
            answers=Several([one for one in (asked.given, former, asked.asking) if one]),
            safest=asked.safest,
        )
        id_ = id_ or _free_id(_slug(str(adopted.contract["plugin"]["name"])), inputs)
        text = _own_flavor(copy.root, id_)
        if text and not is_sealed(text):
            adopted = None
    plan = Takeover(copy, id_, adopted.base if adopted else "", adopted, stand(copy))
    own = os.path.join(copy.root, FLAVORS)
    beside = inputs.adding(own) if os.path.isdir(own) else inputs
    if not adopted:
        plan.open = _list_open_questions(beside, id_)
        if not plan.open:
            _bring(plan, beside, stub=asked.stub)
        return plan
    plan.files[plan.flavor] = (adopted.text.encode(), 0o644)
    plan.open = [question.text for question in adopted.questions]
    if not plan.open:
        with tempfile.TemporaryDirectory(prefix="skillgen-") as directory:
            with open(os.path.join(directory, f"{id_}.yaml"), "wb") as file:
                file.write(adopted.text.encode())
            _bring(plan, beside.adding(directory), stub=asked.stub)
    return plan


def _own_flavor(root: str, id_: str) -> str:
    """Return the text of the flavor that lies there already, "" if there is none."""
    path = os.path.join(root, FLAVORS, f"{id_}.yaml")
    return read(path).decode("utf-8", "replace") if id_ and os.path.isfile(path) else ""


def _list_open_questions(inputs: Inputs, id_: str) -> list[str]:
    """Return place and words of every question that a flavor's file still holds."""
    from skillgen.model.question import UNKNOWN, is_open
    from skillgen.resolve.unknowns import find_open

    problems: list[Problem] = []
    document = inputs.files.document(id_, problems)
    if problems:
        raise InputError(problems)
    return [
        f"{node.place.path}:{node.place.line}: {node.mapping()[UNKNOWN].text()}"
        for node in (find_open(document) if document else ())
        if is_open(node)
    ]


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.rsplit("/", 1)[-1].lower()).strip("-")


def _free_id(id_: str, inputs: Inputs) -> str:
    """Return an id that no shipped flavor has, so that the fork's own is not taken for that."""
    return f"{id_}-own" if id_ in inputs.files.paths else id_


def _bring(plan: Takeover, inputs: Inputs, *, stub: bool) -> None:
    """Plan the files of the bundle, of what is put aside, and the lock."""
    from skillgen.build.contracts import resolve_all
    from skillgen.build.into import render_one
    from skillgen.build.locks import followed, read_lock
    from skillgen.load.known_lines import known_lines
    from skillgen.model.lock_text import format_lock
    from skillgen.sync.adopt_text import pin_text
    from skillgen.sync.names import contract_names, text_names

    copy = plan.copy
    contract = resolve_all(inputs, [plan.id])[plan.id].contract
    entry, rendered = render_one(inputs, plan.id)
    entry = _placed(plan, entry, contract, inputs)
    plan.base = plan.base or (entry.base[-1] if entry.base else "")
    old = _old_texts(copy)
    said = "\n".join(one.text for one in old)
    names = {*contract_names(contract), *text_names(said)}
    known = known_lines() | {
        line_digest(line, names)
        for path, file in rendered.items()
        if path.startswith(SKILLS)
        for line in file.data.decode("utf-8", "replace").split("\n")
    }
    usual = entry.usual
    bundle = {f"{copy.skill}{path[len(usual) :]}": rendered[path] for path in entry.files}
    _retire(plan, old, bundle)
    own_front = True
    while True:
        files, granted = _texts(plan, bundle, old, known, names, stub=stub, own_front=own_front)
        plan.after = stand_after(copy, {path: data for path, (data, _) in files.items()}, plan.removed)
        if not plan.after.findings or not own_front:
            break
        # A key of one's own that breaks a rule is put aside like any other block.
        own_front = False
    kept, plan.kept = kept_texts(
        [replace(one, front=granted.get(one.path, ())) for one in old if one.path in {*files, *plan.removed}],
        known,
        names,
    )
    if kept:
        if os.path.lexists(os.path.join(copy.root, plan.aside)):
            raise UsageError(f"{copy.root}/{plan.aside}: is there already; move it, since what is put aside goes there")
        files[plan.aside] = (kept.encode(), 0o644)
    if copy.command and copy.command in files:
        entry = replace(entry, origin=replace(entry.origin, command=copy.command))
    plan.files |= files
    if plan.adopted or not os.path.lexists(os.path.join(copy.root, plan.facts)):
        plan.files[plan.facts] = (plan.adopted.pin if plan.adopted else pin_text(copy.text), 0o644)
    plan.files[NAME] = (format_lock([entry, *followed(read_lock(copy.root)).values()]), 0o644)
    for path in (*plan.files, *plan.removed):
        if behind_link(copy.root, path):
            raise UsageError(f"{copy.root}/{path}: lies behind a symbolic link; adopt where the link leads to")


def _placed(plan: Takeover, entry: Entry, contract: Contract, inputs: Inputs) -> Entry:
    """Return the entry of the fork's lock: the skill alone, and where everything lies."""
    from skillgen.build.origin import fork_origin

    origin = fork_origin(inputs, plan.id, plan.copy.root, contract.product.name, ForkOrigin())
    skill = plan.copy.skill if plan.copy.skill != entry.usual else ""
    files = {path: mark for path, mark in entry.files.items() if path.startswith(SKILLS)}
    return replace(entry, files=files, origin=replace(origin, flavors=FLAVORS, skill=skill))


def _old_texts(copy: Copy) -> list[Old]:
    """Return every text of the old skill with its command, as the reader decodes it."""
    found = []
    for path in _own_files(copy):
        found += _read_old(os.path.join(copy.root, path), path)
    if copy.command:
        found += _read_old(os.path.join(copy.root, copy.command), copy.command)
    return sorted(found, key=lambda one: (not one.path.endswith("/SKILL.md"), one.path))


def _own_files(copy: Copy) -> list[str]:
    """Return the files of the skill's directory, relative to the copy's root, without what no maintainer wrote."""
    found = []
    top = os.path.join(copy.root, copy.skill)
    for directory, names, files in os.walk(top):
        names[:] = sorted(name for name in names if not is_ignored(name) and name != ".git")
        for name in sorted(files):
            path = f"{copy.skill}/{os.path.relpath(os.path.join(directory, name), top).replace(os.sep, '/')}"
            if not is_ignored(path) and not name.startswith(UNFINISHED):
                found.append(path)
    return found


def _read_old(full: str, path: str) -> list[Old]:
    from skillgen.load.kinds import kind_of

    if os.path.islink(full) or not os.path.isfile(full) or os.path.getsize(full) > _LARGEST:
        return []
    data = read(full)
    source = decode(data, len(data), path, kind_of(path), [])
    return [Old(path, source.text)] if source else []


def _retire(plan: Takeover, old: Collection[Old], bundle: Mapping[str, RenderedFile]) -> None:
    """Plan which files of the old skill go: its texts and scripts, unless something else of the plugin names one."""
    copy = plan.copy
    texts = {one.path for one in old}
    own = [path for path in _own_files(copy) if path not in bundle]
    users = _named_by(copy, [path for path in own if path in texts and not path.endswith(".md")])
    for path in own:
        if path not in texts:
            plan.left.append((path, "is no text"))
        elif path in users:
            plan.left.append((path, f"{users[path]} names it"))
        else:
            plan.removed.append(path)


def _named_by(copy: Copy, paths: Collection[str]) -> dict[str, str]:
    """Return path of the skill -> the first file of the plugin outside the skill that names it; read once for all of them."""
    sought = {path: "/".join(path.split("/")[-3:]).encode() for path in paths}
    found: dict[str, str] = {}
    for directory, names, files in os.walk(copy.root) if sought else ():
        names[:] = [one for one in names if one not in (".git", "node_modules", ".venv", "venv", "dist")]
        if os.path.relpath(directory, copy.root).replace(os.sep, "/") == copy.skill:
            names.clear()
            continue
        for one in sorted(files):
            full = os.path.join(directory, one)
            if one.startswith(UNFINISHED) or os.path.islink(full) or not os.path.isfile(full):
                continue
            if os.path.getsize(full) <= _READ:
                user = os.path.relpath(full, copy.root).replace(os.sep, "/")
                data = read(full)
                found.update({path: user for path, name in sought.items() if path not in found and name in data})
    return found


def _texts(
    plan: Takeover,
    bundle: Mapping[str, RenderedFile],
    old: Collection[Old],
    known: Collection[str],
    names: Collection[str],
    *,
    stub: bool,
    own_front: bool,
) -> tuple[dict[str, tuple[bytes, int]], dict[str, tuple[str, ...]]]:
    """Return the files of the bundle with the front matter's own keys, and the lines of front matter that are put aside."""
    from skillgen.sync.adopt_lock import front_with_own

    copy = plan.copy
    texts = {one.path: one.text for one in old}
    files = {path: (file.data, file.mode) for path, file in bundle.items()}
    granted: dict[str, tuple[str, ...]] = {}
    main = f"{copy.skill}/SKILL.md"
    if main in texts:
        front, body = split_front(files[main][0].decode())
        own, apart = front_with_own(front, split_front(texts[main])[0], known, names)
        if own_front:
            files[main] = ((own + body).encode(), files[main][1])
        else:
            apart += [line for line in own.split("\n") if line not in front.split("\n")]
        granted[main] = tuple(apart)
    if copy.command and stub and copy.command in texts:
        front = split_front(texts[copy.command])[0]
        lines = [line for line in front.split("\n") if not line.startswith(("allowed-tools", "hooks", "permissions"))]
        granted[copy.command] = tuple(line for line in front.split("\n") if line not in lines)
        words = stub_of(copy.skill)
        files[copy.command] = (("\n".join(lines) + "\n" if front else "").encode() + words.encode(), 0o644)
    return files, granted
