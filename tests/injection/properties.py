"""What must hold of a rendered bundle whatever its flavor's strings hold."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import markdown_shape
from hostile import Case, contracts, get, inputs
from ruamel.yaml import YAML


def check(case: Case) -> None:
    """Hold one rendered case against every property that needs no other program."""
    contract_holds_the_strings(case)
    python_is_unchanged(case)
    front_matter_reads_back(case)
    manifests_read_back(case)
    markdown_keeps_its_shape(case)
    nothing_is_live(case)


def contract_holds_the_strings(case: Case) -> None:
    data = json.loads(case.bundle[case.skill + "contract.json"].data)
    for path, value in case.values.items():
        assert get(data, path) == value, path


def python_is_unchanged(case: Case) -> None:
    scripts = {name: file for name, file in case.bundle.items() if name.endswith(".py")}
    assert scripts
    for name, file in scripts.items():
        source = inputs().templates["cancel/bundle/" + name.removeprefix(case.skill)]
        assert file.data == source.data, name


def front_matter_reads_back(case: Case) -> None:
    front = case.contract.front
    expected: dict[str, Any] = {"name": front.name, "description": front.description, **front.host_keys}
    if case.contract.host.allowed_tools:
        expected["allowed-tools"] = case.contract.host.allowed_tools
    if front.metadata:
        expected["metadata"] = front.metadata
    assert read_front(case.bundle[case.skill + "SKILL.md"].data.decode()) == expected


def read_front(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(StringIO(markdown_shape.split(text)[0]))


def manifests_read_back(case: Case) -> None:
    plugin, product = case.contract.plugin, case.contract.product
    manifests = [name for name in case.bundle if name.endswith("plugin.json") or name == "package.json"]
    assert manifests
    for name in manifests:
        manifest = json.loads(case.bundle[name].data)
        assert manifest["description"] == plugin.description, name
        assert manifest["homepage"] == product.homepage, name
        assert manifest["license"] == plugin.license, name
        author = manifest["author"]
        assert (author["name"] if isinstance(author, dict) else author) == plugin.author, name
        assert tuple(manifest["keywords"]) == plugin.keywords, name
        if "interface" in manifest:
            shown = manifest["interface"]
            assert shown["displayName"] == plugin.display_name
            assert shown["category"] == plugin.category
            assert shown["defaultPrompt"] == [case.contract.command.form]
    if "cordis.patch.yml" in case.bundle:
        patch = YAML(typ="safe", pure=True).load(StringIO(case.bundle["cordis.patch.yml"].data.decode()))
        assert patch == [{"insert": [{"id": plugin.name, "name": plugin.package}]}]


def markdown_keeps_its_shape(case: Case) -> None:
    assert case.bundle.keys() == case.twin.keys()
    for name, file in case.bundle.items():
        if name.endswith(".md"):
            text, harmless = file.data.decode(), case.twin[name].data.decode()
            assert markdown_shape.blocks(text) == markdown_shape.blocks(harmless), name
            assert markdown_shape.living(text) == markdown_shape.living(harmless), name
            if ("product", "homepage") not in case.values:
                assert markdown_shape.targets(text) == markdown_shape.targets(harmless), name


def nothing_is_live(case: Case) -> None:
    for name, file in case.bundle.items():
        if name.endswith(".md"):
            assert b"!`" not in file.data, name
            assert b"```!" not in file.data, name


__all__ = ["check", "contracts"]
