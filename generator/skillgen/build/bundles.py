"""Render bundles in memory, with what they were made from, and hold them against the rules for bundles."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from importlib import import_module

from skillgen import __version__
from skillgen.build.contracts import resolve_all
from skillgen.build.inputs import Inputs
from skillgen.errors import InputError, Problem
from skillgen.model.contract import Contract
from skillgen.model.files import Files
from skillgen.model.origin import Origin
from skillgen.render.bundle import Renderer
from skillgen.resolve.contract import bases

_RULES = ("sg1", "sg4")
"""Rules that decide whether a bundle can be loaded; what its text says is `skillgen audit`'s."""


class Bundles:
    """Contracts of the chosen flavors, and their bundles on demand."""

    def __init__(self, inputs: Inputs, ids: Sequence[str]) -> None:
        self._inputs = inputs
        self._renderer = Renderer(inputs.templates)
        self.contracts = {id_: resolved.contract for id_, resolved in resolve_all(inputs, ids).items()}

    def render(self, contract: Contract) -> tuple[Origin, Files]:
        """Return a bundle that breaks no rule at error level; raises InputError for one that does."""
        rendered, _ = self._renderer.render(contract)
        files = {path: (file.data, file.mode) for path, file in rendered.items()}
        refuse_broken(files, contract.flavor)
        data = files[f"skills/{contract.front.name}/contract.json"][0]
        origin = Origin(
            skillgen=__version__,
            flavor=contract.flavor,
            revision=contract.revision,
            plugin=contract.plugin.name,
            version=contract.plugin.version,
            license=contract.plugin.license,
            skill=contract.front.name,
            contract=hashlib.sha256(data).hexdigest(),
            sources=dict(self._sources(contract)),
        )
        return origin, files

    def _hosts(self, contract: Contract) -> Iterator[str]:
        yield f"hosts/{contract.host.id}.yaml"
        yield from (f"hosts/{host}{end}" for host in contract.host.manifests for end in ("/", ".yaml"))

    def _sources(self, contract: Contract) -> Iterator[tuple[str, str]]:
        prefixes = ("cancel/", "licences/", "hosts/README.md.j2", "hosts/common/", *self._hosts(contract))
        for name, file in self._inputs.templates.items():
            if name.startswith(prefixes):
                yield f"templates/{name}", hashlib.sha256(file.data).hexdigest()
        problems: list[Problem] = []
        flavors = self._inputs.files.with_bases([contract.flavor], problems)
        for id_ in (*bases(contract.flavor, flavors), contract.flavor):
            yield f"flavors/{id_}.yaml", hashlib.sha256(self._inputs.files.data(id_)).hexdigest()


def with_release(contract: Contract, version: str | None, marketplace: str | None) -> Contract:
    """Return the contract as it is released: under another version, listed by another marketplace."""
    plugin = contract.model_dump(mode="python")["plugin"]
    plugin |= {"version": version or plugin["version"], "marketplace": marketplace or plugin["marketplace"]}
    return contract.model_copy(update={"plugin": type(contract.plugin)(**plugin)})


def refuse_broken(files: Files, name: str) -> None:
    """Raise InputError with every finding at error level of the rules that decide whether a bundle can be loaded."""
    from skillgen.audit.engine import audit
    from skillgen.audit.rules import RULES
    from skillgen.load.rendered import rendered_tree
    from skillgen.model.finding import Severity

    problems: list[Problem] = []
    tree = rendered_tree(files, name, problems)
    # Only these are imported: all of them take as long as a pack.
    rules = [import_module(f"skillgen.audit.rules.{name}") for name in RULES if name.startswith(_RULES)]
    for report in audit([tree], rules):
        for finding in report.findings:
            if finding.severity is Severity.ERROR:
                what = f"{finding.message} ({finding.code})"
                problems.append(Problem(finding.path, finding.line, finding.column, what, finding.repair))
    if problems:
        raise InputError(problems)
