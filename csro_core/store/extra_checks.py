"""Reads what a solution of an archive says beside its numbers as hostile input (see `archive_checks`)."""

from csro_core.analysis.bootstrap import check_document
from csro_core.csro import DEEPEST
from csro_core.metagame.rounds import LEAST_STDERR, MOST_STDERR, plan_from_document
from csro_core.store.records import RunSettings, SolutionRecord

_MOST_PLAYED = 10**12
_MOST_NAME = 200
_SCORES = ("pop_return", "pop_expl", "agg_score")


def check_extra(solution: SolutionRecord, settings: RunSettings) -> None:
    """Checks intervals, plans and counts of a solution, where there are any.

    Args:
        solution: of the archive.
        settings: of its run.

    Raises:
        ValueError: one has another form, or asks for more than a run could.
    """
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
