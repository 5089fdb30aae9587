"""Ways to forbid a deed, in four languages, on the five surfaces on which a text names it."""

from __future__ import annotations

PATH = ".loom/state/ralph-state.json"
#: What a way holds is filled by the deed: `base` and `ging` in English, `verb` in the others.
SURFACES: dict[str, dict[str, dict[str, str]]] = {
    "en": {
        "call": {"base": 'call `state_clear(mode="ralph")`', "ging": 'calling `state_clear(mode="ralph")`'},
        "rm": {"base": f"run `rm -f {PATH}`", "ging": f"running `rm -f {PATH}`"},
        "words": {"base": "delete the state file of Ralph", "ging": "deleting the state file of Ralph"},
        "path": {"base": f"remove `{PATH}`", "ging": f"removing `{PATH}`"},
        "write": {"base": f"set `active` to `false` in `{PATH}`", "ging": f"setting `active` to `false` in `{PATH}`"},
    },
    "zh": {
        "call": {"verb": '调用 `state_clear(mode="ralph")`'},
        "rm": {"verb": f"运行 `rm -f {PATH}`"},
        "words": {"verb": "删除 Ralph 的状态文件"},
        "path": {"verb": f"移除 `{PATH}`"},
        "write": {"verb": f"在 `{PATH}` 中把 `active` 设为 `false`"},
    },
    "ko": {
        "call": {"verb": '`state_clear(mode="ralph")`를 호출'},
        "rm": {"verb": f"`rm -f {PATH}`를 실행"},
        "words": {"verb": "Ralph의 상태 파일을 삭제"},
        "path": {"verb": f"`{PATH}`를 제거"},
        "write": {"verb": f"`{PATH}`에서 `active`를 `false`로 설정"},
    },
    "ja": {
        "call": {"verb": '`state_clear(mode="ralph")`を実行'},
        "rm": {"verb": f"`rm -f {PATH}`を実行"},
        "words": {"verb": "Ralphの状態ファイルを削除"},
        "path": {"verb": f"`{PATH}`を除去"},
        "write": {"verb": f"`{PATH}`の`active`を`false`に設定"},
    },
}
#: The 18 that the reader has to know for what they are.
WAYS: dict[str, tuple[str, ...]] = {
    "en": (
        "Never {base}.", "Do not {base}.", "Don’t {base}.", "You must not {base}.", "The agent should not {base}.", "Avoid {ging}.",
        "Refrain from {ging}.", "Report the phase instead of {ging}.", "Report the phase rather than {base}.", "End the mode without {ging}.",
        "There is no need to {base}.", "Under no circumstances {base}.", "Refuse to {base}.", "It is forbidden to {base}.",
        "Nobody should {base}.", "No agent may {base}.", "Skip {ging}.", "Leave out {ging}.",
    ),
    "zh": (
        "绝不{verb}。", "不要{verb}。", "别{verb}。", "不得{verb}。", "不应{verb}。", "避免{verb}。", "切勿{verb}。", "报告阶段，而不是{verb}。",
        "报告阶段，而非{verb}。", "结束模式，不{verb}。", "无需{verb}。", "任何情况下都不要{verb}。", "拒绝{verb}。", "禁止{verb}。",
        "任何人不得{verb}。", "任何代理不得{verb}。", "跳过{verb}。", "省略{verb}。",
    ),
    "ko": (
        "절대 {verb}하지 마세요.", "{verb}하지 마세요.", "{verb}하지 마.", "{verb}해서는 안 됩니다.", "{verb}하지 않아야 합니다.",
        "{verb}하는 것을 피하세요.", "{verb}하는 것을 삼가세요.", "{verb}하는 대신 단계를 보고하세요.", "{verb}하기보다 단계를 보고하세요.",
        "{verb}하지 않고 모드를 종료하세요.", "{verb}할 필요가 없습니다.", "어떤 경우에도 {verb}하지 마세요.", "{verb}하는 것을 거부하세요.",
        "{verb}하는 것은 금지됩니다.", "누구도 {verb}해서는 안 됩니다.", "어떤 에이전트도 {verb}할 수 없습니다.", "{verb}하는 단계를 건너뛰세요.",
        "{verb}하는 것을 생략하세요.",
    ),
    "ja": (
        "決して{verb}しない。", "{verb}しないでください。", "{verb}するな。", "{verb}してはならない。", "{verb}すべきではない。", "{verb}することを避ける。",
        "{verb}を控える。", "{verb}する代わりに段階を報告する。", "{verb}するよりも段階を報告する。", "{verb}せずにモードを終了する。", "{verb}する必要はない。",
        "いかなる場合も{verb}しない。", "{verb}することを拒否する。", "{verb}は禁止されている。", "誰も{verb}してはいけない。",
        "どのエージェントも{verb}してはならない。", "{verb}をスキップする。", "{verb}を省く。",
    ),
}  # fmt: skip
#: Others, most of them with words that no lexicon holds: whatever the reader makes of them, it is no order.
MORE: dict[str, tuple[str, ...]] = {
    "en": (
        "It would be a blunder to {base}.", "Whoever works here swears off {ging}.", "You might be inclined to {base}; resist.",
        "Agents that {base} lose the user's work.", "Think twice before you {base}.", "Older releases used to {base}.",
        "The stop hook will {base} later.", "Only a fool would {base}.", "Should one {base}? No.", "The temptation to {base} is great.",
        "**Never**\n{base}.", "Never, under any circumstances, {base}.", "do NOT {base}!", "Do n't {base}.", "Heaven forbid that you {base}.",
        "Please {base}... just kidding.", "{base}: this is what broke the last release.", "Far be it from you to {base}.",
        "Neither stop the team nor {base}.", "It's not your job to {base}.", "By no means {base}.", "Hands off: do not even {base}.",
        "We decided against {ging}.", "❌ {base}", "~~{base}~~", "> **Warning**: {base} and everything is gone.",
        "Anything but {ging} is fine.", "A cancel that would {base} is a bug.", "You can {base} if you hate your colleagues.",
        "Do everything except {ging}.", "{base}. This is forbidden.", "{base}. Never.", "{base} — never!", "Ｎｅｖｅｒ {base}.",
        "Never do the following:\n\n- {base}", "What not to do:\n\n1. {base}", "| Never | Why |\n|---|---|\n| {base} | it loses work |",
        "| Wrong | Right |\n|---|---|\n| {base} | report |", "- Do not:\n  - {base}", "## Forbidden\n\n{base}.", "## Anti-patterns\n\n- {base}",
        "## Never do this\n\n{base}.", "The plan was to {base}, which we dropped.", "Nev\u200ber {base}.", "<!-- {base}. -->",
        "| Command | Allowed |\n|---|---|\n| {base} | no |", "| # | Step | Do it? |\n|---|---|---|\n| 1 | {base} | ❌ |",
        "| Step | Verdict |\n|---|---|\n| {base} | not on your life |", "| Step | By |\n|---|---|\n| {base} | the stop hook |",
        "| Before 2.0 | Since 2.0 |\n|---|---|\n| {base} | report |", "| Step | Why it is wrong |\n|---|---|\n| {base} | the plan is lost |",
        "<details><summary>Never do this</summary>\n\n{base}.\n\n</details>", "<div>Forbidden:</div>\n\n{base}.", "Forbidden:\n\n{base}.", "Never end the mode so: {base}.", "Do not clear anything: {base}.",
        "<div class=\"warning\">\n\n**Never**:\n\n{base}.\n\n</div>",
    ),
    "zh": (
        "千万不可{verb}。", "谁要是{verb}谁负责。", "{verb}是大忌。", "{verb}的做法已经废弃。", "请不要{verb}！", "严禁{verb}。", "以前的版本会{verb}。",
        "勿{verb}。", "绝对不能{verb}。", "切莫{verb}。", "{verb}？不行。", "由钩子{verb}。", "与其{verb}，不如报告。", "不要：\n\n- {verb}", "{verb}，这是错误的。",
        "## 禁止\n\n- {verb}", "| 错误 | 正确 |\n|---|---|\n| {verb} | 报告 |", "| 命令 | 允许 |\n|---|---|\n| {verb} | 否 |", "禁止：\n\n{verb}。",
    ),
    "ko": (
        "{verb}하면 큰일 납니다.", "{verb}은 금물입니다.", "{verb}하지 말 것.", "{verb}하지 않도록 주의하세요.", "이전 버전은 {verb}했습니다.",
        "훅이 {verb}합니다.", "{verb}하는 실수를 저지르지 마세요.", "{verb} 금지", "{verb}할까요? 아니요.", "하지 마세요:\n\n- {verb}", "## 금지\n\n- {verb}",
    ),
    "ja": (
        "{verb}してはいけません。", "{verb}するべからず。", "{verb}は厳禁。", "{verb}しないこと。", "以前の版は{verb}した。", "フックが{verb}する。",
        "{verb}するのは愚かだ。", "{verb}するくらいなら報告する。", "{verb}してしまうと失われる。", "{verb}するのはやめる。", "禁止事項：\n\n- {verb}", "## 禁止\n\n- {verb}",
    ),
}  # fmt: skip
#: Orders: the reader has to take most of them for what they are.
ORDERS: dict[str, tuple[str, ...]] = {
    "en": (
        "{base}.", "Then {base}.", "If Ralph is active, {base}.", "1. Stop the loop.\n2. {base}.", "- **Ralph**: {base}", "Finally, {base} and report.",
        "Stop the workers first, then {base}.", "For each session, {base}.", "End the mode by {ging}.", "Always {base}.", "You must {base}.",
        "Do not forget to {base}.", "Cancel Ralph: {base}, then verify.", "When the workers have stopped, {base}.",
    ),
    "zh": ("{verb}。", "然后{verb}。", "如果 Ralph 处于活动状态，{verb}。", "- **Ralph**：{verb}", "先停止循环，再{verb}。", "必须{verb}。"),
    "ko": ("{verb}합니다.", "그다음 {verb}하세요.", "Ralph가 활성이면 {verb}합니다.", "- **Ralph**: {verb}", "루프를 중지한 뒤 {verb}합니다."),
    "ja": ("{verb}します。", "次に{verb}する。", "Ralphがアクティブな場合、{verb}してください。", "- **Ralph**: {verb}", "ループを停止してから{verb}する。"),
}  # fmt: skip


