"""The loop shows what its settings say, and plays whom it always plays."""

from dataclasses import replace

import pytest
from test_csro_loop import BIASED, exact_model, make_loop

from csro_core.games import make_game
from csro_core.models.base import Completion

PAYOFFS = make_game(BIASED).lockstep.payoffs


class Watched:
    """Answers as a best response to everybody of weight would, whatever it is shown; keeps the requests."""

    def __init__(self, model):
        self.model = model
        self.requests = []

    def __call__(self, request):
        self.requests.append(request)
        if request.task == "summarise":
            return Completion("", "", f"always {request.opponents[0].source.strip()[-1]}", problem="no program")
        sources = {view.hash: view.source for made in self.requests for view in made.opponents if view.source}
        known = [replace(view, source=sources.get(view.hash, "return 0")) for view in request.opponents]
        return self.model(replace(request, opponents=tuple(known)))


def iterate(iterations=3, **settings):
    loop, metagame, _ = make_loop(BIASED, **settings)
    watched = Watched(exact_model(PAYOFFS))
    loop = replace(loop, ask=watched)
    outcomes = []
    for iteration in range(1, iterations + 1):
        outcomes.append(loop.step(iteration, metagame))
        metagame = outcomes[-1].metagame
    return watched.requests, outcomes


def test_summaries_come_from_the_model_and_replace_the_programs():
    requests, outcomes = iterate(context="summary")
    plain, same = iterate()
    proposals = [made for made in requests if made.task != "summarise"]
    assert [made.task for made in requests if made.task == "summarise"]
    views = [view for made in proposals for view in made.opponents]
    assert all(view.source is None and view.summary.startswith("always") for view in views)
    samples = {(made.opponents[0].hash, made.sample) for made in requests if made.task == "summarise"}
    assert len(samples) == len({policy for policy, _ in samples})
    # The same weights are met, and the same attempts are told apart by the same samples.
    assert [made.sample for made in proposals] == [made.sample for made in plain]
    assert [one.tau.tolist() for one in outcomes] == [one.tau.tolist() for one in same]


@pytest.mark.parametrize(
    ("settings", "shown"), [({}, [1, 1, 3]), ({"shown": "2"}, [1, 1, 2]), ({"shown": "1"}, [1, 1, 1])]
)
def test_fewer_may_be_shown_than_are_met(settings, shown):
    requests, _ = iterate(**settings)
    assert [len(made.opponents) for made in requests] == shown
    assert all(view.source for made in requests for view in made.opponents)


def test_nothing_is_shown_where_nothing_shall_be():
    requests, _ = iterate(context="none")
    assert [view.name for made in requests for view in made.opponents][0] == "opponent 1"
    assert not any(view.source or view.summary for made in requests for view in made.opponents)
