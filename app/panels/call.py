"""One call of a model: what was sent, part by part, what came back, and what became of it. Texts are letters only."""

import streamlit as st

from app import address, services
from app.formats import duration, money, safe, short
from app.panels.attempts import STATUS, VERDICTS, task_word
from app.snapshot import HASH_DIGITS
from csro_core.models.chat import Prompt, PromptPart
from csro_core.store.calls import CallLine, find_call
from csro_core.store.records import CallRecord

PARTS = {
    "system": "system: role and form of the answer",
    "rules": "rules: game and contract",
    "observation": "observation: what a policy sees",
    "opponents": "opponents: who is met, by weight",
    "parents": "parents: own policies worth building on",
    "lessons": "lessons: what earlier attempts taught",
    "tried": "tried: earlier attempts and what came of them",
    "current": "current: the program to work on",
    "program": "program: the text to describe",
    "task": "task: what is asked for",
}
"""Names of the parts of a prompt (`oracles.prompt`) → their titles."""

OPEN_PARTS = frozenset({"current", "task"})
"""Parts that differ from call to call; the others are folded."""

MOST_CHARACTERS, MOST_PARTS = 120_000, 40
"""More of a text, or more parts, are not drawn: a page of a million letters is of no use to anybody."""

_LONGEST_TITLE = 80
_ANSWER_HEIGHT = 520


def outcome(line: CallLine) -> str:
    """Returns what came of a call, in a word or a few."""
    if line.status == "failed":
        return line.reason or "failed"
    if line.status == "sent":
        return "under way"
    if line.status == "answered":
        if line.message:
            return "no program in it"
        if line.reason == "truncated":
            return "cut off after the program"
        return "from a recording" if line.cached else "answered"
    return line.status


def price(line: CallLine) -> str:
    """Returns what a call cost: "unpriced" where nobody knows, "–" where nothing was billed as far as is known."""
    if line.usd is not None:
        return money(line.usd)
    billed = line.status != "sent" and (line.status != "failed" or line.tokens_in + line.tokens_out > 0)
    return "unpriced" if billed else "–"


def attempt_name(line: CallLine) -> str:
    """Returns what a call was made for: "3" for the third attempt (as the progress line counts), "–" for none."""
    return str(line.attempt + 1) if line.attempt >= 0 else "–"


def panel(run: str, line: CallLine) -> None:
    """Draws the call of this line: its facts, the attempt it led to, prompt and answer."""
    call = find_call(services.store().connections, run, line.id)
    if call is None:
        st.caption("That call is gone.")
        return
    facts(line)
    if line.message:
        st.text(short(line.message, 2000))
    _attempt(line)
    left, right = st.columns(2, gap="medium")
    with left:
        st.html('<p class="csro-panel-title">what was sent</p>')
        prompt(call)
    with right:
        st.html('<p class="csro-panel-title">what came back</p>')
        answer(call)


def facts(line: CallLine) -> None:
    """Draws the line of facts about a call."""
    told = [
        f"iteration {line.iteration}",
        f"attempt {attempt_name(line)}" if line.attempt >= 0 else "for no single attempt",
        task_word(line.task),
        line.model,
        f"{line.tokens_in:,} tokens in, {line.tokens_cached:,} of them cached",
        f"{line.tokens_out:,} tokens out, {line.tokens_thinking:,} of them thinking",
        price(line),
        duration(line.seconds) if line.status != "sent" else "",
        f"used again {line.reused} times" if line.reused else "",
    ]
    spans = "".join(f'<span class="fact">{safe(short(fact, _LONGEST_TITLE))}</span>' for fact in told if fact)
    title = safe(f"call {line.id}: {short(outcome(line), _LONGEST_TITLE)}")
    st.html(f'<div class="csro-head"><span class="title">{title}</span>{spans}</div>')


def _attempt(line: CallLine) -> None:
    """Says what became of the attempt, with a way to its program."""
    if line.attempt < 0:
        return
    if not line.attempt_status:
        st.caption("It has led to no attempt: none was booked for it.")
        return
    word = VERDICTS.get(line.verdict) or STATUS.get(line.attempt_status, line.attempt_status)
    words, program, table = st.columns([0.5, 0.25, 0.25], vertical_alignment="center")
    words.html(f'<div class="csro-plain">attempt {line.attempt + 1} of iteration {line.iteration}: '
               f"<b>{safe(short(word, _LONGEST_TITLE))}</b></div>")  # fmt: skip
    if line.policy and program.button("Open its program", key="open_program", icon=":material/code:"):
        address.put(policy=line.policy[:HASH_DIGITS], player=None)
        address.go("views/policies.py")
    if table.button("All attempts of the iteration", key="open_attempts", icon=":material/table_rows:"):
        address.put(iteration=line.iteration)
        address.go("views/run.py")


def parts(text: str) -> tuple[PromptPart, ...]:
    """Returns the labelled parts of a stored prompt, the system's first; one part where it has another form."""
    try:
        stored = Prompt.from_text(text)
    except ValueError:
        return (PromptPart("as it was stored", text),)
    return (PromptPart("system", stored.system), *stored.parts)


def prompt(call: CallRecord) -> None:
    """Draws what was sent, part by part."""
    if not call.prompt:
        st.caption("No text was sent: this model reads requests as they are, on this machine.")
        return
    known = parts(call.prompt)
    left = MOST_CHARACTERS
    for number, part in enumerate(known[:MOST_PARTS], start=1):
        # The name may come from a stranger's file, and a label is Markdown: only known names are put there.
        title = PARTS.get(part.name, f"part {number}")
        with st.expander(f"{title} ({len(part.text):,} letters)", expanded=part.name in OPEN_PARTS):
            if part.name not in PARTS:
                st.text(short(part.name, _LONGEST_TITLE))
            _text(part.text[:left], len(part.text))
        left = max(0, left - len(part.text))
    if len(known) > MOST_PARTS:
        st.caption(f"{len(known) - MOST_PARTS} more parts are not shown")
    _download("prompt", call.prompt)


def answer(call: CallRecord) -> None:
    """Draws what came back."""
    if not call.answer:
        waiting = "It is still awaited." if call.status == "sent" else "Nothing came back."
        st.caption(waiting)
        return
    _text(call.answer[:MOST_CHARACTERS], len(call.answer), _ANSWER_HEIGHT)
    _download("answer", call.answer)


def _text(shown: str, length: int, height: int | None = None) -> None:
    """Draws letters as they are; `length` is that of the whole text."""
    if height is not None and shown.count("\n") < 24 and len(shown) < 2000:
        height = None
    st.code(shown, language=None, wrap_lines=True, height=height or "content")
    if length > len(shown):
        st.caption(f"{length - len(shown):,} more letters are not shown; the download has them")


def _download(name: str, text: str) -> None:
    st.download_button(
        f"Download the {name}", data=text, file_name=f"{name}.txt", mime="text/plain", icon=":material/download:",
        on_click="ignore", key=f"download_{name}", type="tertiary",
    )  # fmt: skip
