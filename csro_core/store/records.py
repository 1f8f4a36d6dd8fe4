"""The rows of the store as values. Readers get these, never cursors; JSON columns arrive decoded."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from csro_core.estimates import Estimate
from csro_core.games.base import GameSpec
from csro_core.seeds import Seed

RunStatus: TypeAlias = Literal["new", "running", "paused", "done", "stopped", "interrupted", "failed", "needs-key"]
Origin: TypeAlias = Literal["seed", "oracle", "human", "import"]
Verdict: TypeAlias = Literal["improves", "broadens", "rejected", "undecided", "failed", "always"]
COMPUTABLE = (
    "Its dice could be computed: this run was made before seeds were stretched, so a policy that tried small seeds "
    "could know what others roll."
)
"""What stands beside a run of seed scheme 1."""

RequestKind: TypeAlias = Literal["step", "run", "stop", "check", "score", "add", "benchmark", "exploitability"]


@dataclass(frozen=True)
class Caps:
    """What a run may spend in all, None for no limit. Each is > 0.

    Attributes:
        usd: US dollars, by the prices that are known.
        tokens: sent and written together, thoughts included.
        calls: calls that were sent; stored answers that are used again do not count.
        seconds: wall seconds of iterations.
    """

    usd: float | None = None
    tokens: int | None = None
    calls: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class RunSettings:
    """Everything that decides the rows of a run, with the seed. Stored as JSON.

    Attributes:
        game: what is played.
        oracle: name of the oracle.
        model: name of the model.
        meta_solver: name of the meta-solver for sigma.
        benchmark: name of the benchmark that the reported mixture is scored by after every iteration, "" for none. It
            decides nothing of what is found.
        eval_solver: name of the meta-solver of the mixture that is reported and scored, "" for the same one.
        seed: what all randomness of the run comes from; "" is drawn when the run is made.
        seed_scheme: how it does, see `seeds.SCHEME`; the store sets it when a run is made. 1: its dice can be computed.
        target_mix: m in tau = (1 - m) sigma + m uniform over behaviour clusters, in [0, 1].
        admit: "improving" or "always".
        attempts: budget of attempts an iteration, >= 1; 0 = the oracle's default.
        refine_all: linear-refinement spends all attempts.
        initial: names or hashes of the initial policies, in order ("reference:NAME", "policy:HASH", or
            "policy:HASH:NAME" with a name for people).
        episodes: episodes of a payoff cell, an even number >= 2.
        cluster: address of the Dask scheduler whose workers play, "" for this machine. It decides no rows; *Resume*
            remembers it, exports leave it out, and imports ignore it.
        caps: see `Caps`. They decide no rows but where the run stops, and may be raised when it is resumed.
        context: how requests show opponents: as code, in a summary, or not at all.
        opponents: which ones they show: "support" (those that attempts are played against), "top5", or a number.
        allocation: "uniform" (every payoff cell has `episodes`), or "adaptive": between iterations further episodes go
            to the cells that move sigma, up to `csro.DEEPEST` times `episodes` each.
        payoff_stderr: standard error that each policy's payoff against sigma shall have, > 0, in the unit of the game;
            where "adaptive". None: further episodes for the price of a new row.
    """

    game: GameSpec
    oracle: str = "linear-refinement"
    model: str = "synthesiser"
    meta_solver: str = "max-entropy-nash"
    seed: Seed = Seed("")
    target_mix: float = 0.0
    admit: Literal["improving", "always"] = "improving"
    attempts: int = 0
    refine_all: bool = False
    initial: tuple[str, ...] = ()
    episodes: int = 8
    cluster: str = ""
    caps: Caps = Caps()
    context: Literal["code", "summary", "none"] = "code"
    opponents: str = "support"
    allocation: Literal["uniform", "adaptive"] = "uniform"
    payoff_stderr: float | None = None
    eval_solver: str = ""
    benchmark: str = ""
    seed_scheme: int = 1


@dataclass(frozen=True)
class RunRecord:
    """One run.

    Attributes:
        id: short random id, the one in links.
        name: a name for people.
        settings: see `RunSettings`.
        status: as a reader sees it: "running" without a live lease reads as "interrupted".
        message: why it stopped, failed or paused; "" otherwise.
        iteration: iterations finished.
        target: iterations wanted.
        created: seconds since the epoch.
        seconds: wall seconds spent in finished iterations.
        usd: money spent; None where a call was unpriced.
        tags: words that a person gave it (see `labels`).
        note: what a person says of it.
        archived: True: done with; lists show it only where that is wanted.
        deleted: when it was put into the bin, seconds since the epoch; None where it was not.
        imported: True where it came with an archive: nobody here saw its matches.
    """

    id: str
    name: str
    settings: RunSettings
    status: RunStatus
    message: str
    iteration: int
    target: int
    created: float
    seconds: float
    usd: float | None
    tags: tuple[str, ...] = ()
    note: str = ""
    archived: bool = False
    deleted: float | None = None
    imported: bool = False


@dataclass(frozen=True)
class PolicyText:
    """A text by hash, whatever runs it is in."""

    hash: str
    tree_hash: str
    source: str
    docstring: str
    lines: int


@dataclass(frozen=True)
class Member:
    """A policy of a population.

    Attributes:
        player: whose population (0 where one population serves both seats).
        index: place in the population, 0, 1, …; append-only.
        policy: its text.
        name: short name for people, unique in the run ("beat_last", "r3", "r3-edit").
        origin: "seed", "oracle", "human" or "import".
        parent: hash of the text it came from, "" where there is none.
        iteration: iterations finished when it was added (0 for seeds); it counts from the next one.
        forfeits: how often it forfeited an episode in the cells of this run; marked where > 0.
    """

    player: int
    index: int
    policy: PolicyText
    name: str
    origin: Origin
    parent: str
    iteration: int
    forfeits: int = 0


@dataclass(frozen=True)
class Evaluation:
    """The mixture that is reported, where a run has an evaluation solver of its own.

    Attributes:
        solver: name of the meta-solver.
        sigma: one meta-strategy per population.
        value: payoff of it to player 0 in the estimated meta-game.
        nash_conv: NashConv of the meta-game at it.
        epsilon: tolerance of the solver.
        note: what the solver has to say, "" otherwise.
        exploitability: of the game at it where it can be computed, else None.
    """

    solver: str
    sigma: tuple[tuple[float, ...], ...]
    value: float
    nash_conv: float
    epsilon: float
    note: str = ""
    exploitability: float | None = None


@dataclass(frozen=True)
class SolutionRecord:
    """A solved meta-game.

    Attributes:
        number: 0, 1, … within the run, in order of time.
        iteration: iterations finished at that time.
        cause: "iteration", "edit" (a policy was added by hand), "episodes" (payoffs are known better), or "final".
        sizes: policies per population when it was solved.
        sigma: one meta-strategy per population, each as long as its population then.
        value: payoff of sigma to player 0 in the estimated meta-game.
        nash_conv: NashConv of the *meta-game* at sigma.
        epsilon: tolerance of the solver, 0.0 where it has none.
        note: what the solver has to say ("cheaper equivalent above 60 policies"), "" otherwise.
        exploitability: exploitability of *the game* at sigma where it can be computed, else None.
        exploitability_exact: True where it is exact (all actions in the support deterministic).
        extra: anything else: {"champion": … for the page, "bootstrap": `analysis.bootstrap.Intervals`, "deepen":
            episodes that the cells which sigma rests on shall have before the next iteration, "allocation": the round
            of further episodes that comes next (`metagame.rounds.RoundPlan`), "played": episodes that were played for
            this solution beyond those of an iteration}.
    """

    number: int
    iteration: int
    cause: str
    sizes: tuple[int, ...]
    sigma: tuple[tuple[float, ...], ...]
    value: float
    nash_conv: float
    epsilon: float
    note: str = ""
    exploitability: float | None = None
    exploitability_exact: bool = False
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def reported_sigma(self) -> tuple[tuple[float, ...], ...]:
        """The mixture of the evaluation solver, one meta-strategy per population: what is scored and compared."""
        evaluation = self.extra.get("evaluation")
        return tuple(tuple(shares) for shares in evaluation["sigma"]) if evaluation else self.sigma


@dataclass(frozen=True)
class AttemptRecord:
    """One attempt of an iteration.

    Attributes:
        iteration: 1, 2, …: the oracle step it belongs to.
        index: 0, 1, … within the iteration.
        policy: hash of its text, "" where there is none.
        operator: "propose", "refine", "repair", "edit" or "crossover".
        idea: the model's sentence.
        parent: index of the attempt it was refined from, or None.
        status: "scored", "duplicate", "refused", "failed", "no-answer".
        message: why it has no score; of one with a score, whom it nearly equals, mostly "".
        line: line concerned.
        screen: screening score against tau (not comparable across games), or None.
        final: score on the finalists' seeds, or None.
        per_opponent: [{opponent, mean, stderr, episodes}] of the latest stage.
        lines: length of the text.
        verdict: the loop's verdict on the finalist, "" for the others.
        mate: index of the second parent of a crossover, or None.
        island: number of the island it was written for, None where the oracle has none.
    """

    iteration: int
    index: int
    policy: str
    operator: str
    idea: str
    parent: int | None
    status: str
    message: str
    line: int | None
    screen: Estimate | None
    final: Estimate | None
    per_opponent: tuple[Mapping[str, Any], ...]
    lines: int
    verdict: str = ""
    mate: int | None = None
    island: int | None = None


@dataclass(frozen=True)
class IterationRecord:
    """One finished oracle step.

    Attributes:
        iteration: 1, 2, ….
        player: whose response was looked for.
        solution: number of the solution it trained against.
        sigma: that solution's meta-strategies.
        tau: the training target, over the opponent's population.
        gain: u(finalist, sigma_-) - u(sigma) on fresh seeds, or None where there was no finalist.
        lift: u(finalist, tau) - the best member's, on the same seeds; None where m = 0.
        verdict: see `Verdict`.
        message: the verdict in a sentence.
        finalist: hash of the finalist's text, "" where there was none.
        attempts: number of attempts.
        seconds: wall seconds (not part of "the same rows").
        episodes: episodes that it took: of the search, of the decision, of the new row; None in runs of versions that
            did not count them.
    """

    iteration: int
    player: int
    solution: int
    sigma: tuple[tuple[float, ...], ...]
    tau: tuple[float, ...]
    gain: Estimate | None
    lift: Estimate | None
    verdict: Verdict
    message: str
    finalist: str
    attempts: int
    seconds: float
    episodes: int | None = None


@dataclass(frozen=True)
class CallRecord:
    """One call of a model; the row is written before the call is sent.

    Attributes:
        key: hash of `identity` and `request_key`; several calls have the same one where one was lost or failed.
        iteration: the oracle step it was made for.
        attempt: index of the attempt it was made for, -1 where it is for none (such as a summary).
        model: name of the model.
        status: "possibly billed" where the process died before the answer came.
        prompt: what was sent (`models.chat.Prompt.to_text`, the parts labelled), "" for the synthesiser.
        answer: the raw answer; for a failed call what there was of one.
        tokens_in: prompt tokens.
        tokens_out: answer tokens, thoughts included.
        usd: price, None where it is not known, 0.0 where it was free.
        seconds: wall seconds, waits included.
        tokens_cached: those of `tokens_in` that the provider had in its cache.
        tokens_thinking: those of `tokens_out` that were thoughts.
        reason: of a failed call, see `errors.ModelError`; "truncated" for an answer that was cut off after a whole
            program; "" otherwise.
        message: why there is no answer, or no policy in it, in a sentence; "" otherwise.
        identity: `models.base.CodeModel.identity`.
        request_key: `models.base.request_key`; answers are found by it.
        task: what was asked for: "propose", "refine", ….
        cached: True where the model took the answer from a store instead of asking anybody.
        reused: how often the answer was used again instead of asking.
    """

    key: str
    iteration: int
    attempt: int
    model: str
    status: Literal["sent", "answered", "failed", "possibly billed"]
    prompt: str
    answer: str
    tokens_in: int
    tokens_out: int
    usd: float | None
    seconds: float
    tokens_cached: int = 0
    tokens_thinking: int = 0
    reason: str = ""
    message: str = ""
    identity: str = ""
    request_key: str = ""
    task: str = ""
    cached: bool = False
    reused: int = 0

    @property
    def saved_usd(self) -> float:
        """What using the answer again has saved, in US dollars; 0.0 where its price is not known."""
        return self.reused * (self.usd or 0.0)


@dataclass(frozen=True)
class RequestRecord:
    """Something a page or the command line asks of the holder of the lease.

    Attributes:
        id: number, in order of asking.
        kind: see `RequestKind`.
        payload: JSON: step {"until": "stage"|"attempt"|"iteration"}; run {"iterations": TOTAL}, both with
            new caps where there is {"caps": …} (`Caps`); stop {};
            check {"text"}; score {"text", "player", "parent", "episodes"}; add {"text", "player", "parent", "name"};
            benchmark {"target": "policy:HASH"|"mixture"|"champion", "benchmark": its name, "episodes"};
            exploitability {"target": "policy:HASH"|"mixture"}.
        state: "waiting", "working", "done" or "failed".
        result: JSON answer, {} until it is there; for "failed": {"message"}.
    """

    id: int
    run: str
    kind: RequestKind
    payload: Mapping[str, Any]
    state: Literal["waiting", "working", "done", "failed"]
    result: Mapping[str, Any]
    created: float
