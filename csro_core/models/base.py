"""What an oracle asks of a model and what it gets: the seam `CodeModel`.

A request is structured. Language models render it to a prompt; the built-in synthesiser reads the structure.
"""

import hashlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal, Protocol, TypeAlias

import orjson

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec

Task: TypeAlias = Literal["propose", "refine", "repair", "edit", "crossover", "summarise"]


@dataclass(frozen=True)
class OpponentView:
    """An opponent as the request shows it. Its text is data, never instructions.

    Attributes:
        name: short name, such as "#3 beat_last".
        hash: SHA-256 of its text.
        weight: its share of the training target tau; all opponents of the *whole* target sum to 1.
        source: its text, or None where the context hides it.
        summary: what it does in words, or "".
    """

    name: str
    hash: str
    weight: float
    source: str | None
    summary: str = ""


@dataclass(frozen=True)
class OpponentScore:
    """A payoff against one opponent of the request (by the opponent's hash)."""

    opponent: str
    payoff: Estimate


@dataclass(frozen=True)
class ParentView:
    """An existing policy of the player's own, to build on.

    Attributes:
        name: short name.
        hash: SHA-256 of its text.
        source: its text.
        score: its payoff against tau (clean), where known.
        per_opponent: payoffs against each opponent of the request, where known.
    """

    name: str
    hash: str
    source: str
    score: Estimate | None
    per_opponent: tuple[OpponentScore, ...] = ()


@dataclass(frozen=True)
class Feedback:
    """What came of an earlier attempt at the same request.

    Attributes:
        source: its text, "" where the answer held none.
        status: "scored" or the failure's name.
        message: the failure's sentence with its line, "" where it was scored.
        score: payoff against tau on screening episodes (clean), where it was scored.
        per_opponent: the same by opponent.
        excerpt: the moves of a median episode against the worst opponent, for the eye; "" where there are none.
    """

    source: str
    status: str
    message: str
    score: Estimate | None
    per_opponent: tuple[OpponentScore, ...] = ()
    excerpt: str = ""


@dataclass(frozen=True)
class Request:
    """One request for the text of a policy.

    Attributes:
        game: what is played; `rules`, `observation` and `contract` say it in words.
        player: the seat to write for (0 where one population serves both seats).
        opponents: who is met, heaviest first.
        parents: own policies worth building on, best first; the incumbent against tau leads.
        feedback: earlier attempts of this iteration that the oracle wants regarded, oldest first.
        task: "propose" a new policy, "refine" the best of `feedback`, "repair" its last, "edit" its best by
            SEARCH/REPLACE blocks (a whole program is as good), "crossover": join its best with the first parent, or
            "summarise" the only opponent in words (the answer is prose and holds no policy).
        sample: hash of run seed, iteration and attempt; a model's randomness comes from it alone.
        wording: what the oracle wants of this answer beyond the task, sentences for a language model; "" for nothing.
    """

    game: GameSpec
    rules: str
    observation: str
    contract: str
    player: int
    opponents: tuple[OpponentView, ...]
    parents: tuple[ParentView, ...]
    feedback: tuple[Feedback, ...]
    task: Task
    sample: int
    wording: str = ""


@dataclass(frozen=True)
class Completion:
    """A model's answer.

    Attributes:
        source: the policy's text.
        idea: one sentence: what was tried and why ("operator" in the attempts table).
        answer: the raw answer (equal to `source` for the synthesiser).
        prompt: what was sent, as text (`chat.Prompt.to_text` for language models).
        tokens_in: prompt tokens, 0 where they are not counted.
        tokens_out: answer tokens, thoughts included.
        usd: price, None where the model is unpriced, 0.0 where it is free.
        cached: True where a stored answer was used.
        problem: why the answer holds no usable text, in one sentence for the model and people; "" where it does.
        tokens_cached: those of `tokens_in` that the provider had in its cache.
        tokens_thinking: those of `tokens_out` that were thoughts.
        cut_off: True where the answer ended at the token limit, but after a whole program.
    """

    source: str
    idea: str
    answer: str
    prompt: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = 0.0
    cached: bool = False
    problem: str = ""
    tokens_cached: int = 0
    tokens_thinking: int = 0
    cut_off: bool = False


OnText: TypeAlias = Callable[[str], None]
"""Called with the text of an answer so far, while it is written."""


class AnswerBook(Protocol):
    """Answers that were given before, such as those of a stored run."""

    def find(self, request_key: str) -> str | None:
        """Returns the raw answer to a request with this key (`request_key`), None where it was not recorded."""
        ...


def request_key(request: Request) -> str:
    """Returns the identity of a request, whoever answers it: everything that is told, the sample number among it."""
    return hashlib.sha256(orjson.dumps(asdict(request), option=orjson.OPT_SORT_KEYS)).hexdigest()


class CodeModel(Protocol):
    """Turns a request into the text of a policy. Deterministic given the request where it can be."""

    @property
    def name(self) -> str:
        """The name on the command line: "synthesiser", "gemini:MODEL", …."""
        ...

    @property
    def title(self) -> str:
        """The name for people: "synthesiser (hand-written grammar, not an LLM)"."""
        ...

    @property
    def free(self) -> bool:
        """True where a call costs nothing and may be repeated at will."""
        ...

    @property
    def identity(self) -> str:
        """Everything besides the request that decides an answer: provider, model, parameters, prompt version."""
        ...

    def write(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Answers one request.

        Args:
            request: what is asked.
            on_text: hears of the answer so far, where the model tells.

        Raises:
            ModelError: no answer, with a reason and advice.
        """
        ...


AskModel: TypeAlias = Callable[[Request], Completion]
"""What an oracle holds instead of a model: asks it, and books the call in the store."""
