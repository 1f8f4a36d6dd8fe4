"""The numbers of the Compare page's charts as CSV. Names may come from strangers: no spreadsheet takes one for code."""

import csv
import io
from dataclasses import astuple, fields

from app.panels.benchmark_rows import cell
from csro_core.experiments.document import Comparison, Point


def curves_csv(document: Comparison) -> str:
    """Returns one line a run and iteration."""
    columns = [field.name for field in fields(Point)]
    rows = [
        [cell(course.variant), cell(course.run_name), course.seed, *astuple(point), int(place == course.final)]
        for course in document.courses
        for place, point in enumerate(course.points)
    ]
    return _text([["variant", "run", "seed", *columns, "compared"], *rows])


def cross_csv(document: Comparison) -> str:
    """Returns one line a pair of variants: the payoff to the first one."""
    cross = document.cross_play
    rows = [
        [cell(name), cell(other), cross.mean[row][column], cross.half_width[row][column], cross.seeds[row][column]]
        for row, name in enumerate(cross.variants)
        for column, other in enumerate(cross.variants)
    ]
    return _text([["variant", "against", "mean", "half_width", "seeds"], *rows])


def joint_csv(document: Comparison) -> str:
    """Returns one line a policy of the equilibrium of the joint population."""
    rows = [
        [cell(one.owner), cell(one.name), one.hash, one.run, one.player, one.share] for one in document.joint.policies
    ]
    return _text([["owner", "policy", "hash", "run", "player", "share"], *rows])


def _text(rows: list[list[object]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue()
