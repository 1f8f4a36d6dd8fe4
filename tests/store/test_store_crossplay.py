import numpy as np

from csro_core.metagame.cells import Cell
from csro_core.store import open_store
from csro_core.store.crossplay import CrossPlayCells


def cell(row, column, episodes, value=1.0):
    returns = np.column_stack((np.full(episodes, value), np.full(episodes, -value)))
    forfeits = np.zeros((episodes, 2), dtype=np.bool_)
    forfeits[0, 1] = True
    return Cell(row, column, returns, forfeits)


def test_cells_are_kept_by_game_and_pair(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    cells = CrossPlayCells(store.connections, "rps")
    cells.put_all([cell("a", "b", 4), cell("a", "c", 2, 3.0)])
    found = cells.many([("a", "b"), ("a", "c"), ("b", "a"), ("x", "y")])
    assert set(found) == {("a", "b"), ("a", "c")}
    assert np.array_equal(found["a", "b"].returns, cell("a", "b", 4).returns)
    assert np.array_equal(found["a", "b"].forfeits, cell("a", "b", 4).forfeits)
    assert cells.lengths([("a", "b"), ("a", "c")]) == {("a", "b"): 4, ("a", "c"): 2}
    assert cells.get("b", "a") is None
    assert CrossPlayCells(store.connections, "chess").many([("a", "b")]) == {}


def test_more_episodes_replace_fewer_and_never_the_other_way(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    cells = CrossPlayCells(store.connections, "rps")
    cells.put(cell("a", "b", 4))
    cells.put(cell("a", "b", 2, 9.0))
    assert cells.get("a", "b").returns[0, 0] == 1.0
    cells.put(cell("a", "b", 8, 2.0))
    assert cells.get("a", "b").episodes == 8


def test_rows_of_a_thousand_columns_are_read(tmp_path):
    store = open_store(tmp_path / "store.sqlite")
    cells = CrossPlayCells(store.connections, "rps")
    cells.put_all([cell("a", f"b{number}", 2) for number in range(1_200)])
    assert len(cells.many([("a", f"b{number}") for number in range(1_200)])) == 1_200
