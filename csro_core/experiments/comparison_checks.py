"""Reads the document of a comparison as hostile input: every reference, number and text of it.

Every check raises `ValueError` with what must hold.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from math import isfinite, isnan

from csro_core.experiments.document import HELD_OUT, MEASURES, SHARED, Comparison, Course, Difference, Point, Summary
from csro_core.experiments.plan import MOST_RUNS, MOST_VARIANTS
from csro_core.store.codec import Json, check_depth, dumps, from_json

MOST_BYTES = 50_000_000

_HASH = re.compile(r"[0-9a-f]{64}")
_MOST_NAME = 200
_MOST_TEXT = 2_000
_MOST_LINES = 20_000
_MOST_POINTS = 200_000
_LARGEST = 1e15
_LATEST = 32_500_000_000.0  # seconds since 1970 of a day in the year 2999
_ROUNDING = 1e-6
_FREE = 1_000_000
_MOST_GAME = 40_000_000  # the largest matrix that can be played


def read_comparison(data: Json) -> Comparison:
    """Returns the document of a comparison after all checks.

    Args:
        data: JSON data, not trusted.

    Raises:
        ValueError: something in it is not sound.
    """
    check_depth(data, "a comparison")
    found = from_json(Comparison, data)
    check_comparison(found)
    return found


def check_comparison(document: Comparison) -> None:
    """Checks that the parts of a document fit each other, and that its numbers and texts can be shown.

    Raises:
        ValueError: they do not.
    """
    names = [line.name for line in document.variants]
    _limit("variants", names, MOST_VARIANTS)
    if not names or len(set(names)) != len(names) or {SHARED, HELD_OUT} & set(names):
        raise ValueError("the variants of a comparison must have names that differ")
    if document.baseline not in names:
        raise ValueError("the baseline of a comparison must be one of its variants")
    _texts([*names, document.title, document.unit, document.eval_solver, *document.held_out], _MOST_NAME)
    _limit("held-out responders", document.held_out, _MOST_LINES)
    _limit("notes", document.notes, _MOST_LINES)
    _texts(document.notes, _MOST_TEXT, empty=True)
    _free(document.game, _MOST_GAME)
    _numbers([document.budget, document.created, document.play, *document.pool])
    counts = (document.play, *document.pool)
    if not 0 <= document.created <= _LATEST or min(counts) < 0 or len(document.pool) > 2:
        raise ValueError("date, episodes and pool of a comparison must be numbers that one could have")
    _check_variants(document)
    _check_courses(document)
    _check_summaries(document, set(names))
    _check_cross_play(document, set(names))
    _check_joint(document, {*names, SHARED, HELD_OUT})


def _check_variants(document: Comparison) -> None:
    runs: list[str] = []
    for line in document.variants:
        if len(line.runs) != len(line.seeds):
            raise ValueError("a variant of a comparison must have the seed of each run")
        if min(line.human_edits, line.descendants) < 0:
            raise ValueError("edits of a variant must not be negative")
        _free(line.settings)
        runs += line.runs
    if len(runs) > MOST_RUNS or len(set(runs)) != len(runs):
        raise ValueError(f"a comparison must be of at most {MOST_RUNS} runs, each of one variant")


def _check_courses(document: Comparison) -> None:
    owners = {
        (run, line.name, seed) for line in document.variants for run, seed in zip(line.runs, line.seeds, strict=True)
    }
    if len({one.run for one in document.courses}) != len(document.courses):
        raise ValueError("a run of a comparison must have one course")
    if sum(len(one.points) for one in document.courses) > _MOST_POINTS:
        raise ValueError(f"the courses of a comparison must have at most {_MOST_POINTS:,} points together")
    for course in document.courses:
        if (course.run, course.variant, course.seed) not in owners:
            raise ValueError("a course of a comparison must be of a run of its variants")
        _texts([course.run_name], _MOST_NAME)
        _check_points(course)


def _check_points(course: Course) -> None:
    if not 0 <= course.final < len(course.points):
        raise ValueError("the final point of a course must be one of its points")
    columns = [field.name for field in fields(Point)]
    for point in course.points:
        _numbers(getattr(point, name) for name in columns)
        costs = [point.iteration, point.calls, point.episodes, point.seconds, point.usd or 0.0]
        if min(costs) < 0 or (point.gap_stderr or 0.0) < 0:
            raise ValueError("what a point of a course had cost, and errors, must not be negative")
    for earlier, later in zip(course.points, course.points[1:], strict=False):
        rising = earlier.calls <= later.calls and earlier.episodes <= later.episodes
        if earlier.usd is not None and later.usd is not None:
            rising = rising and earlier.usd <= later.usd
        if not (rising and earlier.iteration < later.iteration and earlier.seconds <= later.seconds):
            raise ValueError("the points of a course must be in the order of their iterations and of what they cost")


def _check_summaries(document: Comparison, names: set[str]) -> None:
    _limit("summaries", document.summaries, MOST_VARIANTS * len(MEASURES))
    _limit("differences", document.differences, MOST_VARIANTS * len(MEASURES))
    told: list[Summary | Difference] = [*document.summaries, *document.differences]
    for one in told:
        if one.variant not in names or not 0 <= one.seeds <= MOST_RUNS:
            raise ValueError("a summary of a comparison must be of one of its variants, over its seeds")
        _numbers([one.mean, one.half_width])
        if (one.half_width or 0.0) < 0:
            raise ValueError("half of an interval must not be negative")
    for difference in document.differences:
        _texts([difference.sentence], _MOST_TEXT)
        if not 0 <= difference.ahead <= difference.seeds:
            raise ValueError("a variant can be ahead in as many pairs as there are")


def _check_cross_play(document: Comparison, names: set[str]) -> None:
    played = document.cross_play
    size = len(played.variants)
    if not set(played.variants) <= names or len(set(played.variants)) != size:
        raise ValueError("cross-play must be of the variants of the comparison")
    for table in (played.mean, played.half_width, played.seeds):
        if len(table) != size or any(len(row) != size for row in table):
            raise ValueError("cross-play must have one row and one column for each variant")
    # A pair that was never played has NaN, which is null in the file.
    _numbers((value for row in played.mean for value in row), unknown=True)
    _numbers((value for row in played.half_width for value in row), unknown=True)
    if any(value is not None and value < 0 for row in played.half_width for value in row):
        raise ValueError("half of an interval must not be negative")
    if any(not 0 <= seeds <= MOST_RUNS for row in played.seeds for seeds in row):
        raise ValueError("cross-play must say over how many seeds it was played")


def _check_joint(document: Comparison, owners: set[str]) -> None:
    joint = document.joint
    _texts([joint.solver], _MOST_NAME)
    _limit("policies of the joint equilibrium", joint.policies, _MOST_LINES)
    if not joint.shares.keys() <= owners or any(one.owner not in owners for one in joint.policies):
        raise ValueError("the owners of the joint equilibrium must be variants of the comparison")
    shares = [*joint.shares.values(), *(one.share for one in joint.policies)]
    if not all(-_ROUNDING <= share <= 1 + _ROUNDING for share in shares):
        raise ValueError("the shares of the joint equilibrium must be from 0 to 1")
    runs = {run for line in document.variants for run in line.runs}
    for one in joint.policies:
        _texts([one.name], _MOST_NAME)
        if _HASH.fullmatch(one.hash) is None or one.player not in {0, 1} or (one.run and one.run not in runs):
            raise ValueError("a policy of the joint equilibrium must have a hash, a player and a run of the comparison")


def _numbers(values: Iterable[float | None], unknown: bool = False) -> None:
    known = [value for value in values if value is not None and not (unknown and isnan(value))]
    if not all(isfinite(value) and abs(value) <= _LARGEST for value in known):
        raise ValueError(f"the numbers of a comparison must be finite and at most {_LARGEST:g} in size")


def _texts(values: Iterable[str], most: int, empty: bool = False) -> None:
    for value in values:
        if len(value) > most or not value.isprintable() or not (value or empty):
            raise ValueError(f"a text of a comparison must have 1 to {most:,} printable characters, got {value[:60]!r}")


def _limit(what: str, rows: Sequence[object], most: int) -> None:
    if len(rows) > most:
        raise ValueError(f"a comparison must have at most {most:,} {what}, got {len(rows):,}")


def _free(data: Mapping[str, Json], most: int = _FREE) -> None:
    if len(dumps(data)) > most:
        raise ValueError(f"settings in a comparison must have at most {most:,} bytes")
