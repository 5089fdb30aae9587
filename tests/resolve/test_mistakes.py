"""Each mistake in a flavor is told with its place, what is wrong and what would be right."""

from __future__ import annotations

import re

import pytest
from resolve_toys import resolve_toy

RALPH = "base: omc\nmodes:\n  ralph:\n"
ORDER = "autopilot, ralph, [ultrawork, ultraqa], ultragoal, swarm, [ultrapilot, pipeline], team, omc-teams"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("base: omc\nproduct:\n  titel: X\n", "toy.yaml:3:3: unknown key `titel` in `product`, did you mean `title`?"),
        ("base: omc\nporduct: {}\n", "toy.yaml:2:1: unknown key `porduct`, did you mean `product`?"),
        ("base: omc\nroot:\n  marke: x\n", "toy.yaml:3:3: unknown key `marke` in `root`, did you mean `marker`?"),
        (RALPH + "    meldung: x\n", "toy.yaml:4:5: unknown key `meldung` in `modes.ralph`, known are `title`"),
        (
            RALPH + "    action: clera\n",
            "toy.yaml:4:13: `modes.ralph.action` is the text `clera`, did you mean `clear`?",
        ),
        (RALPH + "    retired: yes\n", "toy.yaml:4:14: `modes.ralph.retired` is the text `yes`, write true or false"),
        (
            RALPH + "    title: 12\n",
            "toy.yaml:4:12: `modes.ralph.title` is the number 12, write it in quotes to make it text",
        ),
        (RALPH + "    records: ralph\n", "toy.yaml:4:14: `modes.ralph.records` is the text `ralph`, write a list"),
        (RALPH + "    records: []\n", "toy.yaml:4:14: `modes.ralph.records` is an empty list, write at least 1"),
        (
            RALPH + "    title: ''\n",
            "toy.yaml:4:12: `modes.ralph.title` is empty, write the text, or leave the key out",
        ),
        ("base: omc\nstale_s: 5\n", "toy.yaml:2:10: `stale_s` is the number 5, write at least 60"),
        ("base: omc\nmodes: []\norder: 5\n", "toy.yaml:3:8: `order` is the number 5, write a list"),
        (
            "base: omc\nplugin:\n  version: v1\n",
            "toy.yaml:3:12: `plugin.version` is the text `v1`, write text that matches",
        ),
        ("base: omc\nstore: {kind: fils}\n", "toy.yaml:2:8: `store.kind` is `fils`, did you mean `files`?"),
        (
            "base: pep\nteam: {kind: none}\nbridge: null\n",
            "has the action `shutdown`, yet `team.kind` is none, take another",
        ),
        (
            "base: pep\nteam: {kind: none}\nmodes: {team: {action: clear}}\n",
            "`bridge` names workers of a team, yet `team.kind` is none, write `bridge: null`",
        ),
        (
            "base: omc\nteam: {kind: none}\nbridge: null\nmodes: {team: {action: clear}}\n",
            "`modes.omc-teams` waits for workers to be gone, yet `team.kind` is none",
        ),
        ("base: pep\ntools: null\n", "toy.yaml:2:8: `tools` is null, yet `team` is of the kind native"),
        ("base: pep\nidentity: {kind: none}\n", "`tools` are called with a session, yet `identity.kind` is none"),
        ("base: pep\nidentity: {kind: none}\n", "`team.kind` is native, which needs a session"),
        ("base: omni\nidentity: {kind: none}\n", "`store.kind` is rows, which needs a session"),
        ("base: omc\nidentity: {kind: none}\n", "`signal.kind` is session-file, which needs a session"),
        ("base: omc\nflags: {none: {refused: no}}\n", "`flags.none` is refused, so that nothing could be cancelled"),
        (
            "base: omc\nflags: {all: {refused: no}}\n",
            "`flags.all` is refused, yet its scope is `all`, write `scope: current`",
        ),
        (
            "base: omc\ntools: {style: command-line}\n",
            "yet `tools.command_line` does not say how a call is put together",
        ),
        ("base: omx\ntools: {style: keywords}\n", "`tools.command_line` is given, yet `tools.style` is `keywords`"),
        ("base: omc\nflavor: x\n", "toy.yaml:2:1: `flavor` is set by the file's name, leave it out"),
        ("base: omc\nschema_version: 2\n", "toy.yaml:2:17: `schema_version` is the number 2"),
        (
            "base: omc\nroot:\n  directory: /etc\n",
            "toy.yaml:3:14: `root.directory`: '/etc' is not a relative path, write it relative to its root",
        ),
        ("base: omc\nroot:\n  state: ../x\n", "toy.yaml:3:10: `root.state`: '../x' leaves or repeats its directory"),
        (
            "base: omc\nidentity:\n  pattern: '^[a-z$'\n",
            "toy.yaml:3:12: `identity.pattern` is not a regular expression (unterminated character set",
        ),
        (
            "base: omc\nidentity:\n  pattern: ^.+$\n",
            "toy.yaml:3:12: `identity.pattern` matches 'a/b', a session id becomes",
        ),
        (
            "base: omc\nidentity:\n  pattern: '[a-z]+'\n",
            "toy.yaml:3:12: `identity.pattern` is not anchored, begin it with ^",
        ),
        (
            "base: omc\nteam: {scan: {name: '^.*$'}}\n",
            "toy.yaml:2:21: `team.scan.name` matches '', a name becomes a path",
        ),
        (
            RALPH + "    links: [{to: ultrawrok}]\n",
            "toy.yaml:4:18: `modes.ralph.links` names the unknown mode `ultrawrok`, did you mean `ultrawork`?",
        ),
        (
            RALPH.replace("ralph", "team") + "    links: [{to: ralph}]\n",
            "the links form a circle (",
        ),
        (
            RALPH + "    links: [{to: ralph}]\n",
            "toy.yaml:4:18: the links form a circle (ralph → ralph), let one direction go",
        ),
        (
            RALPH + "    links: [{to: swarm}, {to: swarm}]\n",
            "toy.yaml:4:31: `modes.ralph` is linked to `swarm` twice, join the two links into one",
        ),
        (
            f"base: omc\norder: [{ORDER}, plan-consensus]\n",
            "toy.yaml:2:8: `order` leaves out the mode `self-improve`",
        ),
        (
            f"base: omc\norder: [{ORDER}, plan-consensus, self-improve, ralph]\n",
            "`order` names `ralph` twice, first in line 2, remove one of the two",
        ),
        (
            f"base: omc\norder: [{ORDER}, plan-consensus, self-improv]\n",
            "`order` names the unknown mode `self-improv`, did you mean `self-improve`?",
        ),
        (
            "base: omc\nfallback: {never: [tema]}\n",
            "toy.yaml:2:20: `fallback.never` names the unknown mode `tema`, did you",
        ),
        ("base: omc\ncommand: {keywords: [stop, STOP]}\n", "toy.yaml:2:28: `command.keywords` holds `STOP` twice"),
        (RALPH + "    title: Team\n", "`modes.team.title` is that of `modes.ralph`, give each mode its own title"),
        (RALPH + "    like: ralf\n", "toy.yaml:4:11: `modes.ralph.like` names the unknown mode `ralf`, did you mean"),
        ("base: omc\nmodes: {x: {like: y}, y: {like: x}}\n", ".like` comes back to `"),
        (
            "base: omc\nmodes: {ralf: {message: x}}\n",
            "toy.yaml:2:9: `modes.ralf` says too little for a new mode, and none is known by that name, did you mean `ralph`?",
        ),
        ("base: omc\nmodes: {nosuch: null}\n", "toy.yaml:2:9: `modes.nosuch` is null, yet no base has that mode"),
        ("base: omcc\n", "toy.yaml:1:7: `base` names the unknown flavor `omcc`, did you mean `omc`?"),
        ("base: toy\n", "toy.yaml:1:7: the bases form a circle (toy → toy), let one of them build on the skill"),
        (
            RALPH + "    message: '{titel} over'\n",
            "toy.yaml:4:14: `{titel}` is no placeholder, did you mean `{title}`?",
        ),
        (RALPH + "    message: '{elapsed} over'\n", "toy.yaml:4:14: `{elapsed}` is no placeholder, write `{phase}`"),
        ("base: omc\nnotes: ['In {title}.']\n", "toy.yaml:2:9: `{title}` stands outside a mode, write the title out"),
        (
            "base: omc\nproduct: {name: 'X{dir}'}\n",
            "toy.yaml:2:17: the placeholder `{dir}` stands in a value that other texts",
        ),
        ("base: omc\nmodes: {Bad Key: {}}\n", "`modes.Bad Key` has a key that does not fit: 'Bad Key' is not a key"),
        (
            'base: omc\nnotes: ["a\\u0007b"]\n',
            "toy.yaml:2:9: `notes[0]` holds the hidden character U+0007, write text",
        ),
        ("revision: '1'\n", "toy.yaml: `product.name` is missing, write it here or in what this builds on"),
        ("revision: '1'\n", "toy.yaml: `host` is missing, write it here or in what this builds on"),
        ("", "toy.yaml:1:1: is empty, write at least one key"),
        (
            "base: omc\nmodes:\n  ralph: {}\n  ralph: {}\n",
            "toy.yaml:4:3: the key `ralph` is written twice, first in line 3",
        ),
    ],
)
def test_a_mistake_is_told_with_place_and_repair(text: str, message: str) -> None:
    resolved, problems = resolve_toy(text)
    assert resolved is None
    assert any(message in problem for problem in problems), "\n".join(problems)


