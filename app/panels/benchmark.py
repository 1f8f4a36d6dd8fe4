"""What is measured on the Benchmark page and the table of scores: the user's own among those of others."""

from math import isnan

import streamlit as st

from app import address
from app.formats import DUST, file_name, number, plain, safe, short
from app.panels import assessment
from app.panels.benchmark_rows import FOOTNOTE, MARK, Row, by_score, published, table_csv
from app.snapshot import ORIGINS, Snapshot
from csro_core.errors import UsageError
from csro_core.estimates import Estimate
from csro_core.evaluation.benchmark import Benchmark

_MOST_EPISODES = 1000
_LONGEST_NAME, _LONGEST_SOURCE, _LONGEST_WHAT = 36, 28, 60
_HEAD = (
    ("", "place by AggScore"),
    ("who", ""),
    ("what it is", ""),
    ("AggScore", "PopReturn minus PopExpl"),
    ("PopReturn", "mean return over the opponents"),
    ("PopExpl", "mean loss to the opponent that wins most"),
    ("nemesis", "the opponent that wins most"),
    ("episodes", "against each opponent"),
    ("source", "where the numbers stand"),
)


def missing(benchmark: Benchmark) -> str:
    """Returns why this system cannot play a benchmark, "" where it can."""
    try:
        benchmark.opponents()
    except UsageError as error:
        return str(error)
    return ""


def measure(snapshot: Snapshot, benchmark: Benchmark, known: assessment.Asked, cannot: str) -> None:
    """Draws the form that asks for a measurement, and how far the one under way is.

    Args:
        snapshot: the run.
        benchmark: its benchmark.
        known: requests so far.
        cannot: why this system cannot play it, "" where it can.
    """
    st.html(f'<p class="csro-panel-title">measure <small>against {safe(benchmark.title)}</small></p>')
    run, busy = snapshot.run.id, known.pending is not None
    names = {"mixture": "the mixture as it is now", "champion": "the champion"} | {
        f"policy:{member.policy.hash}": f"{short(member.name, 40)} ({ORIGINS[member.origin]})"
        for member in reversed(snapshot.population(0))
    }
    what, count, go = st.columns([0.5, 0.25, 0.25], gap="small", vertical_alignment="bottom")
    target = what.selectbox(
        "What", list(names), key=f"benchmark_target-{run}", format_func=lambda one: names.get(one, one),
    )  # fmt: skip
    step = 2 if benchmark.name == "leduc" else 1
    episodes = count.number_input(
        "Episodes an opponent", min_value=step, max_value=_MOST_EPISODES, value=benchmark.episodes, step=step,
        key=f"benchmark_episodes-{run}",
        help="Four times as many halve the interval." + (" Half of them in each seat." if step == 2 else ""),
    )  # fmt: skip
    pressed = go.button(
        "Measure", key="measure", type="primary", icon=":material/speed:", disabled=busy or bool(cannot),
        width="stretch", help="Plays the whole population. Nothing of it is seen in training.",
    )  # fmt: skip
    if pressed:
        even = int(episodes) + int(episodes) % step
        address.put(measured=None)
        assessment.ask(run, "benchmark", {"target": target, "benchmark": benchmark.name, "episodes": even})
    if cannot:
        st.warning(f"Nothing can be measured here: {plain(cannot)}", icon=":material/block:")
    if known.pending is not None:
        assessment.wait()
    elif known.last_failure:
        assessment.say_failed(known.last_failure)


def table(snapshot: Snapshot, benchmark: Benchmark, own: list[Row]) -> None:
    """Draws the table, the best AggScore first, and its download."""
    title, choice = st.columns([0.7, 0.3], vertical_alignment="center")
    title.html(
        f'<p class="csro-panel-title">scores <small>{safe(benchmark.unit)}, ± 95 %, by AggScore</small></p>'
    )
    bots = benchmark.name == "rrps" and choice.toggle(
        "with all 43 bots", key="benchmark_bots", help="The bots' own published scores, each against all 43."
    )
    rows = by_score([*own, *published(benchmark.name, bots)])
    head = "".join(f'<th title="{safe(tip)}">{safe(name)}</th>' for name, tip in _HEAD)
    lines = "".join(_line(place, row) for place, row in enumerate(rows, start=1))
    st.html(
        f'<div class="csro-scores" role="region" aria-label="scores" tabindex="0"><table class="csro-table">'
        f"<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
    mark = f'<span class="csro-informed">{MARK} {safe(FOOTNOTE)}</span> ' if any(row.informed for row in rows) else ""
    st.html(
        f'<div class="csro-note">{mark}“secondary source”: read in a summary of the paper, not in the paper itself.'
        "</div>"
    )
    st.download_button(
        "Table (CSV)", data=lambda: table_csv(rows, benchmark.unit),
        file_name=file_name(snapshot.run.name, f"-{benchmark.name}.csv"), mime="text/csv",
        icon=":material/download:", on_click="ignore", key="download_scores", type="tertiary",
    )  # fmt: skip


def _line(place: int, row: Row) -> str:
    kind = "informed" if row.informed else "own" if row.own else "published"
    source = row.source.replace(" (secondary)", "") if row.secondary else row.source
    chip = ' <span class="csro-chip orange">secondary source</span>' if row.secondary else ""
    cells = (
        f'<td class="place">{place}</td>'
        f'<td class="who" title="{safe(row.name)}">{safe(short(row.name, _LONGEST_NAME))}'
        f"{f' {MARK}' if row.informed else ''}</td>"
        f'<td class="words" title="{safe(row.what)}">{safe(short(row.what, _LONGEST_WHAT))}</td>'
        f"<td><b>{score_text(row.agg_score, True)}</b>{_forfeits(row)}</td><td>{score_text(row.pop_return, True)}</td>"
        f"<td>{score_text(row.pop_expl)}</td>"
        f'<td class="words">{safe(short(row.nemesis, 20)) or "–"}</td><td>{row.episodes or "–"}</td>'
        f'<td class="words" title="{safe(row.source)}">{safe(short(source, _LONGEST_SOURCE))}{chip}</td>'
    )
    return f'<tr class="{kind}">{cells}</tr>'


def _forfeits(row: Row) -> str:
    """Returns the warning beside a score as HTML, "" where nobody forfeited or nobody has told."""
    if row.forfeits is None or row.forfeits.clean:
        return ""
    count = row.forfeits.forfeited + row.forfeits.by_opponents
    return f' <span class="csro-chip orange" title="{safe(row.forfeits.words)}">⚠ {count:,} forfeited</span>'


def score_text(value: Estimate, signed: bool = False) -> str:
    """Returns a score for a table: with its interval, or as it was published."""
    half = value.half_width
    if isnan(half):  # nobody has told the error
        return f"{value.mean:+.1f}".replace("-", "−") if signed else f"{value.mean:.1f}".replace("-", "−")
    if half < DUST:
        return number(value.mean, signed=signed)
    tip = f"standard error {number(value.stderr)}"
    return f'<span title="{tip}">{number(value.mean, half, signed)} ± {number(half, half)}</span>'
