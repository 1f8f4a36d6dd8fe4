"""`reproduce`: a benchmark's table from nothing, every oracle and both presets, beside the numbers of the papers."""

import argparse
from dataclasses import asdict
from itertools import product
from pathlib import Path

from csro_core.cli.arguments import add_caps, add_key, caps_from, chosen_store, credentials_from, whole
from csro_core.cli.files import output_folder, write_whole
from csro_core.cli.output import emit, note, table
from csro_core.cli.reproduction_report import Row, report, rows_from_csv, rows_to_csv, summaries
from csro_core.cli.reproduction_runs import PLANS, Reproduction, Wanted
from csro_core.cli.run import PRESETS
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import INFORMED_NOTE, Benchmark, benchmark_named
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.models import make_model
from csro_core.oracles import ORACLES, make_oracle
from csro_core.runner.forecast import checked_for
from csro_core.runner.writer import full_name
from csro_core.seeds import numbered_seeds
from csro_core.store import Store
from csro_core.store.records import Caps

NAME = "reproduce"
HELP = "run every oracle and both presets over several seeds, score them, and write a report beside the papers' numbers"

REPORT = "report.md"
ROWS = "report.csv"
_WHAT = "the report"

_STATE_GAMES_ONLY = ("exact",)
"""Oracles that need a game of few information states, which neither benchmark is."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds what is reproduced, how much of it, and where the report goes."""
    add = parser.add_argument
    add("table", choices=tuple(PLANS), help="rrps: repeated rock-paper-scissors; leduc: repeated Leduc poker")
    add("--model", metavar="M", default="synthesiser", help="default: %(default)s, which needs no key")
    add("--oracle", metavar="A,B", default="", help="oracles, by commas (default: every one that serves the game)")
    seeds = ", ".join(f"{plan.seeds} for {name}" for name, plan in PLANS.items())
    add("--seeds", metavar="N", type=whole(1, 100), help=f"seeds 0 to N - 1 (default: {seeds})")
    add("--iterations", metavar="N", type=whole(1, 100), default=8, help="default: %(default)s")
    episodes = ", ".join(f"{plan.episodes} for {name}" for name, plan in PLANS.items())
    add("--episodes", metavar="N", type=whole(2, 10_000), help=f"an opponent in the scores (default: {episodes})")
    add("--candidates", metavar="K", type=whole(1, 1_000), help="attempts an iteration (default: the oracle's)")
    add("--out", metavar="FOLDER", help=f"gets {REPORT} and {ROWS} (default: reproduce-TABLE)")
    add_caps(parser)
    add_key(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 0; writes the report and prints its table. Interrupted, the same command goes on where it was.

    Raises:
        UsageError: an option is not possible, or the store or the folder holds something else.
        CsroError: a run failed.
    """
    benchmark = benchmark_named(args.table)
    benchmark.opponents()
    oracles = _oracles(args.oracle)
    make_model(args.model)
    credentials = credentials_from(args)
    folder = output_folder(args.out or f"reproduce-{args.table}")
    known = _known_rows(folder)
    store = chosen_store(args, create=True)
    pool = LocalPool(make_game)
    try:
        work = Reproduction(_wanted(args, benchmark, store), store, pool, credentials, known)
        rows = work.fixed_rows()
        planned = list(product(oracles, PRESETS, numbered_seeds(0, args.seeds or PLANS[args.table].seeds)))
        for done, (oracle, preset, seed) in enumerate(planned, 1):
            for row in work.rows(oracle, preset, seed):
                rows.append(row)
                note(f"{oracle} {preset} seed {seed} {row.entrant}: AggScore {row.agg_score:.1f}, {row.seconds:.1f} s")
            write_whole(folder / ROWS, rows_to_csv(rows, INFORMED_NOTE), _WHAT)
            write_whole(folder / REPORT, report(benchmark, rows, work.settings_rows(), len(planned) - done), _WHAT)
    finally:
        pool.close()
        store.close()
    found = summaries(rows)
    document = {
        "report": str(folder / REPORT), "csv": str(folder / ROWS), "note": INFORMED_NOTE,
        "rows": [asdict(row) for row in rows], "summary": [asdict(one) for one in found],
    }  # fmt: skip
    cells = [list(asdict(one).values()) for one in found]
    emit(args, document, f"{table(tuple(asdict(found[0])), cells)}\n\n{INFORMED_NOTE}\n{folder / REPORT}")
    return 0


def _wanted(args: argparse.Namespace, benchmark: Benchmark, store: Store) -> Wanted:
    model = full_name(store, args.model)
    return Wanted(
        benchmark=benchmark,
        model=model,
        iterations=args.iterations,
        attempts=args.candidates or 0,
        episodes=args.episodes or PLANS[benchmark.name].episodes,
        caps=checked_for(model, caps_from(args, Caps())),
    )


def _oracles(text: str) -> list[str]:
    """Returns the oracles that are run.

    Raises:
        UsageError: there is no such oracle, or it does not serve these games.
    """
    asked = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in asked:
        make_oracle(name)
        if name in _STATE_GAMES_ONLY:
            raise UsageError(f"the oracle {name} needs a game of few information states: leave it out of --oracle")
    return asked or [name for name in ORACLES if name not in _STATE_GAMES_ONLY]


def _known_rows(folder: Path) -> list[Row]:
    """Returns the rows of a report that was begun in this folder.

    Raises:
        UsageError: there is another file of that name.
    """
    path = folder / ROWS
    if not path.exists():
        return []
    try:
        return rows_from_csv(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} must be a report of `reproduce`, and it is not: choose another --out") from error
