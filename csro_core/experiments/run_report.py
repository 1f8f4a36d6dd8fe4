"""A run as one HTML page."""

import shlex
from collections.abc import Mapping, Sequence
from math import isfinite

from csro_core.estimates import Estimate
from csro_core.experiments import page
from csro_core.experiments.numbers import interval, number
from csro_core.experiments.run_facts import RunFacts
from csro_core.store.codec import to_json
from csro_core.store.records import COMPUTABLE, AttemptRecord, Member, RunSettings

_ORIGINS = {"seed": "seed", "oracle": "oracle", "human": "human edit", "import": "import"}
_MOST_FAILURES = 100
IMPORTED = "This run was imported: its payoffs are as a file tells them, and were not played where this was written."
_NOT_TOLD = ("cluster",)


def run_report(facts: RunFacts, figures: Mapping[str, str], attempts: Sequence[AttemptRecord], now: float) -> str:
    """Returns the report of a run as an HTML page.

    Args:
        facts: the run.
        figures: see `run_figures`.
        attempts: of the run.
        now: seconds since the epoch.
    """
    run = facts.run
    headline = (
        f"{facts.game.title}: {run.iteration} of {run.target} iterations of {run.settings.oracle} with "
        f"{run.settings.model}, seed {run.settings.seed}; {run.status}."
    )
    parts = [
        page.heading(run.name, 1),
        page.paragraph(headline, "lead"),
        *([page.paragraph(IMPORTED, "quiet")] if run.imported else []),
        *([page.paragraph(run.message, "quiet")] if run.message else []),
        *([page.paragraph(COMPUTABLE, "quiet")] if run.settings.seed_scheme == 1 else []),
        *([page.paragraph(f"Tags: {', '.join(run.tags)}", "quiet")] if run.tags else []),
        *([page.heading("Note"), page.paragraph(run.note)] if run.note else []),
        page.heading("Settings"),
        page.table(("setting", "value"), settings_rows(run.settings)),
        page.heading("Course"),
        *(page.figure(figure) for figure in figures.values()),
        _iterations(facts),
        page.heading("Final sigma"),
        _sigma(facts),
        page.heading("Policies"),
        *(page.code(_title(facts, member), member.policy.source) for member in _by_weight(facts)),
        *_failures(attempts),
        *page.made(now, "this run", command_of(run.settings, run.target)),
    ]
    return page.page(run.name, parts)


def settings_rows(settings: RunSettings) -> list[tuple[str, str]]:
    """Returns (setting, value) in words, without the address of a machine."""
    told = [(name, value) for name, value in to_json(settings).items() if name not in _NOT_TOLD]
    return [(name.replace("_", " "), shown(value)) for name, value in told]


def shown(value: object) -> str:
    """Returns a value of some settings in words."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {shown(item)}" for key, item in value.items() if item is not None) or "none"
    if isinstance(value, list | tuple):
        return ", ".join(shown(item) for item in value) or "the default"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if value not in {None, ""} else "none"


def command_of(settings: RunSettings, target: int) -> str:
    """Returns the command that makes such a run; the settings above have the rest."""
    words = [
        "--game", settings.game.name, "--oracle", settings.oracle, "--model", settings.model, "--meta-solver",
        settings.meta_solver, "--seed", str(settings.seed), "--iterations", str(target),
    ]  # fmt: skip
    return "python -m csro_core run " + " ".join(shlex.quote(word) for word in words)


def _iterations(facts: RunFacts) -> str:
    rows = [
        (
            record.iteration, _estimate(record.gain), _estimate(record.lift), record.verdict,
            record.attempts, "–" if record.episodes is None else f"{record.episodes:,}", number(record.seconds),
        )
        for record in facts.iterations
    ]  # fmt: skip
    heads = ("iteration", f"gain ({facts.game.unit})", "lift", "verdict", "attempts", "episodes", "seconds")
    return page.table(heads, rows, right=3) if rows else page.paragraph("No iteration is finished yet.")


def _estimate(value: Estimate | None) -> str:
    if value is None:
        return "–"
    return interval(value.mean, value.half_width if isfinite(value.half_width) else None)


def _sigma(facts: RunFacts) -> str:
    rows = [
        (m.player, m.name, _ORIGINS[m.origin], m.iteration, m.policy.lines, f"{weight:.3f}")
        for m, weight in _weights(facts)
        if weight > 0
    ]
    heads = ("player", "policy", "origin", "since iteration", "lines", "sigma")
    return page.table(heads, rows, right=3) if rows else page.paragraph("Nothing is solved yet.")


def _weights(facts: RunFacts) -> list[tuple[Member, float]]:
    solution = facts.last
    if solution is None:
        return [(member, 0.0) for member in facts.members]
    return [
        (m, float(solution.sigma[m.player][m.index]) if m.index < len(solution.sigma[m.player]) else 0.0)
        for m in facts.members
    ]


def _by_weight(facts: RunFacts) -> list[Member]:
    weights = {(m.player, m.index): weight for m, weight in _weights(facts)}
    return sorted(facts.members, key=lambda m: (m.player, -weights[m.player, m.index], m.index))


def _title(facts: RunFacts, member: Member) -> str:
    weight = next(weight for one, weight in _weights(facts) if one is member)
    forfeits = f", forfeited {member.forfeits} episodes" if member.forfeits else ""
    player = "" if facts.game.symmetric else f"player {member.player}, "
    about = member.policy.docstring.splitlines()[0] if member.policy.docstring else ""
    return f"{member.name} ({player}{_ORIGINS[member.origin]}, sigma {weight:.3f}{forfeits}) {about[:160]}"


def _failures(attempts: Sequence[AttemptRecord]) -> list[str]:
    failed = [one for one in attempts if one.status in {"refused", "failed", "no-answer"}]
    if not failed:
        return []
    told = failed[:_MOST_FAILURES]
    rows = [(one.iteration, one.index, one.status, one.line or "", one.message[:400]) for one in told]
    more = f"The first {_MOST_FAILURES} of {len(failed)}." if len(failed) > _MOST_FAILURES else ""
    heads = ("iteration", "attempt", "status", "line", "why")
    return [page.heading("Attempts that failed"), *([page.paragraph(more)] if more else []), page.table(heads, rows)]
