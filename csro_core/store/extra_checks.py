"""Reads what a solution of an archive says beside its numbers as hostile input (see `archive_checks`)."""

from math import isfinite, isnan

from csro_core.analysis.bootstrap import check_document
from csro_core.csro import DEEPEST
from csro_core.evaluation.forfeits import read as read_forfeits
from csro_core.metagame.rounds import LEAST_STDERR, MOST_STDERR, plan_from_document
from csro_core.seeds import SCHEME, is_number
from csro_core.store.records import IterationRecord, RunSettings, SolutionRecord
from csro_core.store.store import MAX_TARGET

_MOST_PLAYED = 10**12
_MOST_SIZE = 1e15  # sums of squares of such numbers are still numbers
_MOST_NAME = 200
_SCORES = ("pop_return", "pop_expl", "agg_score")


def check_scheme(settings: RunSettings) -> None:
    """Checks that the seed of an archived run fits how its dice come from it.

    Raises:
        ValueError: it does not.
    """
    if settings.seed_scheme == SCHEME or (settings.seed_scheme == 1 and is_number(settings.seed)):
        return
    raise ValueError(
        f"its seed must be a number for scheme 1, or of scheme {SCHEME}, got {settings.seed} of {settings.seed_scheme}"
    )


def check_extra(solution: SolutionRecord, settings: RunSettings) -> None:
    """Checks intervals, plans and counts of a solution, where there are any.

    Args:
        solution: of the archive.
        settings: of its run.

    Raises:
        ValueError: one has another form, or asks for more than a run could.
    """
    if not 0 <= solution.iteration <= MAX_TARGET:
        raise ValueError(f"a solution must be of an iteration from 0 to {MAX_TARGET}, got {solution.iteration}")
    extra = solution.extra
    if "bootstrap" in extra:
        check_document(extra["bootstrap"], solution.sizes)
    if "allocation" in extra:
        plan_from_document(extra["allocation"], solution.sizes, DEEPEST * settings.episodes)
    if "benchmark" in extra:
        _check_scores(extra["benchmark"])
    deepen = extra.get("deepen", 0)
    if type(deepen) is not int or deepen % 2 or not 0 <= deepen <= DEEPEST * settings.episodes:
        raise ValueError("the episodes that cells shall have next must be an even number that a cell may have")
    played = extra.get("played", 0)
    if type(played) is not int or not 0 <= played <= _MOST_PLAYED:
        raise ValueError("the further episodes that a solution took must be a whole number that is not negative")


def check_iteration(iteration: IterationRecord) -> None:
    """Checks the numbers of an iteration: curves and comparisons add them up. A gain may be unknown, which is NaN.

    Raises:
        ValueError: one is not finite, too large, or less than nothing.
    """
    if not all(isfinite(weight) for weight in iteration.tau):
        raise ValueError("the weights of a target must be finite numbers")
    spent = (iteration.seconds, iteration.attempts, iteration.episodes or 0)
    if not all(0 <= one <= _MOST_PLAYED for one in spent):
        raise ValueError("seconds, attempts and episodes of an iteration must be numbers that a run could have")
    for estimate in (iteration.gain, iteration.lift):
        if estimate is not None and not (abs(estimate.mean) <= _MOST_SIZE or isnan(estimate.mean)):
            raise ValueError(f"gain and lift of an iteration must be at most {_MOST_SIZE:g} in size")
        if estimate is not None and not (0 <= estimate.stderr <= _MOST_SIZE or isnan(estimate.stderr)):
            raise ValueError(f"the error of a gain must be from 0 to {_MOST_SIZE:g}")


def _check_scores(document: object) -> None:
    """Checks what sigma scored against a benchmark.

    Raises:
        ValueError: it has not the form of scores.
    """
    if not isinstance(document, dict):
        raise ValueError("the scores of a solution must be an object")
    names = [document.get("benchmark"), document.get("nemesis")]
    if not all(isinstance(name, str) and name.isprintable() and len(name) <= _MOST_NAME for name in names):
        raise ValueError(f"benchmark and nemesis of a score must be printable texts of at most {_MOST_NAME} characters")
    if document.get("forfeits") is not None:
        read_forfeits(document["forfeits"])
    means = [document.get(score) for score in _SCORES]
    errors = [document.get(f"{score}_stderr") for score in _SCORES]
    known = [*means, document.get("episodes"), *(error for error in errors if error is not None)]
    if not all(isinstance(number, int | float) and abs(number) <= _MOST_PLAYED for number in known):
        raise ValueError("the scores of a solution must be numbers that a game could give")


def check_precision(settings: RunSettings) -> None:
    """Checks the wanted standard error.

    Raises:
        ValueError: it is out of range, or is wanted of payoffs whose cells are all alike.
    """
    wanted = settings.payoff_stderr
    if wanted is not None and not (LEAST_STDERR <= wanted <= MOST_STDERR and settings.allocation == "adaptive"):
        raise ValueError(
            f"a wanted standard error must be a positive number from {LEAST_STDERR:g} to {MOST_STDERR:g}, and needs "
            f"allocation: adaptive"
        )
