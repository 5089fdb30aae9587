"""Let the repository around a text speak where the text is silent, each value with its file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from skillgen.adopt.hosts import put_host
from skillgen.adopt.wanted import Target
from skillgen.hosts import known_hosts
from skillgen.load.repository import Found, Repository
from skillgen.model.facts import Fact, Facts

#: Lines of a text are fewer; a number from here on stands for a line of another file.
_ELSEWHERE = 1 << 30


@dataclass(slots=True)
class Around:
    """The repository, and a number for each line of it that speaks, as if it were one of the text."""

    repository: Repository
    in_text: Callable[[int], str]
    upstream: dict[str, Any] | None = None
    """The release that the text is of, where that is known: package, version, path, sha256."""
    places: list[Found] = field(default_factory=list)

    def where(self, line: int) -> str:
        """Say in words where a line stands."""
        if line < _ELSEWHERE:
            return self.in_text(line)
        found = self.places[line - _ELSEWHERE]
        return f"{found.path} line {found.line}"

    def facts(self, said: Facts) -> Facts:
        """Return the facts of the text, and of the sources what the text does not say and they say in one way only."""
        more = []
        if not any(fact.value.startswith(".") for fact in said.of("root")):
            more += [
                Fact("root", "", one.value, self._number(one)) for one in _take_single(self.repository.directories)
            ]
        if not said.of("variable"):
            hosts = {name for host in known_hosts().values() for name in (*host.session.variables, *host.session.never)}
            own = [one for one in self.repository.variables if one.value not in hosts]
            more += [Fact("variable", "", one.value, self._number(one)) for one in _take_single(own)]
        return Facts([*said.every, *more]) if more else said

    def take_product(self, target: Target) -> None:
        """Take the release, and author, licence and homepage of another product than the base's, from its manifests."""
        if not target.kin:
            release = self.upstream if self.upstream and self.upstream["package"] and self.upstream["version"] else None
            target.data["upstream"] = {**release, "repository": "", "proven": False} if release else None
        for key, one in () if target.kin else self.repository.product.items():
            target.set(("product", key), one.value, self._number(one))

    def take_host(self, target: Target) -> None:
        """Take the one host whose manifest lies there, where the text names none."""
        if target.kin or target.lines.get(("host",)):
            return
        hosts = {one.value: one for one in self.repository.hosts}
        known = known_hosts()
        if len(hosts) == 1 and target.data["host"]["id"] not in hosts:
            id_, one = next(iter(hosts.items()))
            if known[id_].offered:
                put_host(target, known[id_], self._number(one))

    def _number(self, one: Found) -> int:
        self.places.append(one)
        return _ELSEWHERE + len(self.places) - 1


def _take_single(found: Iterable[Found]) -> list[Found]:
    """Return the one that there is; several are no answer."""
    one = list(found)
    return one if len(one) == 1 else []
