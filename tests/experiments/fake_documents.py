"""A comparison with plausible numbers, and one in which every text is hostile."""

import numpy as np

from csro_core.experiments.document import (
    HELD_OUT,
    SHARED,
    Comparison,
    Course,
    CrossPlay,
    Difference,
    Joint,
    JointPolicy,
    Point,
    Summary,
    VariantLine,
)

NAMES = ("zero-shot", "best-of-n", "linear-refinement", "alpha-evolve")
EVIL = "<script>alert(1)</script>&\"'"


def fake_comparison(names=NAMES, seeds: int = 5, runs=None, points: int = 6) -> Comparison:
    """Returns a comparison of some variants over some seeds.

    Args:
        names: of the variants.
        seeds: of each.
        runs: (variant, seed) → id of the run; None: made up.
        points: of each course.
    """
    generator = np.random.default_rng(3)
    pairs = [(place, name, seed) for place, name in enumerate(names) for seed in range(seeds)]
    run_of = runs or {(name, seed): f"{place:04x}{seed:04x}" for place, name, seed in pairs}
    lines = tuple(
        VariantLine(
            name, tuple(run_of[name, seed] for seed in range(seeds)), tuple(range(seeds)),
            {"oracle": name, "model": "synthesiser", "context": ("code", "summary", "none")[place % 3]},
        )
        for place, name in enumerate(names)
    )  # fmt: skip
    courses = tuple(
        Course(name, run_of[name, seed], f"exp {name} {seed}", seed, _points(generator, place, points), points - 1)
        for place, name in enumerate(names)
        for seed in range(seeds)
    )
    summaries = tuple(Summary(name, "gap", 100.0 - 10 * place, 8.5, seeds) for place, name in enumerate(names))
    differences = tuple(
        Difference(name, "gap", -10.0 * place, 4.2, seeds, seeds, "ahead", f"{name} is ahead of {names[0]}.")
        for place, name in enumerate(names)
        if place
    )
    count = len(names)
    mean = tuple(tuple(5.0 * (row - column) for column in range(count)) for row in range(count))
    halves = tuple(tuple(1.5 for _ in names) for _ in names)
    joint = Joint(
        "max-entropy-nash",
        {names[0]: 0.25, names[-1]: 0.5, SHARED: 0.125, HELD_OUT: 0.125},
        (JointPolicy("ab" * 32, "r3", names[-1], run_of[names[-1], 0], 0, 0.5),),
    )
    return Comparison(
        {"name": "repeated_rps", "parameters": {"num_throws": 300}}, "repeated RPS", "net throws", "calls", 60.0,
        names[0], "max-entropy-nash", 8, False, lines, (80,), ("iocaine_style",), courses, summaries, differences,
        CrossPlay(tuple(names), mean, halves, tuple(tuple(seeds for _ in names) for _ in names)), joint,
        ("unequal cost: median 1 / 7 / 60 calls",), 1_000_000.0,
    )  # fmt: skip


def _points(generator, place: int, count: int) -> tuple[Point, ...]:
    return tuple(
        Point(
            number, 10 * number, 400 * number, 0.0, 1.5 * number,
            200.0 / (1 + number) - 5 * place + float(generator.normal()), 3.0,
        )
        for number in range(count)
    )  # fmt: skip
