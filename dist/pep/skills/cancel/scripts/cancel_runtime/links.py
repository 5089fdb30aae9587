"""Decide which owner and dependant belong together in one session (rule 4)."""

from cancel_runtime.facts import denied, truth


class Held:
    """A link that holds: `owner` and `dependant` are mode keys. `evident`: a field says so, not only that both are active."""

    __slots__ = ("dependant", "evident", "first", "mutual", "owner")

    def __init__(self, owner, link, evident):
        self.owner = owner
        self.dependant = link["to"]
        self.first = link["first"]
        self.mutual = link["either"]
        self.evident = evident


def held(contract, found):
    """Links that hold. `found`: mode key -> its records that are active or cannot be read."""
    links = []
    for owner, mode in contract["modes"].items():
        for link in mode["links"]:
            if found.get(owner) and found.get(link["to"]):
                evident = _holds(contract, link, _body(found[owner]), _body(found[link["to"]]))
                if evident is not None:
                    links.append(Held(owner, link, evident))
    return links


def stale(contract, key, record, found):
    """Title of the owner that a dependant's record names although it is not active, or "" (facts R9)."""
    for owner, mode in contract["modes"].items():
        for link in mode["links"]:
            if link["to"] == key and link["back"] and not found.get(owner) and truth(record.body.get(link["back"])):
                return mode["title"]
    return ""


def _body(records):
    """The body that speaks for a mode: the first active record's, or None where none can be read."""
    return next((record.body for record in records if not record.bad()), None)


def _holds(contract, link, owner, dependant):
    """True for a link by a field, False for one by both being active, None for no link."""
    if denied(dependant, link["back"]) or (link["either"] and denied(owner, link["flag"])):
        return None
    if owner is None and link["first"] == "owner":
        return False  # whatever it would say, its dependants wait for it and it fails
    if not (link["flag"] or link["names"] or link["present"]):
        return False if owner is not None and dependant is not None else None
    told = owner is not None and (
        (bool(link["flag"]) and truth(owner.get(link["flag"])) is True)
        or (bool(link["names"]) and owner.get(link["names"]) in (link["to"], *contract["modes"][link["to"]]["records"]))
        or (bool(link["present"]) and owner.get(link["present"]) not in (None, "", False))
    )
    back = dependant is not None and bool(link["back"]) and truth(dependant.get(link["back"])) is True
    # An owner that cannot be read may well say it: then its dependant's word counts.
    return True if told or (back and (link["either"] or owner is None)) else None
