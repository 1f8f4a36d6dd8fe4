"""Requests in words: `render` turns a structured request into the prompt of a language model. Pure.

The words are in `prompts/*.md`, filled in by `string.Template`, which looks at every place once: what is filled in is
not looked at again. The constant part leads, so that a provider's prefix cache serves every call of a run; after the
rules come what is constant in an iteration (opponents, own policies), then what changes with every attempt.

Source of the structure: knowledge of arXiv 2603.10098 and of OpenEvolve's and ShinkaEvolve's templates; "opponent
conditioning is the most important component of the prompt". Own payoffs go with every opponent and with the *median*
episode, since a single vivid failure misleads models.
"""

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from math import isfinite
from string import Template
from types import MappingProxyType

from csro_core.estimates import Estimate
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.models.base import Feedback, OpponentScore, OpponentView, ParentView, Request
from csro_core.models.chat import Prompt, PromptPart
from csro_core.oracles.alpha_evolve_wordings import LESSON
from csro_core.oracles.framing import cleaned, fenced, quoted
from csro_core.oracles.summaries import MAX_SUMMARY
from csro_core.policies.stripping import without_comments

MAX_PROGRAM = 12_000
"""Characters of an opponent's or a parent's program that are shown."""

MAX_PROGRAMS = 60_000
"""Characters of all opponents' programs together; many opponents get an equal part of it each."""

MAX_CURRENT = 33_000
"""Characters of the program to work on: as many as the contract allows, since an edit must find its lines."""

MAX_TRIED_PROGRAM = 4_000
MAX_TRIED_PROGRAMS = 3
MAX_TRIED = 12
MAX_MESSAGE = 400
MAX_NAME = 60
MAX_EXCERPT = 1_000

_FINE = 100
"""Payoffs of games whose returns span less than this are shown with three decimals, others with one."""

_TROUBLE = MappingProxyType(
    {
        "duplicate": "was not played",
        "refused": "was refused before it was played",
        "failed": "failed while it was played",
        "no-answer": "held no program",
    }
)


def render(request: Request) -> Prompt:
    """Returns the prompt for a request. Equal requests give equal prompts."""
    game = make_game(request.game)
    if request.task == "summarise":
        return _summary_prompt(request, game)
    current = _current(request)
    parts = [
        PromptPart("rules", _rules(request, game)),
        PromptPart("observation", _fill("observation", {"observation": request.observation})),
        PromptPart("opponents", _opponents(request, game)),
    ]
    if request.parents:
        parts.append(PromptPart("parents", _parents(request, game)))
    lessons = [item for item in request.feedback if item.status == LESSON]
    if lessons:
        told = "\n".join(f"- {quoted(item.message, MAX_MESSAGE)}" for item in lessons)
        parts.append(PromptPart("lessons", _fill("lessons", {"lessons": told})))
    attempts = [item for item in request.feedback if item.status != LESSON]
    tried = [item for item in enumerate(attempts, 1) if item[1] is not current]
    screening = make_game(game.screening)
    if tried:
        parts.append(PromptPart("tried", _fill("tried", {"tried": _tried(request, tried[-MAX_TRIED:], screening)})))
    if current is not None:
        told = _attempt(request, current, screening, MAX_CURRENT, whole=True)
        parts.append(PromptPart("current", _fill("current", {"current": told})))
    parts.append(PromptPart("task", _task(request, "propose" if current is None else request.task)))
    return Prompt(_fill("system", {"contract": request.contract.strip()}), tuple(parts), prompt_version())


@lru_cache(maxsize=1)
def prompt_version() -> str:
    """Returns the version of the prompt files: 12 hex digits of a hash over their names and texts."""
    digest = hashlib.sha256()
    for name, text in sorted(_texts().items()):
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()[:12]


@lru_cache(maxsize=1)
def _texts() -> Mapping[str, str]:
    folder = files("csro_core.oracles").joinpath("prompts")
    found = {path.name.removesuffix(".md"): path for path in folder.iterdir() if path.name.endswith(".md")}
    # Files of a checkout on Windows may have other line ends; the version must not depend on them.
    read = {name: path.read_text(encoding="utf-8").replace("\r\n", "\n") for name, path in found.items()}
    return MappingProxyType(read)


def _fill(template: str, values: Mapping[str, str] = MappingProxyType({})) -> str:
    return Template(_texts()[template]).substitute(values).strip()


def _rules(request: Request, game: Game) -> str:
    if game.symmetric:
        seat = _fill("seat-both")
    else:
        seat = _fill("seat-one", {"player": str(request.player), "other": str(1 - request.player)})
    return _fill("rules", {"rules": request.rules.strip(), "seat": seat})


