"""Runs that a command makes by name, and takes as they are where an earlier call has made them."""

from dataclasses import replace

from csro_core.errors import CsroError, NotFoundError, UsageError
from csro_core.runner import Runner
from csro_core.seeds import SCHEME
from csro_core.store import Store
from csro_core.store.records import RunSettings


def named_run(store: Store, name: str, settings: RunSettings, target: int, command: str) -> str:
    """Returns the id of the run of that name; made where there is none.

    Args:
        store: where it is.
        name: its name.
        settings: its settings.
        target: iterations wanted, of a new one.
        command: the command that makes such runs.

    Raises:
        UsageError: a run of that name has other settings.
    """
    try:
        known = store.run(name)
    except NotFoundError:
        return store.create_run(name, settings, target)
    if known.settings != replace(settings, seed_scheme=SCHEME):
        raise UsageError(
            f"run {name} of the store must be one of `{command}` with these options: choose another --store"
        )
    return known.id


def finish(store: Store, run: str, target: int, runner: Runner) -> None:
    """Works on a run until `target` iterations are finished; does nothing where they are.

    Raises:
        CsroError: it did not come so far.
    """
    if store.run(run).iteration < target:
        runner.run_to(target)
    record = store.run(run)
    if record.iteration < target:
        raise CsroError(
            f"run {record.name} must finish {target} iterations; it is {record.status}: {record.message}"
        )
