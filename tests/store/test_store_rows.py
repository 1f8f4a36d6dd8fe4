"""Everything that is written comes back as it was, from any thread, while others write."""

import dataclasses
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from csro_core.errors import NotFoundError, UsageError
from csro_core.games.base import GameSpec
from csro_core.metagame.cells import Cell
from csro_core.seeds import SCHEME
from csro_core.store.records import RunSettings


def assert_same_cell(left: Cell, right: Cell) -> None:
    assert (left.row, left.column, left.failures) == (right.row, right.column, right.failures)
    assert np.array_equal(left.returns, right.returns)
    assert np.array_equal(left.forfeits, right.forfeits)


def test_run_comes_back_with_its_settings(store, clock, make):
    run = store.create_run("  my run ", make.settings, 8)
    found = store.run(run)
    made = replace(make.settings, seed_scheme=SCHEME)
    assert (found.id, found.name, found.settings, found.target) == (run, "my run", made, 8)
    assert (found.status, found.iteration, found.created, found.usd) == ("new", 0, clock.now, 0.0)
    assert len(run) == 8
    assert int(run, 16) >= 0


def test_runs_are_found_by_id_prefix_and_name(store, make):
    run = store.create_run("a name", make.settings, 1)
    assert store.run(run[:4]).id == store.run("a name").id == run
    for wrong in (run[:3], "a nam", "", "%", "____", "ffffffff0"):
        with pytest.raises(NotFoundError):
            store.run(wrong)


def test_an_ambiguous_prefix_is_refused(store, make, monkeypatch):
    ids = iter(["abcd0000", "abcd1111"])
    monkeypatch.setattr("csro_core.store.store.secrets.token_hex", lambda _: next(ids))
    store.create_run("", make.settings, 1)
    store.create_run("", make.settings, 1)
    with pytest.raises(NotFoundError, match="abcd0000, abcd1111|abcd1111, abcd0000"):
        store.run("abcd")
    assert store.run("abcd1").id == "abcd1111"


def test_names_are_friendly_and_unique(store, make):
    assert store.run(store.create_run("", make.settings, 1)).name == "rps-linear-1"
    assert store.run(store.create_run("", make.settings, 1)).name == "rps-linear-2"
    other = RunSettings(GameSpec("matrix"), oracle="best-of-n")
    run = store.create_run("", other, 1)
    assert store.run(run).name == "matrix-best-of-n-1"
    with pytest.raises(UsageError, match="must be new"):
        store.create_run("rps-linear-1", make.settings, 1)
    for name in ("a\nb", "x" * 101, "\x1b[31m"):
        with pytest.raises(UsageError, match="printable"):
            store.create_run(name, make.settings, 1)


def test_target_is_checked(store, make):
    for target in (-1, 10**9):
        with pytest.raises(UsageError, match="iterations must be"):
            store.create_run("", make.settings, target)


def test_runs_come_newest_first(store, clock, make):
    ids = []
    for _ in range(3):
        clock.now += 1
        ids.append(store.create_run("", make.settings, 1))
    assert [run.id for run in store.runs()] == ids[::-1]


def test_every_record_comes_back(store, run, make):
    lease = store.acquire(run, "me")
    members = [make.member(0), make.member(1)]
    for member in members:
        lease.add_member(member)
    lease.add_solution(make.solution(0, 2))
    attempt = make.attempt(1, 0, members[0].policy.hash)
    lease.put_attempt(dataclasses.replace(attempt, status="failed"))
    lease.put_attempt(attempt)
    lease.put_call(make.call("k"))
    new = make.member(2)
    lease.commit_iteration(make.iteration(1, new.policy.hash, 2), [new], make.solution(1, 3))
    lease.set_progress({"stage": "play", "done": 3})
    lease.event("admitted", {"name": "p0-2"})

    assert store.members(run) == [*members, new]
    assert store.solutions(run) == [make.solution(0, 2), make.solution(1, 3)]
    assert store.iterations(run) == [make.iteration(1, new.policy.hash, 2)]
    (found,) = store.attempts(run, 1)
    assert math.isnan(found.screen.stderr)
    assert dataclasses.replace(found, screen=None) == dataclasses.replace(attempt, screen=None)
    assert store.attempts(run, 2) == []
    assert store.calls(run) == [make.call("k")]
    assert lease.answered("k") == make.call("k")
    assert lease.answered("other") is None
    assert store.progress(run) == {"stage": "play", "done": 3}
    (event,) = store.events(run)
    assert (event.kind, event.data) == ("admitted", {"name": "p0-2"})
    assert store.events(run, after=event.id) == []
    record = store.run(run)
    assert (record.iteration, record.seconds) == (1, 2.5)
    assert [policy.hash for policy in store.policies(run)] == [member.policy.hash for member in [*members, new]]


