"""Which model wrote a text: attempts and members of oracles, people's edits of them, recordings, nobody."""

from dataclasses import replace

import pytest


@pytest.fixture
def tell(store, make):
    """Gives what keeps texts in a new run: (number of a text, origin, number of its parent or None)."""

    def keep(model, *members, oracle="linear-refinement", attempts=()):
        run = store.create_run("", replace(make.settings, model=model, oracle=oracle), 1)
        lease = store.acquire(run, "me")
        for place, (number, origin, parent) in enumerate(members):
            made_from = "" if parent is None else make.policy(parent).hash
            member = replace(make.member(place), policy=make.policy(number), origin=origin, parent=made_from)
            lease.add_member(member)
        for place, number in enumerate(attempts):
            lease.put_policy(make.policy(number))
            lease.put_attempt(make.attempt(1, place, make.policy(number).hash))
        lease.release("stopped")
        return run

    return keep


def behind(store, make, number):
    return store.models_behind(make.policy(number).hash)


def test_members_of_an_oracle_and_attempts_are_the_models(store, make, tell):
    tell("synthesiser", (0, "seed", None), (1, "oracle", 0), attempts=[2])
    assert [behind(store, make, number) for number in range(4)] == [set(), {"synthesiser"}, {"synthesiser"}, set()]


def test_an_edit_is_followed_to_what_it_was_made_from_also_in_another_run(store, make, tell):
    tell("synthesiser", (1, "oracle", None))
    tell("gemini:x", (1, "seed", None), (2, "human", 1), (3, "human", 2), (4, "oracle", 1), (5, "human", None))
    assert behind(store, make, 3) == {"synthesiser"}
    assert behind(store, make, 4) == {"gemini:x"}
    assert behind(store, make, 5) == set()


def test_edits_in_a_circle_end(store, make, tell):
    tell("synthesiser", (1, "human", 2), (2, "human", 1))
    assert behind(store, make, 1) == set()


def test_a_recording_is_its_own_model_and_the_oracle_exact_has_none(store, make, tell):
    run = tell("synthesiser:equilibrium", (0, "seed", None))
    tell(f"recorded:{run}", (1, "oracle", None))
    tell("recorded:00000000", (2, "oracle", None))
    tell("synthesiser", (3, "oracle", None), oracle="exact")
    assert behind(store, make, 1) == {"synthesiser:equilibrium"}
    assert behind(store, make, 2) == {"recorded:00000000"}
    assert behind(store, make, 3) == set()
