"""What a comparison says, on the Compare page: the sentences on top, the curves, and the table with its differences."""

from collections.abc import Mapping

import streamlit as st

from app import compare_data
from app.compare_charts import GAIN_TITLE, View, curves_figure
from app.compare_csv import curves_csv
from app.compare_data import Curve, Look
from app.formats import file_name, interval_text, number, plain, safe, short
from app.panels.metagame_choices import choice
from app.panels.metagame_figure import figure, foot
from csro_core.experiments.bands import cost_of
from csro_core.experiments.document import COSTS, MEASURES, Comparison, Cost, Difference, MeasureName
from csro_core.experiments.tables import csv_runs, csv_table, latex_table, markdown_table

VERDICTS = {"ahead": ("green", "▲ ahead"), "behind": ("red", "▼ behind"), "undecided": ("gray", "● undecided")}
"""Verdict → colour and word with its sign."""

GAIN_WARNING = (
    "This is no comparison of oracles: every oracle looks for an answer to its own population, and one whose "
    "population is easy to beat gains more."
)
_LONGEST = 40
Drawn = Mapping[str, Look]


def measure_of(document: Comparison) -> MeasureName:
    """Draws the choice of the measure, and returns the chosen one: the gap where nothing else is asked for."""
    offered = {name: MEASURES[name].title for name in compare_data.measures_in(document) if name != "versus"}
    if not offered:
        return "gap"
    default = "gap" if "gap" in offered else next(iter(offered))
    named: MeasureName = choice("Measure", offered, "measure", default)  # type: ignore[assignment]
    return named


def headline(document: Comparison, measure: MeasureName, drawn: Drawn) -> None:
    """Draws one sentence for each variant but the baseline: by the measure, and in direct play."""
    told = [name for name in (measure, "versus") if any(one.measure == name for one in document.differences)]
    if not told:
        st.caption("There is one variant only, so nothing can be told apart; pick runs with other settings as well.")
        return
    for place, name in zip(st.columns(len(told), gap="medium"), told, strict=True):
        with place:
            about = MEASURES[name]
            unit = f"{about.better} is better"
            st.html(
                f'<p class="csro-panel-title">{safe(about.title)} <small>{safe(unit)}</small></p>'
                f'<p class="csro-note csro-reads">{safe(_sentence(about.about))}</p>'
            )
            lines = [one for one in document.differences if one.measure == name]
            st.html("".join(_headline(one, drawn) for one in lines))