def test_policies_are_found_by_prefix(store, run, make):
    lease = store.acquire(run, "me")
    policy = make.policy(1)
    lease.put_policy(policy)
    lease.put_policy(policy)
    assert store.policy(policy.hash) == store.policy(policy.hash[:6].upper()) == policy
    for wrong in (policy.hash[:3], "0" * 64, "", "%%%%"):
        with pytest.raises(NotFoundError):
            store.policy(wrong)
    with pytest.raises(NotFoundError):
        store.policy(policy.hash, run="another")
    with pytest.raises(ValueError, match="SHA-256"):
        lease.put_policy(dataclasses.replace(policy, source="other"))


def test_members_are_append_only(store, run, make):
    lease = store.acquire(run, "me")
    lease.add_member(make.member(0))
    with pytest.raises(ValueError, match="must be 1, got 0"):
        lease.add_member(make.member(0))
    with pytest.raises(ValueError, match="must be 1, got 2"):
        lease.commit_iteration(make.iteration(1), [make.member(2)], None)
    assert store.iterations(run) == []
    lease.add_member(make.member(0, player=1))
    assert [(member.player, member.index) for member in store.members(run)] == [(0, 0), (1, 0)]


def test_an_iteration_is_committed_once(store, run, make):
    lease = store.acquire(run, "me")
    lease.commit_iteration(make.iteration(1))
    with pytest.raises(ValueError, match="contradicts"):
        lease.commit_iteration(make.iteration(1), [make.member(0)])
    assert store.members(run) == []


def test_cells_are_a_cell_store(store, run, make):
    lease = store.acquire(run, "me")
    first, second = make.policy(1), make.policy(2)
    cell = make.cell(first, second)
    lease.cells.put(cell)
    found = store.cells(run).get(first.tree_hash, second.tree_hash)
    assert_same_cell(found, cell)
    assert found.moves == ()
    assert store.cells(run).get(second.tree_hash, first.tree_hash) is None
    assert store.cell_moves(run, first.tree_hash, second.tree_hash) == cell.moves
    assert store.cell_moves(run, second.tree_hash, first.tree_hash) == ()

    lease.cells.put(make.cell(first, second, 2))
    assert lease.cells.get(first.tree_hash, second.tree_hash).episodes == 4
    further = make.cell(first, second, 6)
    lease.cells.put(dataclasses.replace(further, moves=(b"",) * 4 + further.moves[4:]))  # as one that was played on
    assert store.cell_moves(run, first.tree_hash, second.tree_hash) == further.moves
    lease.cells.put(make.cell(first, second, 8, moves=False))
    assert [cell.episodes for cell in store.cells(run).all()] == [8]
    assert store.cell_moves(run, first.tree_hash, second.tree_hash) == ()

    other = store.create_run("", make.settings, 1)
    assert store.cells(other).all() == []


def test_cells_must_be_whole(store, run, make):
    lease = store.acquire(run, "me")
    cell = make.cell(make.policy(1), make.policy(2))
    for broken in (
        dataclasses.replace(cell, forfeits=cell.forfeits[:-1]),
        dataclasses.replace(cell, moves=cell.moves[:-1]),
        dataclasses.replace(cell, returns=cell.returns.reshape(2, 4)),
    ):
        with pytest.raises(ValueError, match="a cell needs"):
            lease.cells.put(broken)
    assert store.cells(run).all() == []


def test_forfeits_of_members_are_counted_from_cells(store, run, make):
    lease = store.acquire(run, "me")
    for index in range(2):
        lease.add_member(make.member(index))
    policies = [make.member(index).policy for index in range(2)]
    lease.cells.put(make.cell(policies[0], policies[1]))  # the column forfeits one episode
    lease.cells.put(make.cell(policies[1], policies[1]))
    assert [member.forfeits for member in store.members(run)] == [0, 2]


def test_drafts(store, run):
    assert store.draft(run, "h") is None
    store.save_draft(run, "h", "one")
    store.save_draft(run, "h", "two")
    assert store.draft(run, "h") == "two"
    store.drop_draft(run, "h")
    store.drop_draft(run, "h")
    assert store.draft(run, "h") is None


