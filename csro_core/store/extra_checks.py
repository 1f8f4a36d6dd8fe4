"""Reads what a solution of an archive says beside its numbers as hostile input (see `archive_checks`)."""

from csro_core.analysis.bootstrap import check_document
from csro_core.csro import DEEPEST
from csro_core.metagame.rounds import plan_from_document
from csro_core.store.records import RunSettings, SolutionRecord

_MOST_PLAYED = 10**12


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
    played = extra.get("played", 0)
    if type(played) is not int or not 0 <= played <= _MOST_PLAYED:
        raise ValueError("the further episodes that a solution took must be a whole number that is not negative")


def check_precision(settings: RunSettings) -> None:
    """Checks the wanted standard error.

    Raises:
        ValueError: it is no positive number, or is wanted of payoffs whose cells are all alike.
    """
    wanted = settings.payoff_stderr
    if wanted is not None and not (0 < wanted < float("inf") and settings.allocation == "adaptive"):
        raise ValueError("a wanted standard error must be a positive number, and needs allocation: adaptive")
