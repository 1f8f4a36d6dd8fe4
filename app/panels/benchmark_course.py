"""What sigma scored after every iteration, where the run measured it: a curve on the Benchmark page."""

import csv
import io
from math import isfinite

import streamlit as st

from app.benchmark_charts import CoursePoint, course_figure, squashed_by_starters
from app.formats import file_name, number, plain, short
from app.panels.assessment import counted
from app.panels.benchmark_rows import FOOTNOTE, cell, estimate_of
from app.snapshot import Snapshot
from csro_core.evaluation.benchmark import Benchmark
from csro_core.evaluation.forfeits import told

_SCORES = ("pop_return", "pop_expl", "agg_score")


def panel(snapshot: Snapshot, benchmark: Benchmark) -> None:
    """Draws the curve, or says how a run comes to have one."""
    st.html('<p class="csro-panel-title">sigma over the iterations <small>AggScore, ± 95 %</small></p>')
    points = course(snapshot, benchmark.name)
    if not points:
        st.caption(
            f"This run does not measure sigma while it grows. A run that was made with `--benchmark {benchmark.name}`, "
            "or with that field of *New run*, does; `evaluate RUN --each-iteration` does it afterwards."
        )
        return
    informed = snapshot.run.settings.model.partition(":")[0] == "synthesiser"
    st.plotly_chart(
        course_figure(points, benchmark.unit, FOOTNOTE if informed else ""),
        key="benchmark_course",
        config={"displaylogo": False, "toImageButtonOptions": {"filename": file_name(snapshot.run.name, "-benchmark")}},
        alt="Lines: AggScore, PopReturn and PopExpl of sigma by iteration. “Course (CSV)” below has the numbers.",
    )
    if squashed_by_starters(points):
        first = points[0].agg_score
        st.caption(
            f"Below the axis: the starters alone, AggScore {number(first.mean, signed=True)}. A double click on the "
            "chart shows everything."
        )
    forfeited = _forfeited(snapshot, benchmark.name)
    if forfeited:
        st.warning(plain(short(forfeited, 600)), icon=":material/warning:")
    st.download_button(
        "Course (CSV)", data=lambda: course_csv(points, benchmark.unit),
        file_name=file_name(snapshot.run.name, f"-{benchmark.name}-course.csv"), mime="text/csv",
        icon=":material/download:", on_click="ignore", key="download_course", type="tertiary",
    )  # fmt: skip


def _forfeited(snapshot: Snapshot, benchmark: str) -> str:
    """Returns after which iterations the score rests on forfeits, in a sentence; "" where it does not."""
    found = {}
    for solution in snapshot.solutions:
        scores = solution.extra.get("benchmark")
        known = told(scores) if isinstance(scores, dict) and scores.get("benchmark") == benchmark else None
        if known is not None and not known.clean:
            found[solution.iteration] = known
    if not found:
        return ""
    last = max(found)
    return f"Forfeits after iteration {', '.join(map(str, sorted(found)))}. After {last}: {found[last].words}."


def course(snapshot: Snapshot, benchmark: str) -> list[CoursePoint]:
    """Returns what sigma scored after each iteration; rows that have not the form of a score are left out."""
    points: dict[int, CoursePoint] = {}
    for solution in snapshot.solutions:
        found = solution.extra.get("benchmark")
        if not isinstance(found, dict) or found.get("benchmark") != benchmark:
            continue
        episodes = counted(found.get("episodes"))
        scores = [estimate_of(found, name, episodes) for name in _SCORES]
        if all(isfinite(score.mean) for score in scores):
            points[solution.iteration] = CoursePoint(
                solution.iteration, *scores, nemesis=str(found.get("nemesis") or "")
            )
    return list(points.values())


def course_csv(points: list[CoursePoint], unit: str) -> str:
    """Returns one line an iteration."""
    text = io.StringIO()
    writer = csv.writer(text)
    names = [name for score in _SCORES for name in (score, f"{score}_stderr")]
    writer.writerow(["iterations_finished", *names, "nemesis", "episodes", "unit"])
    for point in points:
        scores = (point.pop_return, point.pop_expl, point.agg_score)
        numbers = [part for score in scores for part in (score.mean, score.stderr)]
        writer.writerow([point.finished, *numbers, cell(point.nemesis), point.agg_score.episodes, unit])
    return text.getvalue()