def test_requests_wait_and_are_answered(store, run):
    lease = store.acquire(run, "me")
    first = store.add_request(run, "check", {"text": "x"})
    second = store.add_request(run, "stop", {})
    assert [request.id for request in store.waiting(run)] == [first, second]
    lease.answer(first, "working", {})
    assert [request.id for request in store.waiting(run)] == [second]
    lease.answer(first, "done", {"ok": True})
    found = store.request(first)
    assert (found.state, found.result, found.payload) == ("done", {"ok": True}, {"text": "x"})
    assert [request.id for request in store.requests(run)] == [second, first]
    assert [request.id for request in store.requests(run, "check")] == [first]
    assert [request.id for request in store.requests(run, limit=1)] == [second]
    with pytest.raises(ValueError, match="kind must be"):
        store.add_request(run, "dance", {})
    with pytest.raises(NotFoundError):
        store.add_request("00000000", "stop", {})
    with pytest.raises(NotFoundError):
        lease.answer(99, "done", {})
    with pytest.raises(NotFoundError):
        store.request(99)


def test_money_is_known_only_where_every_call_is_priced(store, run, make):
    lease = store.acquire(run, "me")
    lease.put_call(make.call("a", usd=0.5))
    lease.put_call(make.call("b", usd=0.25))
    lease.put_call(make.call("c", "sent", None))
    assert store.run(run).usd == 0.75
    lease.put_call(make.call("c", "answered", None))
    assert store.run(run).usd is None


def test_a_call_keeps_its_place(store, run, make):
    lease = store.acquire(run, "me")
    lease.put_call(make.call("a", "sent"))
    lease.put_call(make.call("b"))
    assert lease.answered("a") is None
    lease.put_call(make.call("a"))
    assert [call.key for call in store.calls(run)] == ["a", "b"]


def test_versions_count_what_changed(store, run, make, clock):
    lease = store.acquire(run, "me")
    seen = {store.version(run)}
    rows = store.rows_version(run)
    light = [
        lambda: lease.set_progress({"a": 1}),
        lambda: store.add_request(run, "stop", {}),
        lambda: store.save_draft(run, "h", "x"),
        lambda: lease.set_status("running"),
        lambda: lease.event("e", {}),
    ]
    for write in light:
        write()
        assert store.version(run) not in seen
        seen.add(store.version(run))
    assert store.rows_version(run) == rows
    lease.heartbeat()
    assert store.version(run) in seen
    heavy = [
        lambda: lease.cells.put(make.cell(make.policy(1), make.policy(1))),
        lambda: lease.add_member(make.member(0)),
        lambda: lease.commit_iteration(make.iteration(1)),
    ]
    for write in heavy:
        write()
        assert store.version(run) not in seen
        seen.add(store.version(run))
        assert store.rows_version(run) > rows
        rows = store.rows_version(run)
    clock.now += 6
    assert store.run(run).status == "interrupted"
    assert store.version(run) not in seen


def test_lone_surrogates_do_not_break_a_write(store, run):
    lease = store.acquire(run, "me")
    lease.event("e", {"text": "a\ud800b\x00"})
    lease.set_status("failed", "bad \udcff")
    store.save_draft(run, "h", "\ud800")
    assert store.events(run)[0].data == {"text": "a?b\x00"}
    assert store.run(run).message == "bad ?"
    assert store.draft(run, "h") == "?"


def test_readers_in_threads_see_whole_iterations_while_one_writes(store, run, make):
    """Two readers poll while iterations are committed: members, solutions and iterations always fit together."""
    lease = store.acquire(run, "me")
    lease.add_member(make.member(0))
    lease.add_solution(make.solution(0))
    done = threading.Event()

    def watch() -> int:
        looks = 0
        while not done.is_set() or looks == 0:
            iterations = len(store.iterations(run))
            members = len(store.members(run))  # read later, so never fewer than an iteration says
            assert members >= iterations + 1
            assert len(store.solutions(run)) >= iterations + 1
            looks += 1
        return looks

    with ThreadPoolExecutor(2) as pool:
        watchers = [pool.submit(watch) for _ in range(2)]
        try:
            for number in range(1, 61):
                lease.commit_iteration(make.iteration(number), [make.member(number)], make.solution(number))
        finally:
            done.set()
        assert all(watcher.result(timeout=30) > 0 for watcher in watchers)
    assert store.run(run).iteration == 60


def test_a_run_is_made_together_with_the_texts_that_it_starts_from(store, make):
    texts = [make.policy(0), make.policy(1)]
    run = store.create_run("", make.settings, 0, texts)
    assert store.policies(run) == texts
    with pytest.raises(ValueError, match="hash must be the SHA-256"):
        store.create_run("half", make.settings, 0, [texts[0], dataclasses.replace(texts[1], hash="0" * 64)])
    assert [record.id for record in store.runs()] == [run]
