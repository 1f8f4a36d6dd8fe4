"""Helpers of the runner's tests: stores with a run, runners in this process or in another one, rows to compare."""

import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.records import RunSettings

SHORT_RPS = GameSpec("repeated_rps", {"num_throws": 60})
BIASED = GameSpec("matrix", {"preset": "biased_rps"})


def settings(game=BIASED, **changes):
    return RunSettings(**({"game": game, "episodes": 4, "seed": Seed("7")} | changes))


def new_run(path, made=None, target=3):
    store = open_store(Path(path))
    return store, store.create_run("", made or settings(), target)


def run_here(store, run, target):
    pool = LocalPool(make_game)
    try:
        Runner(store, run, pool).run_to(target)
    finally:
        pool.close()


def start_command(path, *arguments, stdin=subprocess.DEVNULL):
    """Starts `python -m csro_core …` on a store in another process."""
    return subprocess.Popen(
        [sys.executable, "-m", "csro_core", *arguments, "--store", str(path)],
        stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ), text=True,
    )  # fmt: skip


def rows(store, run):
    """Everything that has to be the same for equal seeds and settings: no ids, no times."""
    record = store.run(run)
    return {
        "status": record.status,
        "iteration": record.iteration,
        "members": [asdict(member) for member in store.members(record.id)],
        "solutions": [asdict(solution) for solution in store.solutions(record.id)],
        "iterations": [asdict(i) | {"seconds": 0} for i in store.iterations(record.id)],
        "attempts": [asdict(attempt) for attempt in store.attempts(record.id)],
        "calls": [asdict(call) | {"seconds": 0} for call in store.calls(record.id)],
        "cells": sorted(
            (cell.row, cell.column, cell.returns.tolist(), cell.forfeits.tolist())
            for cell in store.cells(record.id).all()
        ),
    }
