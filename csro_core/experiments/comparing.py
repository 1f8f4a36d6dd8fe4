"""The comparison of runs: everybody's policies meet, and every mixture is valued in that one common pool.

The pool is the union of the compared populations and of held-out responders that no run began with. All its pairs are
played on the same episodes, so that each number below is linear algebra on one table, and kept in the store, so that a
comparison that was stopped goes on where it was.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from csro_core.errors import UsageError
from csro_core.evaluation.hindsight import gaps
from csro_core.experiments.budgets import OVER_BUDGET
from csro_core.experiments.common_pool import Pool, forfeits, held_out, made_pool
from csro_core.experiments.comparison_checks import check_comparison
from csro_core.experiments.courses import Mix, RunCourse, Stand, Terms, course_of
from csro_core.experiments.document import (
    HELD_OUT,
    MEASURES,
    SHARED,
    Comparison,
    Course,
    CrossPlay,
    Difference,
    Joint,
    JointPolicy,
    MeasureName,
    Point,
    Summary,
    VariantLine,
)  # fmt: skip
from csro_core.experiments.requests import ComparisonRequest, checked_request
from csro_core.experiments.verdicts import Values, differences, pairwise, summaries
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.matches.jobs import MatchExecutor
from csro_core.meta_solvers import make_meta_solver
from csro_core.seeds import Seed
from csro_core.store import Store
from csro_core.store.codec import to_json

_NOT_TOLD = ("game", "seed", "seed_scheme", "caps", "cluster")


def compare(
    store: Store, request: ComparisonRequest, executor: MatchExecutor, progress: Callable[[int, int], None]
) -> Comparison:
    """Plays what is missing, and compares.

    Args:
        store: where the runs are, and where matches between them are kept.
        request: which runs, and how they are valued.
        executor: plays matches.
        progress: told (matches played, matches wanted); may raise to stop.

    Returns:
        The comparison.

    Raises:
        UsageError: it cannot be answered: no run has a solution, or there are too many policies.
        ValueError: its numbers are such that nobody could read them again.
        NotFoundError: there is no such run.
        Cancelled: it was stopped.
    """
    checked_request(store, request)
    terms = Terms(request.cost, request.budget, request.eval_solver, request.without_human)
    found = {name: [course_of(store, run, terms) for run in runs] for name, runs in request.groups}
    courses = {name: [one for one in ones if one is not None] for name, ones in found.items()}
    left_out = sum(one is None for ones in found.values() for one in ones)
    courses = {name: ones for name, ones in courses.items() if ones}
    if not courses:
        raise UsageError("none of these runs has a solved meta-game yet: step them first")
    baseline = request.baseline if request.baseline in courses else next(iter(courses))
    game = make_game(next(iter(courses.values()))[0].record.settings.game)
    pool = made_pool(store, game, courses, (executor, request.play), progress)
    lines = [course for name in courses for course in _courses(name, courses[name], pool, game)]
    values = _values(lines)
    values["versus"] = _versus(courses, baseline, pool)
    at = (request.cost, request.budget)
    told: list[Summary] = []
    apart: list[Difference] = []
    for measure in MEASURES:
        known: Values = values.get(measure, {})
        if known and all(len(known.get(name, {})) == len(_by_seed(ones)) for name, ones in courses.items()):
            told += summaries(measure, known)
            apart += differences(measure, known, baseline, at, game.unit)
    document = Comparison(
        game=to_json(game.spec),
        title=game.title,
        unit=game.unit,
        cost=request.cost,
        budget=request.budget,
        baseline=baseline,
        eval_solver=request.eval_solver,
        play=request.play,
        without_human=request.without_human,
        variants=tuple(_variant(name, ones) for name, ones in courses.items()),
        pool=pool.populations.sizes,
        held_out=tuple(name for name, _ in held_out(game)),
        courses=tuple(lines),
        summaries=tuple(told),
        differences=tuple(apart),
        cross_play=_cross_play(courses, pool),
        joint=_joint(pool, request.eval_solver, game),
        notes=(*_notes(courses, request, left_out, game), *forfeits(courses, pool)),
        created=store.clock(),
    )
    check_comparison(document)
    return document


def _courses(variant: str, courses: Sequence[RunCourse], pool: Pool, game: Game) -> list[Course]:
    stands = [stand for course in courses for stand in course.stands]
    sigmas = [[[float(x) for x in one] for one in pool.shares(stand.mix)] for stand in stands]
    if game.symmetric:
        sigmas = [sigma[:1] for sigma in sigmas]
    # As played, like everything else here: a mixture that forfeits against its strongest rivals would look safe from
    # them otherwise.
    played = replace(pool.table, clean_samples=pool.table.samples)
    found = iter(gaps(played, sigmas, game.symmetric))
    lines = []
    for course in courses:
        points = []
        for stand in course.stands:
            gap = next(found)
            points.append(_point(stand, gap.value, gap.stderr))
        record = course.record
        lines.append(Course(variant, record.id, record.name, record.settings.seed, tuple(points), course.final))
    return lines


def _point(stand: Stand, gap: float, stderr: float) -> Point:
    spent = stand.spent
    return Point(
        stand.iteration, spent.calls, spent.episodes, spent.usd, spent.seconds, _known(gap), _known(stderr),
        _known(stand.exploitability), _known(stand.scores.get("agg_score")), _known(stand.scores.get("pop_return")),
        _known(stand.scores.get("pop_expl")), _known(stand.oracle_gain),
    )  # fmt: skip


def _known(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else float(value)


def _values(lines: Sequence[Course]) -> dict[MeasureName, dict[str, dict[Seed, float]]]:
    """Returns measure → variant → seed → number at the final point; of several runs of a seed the mean."""
    gathered: dict[MeasureName, dict[str, dict[Seed, list[float]]]] = {}
    for line in lines:
        point = line.points[line.final]
        for measure in MEASURES:
            value = None if measure == "versus" else getattr(point, measure)
            if value is not None:
                gathered.setdefault(measure, {}).setdefault(line.variant, {}).setdefault(line.seed, []).append(value)
    return {
        measure: {
            variant: {seed: float(np.mean(numbers)) for seed, numbers in seeds.items()}
            for variant, seeds in variants.items()
        }
        for measure, variants in gathered.items()
    }


def _by_seed(courses: Sequence[RunCourse]) -> dict[Seed, Mix]:
    """Returns the final mixture of each seed; of several runs of a seed one by lot, whose payoff is their mean."""
    found: dict[Seed, list[Mix]] = {}
    for course in courses:
        found.setdefault(course.record.settings.seed, []).append(course.stands[course.final].mix)
    return {seed: _by_lot(mixes) for seed, mixes in found.items()}


def _by_lot(mixes: Sequence[Mix]) -> Mix:
    return tuple(
        tuple((policy, share / len(mixes)) for one in players for policy, share in one)
        for players in zip(*mixes, strict=True)
    )


def _versus(courses: Mapping[str, Sequence[RunCourse]], baseline: str, pool: Pool) -> dict[str, dict[Seed, float]]:
    """Returns variant → seed → payoff against the baseline's mixture of that seed; its own is 0 by symmetry.

    Where each player has a population of its own, both seats are taken, and the value of the game drops out: half of
    (the variant as player 0 against the baseline) minus (the baseline as player 0 against the variant).
    """
    found: dict[str, dict[Seed, float]] = {}
    rivals = _by_seed(courses[baseline])
    for name, ones in courses.items():
        own = _by_seed(ones)
        found[name] = {
            seed: _edge(pool, mix, rivals[seed]) for seed, mix in own.items() if seed in rivals
        }
    return found


def _edge(pool: Pool, own: Mix, rival: Mix) -> float:
    return 0.5 * (pool.payoff(own, rival) - pool.payoff(rival, own))


def _cross_play(courses: Mapping[str, Sequence[RunCourse]], pool: Pool) -> CrossPlay:
    by_seed = {name: _by_seed(ones) for name, ones in courses.items()}
    payoffs = {
        (row, column): {
            seed: pool.payoff(by_seed[row][seed], by_seed[column][seed])
            for seed in by_seed[row]
            if seed in by_seed[column]
        }
        for row in courses
        for column in courses
    }
    return CrossPlay(tuple(courses), *pairwise(tuple(courses), payoffs))


def _joint(pool: Pool, solver: str, game: Game) -> Joint:
    table = pool.table
    sigma = make_meta_solver(solver).solve(table.played, table.played_stderr, game.symmetric).sigma
    players = len(pool.populations.lists)
    policies: list[JointPolicy] = []
    shares: dict[str, float] = {}
    for player, entries in enumerate(pool.populations.lists):
        for entry, share in zip(entries, sigma[player], strict=True):
            owner = _owner(pool.owners.get(entry.hash, ()))
            shares[owner] = shares.get(owner, 0.0) + float(share) / players
            if share > 0:
                run = pool.runs.get(entry.hash, "")
                policies.append(JointPolicy(entry.hash, entry.name, owner, run, player, float(share)))
    policies.sort(key=lambda policy: (policy.player, -policy.share))
    return Joint(solver, shares, tuple(policies))


def _owner(variants: Sequence[str]) -> str:
    if not variants:
        return HELD_OUT
    return variants[0] if len(variants) == 1 else SHARED


def _variant(name: str, courses: Sequence[RunCourse]) -> VariantLine:
    settings = {key: value for key, value in to_json(courses[0].record.settings).items() if key not in _NOT_TOLD}
    return VariantLine(
        name,
        tuple(course.record.id for course in courses),
        tuple(course.record.settings.seed for course in courses),
        settings,
        sum(course.human_edits for course in courses),
        sum(course.descendants for course in courses),
    )


def _notes(
    courses: Mapping[str, Sequence[RunCourse]], request: ComparisonRequest, left_out: int, game: Game
) -> list[str]:
    everybody = [course for ones in courses.values() for course in ones]
    notes = [
        f"Every pair of the pool has met in {request.play} episodes, the same for all; the responder of a gap is "
        "chosen on one half of them and valued on the other, so a gap can come out below 0.",
    ]
    if len({len(_by_seed(ones)) for ones in courses.values()}) > 1:
        notes.append("The variants have unequally many seeds; paired differences take the seeds that both have.")
    if any(len(_by_seed(ones)) < len(ones) for ones in courses.values()):
        notes.append("Some variants have several runs of one seed: such runs count as one, by their mean.")
    if left_out:
        notes.append(f"{left_out} of the runs have no solved meta-game yet and are left out.")
    if request.budget is not None:
        short = sum(
            course.used.of(request.cost, course.record.iteration) < request.budget
            and OVER_BUDGET not in course.record.message
            for course in everybody
        )
        if short:
            notes.append(f"{short} of the runs have not used up the budget: they are compared with less.")
    edits = sum(course.human_edits for course in everybody)
    if edits:
        said = "left out, with what descends from them" if request.without_human else "among the policies compared"
        notes.append(f"People added {edits} policies to these runs: they are {said}.")
    if not game.symmetric:
        notes.append("Cross-play: the row's mixture plays first; the value of the game need not be 0.")
    return notes
