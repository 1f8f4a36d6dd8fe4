"""The whole benchmark: which figures there are, against what, and what they must reach."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import quantiles

from csro_core.bench import processes
from csro_core.bench.loops import openspiel_is_here
from csro_core.bench.rows import Label, Row, Target, row_of, unknown_row
from csro_core.bench.solving import solving_rows
from csro_core.bench.timing import take_turns
from csro_core.bench.workloads import (
    LEDUC,
    RPS,
    Arena,
    Workload,
    bench_game,
    in_one_process,
    jailed,
    many_at_a_time,
    one_at_a_time,
    workload,
)
from csro_core.matches.local_pool import LocalPool
from csro_core.sandbox.host import PolicyHost

LOCKSTEP = 32
WIDTHS = (1, 8, 32, 64)
MICROSECOND = 1e-6

BARE = "bare loop"
OPENSPIEL = "OpenSpiel loop"
ONE_AT_A_TIME = "no lockstep"
INTERPRETER = "bare Python process"

_START = Target("ours", 10.0)
_MEMORY = Target("ours", 25.0)


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes:
        costs: of each workload (wanted µs an act or None for trivial policies, repetitions, throws of a match of
            repeated RPS): fewer throws where they would take minutes.
        throws: of a match of repeated RPS in everything else.
        hands: of a match of repeated Leduc; 32 matches in lockstep.
        alone: matches that are played without lockstep.
        repetitions: of everything else.
        starts: processes that are started to measure the start.
        message_steps: throws of the match that measures a message.
        matrices: policies of the meta-games whose equilibria are computed, and how often.
    """

    costs: tuple[tuple[float | None, int, int], ...]
    throws: int
    hands: int
    alone: int
    repetitions: int
    starts: int
    message_steps: int
    matrices: tuple[tuple[int, int], ...]


FULL = Plan(
    costs=((None, 9, 1_000), (2.0, 9, 1_000), (20.0, 5, 1_000), (100.0, 5, 200)),
    throws=1_000, hands=32, alone=4, repetitions=5, starts=40, message_steps=5_000,
    matrices=((50, 9), (200, 5), (500, 3), (1_000, 1)),
)  # fmt: skip
QUICK = Plan(
    costs=((None, 2, 100), (2.0, 2, 100), (20.0, 2, 50)),
    throws=100, hands=8, alone=2, repetitions=2, starts=5, message_steps=300, matrices=((50, 3), (200, 2)),
)  # fmt: skip


def run_bench(plan: Plan, workers: int | None = None, progress: Callable[[Row], None] | None = None) -> list[Row]:
    """Measures everything.

    Args:
        plan: how much.
        workers: matches at the same time where scaling is measured; None: the pool's own choice.
        progress: called with each row as it is known.

    Returns:
        The rows; those of a game that this system has not got are missing.

    Raises:
        CsroError: two ways to play did not give the same scores, so that nothing can be compared.
    """
    rows = []
    pool = LocalPool(bench_game, workers=1)
    try:
        for row in _all_rows(plan, pool, workers):
            rows.append(row)
            if progress is not None:
                progress(row)
    finally:
        pool.close()
    return rows


def _all_rows(plan: Plan, pool: LocalPool, workers: int | None) -> Iterator[Row]:
    yield from _match_rows(plan, RPS, pool)
    if openspiel_is_here():
        yield from _match_rows(plan, LEDUC, pool)
    written = workload(RPS, plan.throws, LOCKSTEP, 2.0 * MICROSECOND)
    yield from _width_rows(plan, written, pool)
    yield from _scaling_rows(plan, written, pool, workers)
    yield from _process_rows(plan, written, pool)
    yield _message_row(plan, pool)
    for size, repetitions in plan.matrices:
        yield from solving_rows((size,), repetitions)


def cost_name(microseconds: float | None) -> str:
    """Returns the name of a cost of an act."""
    return "trivial" if microseconds is None else f"{microseconds:g} µs"


def _target(arena: Arena, microseconds: float | None) -> Target | None:
    if microseconds is None:
        return None
    if arena is LEDUC:
        return Target("ratio", 3.0)
    return Target("ratio", 2.2 if microseconds < 20 else 1.0)


