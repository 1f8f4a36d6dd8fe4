"""One writer a run: takeover, lost leases, what a resumed run forgets."""

import pytest

from csro_core.errors import LeaseError, NotFoundError
from csro_core.store import open_store


def test_a_second_owner_is_refused_while_the_first_lives(store, run, clock):
    first = store.acquire(run, "first")
    clock.now += 4.9
    with pytest.raises(LeaseError, match="already running, held by 'first'"):
        store.acquire(run, "second")
    first.heartbeat()
    clock.now += 4.9
    with pytest.raises(LeaseError):
        store.acquire(run, "second")
    first.set_status("running")
    assert store.run(run).status == "running"
    owner, age = store.lease_holder(run)
    assert (owner, round(age, 6)) == ("first", 4.9)


def test_another_store_object_sees_the_lease(store, run, clock):
    store.acquire(run, "first")
    other = open_store(store.path, clock=clock)
    with pytest.raises(LeaseError):
        other.acquire(run, "second")
    other.close()


def test_an_expired_lease_is_taken_over_and_the_old_owner_cannot_write(store, run, clock, make):
    first = store.acquire(run, "first")
    first.set_status("running")
    clock.now += 5.1
    assert store.run(run).status == "interrupted"
    second = store.acquire(run, "second")
    writes = [
        first.heartbeat,
        lambda: first.set_status("done"),
        lambda: first.set_target(9),
        lambda: first.set_progress({"x": 1}),
        lambda: first.put_policy(make.policy(1)),
        lambda: first.add_member(make.member(0)),
        lambda: first.cells.put(make.cell(make.policy(1), make.policy(2))),
        lambda: first.add_solution(make.solution(0)),
        lambda: first.put_attempt(make.attempt(1, 0)),
        lambda: first.commit_iteration(make.iteration(1), [make.member(0)], make.solution(1)),
        first.discard_unfinished,
        lambda: first.put_call(make.call("k")),
        lambda: first.answer(1, "done", {}),
        lambda: first.event("e", {}),
        lambda: first.release("done"),
    ]
    before = store.version(run)
    for write in writes:
        with pytest.raises(LeaseError, match="no longer held"):
            write()
    assert store.version(run) == before
    assert store.lease_holder(run) == ("second", 0.0)
    second.add_member(make.member(0))


def test_a_late_owner_that_nobody_replaced_goes_on(store, run, clock):
    lease = store.acquire(run, "first")
    lease.set_status("running")
    clock.now += 60
    lease.heartbeat()
    assert store.run(run).status == "running"


def test_the_same_owner_may_come_back_and_only_the_newest_lease_counts(store, run):
    old = store.acquire(run, "me")
    new = store.acquire(run, "me")
    new.heartbeat()
    with pytest.raises(LeaseError):
        old.heartbeat()


def test_a_heartbeat_of_the_far_future_is_dead(store, run, clock):
    store.acquire(run, "first")
    clock.now -= 3600  # the clock was set back
    store.acquire(run, "second").heartbeat()


def test_release_frees_the_run(store, run):
    lease = store.acquire(run, "first")
    lease.release("stopped", "on request")
    assert store.lease_holder(run) is None
    found = store.run(run)
    assert (found.status, found.message) == ("stopped", "on request")
    with pytest.raises(LeaseError):
        lease.set_status("running")
    store.acquire(run, "second")


def test_statuses_that_need_no_lease_stay(store, run, clock):
    for status in ("done", "stopped", "failed", "needs-key"):
        store.acquire(run, "me").release(status)
        assert store.run(run).status == status
    store.acquire(run, "me").release("paused")
    assert store.run(run).status == "interrupted"


def test_unknown_runs_have_no_lease(store):
    with pytest.raises(NotFoundError):
        store.acquire("00000000", "me")
    assert store.lease_holder("00000000") is None


def test_two_owners_race_for_an_expired_lease_and_one_wins(store, run, clock):
    store.acquire(run, "dead")
    clock.now += 10
    first, second = (open_store(store.path, clock=clock) for _ in range(2))
    first.acquire(run, "first")
    with pytest.raises(LeaseError):
        second.acquire(run, "second")


def test_a_block_is_visible_at_once_or_not_at_all(store, run, make):
    lease = store.acquire(run, "me")
    with lease.atomically():
        lease.add_member(make.member(0))
        with lease.atomically():
            lease.add_solution(make.solution(0))
        lease.cells.put(make.cell(make.policy(0), make.policy(0)))
        assert lease.cells.get(make.policy(0).tree_hash, make.policy(0).tree_hash) is not None
        assert store.members(run) == []
    assert len(store.members(run)) == len(store.solutions(run)) == 1

    def fail() -> None:
        with lease.atomically():
            lease.add_member(make.member(1))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    assert len(store.members(run)) == 1
    lease.add_member(make.member(1))


def test_a_resumed_run_forgets_what_was_half_done(store, run, make):
    lease = store.acquire(run, "me")
    lease.put_attempt(make.attempt(1, 0))
    lease.commit_iteration(make.iteration(1))
    lease.put_attempt(make.attempt(2, 0))
    lease.put_attempt(make.attempt(2, 1))
    lease.put_call(make.call("finished"))
    lease.put_call(make.call("free", "sent", 0.0))
    lease.put_call(make.call("paid", "sent", 0.01))
    lease.put_call(make.call("unpriced", "sent", None))
    request = store.add_request(run, "score", {})
    waiting = store.add_request(run, "score", {})
    lease.answer(request, "working", {})

    lease.discard_unfinished()

    assert [(attempt.iteration, attempt.index) for attempt in store.attempts(run)] == [(1, 0)]
    assert [(call.key, call.status) for call in store.calls(run)] == [
        ("finished", "answered"), ("paid", "possibly billed"), ("unpriced", "possibly billed"),
    ]  # fmt: skip
    assert lease.answered("paid") is None
    assert store.request(request).state == "failed"
    assert "ask again" in store.request(request).result["message"]
    assert [found.id for found in store.waiting(run)] == [waiting]
