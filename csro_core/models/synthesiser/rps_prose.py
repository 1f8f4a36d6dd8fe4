"""Words about a repeated rock-paper-scissors genome: the docstring of a policy and the comments at its signals."""

import re
import textwrap
from collections.abc import Sequence

from csro_core.models.synthesiser.genome import Genome, Signal

WIDTH = 108

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_FURTHER = (
    "Each guess is also read one and two steps further: they expect it; they expect that I know.",
    "Each guess stands for three replies: beat it, beat what beats it, or play it, whichever has paid.",
    "A guess that is wrong in a regular way is as good as a right one, so its answer and the next one count too.",
)
_UNNAMEABLE = re.compile(r"[^\w #.+:()-]+", re.ASCII)


def number(count: int) -> str:
    """Returns a count as a word up to twelve."""
    return _NUMBERS[count] if count < len(_NUMBERS) else str(count)


def plain_name(name: str) -> str:
    """Returns a name with only harmless characters, at most 40: it will stand inside a docstring."""
    return " ".join(_UNNAMEABLE.sub(" ", name).split())[:40].strip() or "an unnamed policy"


def comment_on(signal: Signal, aim: str = "") -> str:
    """Returns what a signal's line is about, seen by the policy ("my throws", "theirs").

    Args:
        signal: the signal.
        aim: a special reason for it, such as "for #3 beat_last", or "".
    """
    what = _subject(signal)
    return f"{what}, {aim}" if aim else what


def _subject(signal: Signal) -> str:
    theirs = signal.side == "opponent"
    if signal.kind == "constant":
        return "how often they throw what"
    if signal.kind == "simulation":
        return "what their copy would do" if theirs else "what a mind-reader expects of me"
    if signal.kind == "lag":
        return f"{'their' if theirs else 'my'} last throw{('', ' but one', ' but two')[signal.length - 1]} again"
    does = "what they do" if theirs else "what I seem to do"
    if signal.kind == "match":
        return f"{does} when {_material(signal.after)} ran like this"
    if signal.relative_to != "nothing":
        turn = "how they turn" if theirs else "how I seem to turn"
        does = f"{turn} from {'my' if signal.relative_to == 'own' else 'their'} last throw"
    least = " least" if signal.pick == "least" else ""
    after = "" if signal.after == "nothing" else f" after the last {_span(signal)}"
    fade = ", soon forgotten" if signal.fade < 0.9 else ", lately" if signal.fade < 1 else ""
    return f"{does}{least}{after}{fade}"


def headline(genome: Genome) -> str:
    """Returns the first sentence of the docstring."""
    guesses = f"{number(len(genome.signals))} guess{'es' if len(genome.signals) > 1 else ''}"
    memories = number(len(genome.memories))
    text = {
        "levelvote": f"{guesses} vote under each of {memories} memories; the memory that earned most lately decides.",
        "vote": f"{guesses} vote, each as loud as its record over {spans(genome.memories)} allows.",
        "levels": f"{memories} memories each back the best of {guesses}; the memory that earned most is followed.",
        "best": f"follows whichever of {guesses} has paid best over {spans(genome.memories)}.",
    }[genome.rule]
    return text[0].upper() + text[1:]


def what_it_watches(genome: Genome) -> str:
    """Returns a sentence about the signals."""
    parts = []
    matches = [s for s in genome.signals if s.kind == "match"]
    habits = [s for s in genome.signals if s.kind == "habit"]
    if matches:
        stretches = listed(sorted({_material(s.after) for s in matches}))
        parts.append(f"looks for earlier stretches of {stretches} that resemble the present")
    if habits:
        situations = sorted({_material(s.after) for s in habits if s.after != "nothing"})
        parts.append("keeps count of " + (f"what follows {listed(situations)}" if situations else "favourite throws"))
    lags = sorted({s.length for s in genome.signals if s.kind == "lag"})
    if lags:
        parts.append(f"tries whether throws return after {listed([number(lag) for lag in lags])}")
    if any(s.kind == "constant" for s in genome.signals):
        parts.append("weighs which throw is most frequent of late")
    if genome.simulates:
        parts.append("asks a copy of another policy for its next throw")
    mirrors = sum(s.side == "own" for s in genome.signals)
    ending = ""
    if 0 < mirrors < len(genome.signals):
        verb = "guesses" if mirrors == 1 else "guess"
        total = number(len(genome.signals))
        ending = f" {_capital(number(mirrors))} of the {total} {verb} its own throw, as a mind-reader would."
    return f"It {listed(parts, last=', and ')}.{ending}"


def how_it_decides(genome: Genome) -> str:
    """Returns sentences about the decision and its safeguards."""
    further = _FURTHER[len(genome.signals) % len(_FURTHER)]
    text = f"{further} Records are kept over {spans(genome.memories)}."
    safeguards = []
    if genome.stop_loss is not None:
        safeguards.append(f"{genome.stop_loss} throws behind, it turns to chance for good")
    if genome.noise:
        safeguards.append(f"{genome.noise:.0%} of its throws are left to chance")
    if safeguards:
        text += f" {_capital(listed(safeguards, last='; '))}."
    return text


def docstring(paragraphs: Sequence[str]) -> str:
    """Returns paragraphs wrapped and indented for a class; the first stands on the line of the quotes."""
    wrapper = textwrap.TextWrapper(WIDTH, break_long_words=False, break_on_hyphens=False)
    blocks = [wrapper.fill(paragraph) for paragraph in paragraphs if paragraph]
    return textwrap.indent("\n\n".join(blocks), "    ").lstrip() + "\n    "


def listed(words: Sequence[str], last: str = " and ") -> str:
    """Returns "a", "a and b", "a, b and c"."""
    return last.join(part for part in (", ".join(words[:-1]), words[-1]) if part)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _material(context: str) -> str:
    return {"own": "my throws", "opponent": "their throws", "both": "both sides' throws", "outcome": "results"}[context]


def _span(signal: Signal) -> str:
    one = signal.length == 1
    count = "" if one else f"{number(signal.length)} "
    return count + {
        "own": "throw of mine" if one else "throws of mine",
        "opponent": "throw of theirs" if one else "throws of theirs",
        "both": "throw of both" if one else "throws of both",
        "outcome": "result" if one else "results",
    }[signal.after]


def spans(memories: Sequence[float]) -> str:
    """Returns "about 100, 20 and 5 throws": a memory that keeps a share x at every throw spans 1 / (1 - x)."""
    finite = [str(round(1 / (1 - memory))) for memory in memories if memory < 1]
    parts = ["the whole match"] if 1.0 in memories else []
    return listed([*parts, *([f"about {listed(finite)} throws"] if finite else [])])