def test_all_modes_that_the_order_leaves_out_are_named_in_one_line() -> None:
    _, problems = resolve_toy(
        "base: omc\norder: [autopilot, ralph, team, omc-teams, plan-consensus, self-improve, swarm]\n"
    )
    assert len(problems) == 1
    assert problems[0].startswith("toy.yaml:2:8: `order` leaves out the modes `ultrawork` (")
    assert all(f"`{key}`" in problems[0] for key in ("ultraqa", "ultragoal", "ultrapilot", "pipeline"))


def test_a_mode_that_is_like_another_needs_a_title_of_its_own() -> None:
    order = "[autopilot, ralph, loop, [ultrawork, ultraqa], ultragoal, swarm, [ultrapilot, pipeline], team, omc-teams,"
    _, problems = resolve_toy(
        f"base: omc\norder: {order} [plan-consensus, self-improve]]\nmodes:\n  loop: {{like: ralph}}\n"
    )
    assert problems == ["toy.yaml:4:3: `modes.loop.title` is that of `modes.ralph`, give each mode its own title"]


def test_a_mistyped_mode_is_told_once() -> None:
    _, problems = resolve_toy("base: omc\nmodes: {swarn: {}}\norder: [swarn]\n")
    assert [problem for problem in problems if "swarn" in problem] == [
        "toy.yaml:2:9: `modes.swarn` says too little for a new mode, and none is known by that name, did you mean `swarm`?"
    ]


