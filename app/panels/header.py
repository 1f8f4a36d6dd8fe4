"""The header line of a run: what is played, by whom, against what, how far, at what cost."""

import streamlit as st

from app import services
from app.formats import duration, model_title, money, number, safe, target_title
from app.panels import imported
from app.panels.controls import STATUS
from app.panels.seed_field import seed_facts
from app.panels.stages import DESK_TITLES
from app.snapshot import Snapshot
from csro_core.store.defaults import meta_solver_for, meta_solver_note


def header(snapshot: Snapshot) -> None:
    """Draws the header line."""
    run, settings = snapshot.run, snapshot.run.settings
    colour, word = STATUS[run.status]
    facts = [
        (safe(snapshot.game.title), "the game"),
        (safe(settings.oracle), "the oracle: looks for a best response"),
        (safe(model_title(settings.model)), "the model: writes the programs"),
        _solver(snapshot),
        (f"target: <b>{safe(target_title(settings.target_mix))}</b>", "what the oracle searches against"),
        (f"iteration <b>{run.iteration}/{max(run.target, run.iteration)}</b>", "finished / wanted"),
        (money(run.usd), "money spent on model calls"),
    ]
    if run.seconds > 0:
        facts.insert(-1, (duration(run.seconds), "time spent in finished iterations"))
    if settings.cluster:
        facts.append((safe(f"on {settings.cluster}"), "matches are played by the workers of this Dask scheduler"))
    facts += seed_facts(settings) + _value(snapshot) + _isolation(snapshot)
    running = " running" if run.status == "running" else ""
    desk = services.at_desk(run.id)
    chip = f'<span class="csro-chip blue running">{DESK_TITLES[desk.kind]} …</span>' if desk else ""
    spans = "".join(f'<span class="fact" title="{safe(tip)}">{text}</span>' for text, tip in facts)
    st.html(
        f'<div class="csro-head"><span class="title">{safe(run.name)}</span>'
        f'<span class="csro-chip {colour}{running}">{word}</span>{imported.chip(run)}{chip}{spans}</div>'
    )


def _solver(snapshot: Snapshot) -> tuple[str, str]:
    """The meta-solver; where the game needs another one than the wanted it says so."""
    settings = snapshot.run.settings
    wanted = settings.meta_solver
    note = meta_solver_note(snapshot.game, wanted)
    if note or not snapshot.game.zero_sum:
        words = f"{safe(meta_solver_for(snapshot.game, wanted))} (not constant-sum)"
        return words, note or "the meta-solver: payoffs to sigma; NashConv is that of a general-sum meta-game"
    if settings.eval_solver:
        words = f"{safe(wanted)}, evaluated by {safe(settings.eval_solver)}"
        return words, "the meta-solver that responses are looked for against, and the one of the mixture that is scored"
    return safe(wanted), "the meta-solver: payoffs to sigma"


def _value(snapshot: Snapshot) -> list[tuple[str, str]]:
    """The value of the meta-game; a symmetric zero-sum game has value 0, which says nothing."""
    if (snapshot.game.symmetric and snapshot.game.zero_sum) or not snapshot.solutions:
        return []
    value = number(snapshot.solutions[-1].value, signed=True)
    return [(f"value <b>{value}</b>", f"payoff of sigma to player 0, {snapshot.game.unit}")]


def _isolation(snapshot: Snapshot) -> list[tuple[str, str]]:
    said = services.told_isolation(snapshot.run.id)
    if said is None:
        return []
    told = said.isolation
    if said.by_archive:
        return [(safe(f"Isolation: {told}, as told by the archive"), "the file says so; nobody here saw these matches")]
    text = safe(f"Isolation: {told}")
    walls = f"a process of its own for each policy; the kernel holds: {', '.join(told.walls)}" if told.walls else ""
    if told.level == "full":
        return [(text, walls or "each policy runs in a process of its own behind a kernel jail")]
    tip = "the kernel jail is not complete here; a process for each policy, the check of its text and a watchdog remain"
    return [(f'<span class="csro-chip orange">{text}</span>', f"{tip}; {walls}" if walls else tip)]
