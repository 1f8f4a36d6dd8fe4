"""Who forfeited how much of a benchmark and why: counted, written as JSON, read again, in words."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from csro_core.evaluation.benchmark import Mixture, benchmark_named, evaluate_mixtures
from csro_core.evaluation.documents import benchmark_document
from csro_core.evaluation.forfeits import MOST_REASONS, Forfeits, ToldForfeits, read, reasons_of, told
from csro_core.games import make_game
from csro_core.matches.jobs import Failure
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import reference_text
from csro_core.policies.source import sha256
from csro_core.seeds import Secret
from csro_core.store.extra_checks import check_extra
from tests.store.test_store_extra_checks import SCORE, SETTINGS, solution

FAILING = "class Policy:\n    def act(self, obs):\n        return 7\n"
POLICY = {"hash": "a" * 64, "share": 0.5, "forfeited": 3, "episodes": 20, "reasons": ["memory: too much"]}
KNOWN = {"episodes": 20, "forfeited": 3, "by_opponents": 0, "policies": [POLICY], "reasons": []}


@pytest.fixture(scope="module")
def pool():
    opened = LocalPool(make_game)
    yield opened
    opened.close()


def test_a_mixture_tells_who_forfeited_against_whom_and_why(pool):
    leduc = benchmark_named("leduc")
    mixture = Mixture((reference_text("always_call"), FAILING), (0.75, 0.25))
    (found,) = evaluate_mixtures(leduc, [mixture], 2, Secret.of_key(b"1"), pool)
    document = json.loads(json.dumps(benchmark_document(leduc, found, mixture, 2, "")))
    known = told(document)
    assert (known.episodes, known.forfeited, known.by_opponents) == (12, 6, 0)
    (policy,) = known.policies
    assert (policy.hash, policy.share, policy.forfeited, policy.episodes) == (sha256(FAILING), 0.25, 6, 6)
    assert policy.reasons[0].startswith("illegal-action: ")
    assert [line["forfeited"] for line in document["per_opponent"]] == [2, 2, 2]
    assert known.words.startswith("6 of 12 episodes were forfeited (illegal-action: ")
    honest = Mixture((reference_text("always_call"),), (1.0,))
    (whole,) = evaluate_mixtures(leduc, [honest], 2, Secret.of_key(b"1"), pool)
    assert (whole.forfeits.count, whole.forfeits.clean, whole.forfeits.words) == ("0 of 6", True, "")


def test_counts_are_by_opponent_and_by_side():
    forfeits = np.zeros((2, 3, 2), dtype=np.bool_)
    forfeits[0, 1:, 0] = True
    forfeits[1, 0, 1] = True
    counted = Forfeits.counted(forfeits)
    assert (counted.episodes, counted.own.tolist(), counted.opponents.tolist()) == (3, [2, 0], [0, 1])
    assert "1 of 6 episodes were forfeited by opponents (timeout: late)" in ToldForfeits(
        6, 2, 1, reasons=("timeout: late",)
    ).words


def test_reasons_are_the_first_ones_each_once():
    failures = [Failure(0, "exception", f"boom {number // 2}\nline") for number in range(40)]
    assert reasons_of(failures) == tuple(f"exception: boom {number} line" for number in range(MOST_REASONS))


def test_older_documents_tell_nothing_and_odd_ones_neither():
    assert told({}) is None
    assert told({"forfeits": None}) is None
    assert told({"forfeits": KNOWN}) == read(KNOWN)
    assert asdict(read(json.loads(json.dumps(asdict(read(KNOWN)))))) == asdict(read(KNOWN))
    check_extra(solution(benchmark=SCORE | {"forfeits": KNOWN}), SETTINGS)


@pytest.mark.parametrize(
    "odd",
    [
        7, [], {}, KNOWN | {"x": 1}, KNOWN | {"episodes": 2}, KNOWN | {"forfeited": -1}, KNOWN | {"forfeited": True},
        KNOWN | {"forfeited": 0}, KNOWN | {"by_opponents": 21}, KNOWN | {"policies": {}}, KNOWN | {"policies": [7]},
        KNOWN | {"policies": []}, KNOWN | {"policies": [POLICY | {"share": 2}]}, KNOWN | {"reasons": "x"},
        KNOWN | {"policies": [POLICY | {"hash": "x"}]}, KNOWN | {"reasons": ["x"] * 6}, KNOWN | {"reasons": [7]},
        KNOWN | {"policies": [POLICY | {"reasons": ["x" * 601]}]}, KNOWN | {"policies": [POLICY | {"episodes": 1}]},
    ],
)  # fmt: skip
def test_anything_else_is_refused_in_an_archive_and_not_told_on_a_page(odd):
    assert told({"forfeits": odd}) is None
    with pytest.raises(ValueError, match=r"must|can be"):
        check_extra(solution(benchmark=SCORE | {"forfeits": odd}), SETTINGS)
