"""The exploitability chart and sigma over the iterations; a second run laid over the first; downloads."""

import csv
import io
from collections.abc import Callable
from dataclasses import fields

import numpy as np
import streamlit as st

from app import services, share
from app.charts import Curves, exploitability_figure, sigma_figure
from app.formats import file_name, plain, short
from app.scales import is_wide
from app.snapshot import Snapshot, curves, snapshot_of
from csro_core.store.records import RunRecord, RunSettings

_LINEAR, _LOGARITHMIC = "linear", "signed log"

TITLE = "Exploitability of sigma: lower bounds (exact where marked)"


def exploitability_panel(snapshot: Snapshot) -> None:
    """Draws gain, gap and, where it is known, the exact exploitability."""
    st.html(f'<p class="csro-panel-title">{TITLE}</p>')
    own = curves(snapshot)
    if not own.gains and not own.exact and not own.gaps:
        st.caption("A point appears with the first iteration: press Step.")
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="curve_choices"):
        chosen = _overlay(snapshot.run)
        logarithmic = _scale_choice(snapshot, own)
    other = snapshot_of(chosen) if chosen else None
    st.plotly_chart(
        exploitability_figure(
            own, curves(other) if other else None, snapshot.game.unit, logarithmic, st.context.theme.type == "dark"
        ),
        key="exploitability_figure",
        config=_config(snapshot.run, "exploitability"),
        alt="Chart of the lower bounds on the exploitability of sigma by iteration: gain with its 95 % interval, gap "
        "with hindsight, and the exact value where it is known. “Curves (CSV)” below has the numbers.",
    )
    if other is not None:
        _differences(snapshot, other)


def _config(run: RunRecord, what: str) -> dict[str, object]:
    return {"displaylogo": False, "toImageButtonOptions": {"filename": file_name(run.name, f"-{what}")}}


def _scale_choice(snapshot: Snapshot, own: Curves) -> bool:
    """Lets the scale be chosen; a signed logarithm by itself where the first value would squash the others."""
    chosen = st.session_state.get(f"scale-chosen-{snapshot.run.id}")
    st.session_state["scale"] = chosen or (_LOGARITHMIC if is_wide(own.values) else _LINEAR)

    def keep() -> None:
        st.session_state[f"scale-chosen-{snapshot.run.id}"] = st.session_state["scale"]

    scale = st.segmented_control(
        "Scale", [_LINEAR, _LOGARITHMIC], key="scale", required=True, on_change=keep, label_visibility="collapsed",
        width="content",
    )  # fmt: skip
    return bool(scale == _LOGARITHMIC)


def sigma_panel(snapshot: Snapshot) -> None:
    """Draws sigma over the iterations, one population at a time."""
    st.html('<p class="csro-panel-title">sigma over iterations</p>')
    player = 0
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="sigma_choices"):
        st.caption("One colour per policy, the same everywhere.", width="stretch")
        if not snapshot.game.symmetric:
            chosen = st.segmented_control(
                "Player", ["player 0", "player 1"], default="player 0", required=True, key="sigma_player",
                label_visibility="collapsed", width="content",
            )  # fmt: skip
            player = 1 if chosen == "player 1" else 0
    steps = sorted({solution.iteration for solution in snapshot.solutions})
    if not steps:
        st.caption("Sigma appears here as soon as the initial population has played.")
        return
    weights = np.array([snapshot.sigma(snapshot.solution_at(step), player) for step in steps])
    names = [member.name for member in snapshot.population(player)]
    st.plotly_chart(
        sigma_figure(steps, weights, names, snapshot.colours(player), st.context.theme.type == "dark"),
        key="sigma_figure",
        config=_config(snapshot.run, "sigma"),
        alt="Stacked areas: the probability of each policy in sigma by iteration. The Policies page has the numbers.",
    )


