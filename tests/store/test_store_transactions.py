"""What several tables write together is one transaction: all of it is there at the end, or nothing."""

import threading

import pytest

from csro_core.store.experiment_labels import ExperimentLabels
from csro_core.store.experiments import ExperimentTable
from csro_core.store.pictures import PictureTable


def test_what_is_done_together_is_seen_by_nobody_else_before_its_end(store, clock):
    table, seen = ExperimentTable(store.connections, clock), []
    with store.connections.together():
        experiment = table.create("inner", {})
        assert table.find("inner").id == experiment
        other = threading.Thread(target=lambda: seen.append(table.all()))
        other.start()
        other.join()
        with store.connections.together():
            table.create("nested", {})
        table.change(experiment, "message", "still in it")
    assert seen == [[]]
    assert {one.name for one in table.all()} == {"inner", "nested"}


def test_a_failure_undoes_all_of_it_and_what_comes_later_is_its_own(store, clock):
    table, pictures = ExperimentTable(store.connections, clock), PictureTable(store.connections, clock)

    def fail() -> None:
        with store.connections.together():
            table.create("inner", {})
            pictures.put("k", "comparison", {"a": 1})
            raise RuntimeError("the process is out of luck")

    with pytest.raises(RuntimeError):
        fail()
    assert (table.all(), pictures.row("k")) == ([], None)
    experiment = table.create("later", {})
    ExperimentLabels(store.connections, clock).put_into_bin(experiment)
    assert table.names() == {"later"}
