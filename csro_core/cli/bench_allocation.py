"""`bench --allocation`: what it takes to know sigma: equally many episodes everywhere, or more where they count."""

import argparse

from csro_core.bench.allocation import SEEDS, SETTINGS, TARGETS, Comparison, compare, document
from csro_core.bench.allocation_figure import figure
from csro_core.cli.arguments import user_path
from csro_core.cli.output import emit, note, table
from csro_core.errors import UsageError

FIGURE_TARGET = 6.0

_QUICK_SEEDS = 2


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the experiment and its figure."""
    parser.add_argument(
        "--allocation", action="store_true",
        help="instead of speed: how many episodes sigma takes, uniform against adaptive allocation (a minute)",
    )  # fmt: skip
    parser.add_argument("--figure", metavar="FILE", help="with --allocation: write its figure, SVG")


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints the comparison and writes the figure.

    Raises:
        UsageError: the figure cannot be written.
    """
    if args.figure is not None and not user_path(args.figure).parent.is_dir():
        raise UsageError(f"--figure must name a file in a folder that is there, got {args.figure}")
    seeds = _QUICK_SEEDS if args.quick else SEEDS
    comparisons = []
    for setting in SETTINGS:
        comparisons.append(compare(setting, seeds))
        note(f"simulated: {setting.words}")
    if args.figure is not None:
        _write(args.figure, figure(comparisons[0], FIGURE_TARGET, seeds))
    emit(args, document(comparisons, seeds), _words(comparisons, seeds))
    return 0


def _words(comparisons: list[Comparison], seeds: int) -> str:
    headers = ("setting", "true NashConv", "uniform", "adaptive", "times fewer")
    rows = [
        [
            one.setting.words, f"{target:g}", _count(one.uniform.first_below(target)),
            _count(one.adaptive.stays_below(target)), "n/a" if ratio is None else f"{ratio:.1f}",
        ]
        for one in comparisons
        for target in TARGETS
        for ratio in [one.ratio(target)]
    ]  # fmt: skip
    caption = f"Matches of all 903 pairs of bots until the target is reached, mean of {seeds} seeds."
    return f"{caption}\n\n{table(headers, rows)}"


def _write(name: str, text: str) -> None:
    try:
        user_path(name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--figure must name a file that can be written, {name} cannot: {error.strerror}") from error


def _count(episodes: float | None) -> str:
    return "not reached" if episodes is None else f"{episodes:,.0f}"
