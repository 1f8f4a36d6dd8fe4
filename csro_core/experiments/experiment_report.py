"""An experiment as one HTML page."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from csro_core.errors import NotFoundError
from csro_core.experiments import page
from csro_core.experiments.document import COSTS, MEASURES, Comparison, JointPolicy
from csro_core.experiments.numbers import interval, number
from csro_core.experiments.plan import Plan
from csro_core.experiments.requests import plan_of
from csro_core.experiments.run_report import shown
from csro_core.games import make_game
from csro_core.policies.library import reference_names, reference_text
from csro_core.policies.source import sha256
from csro_core.store import Store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentRecord, ExperimentRun

_MOST_PROGRAMS = 40
_NOT_TOLD = ("name", "variants", "cluster", "jobs", "game", "seeds")
_RUN_HEADS = ("variant", "seed", "run", "state", "iterations", "seconds", "USD")
_VARIANT = ("oracle", "model", "context", "meta_solver")


@dataclass(frozen=True)
class Told:
    """What a report tells of.

    Attributes:
        record: the experiment.
        runs: those of it that are there.
        comparison: None where there is none yet.
        figures: see `comparison_figures`.
    """

    record: ExperimentRecord
    runs: Sequence[ExperimentRun]
    comparison: Comparison | None
    figures: Mapping[str, str]


def experiment_report(store: Store, told: Told, now: float) -> str:
    """Returns the report of an experiment as an HTML page.

    Args:
        store: where runs and texts are.
        told: the experiment.
        now: seconds since the epoch.
    """
    plan = plan_of(told.record)
    game = make_game(plan.game)
    names = ", ".join(variant.name for variant in plan.variants)
    question = (
        f"Which of {names} finds the strongest mixtures for {game.title} at equal amounts of "
        f"{COSTS[plan.resource]} ({number(plan.budget)} a run), over {len(plan.seeds)} seeds?"
    )
    parts = [page.heading(told.record.name, 1), page.paragraph(question, "lead")]
    if told.comparison is None:
        parts.append(page.paragraph("Its runs have not been compared yet.", "quiet"))
    else:
        parts += _results(store, told.comparison, told.figures)
    parts += [
        page.heading("Plan"),
        page.paragraph("What all runs have in common:"),
        page.table(("setting", "value"), _common(plan)),
        page.paragraph("What the variants differ in:"),
        page.table(("variant", *_differing(plan)), _variants(plan)),
        page.heading("Runs"),
        page.table(_RUN_HEADS, _runs(store, told.runs), right=3),
        *page.made(now, "this experiment", f"python -m csro_core experiment {shlex.quote(told.record.name)}"),
    ]
    return page.page(told.record.name, parts)


def _results(store: Store, comparison: Comparison, figures: Mapping[str, str]) -> list[str]:
    joint = comparison.joint
    parts = [
        page.heading("Result"),
        *(page.paragraph(one.sentence) for one in comparison.differences if one.measure == "gap"),
        page.heading("Measures at equal cost", 3),
        *(page.paragraph(f"{MEASURES[m].title}: {MEASURES[m].about}; {MEASURES[m].better} is better.", "quiet")
          for m in _measures(comparison)),
        _summary(comparison),
        *(page.paragraph(one.sentence) for one in comparison.differences if one.measure != "gap"),
        *(page.figure(figure) for figure in figures.values()),
        page.heading("Cross-play"),
        _cross_play(comparison),
        page.heading("Joint population"),
        page.paragraph(
            f"{', '.join(f'{size:,}' for size in comparison.pool)} policies; the equilibrium is that of {joint.solver}."
        ),
        page.table(("owner", "share"), [(owner, f"{share:.3f}") for owner, share in joint.shares.items()], right=1),
        *_programs(store, comparison),
    ]  # fmt: skip
    if comparison.notes:
        parts += [page.heading("Notes"), *(page.paragraph(note) for note in comparison.notes)]
    return parts


def _measures(comparison: Comparison) -> list[Any]:
    return [measure for measure in MEASURES if any(one.measure == measure for one in comparison.summaries)]


def _summary(comparison: Comparison) -> str:
    measures = _measures(comparison)
    found = {(one.variant, one.measure): one for one in comparison.summaries}
    apart = {(one.variant, one.measure): one for one in comparison.differences}
    rows = []
    for line in comparison.variants:
        row: list[str] = [line.name]
        for measure in measures:
            mine, other = found.get((line.name, measure)), apart.get((line.name, measure))
            row.append("–" if mine is None else f"{interval(mine.mean, mine.half_width)} ({mine.seeds})")
            row.append("–" if other is None else interval(other.mean, other.half_width))
        rows.append(row)
    heads = ["variant"]
    for measure in measures:
        heads += [f"{MEASURES[measure].title} (seeds)", f"minus {comparison.baseline}"]
    return page.table(heads, rows, right=len(heads) - 1)


def _cross_play(comparison: Comparison) -> str:
    played = comparison.cross_play
    rows = [
        [name, *(interval(mean, half) for mean, half in zip(means, halves, strict=True))]
        for name, means, halves in zip(played.variants, played.mean, played.half_width, strict=True)
    ]
    return page.table(("row against column", *played.variants), rows, right=len(played.variants))


def _programs(store: Store, comparison: Comparison) -> list[str]:
    """Returns the programs of the joint equilibrium, the heaviest first."""
    policies = comparison.joint.policies[:_MOST_PROGRAMS]
    held_out = _references(str(comparison.game.get("name")))
    parts = []
    for one in policies:
        title = f"{one.name} (of {one.owner}, player {one.player}, share {one.share:.3f})"
        text = _text(store, one, held_out)
        parts.append(page.code(title, text) if text is not None else page.paragraph(f"{title}: its text is not here."))
    more = len(comparison.joint.policies) - len(policies)
    return [*parts, *([page.paragraph(f"{more} further policies have smaller shares.", "quiet")] if more else [])]


def _references(game: str) -> dict[str, str]:
    texts = [reference_text(name) for name in reference_names(game)]
    return {sha256(text): text for text in texts}


def _text(store: Store, policy: JointPolicy, held_out: Mapping[str, str]) -> str | None:
    if policy.hash in held_out:
        return held_out[policy.hash]
    try:
        return store.policy(policy.hash).source
    except NotFoundError:
        return None


def _common(plan: Plan) -> list[tuple[str, str]]:
    rows = [("game", f"{plan.game.name} {shown(plan.game.parameters)}"), ("seeds", shown(plan.seeds))]
    rows += [(name.replace("_", " "), shown(value)) for name, value in to_json(plan).items() if name not in _NOT_TOLD]
    alike = [name for name in _VARIANT if name.replace("_", " ") not in _differing(plan)]
    return rows + [(name.replace("_", " "), str(getattr(plan.variants[0], name))) for name in alike]


def _differing(plan: Plan) -> list[str]:
    return [name.replace("_", " ") for name in _VARIANT if len({getattr(one, name) for one in plan.variants}) > 1]


def _variants(plan: Plan) -> list[list[str]]:
    names = [name.replace(" ", "_") for name in _differing(plan)]
    return [[one.name, *(str(getattr(one, name)) for name in names)] for one in plan.variants]


def _runs(store: Store, runs: Sequence[ExperimentRun]) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    for one in runs:
        record = store.run(one.run)
        state = f"{one.state}: {one.message}" if one.message else one.state
        usd = "unpriced" if record.usd is None else number(record.usd)
        name = f"{record.name} (imported)" if record.imported else record.name
        rows.append((one.variant, one.seed, name, state, record.iteration, number(record.seconds), usd))
    return rows
