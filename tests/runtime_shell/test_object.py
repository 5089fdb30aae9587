"""The shell's own reading of JSON: what it takes for an object is one, and plain objects are taken."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

OBJECT = Path(__file__).parents[2] / "templates/cancel/partials/shell/object.sh.j2"
HARNESS = """
set -u
set -f
LC_ALL=C
shopt -s extglob
. "$1"
for number in $(seq 0 "$3"); do
  if read_text "$2/$number" && is_object "$text"; then printf '1'; else printf '0'; fi
done
"""
SEEDS = [
    {"active": True, "session_id": "s1", "current_phase": "x", "iteration": 3, "n": [1, -2.5, 1e5, 0], "null": None},
    {
        "prompt": 'say "hi" \\ {not} [a, b]: "active": true, \n\t\u00e9 \u20ac \U0001f600',
        "nested": {"a": {"b": [[], {}, [{}]]}},
    },
    {"": "", "list": ["a", "b", ["c"]], "t": True, "f": False, "k:v": "x,y"},
    {},
]


def is_object(data: bytes) -> bool:
    def refuse(word: str) -> None:
        raise ValueError(word)

    try:
        return isinstance(json.loads(data.decode("utf-8"), parse_constant=refuse), dict)
    except (ValueError, RecursionError):
        return False


def mutations(count: int) -> list[bytes]:
    random.seed(20260912)
    alphabet = [
        '"',
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "0",
        "1",
        "e",
        ".",
        "-",
        " ",
        "\n",
        "t",
        "u",
        "true",
        "\\u00",
        "\x7f",
        "\x01",
    ]
    texts = []
    for _ in range(count):
        seed = random.choice(SEEDS)
        text = json.dumps(seed, ensure_ascii=random.random() < 0.5, indent=random.choice([None, 2]))
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            at = random.randrange(len(text) + 1)
            change = random.random()
            if change < 0.4:
                text = text[:at] + text[at + random.choice([1, 1, 3]) :]
            elif change < 0.8:
                text = text[:at] + random.choice(alphabet) + text[at:]
            else:
                other = random.randrange(len(text) + 1)
                text = text[:at] + text[other : other + 5] + text[at:]
        data = text.encode()
        if random.random() < 0.1:
            at = random.randrange(len(data) + 1)
            data = data[:at] + bytes([random.randrange(128, 256)]) + data[at:]
        texts.append(data)
    return texts


def judged(texts: list[bytes], tmp_path: Path, bash: list[str]) -> list[bool]:
    for number, data in enumerate(texts):
        (tmp_path / str(number)).write_bytes(data)
    command = [*bash, "-c", HARNESS, "harness", str(OBJECT), str(tmp_path), str(len(texts) - 1)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return [mark == "1" for mark in done.stdout]


@pytest.mark.parametrize("bash", [["bash"], ["bash", "--posix"]])
def test_the_shell_and_python_agree_on_what_is_a_json_object(bash: list[str], tmp_path: Path) -> None:
    texts = mutations(1500)
    verdicts = judged(texts, tmp_path, [shutil.which(bash[0]) or "bash", *bash[1:]])
    truth = [is_object(data) for data in texts]
    assert 300 < sum(truth) < 1200
    wrong = [(data, verdict) for data, verdict, right in zip(texts, verdicts, truth, strict=True) if verdict != right]
    assert wrong == []


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"a":NaN}', b'{"a":Infinity}', b'{"a":+1}', b'{"a":.5}', b'{"a":1.}', b'{"a":01}', b'{"a":1 2}', b"{]", b"{[}]",
     b'{"a":[1},"b":2]}', b'{"a":1,"b"}', b'{"a":"b":"c"}', b'{"a":[1:2]}', b'{1:2}', b'{"a":truefalse}', b'{"a":nul}', b'{"a":v}',
     b'{kv}', b'{p}', b'{"a":"\xc3\x28"}', b'{"a":"\xed\xa0\x80"}', b'{"a":"\xf4\x90\x80\x80"}', b'{"a":"\xc0\x80"}', b'\xef\xbb\xbf{}',
     b'{"a":1}\x00', b'{"a":"\\ud83d"x}', b"/* */ {}", b"{'a':1}", b'{"a":1,}', b'{,}', b'{"a":[1,]}'],
)  # fmt: skip
def test_what_is_no_object_is_none(data: bytes, tmp_path: Path) -> None:
    assert not is_object(data)
    assert judged([data], tmp_path, ["bash"]) == [False]


def test_a_text_beyond_the_limits_is_not_taken(tmp_path: Path) -> None:
    deep = b'{"a":' * 70 + b"1" + b"}" * 70
    large = json.dumps({"a": "x" * 65536}).encode()
    fits = json.dumps({"a": "x" * 60000, "b": ["y"] * 500}).encode()
    assert judged([deep, large, fits], tmp_path, ["bash"]) == [False, False, True]
