"""What the tour says: five steps, each about what its page shows of the run that is open."""

from collections.abc import Callable
from dataclasses import dataclass

from app.formats import DUST, number, plain, short, weight
from app.snapshot import HASH_DIGITS, Snapshot
from csro_core.store.records import Member

_LONGEST = 40


@dataclass(frozen=True)
class Facts:
    """What the tour says of a run; Markdown-safe.

    Attributes:
        game: title of what is played.
        iterations: how many are finished.
        starters: policies that the run began with.
        joined: policies that joined later.
        gains: gains of the responses that were admitted, in words and in order.
        heaviest: the policy with the largest share in sigma.
        rival: the policy with the second largest share; the first starter where sigma is one policy.
        share: share of the heaviest, in words.
        support: policies with a share in sigma.
        iterated: True where sigma was scored on a benchmark after each iteration.
    """

    game: str
    iterations: int
    starters: int
    joined: int
    gains: tuple[str, ...]
    heaviest: Member
    rival: Member
    share: str
    support: int
    iterated: bool

    @property
    def policies(self) -> int:
        """How many policies there are."""
        return self.starters + self.joined


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        page: `url_path` of the page it is about.
        file: the page's file.
        title: of the card.
        about: facts → what is seen there.
        general: the same for a run that nothing is known of yet.
    """

    page: str
    file: str
    title: str
    about: Callable[[Facts], str]
    general: str


def facts_of(snapshot: Snapshot) -> Facts | None:
    """Returns what the tour says of a run; None where it has no policies or is not solved yet."""
    solution = snapshot.solutions[-1] if snapshot.solutions else None
    if solution is None or not snapshot.population(0) or not snapshot.population(1):
        return None
    weights = snapshot.sigma(solution, 0)
    by_weight = [snapshot.population(0)[place] for place in (-weights).argsort(kind="stable")]
    others = [one for one in by_weight[1:] if weights[one.index] > DUST] or [snapshot.population(0)[0]]
    rival = others[0] if snapshot.game.symmetric else snapshot.population(1)[-1]
    starters = sum(member.origin == "seed" for member in snapshot.members)
    admitted = [one for one in snapshot.iterations if one.verdict in {"improves", "broadens", "always"}]
    return Facts(
        game=plain(snapshot.game.title),
        iterations=len(snapshot.iterations),
        starters=starters,
        joined=len(snapshot.members) - starters,
        gains=tuple(number(one.gain.mean, one.gain.half_width) for one in admitted if one.gain is not None),
        heaviest=by_weight[0],
        rival=rival,
        share=weight(float(weights.max())),
        support=int((weights > DUST).sum()),
        iterated=bool(snapshot.run.settings.benchmark),
    )


def _run(facts: Facts) -> str:
    gains = (
        f" The curve below says how much each one won from sigma: {facts.gains[0]} at first, {facts.gains[-1]} in the "
        "end."
        if len(facts.gains) > 1
        else ""
    )
    return (
        f"{facts.iterations} iterations of {facts.game}: {facts.starters} programs at the start, and {facts.joined} "
        "that joined later. The matrix has every program against every other, blue where the row wins; the bars beside "
        f"it are sigma, the mixture that the next program has to beat.{gains}"
    )


def _policies(facts: Facts) -> str:
    return (
        f"Each of the {facts.policies} programs can be read here; open is {_name(facts.heaviest)}, the heaviest in "
        f"sigma ({facts.share}). *Diff* sets it beside its parent. *Edit* gives you a copy to change, and *Score* "
        "plays it against everybody before it may join."
    )


def _metagame(facts: Facts) -> str:
    return (
        f"Choosing one of the {facts.policies} programs is a game of its own. Sigma solves it with {facts.support} of "
        "them; the bars at the bottom of the board are what each program earns alone against sigma. Further down are "
        "more pictures: cycles, rankings, diversity."
    )


def _matches(facts: Facts) -> str:
    return (
        f"One cell of the matrix, step by step: {_name(facts.heaviest)} against {_name(facts.rival)}. The curve is the "
        "score within one episode, the strips below are the moves. A click on a cell of the page Run leads here too."
    )


def _compare(facts: Facts) -> str:
    return (
        f"This run has one oracle and one seed, so it proves little, whatever its {facts.iterations} iterations found. "
        "Here several runs of one game, or an experiment over seeds, stand side by side: at equal cost, against the "
        "same opponents, with intervals, and with a sentence that says who is ahead."
    )


def _benchmark(facts: Facts) -> str:
    course = " The course shows how sigma did after each iteration." if facts.iterated else ""
    return (
        f"Do the {facts.policies} programs also beat strangers? Here their mixture meets a fixed population that "
        f"nobody trained against, and stands among published results.{course}"
    )


def _name(member: Member) -> str:
    return f"**{plain(short(member.name, _LONGEST))}**"


_COMPARE = Step(
    "compare", "views/compare.py", "Compare: which way of writing programs is better", _compare,
    "Several runs of one game, or an experiment over seeds, side by side at equal cost, with intervals.",
)  # fmt: skip
_BENCHMARK = Step(
    "benchmark", "views/benchmark.py", "Benchmark: the programs among strangers", _benchmark,
    "The mixture of a run against a fixed population that nobody trained against, among published results.",
)  # fmt: skip
_FIRST = (
    Step(
        "", "views/run.py", "Run: the loop at work", _run,
        "Each step solves the game between all programs so far, and looks for a program that beats the solution.",
    ),
    Step(
        "policies", "views/policies.py", "Policies: read and change the programs", _policies,
        "Every program of the run can be read here, set beside its parent, changed, and scored against the others.",
    ),
    Step(
        "metagame", "views/metagame.py", "Meta-game: who beats whom, and how to mix", _metagame,
        "Choosing a program is a game of its own: its payoffs, its solution, and pictures of its shape.",
    ),
    Step(
        "matches", "views/matches.py", "Matches: one payoff, step by step", _matches,
        "Two programs against each other: the score, the moves, and what failed.",
    ),
)  # fmt: skip


def steps(pages: frozenset[str]) -> tuple[Step, ...]:
    """Returns the five steps.

    Args:
        pages: `url_path` of each page that there is.
    """
    return (*_FIRST, _COMPARE if _COMPARE.page in pages else _BENCHMARK)


def places(step: Step, facts: Facts | None) -> dict[str, str]:
    """Returns what the address shall say besides the run, so that the page shows what the step speaks of."""
    if facts is None:
        return {}
    first, second = (member.policy.hash[:HASH_DIGITS] for member in (facts.heaviest, facts.rival))
    if step.page == "policies":
        return {"policy": first, "player": "0"}
    return {"row": first, "column": second} if step.page == "matches" else {}
