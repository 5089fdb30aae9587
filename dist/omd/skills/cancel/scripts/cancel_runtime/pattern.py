"""Match a session id against the flavor's pattern, without the cost of `re` for the plain patterns that flavors have."""

_NO_DOTS = r"(?!\.{1,2}$)"
_known = {}


def matches(pattern, text):
    """Whether the whole text matches; the pattern is anchored by `^` and `$`, and `$` means the very end."""
    inner = pattern[1:-1]
    if inner.startswith(_NO_DOTS):
        if text in (".", ".."):
            return False
        inner = inner[len(_NO_DOTS) :]
    if inner not in _known:
        _known[inner] = _atoms(inner)
    atoms = _known[inner]
    if atoms is None:
        import re

        return re.fullmatch(pattern, text) is not None and not text.endswith("\n")
    for allowed, low, high in atoms[:-1]:
        if len(text) < low or high != low or not allowed.issuperset(text[:low]):
            return False
        text = text[low:]
    allowed, low, high = atoms[-1]
    return low <= len(text) and (high is None or len(text) <= high) and allowed.issuperset(text)


def _atoms(inner):
    """[(set of characters, least, most or None)] of `[..]`, `[..]+`, `[..]{m,n}`; only the last may vary in length; else None."""
    atoms = []
    at = 0
    while at < len(inner):
        end = inner.find("]", at)
        if inner[at] != "[" or end < 0 or (atoms and atoms[-1][1] != atoms[-1][2]):
            return None
        allowed = _set(inner[at + 1 : end])
        if allowed is None:
            return None
        at = end + 1
        low = high = 1
        if inner[at : at + 1] == "+":
            high, at = None, at + 1
        elif inner[at : at + 1] == "{":
            end = inner.find("}", at)
            low_text, _, high_text = inner[at + 1 : end].partition(",")
            if end < 0 or not low_text.isdigit() or not high_text.isdigit():
                return None
            low, high, at = int(low_text), int(high_text), end + 1
        atoms.append((allowed, low, high))
    return atoms or None


def _set(text):
    """The characters of a class without escapes or negation, else None."""
    if (
        not text
        or text[0] == "^"
        or "\\" in text
        or "[" in text
        or "&&" in text
        or "||" in text
        or "~~" in text
        or "--" in text
    ):
        return None
    allowed = set()
    at = 0
    while at < len(text):
        if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
            if text[at] > text[at + 2]:
                return None
            allowed.update(chr(code) for code in range(ord(text[at]), ord(text[at + 2]) + 1))
            at += 3
        else:
            allowed.add(text[at])
            at += 1
    return allowed
