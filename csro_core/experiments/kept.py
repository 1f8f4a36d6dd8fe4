"""Comparisons that are kept with an experiment: the latest one, also one that came from elsewhere."""

import hashlib
from dataclasses import replace

import orjson

from csro_core.errors import CsroError
from csro_core.experiments.document import Comparison
from csro_core.experiments.requests import KIND, ComparisonRequest, for_experiment, request_key
from csro_core.store import Store
from csro_core.store.codec import dumps, from_json
from csro_core.store.experiments import ExperimentRecord, ExperimentTable
from csro_core.store.pictures import PictureTable

IMPORTED = "These numbers came with an imported file: they were not computed here, and nobody has checked them."
"""A note of every comparison that was not computed in this store."""


def kept_comparison(store: Store, record: ExperimentRecord) -> Comparison | None:
    """Returns the comparison of an experiment: that of its runs as they are now, else the latest one.

    Args:
        store: where it is.
        record: of the experiment.

    Returns:
        The document; None where there is none, or none that can be read.
    """
    table = PictureTable(store.connections, store.clock)
    for key in (_key(store, record), record.comparison):
        row = table.row(key) if key else None
        if row is not None and row.state == "done":
            try:
                return from_json(Comparison, orjson.loads(row.document))
            except ValueError:
                continue
    return None


def keep_comparison(store: Store, experiment: str, document: Comparison) -> None:
    """Keeps a comparison that was imported with its experiment: for reading, nothing is computed.

    It is kept where one that is computed here would be, as long as it answers the same request.

    Args:
        store: where the experiment and its runs are.
        experiment: its id.
        document: after all checks, with the ids of the runs in this store.
    """
    table = ExperimentTable(store.connections, store.clock)
    record = table.find(experiment)
    request = _request(store, record)
    key = hashlib.sha256(dumps(["imported", experiment])).hexdigest()
    if request is not None and _answers(document, request):
        key = request_key(store, request)
    told = replace(document, notes=(IMPORTED, *(note for note in document.notes if note != IMPORTED)))
    PictureTable(store.connections, store.clock).put(key, KIND, told)
    table.change(experiment, "comparison", key)


def computed_here(document: str) -> bool:
    """Returns whether the stored JSON text is that of a comparison that can be read and did not come from elsewhere."""
    try:
        return IMPORTED not in from_json(Comparison, orjson.loads(document)).notes
    except ValueError:
        return False


def _request(store: Store, record: ExperimentRecord) -> ComparisonRequest | None:
    try:
        return for_experiment(store, record)
    except (CsroError, ValueError):
        return None


def _key(store: Store, record: ExperimentRecord) -> str:
    request = _request(store, record)
    return request_key(store, request) if request else ""


def _answers(document: Comparison, request: ComparisonRequest) -> bool:
    groups = tuple((line.name, line.runs) for line in document.variants)
    own = (document.baseline, document.cost, document.budget, document.eval_solver, document.play)
    asked = (request.baseline, request.cost, request.budget, request.eval_solver, request.play)
    return own == asked and groups == request.groups and document.without_human == request.without_human