def _opponents(request: Request, game: Game) -> str:
    views = request.opponents
    if not views:
        return _fill("opponents", {"unit": game.unit, "share": "", "opponents": _fill("opponents-none")})
    total = sum(view.weight for view in views)
    if total >= 0.9995:
        share = _fill("share-all")
    elif len(views) == 1:
        share = _fill("share-one", {"share": _percent(total)})
    else:
        share = _fill("share-some", {"count": str(len(views)), "share": _percent(total)})
    limit = min(MAX_PROGRAM, MAX_PROGRAMS // len(views))
    told = "\n\n".join(_opponent(place, view, limit) for place, view in enumerate(views, 1))
    if any(view.source is None and not view.summary for view in views):
        told = f"{_fill('opponents-hidden')}\n\n{told}"
    return _fill("opponents", {"unit": game.unit, "share": share, "opponents": told})


def _opponent(place: int, view: OpponentView, limit: int) -> str:
    lines = [f"## Opponent {place}: {quoted(view.name, MAX_NAME)}, {_percent(view.weight)} of the mixture"]
    if view.source is not None:
        lines.append(_program(view.source, limit))
    elif view.summary:
        lines.append(f"{_fill('data-summary')}\n\n{fenced(view.summary, 'text', MAX_SUMMARY)}")
    return "\n\n".join(lines)


def _program(source: str, limit: int, whole: bool = False) -> str:
    """Returns a program as data: without comments where they can be taken out, or the whole text where asked."""
    stripped = None if whole else without_comments(source)
    return f"{_fill('data-program')}\n\n{fenced(source if stripped is None else stripped, 'python', limit)}"


def _parents(request: Request, game: Game) -> str:
    limit = min(MAX_PROGRAM, MAX_PROGRAMS // (2 * len(request.parents)))
    told = "\n\n".join(_parent(request, place, view, game, limit) for place, view in enumerate(request.parents, 1))
    return _fill("parents", {"parents": told})


def _parent(request: Request, place: int, view: ParentView, game: Game, limit: int) -> str:
    # An attempt that an oracle takes for a parent is no policy yet: it has no hash, and has been screened only.
    played = game if view.hash else make_game(game.screening)
    lines = [f"## Your own policy {place}: {quoted(view.name, MAX_NAME)}"]
    lines.append(_payoffs(request, view.score, view.per_opponent, played))
    known = [number for number, other in enumerate(request.opponents, 1) if other.hash == view.hash and other.source]
    shown = known if view.hash else []
    lines.append(f"Its program is that of opponent {shown[0]} above." if shown else _program(view.source, limit))
    return "\n\n".join(line for line in lines if line)


def _tried(request: Request, tried: Sequence[tuple[int, Feedback]], game: Game) -> str:
    with_program = {number for number, item in tried[-MAX_TRIED_PROGRAMS:] if item.source}
    told = []
    for number, item in tried:
        limit = MAX_TRIED_PROGRAM if number in with_program else 0
        told.append(f"## Attempt {number}\n\n{_attempt(request, item, game, limit)}")
    return "\n\n".join(told)


def _attempt(request: Request, item: Feedback, game: Game, limit: int, whole: bool = False) -> str:
    """Returns what came of an attempt, with its program up to `limit` characters where that is above 0."""
    if item.status == "scored":
        lines = [_payoffs(request, item.score, item.per_opponent, game)]
    else:
        why = f": {quoted(item.message, MAX_MESSAGE)}" if item.message else ""
        lines = [f"It {_TROUBLE.get(item.status, 'has no score')}{why}."]
    if item.excerpt and limit:
        lines.append(f"{_fill('data-moves')}\n\n{fenced(item.excerpt, 'text', MAX_EXCERPT)}")
    if item.source and limit:
        lines.append(_program(item.source, limit, whole))
    return "\n\n".join(line for line in lines if line)


def _payoffs(request: Request, score: Estimate | None, per_opponent: Sequence[OpponentScore], game: Game) -> str:
    lines = [] if score is None else [f"- against the mixture: {_number(score, game)}"]
    by_hash = {one.opponent: one.payoff for one in per_opponent}
    for place, view in enumerate(request.opponents, 1):
        if view.hash in by_hash:
            name = quoted(view.name, MAX_NAME)
            lines.append(f"- against opponent {place}, {name}: {_number(by_hash[view.hash], game)}")
    return _fill("payoffs", {"unit": game.unit, "payoffs": "\n".join(lines)}) if lines else ""


def _current(request: Request) -> Feedback | None:
    """Returns the attempt that the task is about: the last one for a repair, else the best one."""
    attempts = [item for item in request.feedback if item.status != LESSON]
    if request.task == "propose" or not attempts:
        return None
    if request.task == "repair":
        return attempts[-1]
    scored = [item for item in attempts if item.score is not None and isfinite(item.score.mean)]
    return max(scored, key=_mean, default=attempts[-1])


def _mean(item: Feedback) -> float:
    return item.score.mean if item.score is not None else float("-inf")


def _task(request: Request, task: str) -> str:
    # A wording may name an opponent: on one line that begins with a word it cannot open a block or begin a heading.
    wording = " ".join(cleaned(request.wording).replace("`", "'").split()).lstrip("~#> ")
    if not wording and task in {"propose", "refine"}:
        angles = [line[2:] for line in _texts()[f"angles-{task}"].splitlines() if line.startswith("- ")]
        wording = angles[request.sample % len(angles)]
    return _fill(f"task-{task}", {"wording": wording})


def _summary_prompt(request: Request, game: Game) -> Prompt:
    source = request.opponents[0].source or ""
    parts = (
        PromptPart("rules", _rules(request, game)),
        PromptPart("program", _fill("program", {"program": _program(source, MAX_CURRENT)})),
        PromptPart("task", _fill("task-summarise")),
    )
    return Prompt(_fill("system-summarise"), parts, prompt_version())


def _number(payoff: Estimate, game: Game) -> str:
    if not isfinite(payoff.mean):
        return "not known, since no episode counted"
    decimals = 3 if game.max_return - game.min_return < _FINE else 1
    spread = f"{payoff.half_width:.{decimals}f}" if isfinite(payoff.stderr) else "unknown"
    return f"{payoff.mean:+.{decimals}f} ± {spread}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
