"""Take over the product's names, commands and front matter; of another product nothing of the base's own stays."""

from __future__ import annotations

import re

from skillgen.adopt.hosts import form_of
from skillgen.adopt.names import Names
from skillgen.adopt.phrasing import message, stop_hook
from skillgen.adopt.same import words
from skillgen.adopt.wanted import Target

_KEY = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
#: Front matter that a flavor writes by itself, or that no Agent Skill has at its top.
_OWN_FRONT = frozenset(
    ["name", "description", "license", "compatibility", "allowed-tools", "metadata", "triggers", "keywords", "aliases"]
)


def take_product(target: Target, names: Names) -> None:
    if not target.kin:
        _another(target, names)
    _command(target, names)
    _set_front(target)
    _messages(target)


def _another(target: Target, names: Names) -> None:
    data = target.data
    data["product"].update(name=names.name, title=names.title, author="", homepage="", license="", noun="mode")
    if names.line:
        target.lines[("product", "name")] = names.line
    plugin = data["plugin"]
    package = target.base.plugin.package
    plugin["name"] = f"{names.slug}-cancel" if package else names.slug
    plugin["package"] = plugin["name"] if package else ""
    plugin["display_name"] = f"{names.name} cancel"
    plugin["description"] = (
        f"Cancels the active {names.name} mode of this session, in the right order and without touching other sessions."
    )
    plugin["keywords"] = sorted({"agent-skills", "cancel", "modes", plugin["name"]})
    front = data["front"]
    front["metadata"], front["host_keys"] = (
        {},
        {key: value for key, value in front["host_keys"].items() if key == "argument-hint"},
    )
    data["command"].update(keywords=[], also=[], matching="")
    data.update(notes=[], asides=[], verdicts=[])
    # What the base's product stamps into its records means nothing to another, unless that speaks of it.
    data["outcome_fields"] = {
        deed: {field: value for field, value in fields.items() if target.evidence.says(field)}
        for deed, fields in data["outcome_fields"].items()
    }
    # Sentences of our own, on which nothing has to be checked.
    target.lines[("stop_hook",)] = target.lines[("notes",)] = 0
    # A hook on the product's own command is of no product whose text does not name that command.
    if (hook := data["tool_hook"]) and not target.evidence.says(hook["command"]):
        data["tool_hook"] = None
    data["stop_hook"] = stop_hook(target.evidence.mentions("stop hook"))
    target.described = target.skill.description


def _command(target: Target, names: Names) -> None:
    command, facts = target.data["command"], target.facts
    forms = list(dict.fromkeys(fact.value for fact in facts.of("invocation")))
    known = (command["form"], *command["also"], *command["upstream"])
    made = form_of(target.data["host"]["id"], target.data["plugin"]["name"], target.data["front"]["name"])
    if made and not target.kin:
        # Whatever the text tells, this is what the host makes of the bundle.
        command["form"] = made
    elif names.form and not {*forms} & {*known}:
        target.set(("command", "form"), names.form, names.form_line)
    elif not target.kin:
        told = [form for form in forms if form in known]
        command["form"] = told[0] if told else f"/{target.data['front']['name']}"
    if not target.kin:
        # A prefix of another product is no way to call this one.
        own = command["form"].rpartition(":")[0].lstrip("/$")
        others = [form for form in forms if form != command["form"] and form[:1] in "/$"]
        others = [form for form in others if form.rpartition(":")[0].lstrip("/$") in ("", own)]
        key = "upstream" if made else "also"
        command["also"], command["upstream"] = [], []
        target.set(("command", key), others)
        for fact in facts.of("invocation"):
            target.item(("command", key), fact.value, fact.line)
            if fact.value == command["form"]:
                target.lines.setdefault(("command", "form"), fact.line)
    said = [fact for fact in facts.of("keyword") if fact.detail != "plain" and fact.value[:1] not in "/$"]
    known_words = {word.casefold() for word in target.base.command.keywords}
    if said and ({fact.value.casefold() for fact in said} != known_words or not target.kin):
        fresh = {fact.value.casefold(): fact.value for fact in reversed(said)}
        command["keywords"] = [fact.value for fact in said if fresh.pop(fact.value.casefold(), "")]
        command["matching"] = ""
        for fact in said:
            target.item(("command", "keywords"), fact.value, fact.line)


def _set_front(target: Target) -> None:
    front = target.data["front"]
    for fact in target.facts.of("front"):
        if fact.key == "name" and fact.value != front["name"] and _KEY.fullmatch(fact.value):
            target.set(("front", "name"), fact.value, fact.line)
        if fact.key.replace("_", "-") in _OWN_FRONT or not fact.value.strip():
            continue
        key = fact.key.replace("_", "-").lower()
        if target.kin and key == "when-to-use":
            continue  # the base says when in words of its own
        where = "host_keys" if key in front["host_keys"] else "metadata"
        if _KEY.fullmatch(key) and words(front[where].get(key, "")) != words(fact.value):
            target.set(("front", where, key), " ".join(fact.value.split()), fact.line)
    if not target.kin:
        told = {fact.key.replace("_", "-").lower() for fact in target.facts.of("front")}
        front["host_keys"] = {key: value for key, value in front["host_keys"].items() if key in told}


def _messages(target: Target) -> None:
    messages, name = target.data["messages"], target.data["product"]["name"]
    if not target.kin:
        messages["none"] = target.skill.none.replace("{name}", name)
        messages["none_hint"] = target.skill.none_hint if "--force" in target.facts.values("flag") else ""
        messages["force"] = target.skill.force.replace("{name}", name)
    for key in ("none", "force"):
        fact = next(iter(target.facts.of("message", key)), None)
        if fact and words(messages[key]) != words(fact.value):
            target.set(("messages", key), target.own(message(fact.value)), fact.line)