def _headline(one: Difference, drawn: Drawn) -> str:
    colour, word = VERDICTS[one.verdict]
    return (
        f'<div class="csro-headline">{swatch(drawn, one.variant)}<span class="csro-chip {colour}">{word}</span>'
        f"<span>{safe(one.sentence)}</span></div>"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""


def swatch(drawn: Drawn, owner: str) -> str:
    """Returns a spot in the colour of a variant, as HTML."""
    return f'<span class="csro-swatch" style="background:{compare_data.colour_of(drawn, owner)}"></span>'


def curves(document: Comparison, measure: MeasureName, drawn: Drawn) -> None:
    """Draws the curves with what can be chosen of them."""
    offered = {cost: words for cost, words in COSTS.items() if _is_told(document, cost)}
    st.html(
        '<p class="csro-panel-title">curves <small>mean over seeds with its 95 % band (Student’s t); thin: single '
        "runs, hover for their names; a click on a name in the legend shows it alone</small></p>"
    )
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        default = document.cost if document.cost in offered else "iterations"
        axis: Cost = choice("Axis", offered, "axis", default)  # type: ignore[assignment]
        seeds = st.toggle("single runs", value=True, key="compare_seeds")
        log = st.toggle("logarithmic", key="compare_log", help="Keeps the sign, and is linear round 0.")
        gain = st.toggle("oracle gain", key="compare_gain", help=GAIN_WARNING)
    if gain:
        st.warning(GAIN_WARNING, icon=":material/warning:")
    known = compare_data.curves_in(document)
    curve: Curve = "oracle_gain" if gain else measure if measure in known else "gap"  # type: ignore[assignment]
    view = View(curve, axis, seeds, log)
    title = GAIN_TITLE if gain else MEASURES[curve].title  # type: ignore[index]
    figure(curves_figure(document, view, drawn), "compare_curves", f"{title} of {len(document.variants)} variants")
    note = compare_data.unequal_cost(document) if axis == "iterations" else ""
    if note:
        st.caption(plain(note))
    foot([("compare_curves", "")], lambda: curves_csv(document), document.title, "compare_curves")


def _is_told(document: Comparison, cost: Cost) -> bool:
    """Returns whether anything was used of it: a free model costs nothing, and an axis of zeros shows nothing."""
    return any(cost_of(point, cost) for course in document.courses for point in course.points)


def table(document: Comparison, measure: MeasureName, drawn: Drawn) -> None:
    """Draws the final table and the paired differences, with their downloads."""
    names = compare_data.measures_in(document)
    head = "".join(
        f'<th title="{safe(MEASURES[name].about)}">{safe(MEASURES[name].title)}<br><small>{MEASURES[name].better} is '
        "better</small></th>"
        for name in names
    )
    rows = "".join(_row(document, line.name, names, drawn) for line in document.variants)
    budget = "all that the runs have" if document.budget is None else number(document.budget)
    st.html(
        f'<p class="csro-panel-title">final mixtures <small>at equal {safe(COSTS[document.cost])}: {safe(budget)}; '
        f"mean ± 95 % over seeds, {safe(document.unit)}</small></p>"
        f'<div class="csro-compare" role="region" aria-label="final mixtures" tabindex="0"><table class="csro-table">'
        f"<thead><tr><th>variant</th><th>seeds</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )
    _differences(document, measure, drawn)
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="foot_compare_table"):
        for word, make, ending, mime in (
            ("CSV", csv_table, ".csv", "text/csv"),
            ("LaTeX", latex_table, ".tex", "text/x-tex"),
            ("Markdown", markdown_table, ".md", "text/markdown"),
            ("Runs (CSV)", csv_runs, "-runs.csv", "text/csv"),
        ):
            st.download_button(
                word, data=lambda make=make: make(document), mime=mime,
                file_name=file_name(document.title, f"-comparison{ending}"), icon=":material/download:",
                on_click="ignore", key=f"table_{word}", type="tertiary",
                help="Every run by itself." if make is csv_runs else f"The table with its differences as {word}.",
            )  # fmt: skip


def _row(document: Comparison, variant: str, names: list[MeasureName], drawn: Drawn) -> str:
    summaries = {one.measure: one for one in document.summaries if one.variant == variant}
    differences = {one.measure: one for one in document.differences if one.variant == variant}
    line = next(line for line in document.variants if line.name == variant)
    cells = []
    for name in names:
        one = summaries.get(name) or (differences.get(name) if name == "versus" else None)
        text = "–" if one is None else interval_text(one.mean, one.half_width, signed=name == "versus")
        cells.append(f"<td>{safe(text)}</td>")
    base = ' <span class="csro-chip gray">baseline</span>' if variant == document.baseline else ""
    return f"<tr><td>{_named(variant, drawn)}{base}</td><td>{len(set(line.seeds))}</td>{''.join(cells)}</tr>"


def _named(variant: str, drawn: Drawn) -> str:
    return f'{swatch(drawn, variant)}<span title="{safe(variant)}">{safe(short(variant, _LONGEST))}</span>'


def _differences(document: Comparison, measure: MeasureName, drawn: Drawn) -> None:
    found = [one for one in document.differences if one.measure in {measure, "versus"}]
    found.sort(key=lambda one: one.measure == "versus")
    if not found:
        return
    rows = "".join(_difference(one, drawn) for one in found)
    baseline = safe(short(document.baseline, _LONGEST))
    st.html(
        f'<p class="csro-panel-title csro-next">paired differences <small>variant minus {baseline}, seed by seed'
        '</small></p><div class="csro-compare csro-differences" role="region" aria-label="paired differences" '
        'tabindex="0"><table class="csro-table"><thead><tr><th>variant</th><th>measure</th>'
        '<th>difference ± 95 %</th><th>better in</th><th>verdict</th></tr>'
        f"</thead><tbody>{rows}</tbody></table></div>"
    )


def _difference(one: Difference, drawn: Drawn) -> str:
    colour, word = VERDICTS[one.verdict]
    shown = interval_text(one.mean, one.half_width, signed=True)
    return (
        f"<tr><td>{_named(one.variant, drawn)}</td><td>{safe(MEASURES[one.measure].title)}</td><td>{shown}</td>"
        f'<td>{one.ahead} of {one.seeds}</td><td><span class="csro-chip {colour}">{word}</span></td></tr>'
    )


