"""A model and an evaluator with canned answers: oracles need nothing else."""

from dataclasses import dataclass, field

from csro_core.errors import ModelError
from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.models.base import Completion, Request
from csro_core.oracles.base import Attempt, Evaluation, OracleContext, Stage


@dataclass
class CannedModel:
    """Answers with the texts of a queue, in order; keeps the requests."""

    texts: list[str]
    requests: list[Request] = field(default_factory=list)

    def __call__(self, request: Request) -> Completion:
        self.requests.append(request)
        text = self.texts[len(self.requests) - 1]
        if text == "(no answer)":
            raise ModelError("empty", "the model's answer held no program")
        return Completion(source=text, idea=f"idea of {text}", answer=text)


@dataclass
class CannedPayoffs:
    """Scores by (text, stage); a string instead of a number is a failure's message. A trial that is not named scores
    as the screen did."""

    scores: dict[tuple[str, Stage], float | str]
    played: list[tuple[str, Stage]] = field(default_factory=list)

    def __call__(self, text: str, stage: Stage) -> Evaluation:
        self.played.append((text, stage))
        score = self.scores[text, "screen" if stage == "trial" and (text, stage) not in self.scores else stage]
        if isinstance(score, str):
            return Evaluation("failed", score, 3)
        estimate = Estimate(score, 1.0, 4)
        return Evaluation("scored", "", None, estimate, estimate)


def context(model: CannedModel, payoffs: CannedPayoffs, attempts: int, refine_all: bool = False) -> OracleContext:
    request = Request(GameSpec("repeated_rps"), "rules", "observation", "contract", 0, (), (), (), "propose", 0)
    recorded: list[Attempt] = []
    built = OracleContext(request, model, payoffs, lambda index: 1000 + index, recorded.append, attempts, refine_all)
    object.__setattr__(built, "recorded", recorded)
    return built
