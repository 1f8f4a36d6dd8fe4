"""An experiment on the Compare page: its grid of runs, what can be done with it, and why something failed."""

from collections.abc import Callable

import streamlit as st

from app import address, experiments, share
from app.experiments import Opened
from app.formats import file_name, number, plain, safe, short
from app.panels import compare_bin, model_choice
from csro_core.errors import CsroError, UsageError
from csro_core.experiments.document import COSTS
from csro_core.experiments.palette import variant_colours
from csro_core.experiments.planning import with_seeds
from csro_core.seeds import short_seed
from csro_core.store.experiments import ExperimentRun

STATES = {
    "done": (":material/check_circle:", "done"),
    "running": (":material/play_circle:", "running"),
    "waiting": (":material/schedule:", "waiting"),
    "failed": (":material/error:", "failed"),
    "planned": (":material/radio_button_unchecked:", "planned"),
}
"""State of a run → icon and word; "planned" is one that the store does not have yet."""

_MOST_BUTTONS = 150
_MOST_REASONS, _MOST_ALONE = 5, 8
_MOST_SEEDS = 100


def panel(shown: Opened) -> None:
    """Draws what can be done with an experiment, and its grid of runs."""
    done = shown.status == "done"
    title = f"{len(shown.plan.variants)} variants × {len(shown.plan.seeds)} seeds"
    # What is finished gives way to what came of it.
    place = st.expander(f"Runs: {title}", key="compare_runs") if done else st.container(border=True)
    with place:
        plan = shown.plan
        facts = [
            title,
            f"{number(plan.budget)} {COSTS[plan.resource]} a run",
            f"baseline {plan.baseline}",
            f"mixtures by {plan.eval_solver}",
            f"{plan.play} episodes a pair in the comparison",
        ]
        if plan.target_mix:
            facts.append("Robust exploiter: not plain PSRO")
        st.html(
            f'<p class="csro-panel-title">runs <small>{safe(" · ".join(facts))}</small></p>',
        )
        _buttons(shown)
        _grid(shown)
        _failures(shown)


def _buttons(shown: Opened) -> None:
    failed = [run for run in shown.runs if run.state == "failed"]
    if not shown.busy:
        _keys(shown)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        if shown.busy:
            asked = shown.record.wanted == "pause"
            if st.button(
                "Pausing …" if asked else "Pause", key="pause_experiment", icon=":material/pause:", disabled=asked,
                help="Ends the work under way within seconds; what is finished stays.",
            ):  # fmt: skip
                _do(lambda: experiments.pause(shown.record.id))
        elif shown.status != "done":
            word = "Start" if shown.status == "new" else "Resume"
            if st.button(word, key="resume_experiment", type="primary", icon=":material/play_arrow:"):
                _do(lambda: experiments.resume(shown.record.id))
        with st.popover("Add seeds", icon=":material/add:", disabled=shown.busy, help=_why_not(shown)):
            more = st.number_input("How many more", 1, _MOST_SEEDS, 5, key="more_seeds")
            count = int(more) * len(shown.plan.variants)
            new = [short_seed(seed) for seed in with_seeds(shown.plan, int(more)).seeds[-int(more) :]]
            which = f"{new[0]} to {new[-1]}" if shown.plan.seeds[0].isdigit() else "drawn at random"
            st.caption(f"Seeds {which}, for every variant: {count} more runs.")
            if st.button("Add and run", key="add_seeds", type="primary"):
                _do(lambda: experiments.add_seeds(shown, int(more)))
        if failed and st.button(
            f"Retry failed ({len(failed)})", key="retry_failed", icon=":material/replay:", disabled=shown.busy,
            help=_why_not(shown) or "Begins them again, alone.",
        ):  # fmt: skip
            _do(lambda: experiments.retry(shown, failed))
        st.download_button(
            "Export (zip)", data=lambda: share.experiment_zip(shown.record.id), key="export_experiment",
            file_name=file_name(shown.record.name, ".zip"), mime="application/zip", icon=":material/download:",
            on_click="ignore", disabled=not shown.runs,
            help="All runs, programs, tables and figures, with a report to read. *Import* reads it back.",
        )  # fmt: skip
        compare_bin.rename(shown)
        compare_bin.delete_button(shown, _why_not(shown))


def _why_not(shown: Opened) -> str | None:
    return "Pause it first." if shown.busy else None


def _keys(shown: Opened) -> None:
    """Draws the fields for keys that the models of the plan may need."""
    try:
        model_choice.key_fields((variant.model for variant in shown.plan.variants), "experiment")
    except UsageError as error:
        st.error(plain(str(error)), icon=":material/error:")


def _do(wish: Callable[[], None]) -> None:
    try:
        wish()
    except CsroError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    st.rerun()


def _grid(shown: Opened) -> None:
    known = {(run.variant, run.seed): run for run in shown.runs}
    palette = variant_colours([variant.name for variant in shown.plan.variants])
    clickable = len(shown.plan.variants) * len(shown.plan.seeds) <= _MOST_BUTTONS
    rows = st.container(gap=None)
    for place, variant in enumerate(shown.plan.variants):
        runs = [known.get((variant.name, seed), ExperimentRun(variant.name, seed, "", "waiting"))
                for seed in shown.plan.seeds]  # fmt: skip
        with rows.container(horizontal=True, gap="xxsmall", vertical_alignment="center", key=f"grid_{place}"):
            st.html(
                f'<span class="csro-swatch" style="background:{palette[variant.name]}"></span>'
                f'<span title="{safe(variant.name)}">{safe(short(variant.name, 30))}</span>',
                width=230,
            )
            if clickable:
                for run in runs:
                    _cell(place, run)
            else:
                st.caption(_counted(runs), width="content")


def _counted(runs: list[ExperimentRun]) -> str:
    counts = {state: sum(run.state == state for run in runs) for state in STATES}
    return ", ".join(f"{count} {STATES[state][1]}" for state, count in counts.items() if count)


def _cell(place: int, run: ExperimentRun) -> None:
    state = run.state if run.run else "planned"
    icon, word = STATES[state]
    tip = f"{word}: {plain(short(run.message, 300))}" if run.message else f"{word}; opens the run" if run.run else word
    if st.button(
        f"{short_seed(run.seed)} {word}", key=f"grid_{place}_{run.seed}", icon=icon, type="tertiary",
        disabled=not run.run, help=f"Seed {run.seed}: {tip}", width=108,
    ):  # fmt: skip
        address.open_run(run.run)
        address.go("views/run.py")


def _failures(shown: Opened) -> None:
    reasons: dict[str, list[ExperimentRun]] = {}
    for run in shown.runs:
        if run.state == "failed":
            reasons.setdefault(run.message, []).append(run)
    for place, (message, runs) in enumerate(list(reasons.items())[:_MOST_REASONS]):
        st.error(plain(short(message, 400)) or "It failed without a reason.", icon=":material/error:")
        with st.container(horizontal=True, gap="xsmall"):
            for number, run in enumerate(runs[:_MOST_ALONE]):
                if st.button(
                    f"Retry {plain(short(run.variant, 24))}, seed {short_seed(run.seed)}",
                    key=f"retry_{place}_{number}",
                    icon=":material/replay:", type="tertiary", disabled=shown.busy, help=_why_not(shown),
                ):  # fmt: skip
                    _do(lambda one=run: experiments.retry(shown, [one]))
            if len(runs) > _MOST_ALONE:
                st.caption(f"… and {len(runs) - _MOST_ALONE} more")
    if len(reasons) > _MOST_REASONS:
        st.caption(f"… and {len(reasons) - _MOST_REASONS} more reasons; the buttons of the runs have them.")
