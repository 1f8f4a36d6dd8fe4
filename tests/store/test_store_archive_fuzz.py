"""Import of files in which anything may stand anywhere: taken, or refused in one line."""

import json

import numpy as np
from test_store_archive import contents, set_field, write

from csro_core.errors import UsageError
from csro_core.store.archive import import_run
from tests.store.hostile_files import places

VALUES = (None, True, -1, 2**63, 1e300, "x", "\x1b\u2028", [], [[]], {}, {"x": 1}, 10**30)


def import_or_refuse(store, path) -> None:
    """Imports, and reads everything that a page would; only a refusal in one line is allowed besides."""
    try:
        run = import_run(store, path)
    except UsageError as error:
        if "\n" in str(error):
            raise AssertionError("more than one line") from error
        return
    for read in (
        store.run,
        store.members,
        store.solutions,
        store.iterations,
        store.attempts,
        store.calls,
        store.events,
    ):
        read(run)
    store.cells(run).all()


def test_any_value_anywhere_is_taken_or_refused(store, archive):
    files = contents(archive)
    generator = np.random.default_rng(1)
    cases = [
        (name, path, value)
        for name in ("run.json", "cells.json")
        for path in places(json.loads(files[name]))
        if path
        for value in VALUES
    ]
    for choice in generator.choice(len(cases), 250, replace=False):
        name, path, value = cases[choice]
        broken = dict(files)
        set_field((name, *path), value)(broken)
        write(archive, broken)
        import_or_refuse(store, archive)


def test_flipped_bytes_never_cause_another_error(store, archive):
    data = archive.read_bytes()
    generator = np.random.default_rng(0)
    for _ in range(150):
        broken = bytearray(data)
        for place in generator.integers(0, len(data), 3):
            broken[place] = generator.integers(0, 256)
        archive.write_bytes(bytes(broken))
        import_or_refuse(store, archive)
