"""How many statements a tournament costs: linear in its cells, whatever is done with them."""

import numpy as np
import pytest

from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import Isolation, MatchResult
from csro_core.metagame import sampling
from csro_core.metagame.cells import Cell
from csro_core.metagame.payoffs import build_table
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.sampling import Meeting, fill
from csro_core.policies.source import sha256
from csro_core.seeds import Secret
from csro_core.store import connection, open_store

RPS = make_game(GameSpec("repeated_rps", {"num_throws": 12}))


class Quick:
    """Plays nothing: every match is a draw."""

    isolation = Isolation("reduced", "a fake for tests")

    def submit(self, jobs, on_result=None):
        results = []
        for index, job in enumerate(jobs):
            zeros = np.zeros((len(job.seeds), 2))
            results.append(MatchResult(zeros, zeros.astype(bool), (), (b"",) * len(job.seeds), 0.0))
            on_result(index, results[-1])
        return results


@pytest.fixture
def counted(monkeypatch):
    """The statements that SQLite was given, from all connections."""
    statements = []
    plain = connection.connect

    def connect(path):
        made = plain(path)
        made.set_trace_callback(statements.append)
        return made

    monkeypatch.setattr(connection, "connect", connect)
    return statements


@pytest.mark.parametrize(("keep_seconds", "most_writes"), [(0.0, 8), (60.0, 4)])
def test_statements_are_linear_in_cells(tmp_path, make, counted, monkeypatch, keep_seconds, most_writes):
    monkeypatch.setattr(sampling, "KEEP_SECONDS", keep_seconds)
    for size in (10, 40):
        store = open_store(tmp_path / f"{size}.sqlite")
        run = store.create_run("", make.settings, 0)
        lease = store.acquire(run, "me")
        populations = Populations(True, (tuple(entry(number) for number in range(size)),))
        cells = size * (size - 1) // 2

        counted.clear()
        assert fill(Meeting(RPS, Quick(), lease.cells, Secret.of_key(b"1")), populations, 4) == cells
        assert cells <= len(counted) <= most_writes * cells + 2 * size

        counted.clear()
        assert build_table(populations, lease.cells, zero_sum=True).known.all()
        assert fill(Meeting(RPS, Quick(), lease.cells, Secret.of_key(b"1")), populations, 4) == 0
        assert len(counted) <= 2 * size
        store.close()


def test_many_cells_are_read_as_single_ones_are(store, run, make):
    lease = store.acquire(run, "me")
    policies = [make.policy(number) for number in range(4)]
    pairs = [(policies[0], policies[1]), (policies[0], policies[2]), (policies[2], policies[3])]
    lease.cells.put_all([make.cell(*pair, episodes=2 + place) for place, pair in enumerate(pairs)])
    keys = [(row.tree_hash, column.tree_hash) for row, column in pairs]
    unknown = (policies[1].tree_hash, policies[0].tree_hash)

    found = lease.cells.many([*keys, unknown])
    assert found.keys() == set(keys)
    for key in keys:
        single = lease.cells.get(*key)
        assert (found[key].returns == single.returns).all()
        assert found[key].failures == single.failures
    assert lease.cells.lengths([*keys, unknown]) == dict(zip(keys, (2, 3, 4), strict=True))
    assert lease.cells.many([]) == {}


def test_more_opponents_than_a_statement_takes_are_asked_for_in_parts(store, run):
    lease = store.acquire(run, "me")
    keys = [("a" * 64, f"{number:064x}") for number in range(1_203)]
    zeros = np.zeros((2, 2))
    lease.cells.put_all([Cell(*key, zeros, zeros.astype(bool)) for key in keys])
    assert lease.cells.lengths(keys) == dict.fromkeys(keys, 2)


def test_cells_that_do_not_all_fit_leave_none_behind(store, run, make):
    lease = store.acquire(run, "me")
    good, bad = make.cell(make.policy(0), make.policy(1)), make.cell(make.policy(0), make.policy(2))
    with pytest.raises(ValueError, match="of one shape"):
        lease.cells.put_all([good, Cell(bad.row, bad.column, bad.returns, bad.forfeits[:1])])
    assert lease.cells.all() == []


def entry(number):
    text = f"text {number}"
    return Entry(sha256(text), sha256(f"tree {number}"), text, f"p{number}")
