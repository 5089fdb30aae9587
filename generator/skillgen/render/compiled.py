"""Keep compiled templates, so that a later run need not compile them again."""

from __future__ import annotations

import hashlib
import marshal

from jinja2.bccache import Bucket, BytecodeCache

_SIGNED = 64


class Compiled(BytecodeCache):
    """Compiled templates in memory; `data` is what an earlier run gave with `dump`, b"" for nothing.

    A template is found again by its name and the digest of its source. What else decides how it is compiled (generator,
    Jinja, Python) must be part of the name under which the caller keeps the data.
    """

    def __init__(self, data: bytes = b"") -> None:
        self._found = _parse(data)
        self.changed = False

    def load_bytecode(self, bucket: Bucket) -> None:
        code = self._found.get(_name(bucket))
        if code is not None:
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._found[_name(bucket)] = bucket.bytecode_to_string()
        self.changed = True

    def dump(self) -> bytes:
        """Return everything as bytes, under a checksum."""
        body = marshal.dumps(self._found)
        return hashlib.sha256(body).hexdigest().encode() + body


def _name(bucket: Bucket) -> str:
    # The two environments fold constants differently.
    return f"{bucket.environment.finalize.__name__} {bucket.key} {bucket.checksum}"  # type: ignore[union-attr]


def _parse(data: bytes) -> dict[str, bytes]:
    body = data[_SIGNED:]
    if hashlib.sha256(body).hexdigest().encode() != data[:_SIGNED]:
        return {}
    found = marshal.loads(body)
    return found if isinstance(found, dict) else {}