def _match_rows(plan: Plan, arena: Arena, pool: LocalPool) -> Iterator[Row]:
    for microseconds, repetitions, throws in plan.costs:
        seconds = None if microseconds is None else microseconds * MICROSECOND
        load = workload(arena, plan.hands if arena is LEDUC else throws, LOCKSTEP, seconds)
        contenders = [jailed(load, pool), in_one_process(load, BARE, arena.bare)]
        if openspiel_is_here():
            contenders.append(in_one_process(load, OPENSPIEL, arena.openspiel))
        contenders.append(one_at_a_time(load.with_episodes(plan.alone), pool))
        ours, *others = _microseconds(take_turns(contenders, repetitions))
        name = f"{arena.name}, {cost_name(microseconds)} policies"
        for contender, times in zip(contenders[1:], others, strict=True):
            target = _target(arena, microseconds) if contender.name == BARE else None
            yield row_of(Label(name, contender.name, "µs an act"), ours, times, target)


def _width_rows(plan: Plan, written: Workload, pool: LocalPool) -> Iterator[Row]:
    for width in WIDTHS:
        load = written.with_episodes(width)
        # A short measurement would be of the clock and of the start of processes.
        repetitions = max(plan.repetitions, plan.repetitions * 8 // width)
        contenders = (jailed(load, pool), in_one_process(load, BARE, RPS.bare))
        ours, bare = _microseconds(take_turns(contenders, repetitions))
        yield row_of(Label(f"lockstep {width}, 2 µs policies", BARE, "µs an act"), ours, bare)


def _scaling_rows(plan: Plan, written: Workload, pool: LocalPool, workers: int | None) -> Iterator[Row]:
    wide = LocalPool(bench_game, workers=workers)
    try:
        matches = 2 * wide.workers
        contenders = (many_at_a_time(written, wide, matches), many_at_a_time(written, pool, matches))
        many, one = take_turns(contenders, plan.repetitions)
    finally:
        wide.close()
    name = f"throughput with {wide.workers} workers on {os.cpu_count()} cores"
    throughputs = [[1e-3 / seconds for seconds in times] for times in (many, one)]
    yield row_of(Label(name, "1 worker", "1,000 acts a second"), throughputs[0], throughputs[1])


def _process_rows(plan: Plan, written: Workload, pool: LocalPool) -> Iterator[Row]:
    ready, forked, bare, cold, beside_cold = [], [], [], [], []
    without_warm_pool = PolicyHost(warm=0)
    try:
        for start in range(plan.starts):
            ready.append(1e3 * processes.start_seconds(pool.host))
            forked.append(1e3 * processes.start_seconds(without_warm_pool))
            bare.append(1e3 * processes.bare_start_seconds())
            if start < plan.repetitions:
                cold.append(1e3 * processes.cold_start_seconds())
                beside_cold.append(1e3 * processes.bare_start_seconds())
    finally:
        without_warm_pool.close()
    yield row_of(Label("a policy process from the pool, median", INTERPRETER, "ms"), ready, bare, _START)
    slow = [quantiles(times, n=10, method="inclusive")[-1:] for times in (ready, forked, bare)]
    yield row_of(Label("a policy process from the pool, 90th percentile", INTERPRETER, "ms"), slow[0], slow[2], _START)
    yield row_of(Label("a policy process that is not ready yet, median", INTERPRETER, "ms"), forked, bare, _START)
    yield row_of(Label("the same, 90th percentile", INTERPRETER, "ms"), slow[1], slow[2], _START)
    yield row_of(Label("the first one, with the zygote", INTERPRETER, "ms"), cold, beside_cold)
    ours, baseline = processes.policy_memory(pool.host, written), processes.bare_memory()
    for kind, what, target in (("Rss", "resident", _MEMORY), ("Pss", "shared parts divided", None)):
        label = Label(f"memory of a policy process, {what}", INTERPRETER, "MB")
        if ours is None or baseline is None or kind not in ours or kind not in baseline:
            yield unknown_row(label)
        else:
            yield row_of(label, [ours[kind]], [baseline[kind]], target)


def _message_row(plan: Plan, pool: LocalPool) -> Row:
    """Returns the row of one step of one match: a question to each of two processes, both answers, and the referee."""
    load = workload(RPS, plan.message_steps, 1, None)
    contender = jailed(load, pool)
    steps, pipes = [], []
    for _ in range(plan.repetitions):
        ((seconds_an_act,),) = take_turns([contender], 1)
        steps.append(2e6 * seconds_an_act)
        pipes.append(1e6 * processes.pipe_seconds(plan.message_steps))
    return row_of(Label("one step of one match", "one round trip over pipes", "µs"), steps, pipes)


def _microseconds(times: list[list[float]]) -> list[list[float]]:
    return [[seconds / MICROSECOND for seconds in own] for own in times]