def _overlay(run: RunRecord) -> str | None:
    """Lets a second run of the same game be laid over; returns its id."""
    others = {
        record.id: record
        for record in services.store().runs()
        if record.id != run.id and record.settings.game == run.settings.game and record.iteration > 0
    }
    if not others:
        st.space("stretch")
        return None
    chosen = st.selectbox(
        "Lay another run over it",
        list(others),
        index=None,
        key="overlay",
        format_func=lambda name: short(others[name].name, 40) if name in others else name,
        placeholder="lay another run over it …",
        label_visibility="collapsed",
    )
    return chosen if chosen in others else None


def _differences(snapshot: Snapshot, other: Snapshot) -> None:
    found = settings_differences(snapshot.run.settings, other.run.settings)
    if not found:
        st.caption("The two runs have equal settings.")
        return
    text = "; ".join(f"{name}: {mine} here, {theirs} there" for name, mine, theirs in found)
    st.caption(f"Differences of their settings: {plain(text)}")


def settings_differences(mine: RunSettings, theirs: RunSettings) -> list[tuple[str, str, str]]:
    """Returns (setting, value here, value there) for each setting that differs."""
    pairs = [(field.name, getattr(mine, field.name), getattr(theirs, field.name)) for field in fields(RunSettings)]
    return [
        (name.replace("_", " "), _shown(here), _shown(there)) for name, here, there in pairs if here != there
    ]


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value) or "the default"
    return str(value) or "none"


def downloads(snapshot: Snapshot) -> None:
    """Draws the download buttons of the page."""
    name = snapshot.run.name
    with st.container(horizontal=True, gap="small"):
        _download("Matrix (CSV)", lambda: matrix_csv(snapshot), file_name(name, "-payoffs.csv"), "download_matrix")
        _download(
            "Curves (CSV)", lambda: curves_csv(curves(snapshot)), file_name(name, "-curves.csv"), "download_curves"
        )
        _download(
            "Run with report (zip)", lambda: share.run_zip(snapshot.run.id), file_name(name, ".zip"), "download_run",
            "Everything of the run for a colleague: programs, payoffs, figures, and a page to read that needs no CSRO. "
            "*Import* reads it back.",
        )  # fmt: skip


def _download(label: str, data: Callable[[], str | bytes], name: str, key: str, about: str | None = None) -> None:
    mime = "application/zip" if name.endswith(".zip") else "text/csv"
    st.download_button(
        label, data=data, file_name=name, mime=mime, icon=":material/download:", on_click="ignore", key=key,
        type="tertiary", help=about,
    )  # fmt: skip


def matrix_csv(snapshot: Snapshot) -> str:
    """Returns one line a cell: names, payoff to the row policy, standard error, episodes."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["row", "column", "payoff_to_row", "stderr", "episodes", "unit"])
    table = snapshot.table
    for row, own in enumerate(snapshot.population(0)):
        for column, other in enumerate(snapshot.population(1)):
            place = (row, column)
            values = [table.played[0][place], table.played_stderr[0][place], table.episodes[place]]
            writer.writerow([_cell(own.name), _cell(other.name), *values, snapshot.game.unit])
    return text.getvalue()


def curves_csv(known: Curves) -> str:
    """Returns one line a point of the exploitability chart."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["iterations_finished", "curve", "value", "half_width_95", "note"])
    for gain in known.gains:
        note = "found" if gain.found else "nothing found, not a proof"
        writer.writerow([gain.finished, "gain", gain.gain, gain.half_width, note])
    for gap in known.gaps:
        writer.writerow([gap.finished, "gap with hindsight", gap.value, gap.half_width, f"best of {gap.pool} policies"])
    for exact in known.exact:
        note = "exact" if exact.proven else "estimated"
        writer.writerow([exact.finished, "exploitability", exact.value, "", note])
    for exact in known.evaluated:
        note = "exact" if exact.proven else "estimated"
        writer.writerow([exact.finished, "exploitability of the evaluation mixture", exact.value, "", note])
    return text.getvalue()


def _cell(name: str) -> str:
    """Keeps a spreadsheet from taking a name for a formula."""
    return f"'{name}" if name[:1] in {"=", "+", "-", "@"} else name