def test_a_chain_of_likes_without_end_is_no_crash() -> None:
    modes = "".join(f"  m{number}: {{like: m{number + 1}, title: T{number}}}\n" for number in range(3000))
    _, problems = resolve_toy(f"base: omc\nmodes:\n{modes}")
    assert any("`like` leads through more than 20 modes, start nearer" in problem for problem in problems)
    assert any("modes, write at most 200" in problem for problem in problems)


def test_a_circle_of_bases_is_named_in_full() -> None:
    _, problems = resolve_toy("base: one\n", one="base: two\n", two="base: toy\n")
    assert problems == [
        "two.yaml:1:7: the bases form a circle (toy → one → two → toy), let one of them build on the skill"
    ]


def test_a_mistake_in_a_base_points_into_the_base() -> None:
    _, problems = resolve_toy("base: one\n", one="base: omc\nstale_s: many\n")
    assert problems == ["one.yaml:2:10: `stale_s` is the text `many`, write a whole number"]


def test_all_mistakes_are_told_at_once() -> None:
    text = "base: omc\nstale_s: 1\nproduct: {nam: x}\nmodes:\n  ralph:\n    links: [{to: x}]\n    message: '{titel}'\n"
    _, problems = resolve_toy(text)
    assert [problem.split(": ")[0] for problem in problems] == [
        "toy.yaml:2:10",
        "toy.yaml:3:11",
        "toy.yaml:6:18",
        "toy.yaml:7:14",
    ]


def test_a_union_complains_about_the_chosen_kind_only() -> None:
    _, problems = resolve_toy("base: omc\nteam: {kind: tmux, grace_s: 1}\n")
    missing = {problem.split("`")[1] for problem in problems}
    assert "team.config" in missing
    assert "team.program" not in missing
    assert all(problem.startswith("toy.yaml:2:") for problem in problems)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mode: {actoin: clear}\n", "toy.yaml:2:8: unknown key `actoin` in `mode`, did you mean `action`?"),
        ("mode: {action: clera}\n", "toy.yaml:2:16: `modes.ralph.action` is the text `clera` (the same in "),
        (
            "modes:\n  ralph: {actoin: clear}\n  pipeline: {like: ralph, title: Pipe}\n",
            "toy.yaml:3:11: unknown key `actoin` in `modes.ralph` (the same in another mode)",
        ),
    ],
)
def test_a_mistake_that_many_modes_share_is_told_once(text: str, message: str) -> None:
    resolved, problems = resolve_toy("base: omc\n" + text)
    assert resolved is None
    assert [problem for problem in problems if problem.startswith(message)] == problems[:1]
    assert len(problems) == 1, problems


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "base: pep\nmodes: {team: null}\nteam: {kind: none}\n",
            r"toy\.yaml:3:14: `bridge` names workers of a team, yet `team\.kind` is none, write `bridge: null` \(the base has it in flavors/pep\.yaml:\d+\)",
        ),
        (
            "base: pep\nbridge: null\nteam: {kind: none}\n",
            r"toy\.yaml:3:14: `modes\.team` has the action `shutdown`, yet `team\.kind` is none, take .*\(the base has it in .*\.yaml:\d+\)",
        ),
        (
            "base: omx\ntools: {style: keywords}\n",
            r"toy\.yaml:2:16: `tools\.command_line` is given, yet `tools\.style` is `keywords`, write .*\(the base has it in flavors/omx\.yaml:\d+\)",
        ),
        (
            "base: pep\nidentity: {kind: none}\n",
            r"toy\.yaml:2:18: `team\.kind` is native, which needs a session, yet `identity\.kind` is none, write none, .*\(the base has it in flavors/pep\.yaml:",
        ),
        # Where both stand in the user's file, the value that has to go is told.
        (
            "base: pep\nmodes: {team: null}\nteam: {kind: none}\nbridge: {heartbeats: x, registry: y, session: z}\n",
            r"toy\.yaml:4:9: `bridge` names workers of a team",
        ),
    ],
)
def test_what_does_not_go_with_a_base_s_value_is_told_at_the_users_line(text: str, message: str) -> None:
    resolved, problems = resolve_toy(text)
    assert resolved is None
    assert any(re.match(message, problem) for problem in problems), problems
    assert all(problem.startswith("toy.yaml:") for problem in problems), problems
