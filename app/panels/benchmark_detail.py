"""One measurement of the Benchmark page: bars for each opponent, and its row in the published table of the bots."""

import streamlit as st

from app import address
from app.benchmark_charts import Scores, cross_figure, opponents_figure
from app.formats import file_name, interval, number, plain, safe, short
from app.panels.benchmark_rows import Row, opponents_csv
from app.snapshot import Snapshot
from csro_core.evaluation.benchmark import Benchmark
from csro_core.evaluation.published import published_bots, published_cross_table

_LONGEST_REMARK = 300


def panel(snapshot: Snapshot, benchmark: Benchmark, rows: list[Row]) -> None:
    """Draws the measurement that the address names, else the latest.

    Args:
        snapshot: the run.
        benchmark: its benchmark.
        rows: what was measured, the latest first; at least one.
    """
    known = {row.key: row for row in rows}
    wanted = address.get("measured")
    row = known.get(wanted, rows[0])
    if wanted and row.key != wanted:
        address.put(measured=None)
    st.session_state["benchmark_shown"] = row.key
    st.selectbox(
        "Measurement shown below", list(known), key="benchmark_shown", width=420,
        format_func=lambda key: short(known[key].name, 60) if key in known else str(key),
        on_change=lambda: address.put(measured=st.session_state["benchmark_shown"]),
    )  # fmt: skip
    _facts(benchmark, row)
    scores = Scores(
        row.name, tuple(name for name, _ in row.per_opponent), tuple(got for _, got in row.per_opponent), row.nemesis,
        row.informed, row.note, benchmark.unit,
    )  # fmt: skip
    _bars(snapshot, scores)
    if benchmark.name == "rrps":
        _cross(snapshot, scores)
    st.download_button(
        "Opponents (CSV)", data=lambda: opponents_csv(row, benchmark.unit),
        file_name=file_name(f"{snapshot.run.name}-{row.name}", f"-{benchmark.name}.csv"), mime="text/csv",
        icon=":material/download:", on_click="ignore", key="download_opponents", type="tertiary",
    )  # fmt: skip


def _facts(benchmark: Benchmark, row: Row) -> None:
    told = (
        (f"AggScore <b>{safe(interval(row.agg_score))}</b>", "PopReturn minus PopExpl"),
        (f"PopReturn <b>{safe(interval(row.pop_return))}</b>", "mean return over the opponents"),
        (f"PopExpl <b>{safe(interval(row.pop_expl, signed=False))}</b>", "mean loss to the opponent that wins most"),
        (f"nemesis <b>{safe(short(row.nemesis, 30))}</b>", "the opponent that wins most"),
        (f"{row.episodes} episodes an opponent", safe(benchmark.title)),
        (safe(benchmark.unit), "unit"),
        (_forfeits(row), "episodes that a policy forfeited"),
    )
    spans = "".join(f'<span class="fact" title="{tip}">{text}</span>' for text, tip in told)
    mark = " csro-informed" if row.informed else ""
    st.html(
        f'<div class="csro-head"><span class="title{mark}">{safe(row.name)}</span>{spans}</div>'
        f'<div class="csro-note">{safe(row.what)}</div>'
    )
    if row.forfeits is not None and not row.forfeits.clean:
        st.warning(plain(short(_sentence(row.forfeits.words), 600)), icon=":material/warning:")
    for remark in row.remarks[:5]:
        st.html(f'<div class="csro-note">{safe(short(remark, _LONGEST_REMARK))}</div>')


def _forfeits(row: Row) -> str:
    return "forfeits: not told" if row.forfeits is None else f"forfeited: {row.forfeits.count} episodes"


def _sentence(words: str) -> str:
    return f"{words[:1].upper()}{words[1:].rstrip('.')}."


def _bars(snapshot: Snapshot, scores: Scores) -> None:
    st.html('<p class="csro-panel-title">against each opponent <small>± 95 %, the best first</small></p>')
    means = [payoff.mean for payoff in scores.payoffs]
    st.plotly_chart(
        opponents_figure(scores),
        key="benchmark_bars",
        config={"displaylogo": False, "toImageButtonOptions": {"filename": file_name(snapshot.run.name, "-bars")}},
        alt=f"Bars with 95 % intervals: returns of {scores.name} against {len(means)} opponents, from "
        f"{number(max(means))} down to {number(min(means))}, the nemesis {scores.nemesis}. {scores.footnote}",
    )


def _cross(snapshot: Snapshot, scores: Scores) -> None:
    table = published_cross_table()
    place = {bot: index for index, bot in enumerate(table.bots)}
    order = [row.method for row in published_bots() if row.method in place]
    means = [[table.means[place[own]][place[other]] for other in order] for own in order]
    st.html(
        '<p class="csro-panel-title">its row above the published table of the 43 bots '
        "<small>mean return to the row, the best AggScore first</small></p>"
    )
    st.plotly_chart(
        cross_figure(scores, order, means, dark=st.context.theme.type == "dark"),
        key="benchmark_cross",
        config={"displaylogo": False, "toImageButtonOptions": {"filename": file_name(snapshot.run.name, "-cross")}},
        alt=f"Heat-map of the published mean returns of the 43 bots against each other, with {scores.name} as the "
        f"first row. {scores.footnote}",
    )
