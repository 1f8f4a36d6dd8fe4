"""Honest policies as models write them (`tests/honest`): the guard takes every one, and changes nothing they do."""

import random
import sys
import types
from pathlib import Path

import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.policies.library import reference_text
from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import new_namespace

FOLDER = Path(__file__).parent.parent / "honest"
HONEST = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")}
GAME = GameSpec("repeated_rps", {"num_throws": 100})
OPPONENT = reference_text("markov1")


@pytest.mark.parametrize("name", sorted(HONEST))
def test_the_guard_accepts_it(name):
    assert check(HONEST[name]).problems == ()


def test_there_are_about_thirty():
    assert len(HONEST) >= 30


@pytest.mark.parametrize("isolation", ["pool", "reduced_pool"])
def test_all_play_a_match_without_a_failure(isolation, request):
    jobs = [MatchJob(GAME, (HONEST[name], OPPONENT), (0, 1), (1, 2)) for name in sorted(HONEST)]
    for name, result in zip(sorted(HONEST), request.getfixturevalue(isolation).submit(jobs), strict=True):
        assert result.failures == (), name
        assert not result.forfeits.any()


def moves(make):
    """Returns 100 throws against an opponent whose moves depend on what it saw."""
    mine, theirs = [], []
    obs = {"num_throws": 100, "my_history": mine, "opponent_history": theirs, "player": 0, "legal_actions": [0, 1, 2]}
    policy = make()
    thrown = []
    rng = random.Random(3)
    for throw in range(100):
        obs["throw"] = throw
        thrown.append(policy.act(obs))
        reply = rng.choice([(thrown[-1] + 1) % 3, 0, throw % 3])
        mine.append(thrown[-1])
        theirs.append(reply)
    return thrown


@pytest.mark.parametrize("name", [name for name in sorted(HONEST) if "import random" not in HONEST[name]])
def test_it_plays_as_plain_python_does(name):
    """The guard renames and rewrites; none of that may be seen in the moves."""
    with pytest.MonkeyPatch.context() as patch:
        module = types.ModuleType("policy")
        # As for a file that is run; dataclasses look the module up by its name.
        patch.setitem(sys.modules, "policy", module)
        vars(module)["print"] = lambda *values, **options: None
        exec(compile(HONEST[name], "<plain>", "exec", dont_inherit=True), vars(module))
        plain = moves(module.Policy)
    guarded = new_namespace(1)
    exec(compile_policy(check(HONEST[name]).tree), guarded)
    assert moves(guarded["Policy"]) == plain
    assert len(set(plain)) > 1
