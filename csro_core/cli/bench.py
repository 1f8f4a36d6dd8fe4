"""`bench`: what protection costs, every figure beside one that was measured in the same minute."""

import argparse
import os
import platform
from typing import Any

from csro_core.bench.rows import Row
from csro_core.bench.suite import FULL, QUICK, run_bench
from csro_core.bench.tables import HEADERS, cells, markdown
from csro_core.cli import bench_allocation
from csro_core.cli.arguments import whole
from csro_core.cli.output import emit, note, table
from csro_core.errors import UsageError

NAME = "bench"
HELP = "measure the speed of matches against unprotected loops on this machine (three minutes; --quick: seconds)"

_BUSY = 0.5
"""Load a core above which figures mean little."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds how much is measured and how it is shown."""
    parser.add_argument("--quick", action="store_true", help="less of everything, in less than 20 s; noisier")
    parser.add_argument("--markdown", action="store_true", help="print the tables of the README")
    parser.add_argument(
        "--workers", metavar="N", type=whole(1, 256), help="matches at the same time where scaling is measured"
    )
    bench_allocation.configure(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 whether or not the targets are met; prints the rows.

    Raises:
        UsageError: options do not fit together.
    """
    if args.allocation:
        return bench_allocation.execute(args)
    if args.figure is not None:
        raise UsageError("--figure must come with --allocation: the tables of speed have none")
    load_before = _load()
    rows = run_bench(QUICK if args.quick else FULL, args.workers, _show)
    machine = {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": load_before,
        "load_after": _load(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    emit(args, {"machine": machine, "rows": rows}, _words(args, machine, rows))
    return 0


def _words(args: argparse.Namespace, machine: dict[str, Any], rows: list[Row]) -> str:
    caption = (
        f"{machine['system']}, {machine['cores']} cores, Python {machine['python']}, load before and after: "
        f"{_shown(machine['load'])}, {_shown(machine['load_after'])}."
    )
    if (machine["load"] or 0.0) > _BUSY * (machine["cores"] or 1):
        caption += " Others were busy on this machine: policy processes give way to them, so our figures are too high."
    if args.markdown:
        return markdown(rows, caption)
    return f"{caption}\n\n{table(HEADERS, [cells(row) for row in rows])}"


def _show(row: Row) -> None:
    note(f"measured: {row.name}, against {row.against}")


def _load() -> float | None:
    """Returns the processes that want to run, over the last minute; None where the system does not tell."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def _shown(load: float | None) -> str:
    return "n/a" if load is None else f"{load:.2f}"