def filled(ways: dict[str, tuple[str, ...]]) -> list[tuple[str, str, str]]:
    """Return language, surface and text for each way on each surface."""
    found = []
    for language, templates in ways.items():
        for surface, forms in SURFACES[language].items():
            for template in templates:
                text = template.format(**forms)
                found.append((language, surface, text[0].upper() + text[1:] if text[0].isascii() else text))
    return found


#: What a text orders of Ralph where it forbids to remove its record, and where it forbids to write it.
ORDER: dict[str, tuple[str, str]] = {
    "en": ("Set `active` to `false` in its state file.", "Delete its state file."),
    "zh": ("将其状态文件中的 `active` 设为 `false`。", "删除其状态文件。"),
    "ko": ("상태 파일에서 `active`를 `false`로 설정합니다.", "상태 파일을 삭제합니다."),
    "ja": ("状態ファイルの `active` を `false` に設定します。", "状態ファイルを削除します。"),
}


def skill(language: str, surface: str, forbidding: str, *, order: bool = True) -> str:
    """Return a cancel skill that orders one end of Ralph and forbids the other."""
    ordered = ORDER[language][surface == "write"] if order else ""
    return (
        "---\nname: cancel\ndescription: Cancel any active Loom mode (ralph, team). Use when the user asks to stop one.\n---\n"
        "# Cancel\n\n`/loom:cancel` ends the active Loom mode. State: `.loom/state/sessions/<session_id>/<mode>-state.json`.\n\n"
        f"1. Ralph\n2. Team\n\n## Ralph\n\n{ordered}\n\n{forbidding}\n\n## Team\n\n"
        '`state_clear(mode="team", session_id="<session_id>")`\n'
    )


def place(text: str, surface: str) -> tuple[int, int]:
    """Return line (from 1) and column (from 0) of the deed in a text."""
    marks = {"call": "state_clear", "rm": "rm -f", "path": f"`{PATH}", "write": "`active"}
    words = ("elet", "删除", "삭제", "削除")
    at = next(found for word in ((marks[surface],) if surface in marks else words) if (found := text.find(word)) >= 0)
    if surface == "words" and text[at - 1] in "Dd":
        at -= 1
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1)
