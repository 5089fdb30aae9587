"""Say what a sentence does with each path in it: keep, remove, or write; by the verb of the path's own clause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from skillgen.audit.reader.paths import is_file, spans

_KEEP = r"preserv\w*|kept|keep|keeps|keeping|retain\w*|surviv\w*|untouched|protected|intact|stays?|leaves?"
#: What a cancel is said not to do with what it keeps.
_TOUCH = r"touch\w*|modif\w+|edit\w*|alter\w*|overwrit\w+|chang\w+|mov(?:e|es|ed|ing)"
_KILL = (
    r"kill\w*|clear\w*|destroy\w*|remov\w*|delet\w*|clean(?:s|ed|ing)?(?: up)?|drop(?:s|ped)?|wip\w+|eras\w+|unlink\w*|purg\w+|"
    r"prun\w+|discard\w*|rm"
)
_WRITE = (
    r"set|sets|setting|writ\w+|updat\w+|us(?:e|es|ed|ing)|read|reads|reading|load\w*|creat\w+|record(?:s|ed)?|stor(?:e|es|ed)|"
    r"check\w*|mark(?:s|ed)?|list(?:s|ed)?|scan\w*|look(?:s)?|restor\w+|resum\w+|pars\w+|enumerat\w+|run|runs"
)
_VERB = re.compile(
    rf"\b(?:(?P<keep>{_KEEP})|(?P<kill>{_KILL})|(?P<touch>{_TOUCH})|(?P<write>{_WRITE}))\b|"
    r"(?P<fkeep>保留|保持|保护|保護|보존|유지|보호|남기|남겨|남는|保存(?![在于於到至])|残す|残し|残り|残る|維持)|"
    r"(?P<fkill>清理|清除|删除|刪除|移除|삭제|제거|정리|초기화|지우|지운|지웁|지워|없애|없앱|削除|消去|クリア|除去|消す)|"
    r"(?P<fwrite>写入|設定|设置|更新|使用|读取|기록|설정|사용|읽|書き|読み)",
    re.I | re.A,
)
#: Without one of these a line neither keeps nor removes.
_SPEAKS = re.compile(
    r"preserv|kept|keep|retain|surviv|untouched|protected|intact|stay|leave|kill|clear|destroy|remov|delet|clean|drop|wip|eras|unlink|"
    r"purg|prun|discard|\brm\b|touch|modif|edit|alter|overwrit|chang|mov(?:e|ing)|"
    r"保|유지|보존|보호|남|残|維持|清|删|刪|移除|삭제|제거|정리|초기화|지우|지운|지웁|지워|없|削|消|クリア|除|以外|제외"
)
_CUT = re.compile(
    r"[;；。！？]|[.!?](?=\s|$)|\s[—–]\s|,\s+(?!(?:and\s+|or\s+)?[`~.])|，(?!\s*`)|\b(?:but|while|whereas|instead)\b(?!\s+`)|"
    r"(?<=[되하])(?:고|며)\s|(?<=[しれて])、|"
    r"\band\s+(?=(?:then |also |never |do not )?(?:" + _KEEP + "|" + _KILL + "|" + _WRITE + r")\b)",
    re.I | re.A,
)
_BRACKET = re.compile(r"[(（]([^()（）]*)[)）]")
_NEGATED = re.compile(
    r"(?:\b(?:never|not|cannot|nor|without|avoid(?:s|ing)?)|n't)(?:\s+(?:be|to|ever|been|auto\w*|\w+ly))?(?:\s+\w+(?:,|\s+(?:or|and)))*\s*$|"
    r"不(?:会|會|得|可|能)?(?:被|再)?$|勿$",
    re.I | re.A,
)
_NEGATED_AFTER = re.compile(
    r"(?:되|하|지|시키)*\s*지?\s*(?:않|마|말)|しない|しません|されない|されません|せず|안\s*(?:됨|됩|된)|不可|禁止"
)
_NOT_AHEAD = re.compile(r"안\s*$|(?:자동\s*)$")
_PASSIVE = re.compile(r"(?:ed|kept|written|untouched|intact|set|surviv\w*|stays?)$", re.I | re.A)
_ARTICLE = re.compile(r"\b(?:the|an?|this|that|its|their|your|each|every|all|any|no|of)\s+(?:[\w-]+\s+)?$", re.I | re.A)
_ASIDE = re.compile(r"`?\s*[(（]([^()（）]{2,40})[)）]")
_LIES = re.compile(r"kept$|keep(?:s|ing)?$", re.I)
#: The path is the subject of what follows.
_IS = re.compile(
    r"`?[)）]?\s*(?:(?:also|all|both)\s+)?(?:is|are|was|were|will|must|may|can|should|gets?|stays?|survives?)\b",
    re.I | re.A,
)
_EXCEPT = re.compile(
    r"\b(?:except|but not|apart from|other than|excluding|all but|save for)\b|除了?|제외|以外", re.I | re.A
)
_PLACE = re.compile(
    r"\b(?:under|in|inside|within|from|at|below|into|to|of|via|using|through|matching)\s+(?:the\s+|each\s+|every\s+)?(?:\w+\s+)?$",
    re.I | re.A,
)
#: "keeps all of its modes in one file, `x`".
_IN_ONE = re.compile(r"\b(?:in|under|inside|within) (?:one|a|the|its|this|a single)(?: \w+){1,3}[,:]?\s*$", re.I | re.A)
_BY_HAND = re.compile(r"\bby hand\b|\bmanually\b|\byourself\b|\bdirectly\b|手动|直接|직접|手動|手で|直接", re.I | re.A)
#: "What lies below `x/`", said behind it.
_PLACE_AFTER = re.compile(
    r"`?\s*(?:目录|目錄|文件夹)?(?:下|中|内|里)|`?\s*(?:ディレクトリ|フォルダ)?(?:以下|配下|の中|にある|から)|"
    r"`?\s*(?:디렉터리|디렉토리|폴더)?(?:에서|에 있는| ?아래| ?안의|내의)",
    re.A,
)
#: A code span that names all files of a kind.
_CLASS = re.compile(r"`[^`\n]*\*\.\w+`", re.A)
_CODE = re.compile(r"`[^`\n]*`")
_JOIN = re.compile(r"[\s,，、/&]*(?:(?:and|or|및|와|과|和|与|と|や)\s*)?$", re.A)
_BARE = re.compile(r"[(（]((?:[\w.-]+\.\w{1,5}\s*[,，、]\s*)+[\w.-]+\.\w{1,5})[)）]", re.A)


@dataclass(frozen=True, slots=True)
class Governed:
    """A path and the deed (`keep`, `spare` for what is not touched, `kill`, `write`, '' when no verb has it); `clause` is where in its line."""

    path: str
    deed: str
    clause: tuple[int, int]


def govern(line: str, *, whole: bool = False) -> Iterator[Governed]:
    """Yield each path of a line of prose that keeps or removes; `whole` asks for those of any line."""
    found = [*spans(line)]
    for match in _BARE.finditer(line):
        found += [
            (word.strip(), match.start(1), match.end(1))
            for word in re.split("[,，、]", match[1])
            if is_file(word.strip())
        ]
    if not found or not (whole or _SPEAKS.search(line.lower())):
        return
    masked = _masked(line)
    for start, end in _clauses(masked):
        inside = [span for span in found if start <= span[1] < end]
        for run in _runs(line, inside):
            deed = _deed(line, masked, start, end, run[0][1], run[-1][2])
            for path, *_ in run:
                yield Governed(path, deed, (start, end))


@lru_cache(maxsize=4096)
def governed(line: str) -> tuple[Governed, ...]:
    """Return what `govern` yields of a line of prose."""
    return tuple(govern(line))


def _clauses(whole: str) -> list[tuple[int, int]]:
    """Return the clauses; a bracket that has a verb is its own, one of nothing but names belongs to its sentence."""
    own = []
    outer = whole
    for match in _BRACKET.finditer(whole):
        start, end = match.span(1)
        if _VERB.search(match[1]):
            own.append((start, end))
        outer = outer[:start] + "#" * (end - start) + outer[end:]
    clauses = _cut(outer, 0, len(whole))
    if not own:
        return clauses
    inner = [piece for start, end in own for piece in _cut(whole, start, end)]
    return [*inner, *(piece for clause in clauses for piece in _without(clause, own))]


def _cut(words: str, start: int, end: int) -> list[tuple[int, int]]:
    cuts = [start, *(m.end() for m in _CUT.finditer(words, start, end)), end]
    return [(a, b) for a, b in pairwise(cuts) if a < b]


def _without(clause: tuple[int, int], own: list[tuple[int, int]]) -> list[tuple[int, int]]:
    start, end = clause
    pieces = []
    for a, b in own:
        if start <= a and b <= end:
            pieces.append((start, a))
            start = b
    return [*pieces, (start, end)]


def _masked(line: str) -> str:
    """Blank what stands in code marks and brackets of names, where no verb is one."""
    return _CODE.sub(lambda m: "`" + "#" * (len(m[0]) - 2) + "`", line).replace("*", " ")


def _runs(line: str, found: list[tuple[str, int, int]]) -> list[list[tuple[str, int, int]]]:
    runs: list[list[tuple[str, int, int]]] = []
    for span in sorted(found, key=lambda one: one[1]):
        if runs and (span[1] == runs[-1][-1][1] or _JOIN.match(line[runs[-1][-1][2] : span[1]])):
            runs[-1].append(span)
        else:
            runs.append([span])
    return runs


def _deed(line: str, masked: str, start: int, end: int, run_start: int, run_end: int) -> str:
    verbs = [verb for verb in _VERB.finditer(masked, start, end) if not _is_noun(masked, start, verb)]
    before = [verb for verb in verbs if verb.end() <= run_start]
    after = [verb for verb in verbs if verb.start() >= run_end]
    foreign = [verb for verb in verbs if (verb.lastgroup or "").startswith("f")]
    active = next(
        (v for v in reversed(before) if not _PASSIVE.search(v[0]) or masked[v.end() : v.end() + 1] in ":："), None
    )
    passive = next((verb for verb in after if _PASSIVE.search(verb[0]) or verb in foreign), None)
    said = next((verb for verb in reversed(before) if run_start - verb.end() <= 15), None)
    if not (active or passive or said) and (bracket := _ASIDE.match(masked, run_end)):
        passive = _VERB.search(bracket[1])
        return (passive.lastgroup or "").removeprefix("f") if passive and len(bracket[1].split()) <= 3 else ""
    led = active and passive and passive in foreign and re.search("[:：]", masked[active.end() : run_start])
    verb = (passive if led or _IS.match(masked, run_end) else None) or active or passive or said
    if not verb:
        return ""
    deed = (verb.lastgroup or "").removeprefix("f")
    lead, tail = masked[start : verb.start()], masked[verb.end() : end]
    negated = bool(
        _NEGATED.search(lead[-30:])
        or _NEGATED_AFTER.match(tail.lstrip(" *"))
        or (verb in foreign and _NOT_AHEAD.search(lead) and "안" in lead[-4:])
    )
    between = masked[verb.end() : run_start] if verb.end() <= run_start else masked[run_end : verb.start()]
    if deed in ("kill", "touch"):
        if negated and deed == "touch" and _BY_HAND.search(masked, min(verb.end(), run_end), end):
            return ""  # another way to change it is asked for
        if negated and verb is said and verb is not active and verb is not passive:
            return ""  # "not the removed `x`" only tells which one is meant
        if negated or (deed == "kill" and _EXCEPT.search(between)):
            return "keep" if deed == "kill" else "spare"
        if deed == "touch":
            return "write"
        if verb.end() <= run_start and _CLASS.match(line, run_start) and len(between.strip(" *`(")) > 4:
            return ""  # "the legacy files (`x/*.json`)": where they lie
        place = _PLACE_AFTER.match(masked, run_end) or (verb.end() <= run_start and _PLACE.search(between))
        return "" if place else "kill"
    if verb.end() <= run_start and _LIES.match(verb[0]) and (_PLACE.search(between) or _IN_ONE.search(between)):
        return ""  # "state is kept in `x/`": where it lies
    return "" if negated else deed


def _is_noun(masked: str, start: int, verb: re.Match[str]) -> bool:
    """Whether a word that could be a verb of writing stands behind an article: `the bale list`, `each run`."""
    return verb.lastgroup == "write" and bool(_ARTICLE.search(masked, max(start, verb.start() - 40), verb.start()))
