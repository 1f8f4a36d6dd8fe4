"""What a stranger's archive may say of payoffs: what the game can give, of policies of the run, once."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from csro_core.errors import UsageError
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.store.archive import export_run, import_run
from csro_core.store.archive_facts import bounds_of
from tests.store.hostile_files import set_field
from tests.store.test_store_archive import contents, write

ARCHIVES = Path(__file__).parent / "archives"
RUN = "run.json"
CELL = ("cells.json", 0)
LIKELY = {"mean": 0.0, "stderr": 0.0, "episodes": 4}
SCORE = {
    "benchmark": "rrps", "episodes": 10, "pop_return": 120.0, "pop_return_stderr": 2.0, "pop_expl": 20.0,
    "pop_expl_stderr": None, "agg_score": 100.0, "agg_score_stderr": 4, "nemesis": "greenberg",
}  # fmt: skip
EVALUATION = {
    "solver": "nash", "sigma": [[0.5, 0.5]], "value": 0.0, "nash_conv": 0.0, "epsilon": 0.0, "note": "",
    "exploitability": None,
}  # fmt: skip


def twice(files) -> None:
    cells = json.loads(files["cells.json"])
    files["cells.json"] = json.dumps([*cells, cells[1]]).encode()


def other_way_round(files) -> None:
    cells = json.loads(files["cells.json"])
    cell = next(one for one in cells if one["row"] != one["column"])
    cell["row"], cell["column"] = cell["column"], cell["row"]
    files["cells.json"] = json.dumps(cells).encode()


def extra(**values):
    return set_field((RUN, "solutions", 0, "extra"), values)


def champion(**changes):
    known = {"player": 0, "index": 0, "name": "x", "score": 0.0, "mean": LIKELY, "minimum": LIKELY, "worst": 0}
    return extra(champion=known | changes)


FORGED = {
    "return": (set_field((*CELL, "returns", 1), [3000.0, -3000.0]), "from -300 to 300"),
    "return of the other side": (set_field((*CELL, "returns", 1), [-300.5, 300.5]), "from -300 to 300"),
    "payoffs out of nothing": (set_field((*CELL, "returns", 1), [300.0, 300.0]), "add up to 0"),
    "cell of an unknown policy": (set_field((*CELL, "row"), "f" * 64), "policies of the run"),
    "cell against an unknown policy": (set_field((*CELL, "column"), "f" * 64), "policies of the run"),
    "cell twice": (twice, "may occur twice"),
    "cell in the other seats": (other_way_round, "the lower tree hash"),
    "failure of no episode": (set_field((*CELL, "failures", 0, "episode"), 4), "episode of its cell"),
    "member of no population": (set_field((RUN, "members", 0, "player"), 1), ""),
    "two populations": (set_field((RUN, "solutions", 0, "sizes"), [2, 0]), ""),
    "attempt of an unknown text": (set_field((RUN, "attempts", 0, "policy"), "e" * 64), "policies of the run"),
    "finalist of an unknown text": (set_field((RUN, "iterations", 0, "finalist"), "e" * 64), "policies of the run"),
    "gain": (set_field((RUN, "iterations", 0, "gain", "mean"), 601.0), "from -600 to 600"),
    "error of a gain": (set_field((RUN, "iterations", 0, "gain", "stderr"), 1e6), "standard error"),
    "score of an attempt": (set_field((RUN, "attempts", 0, "screen", "mean"), 3000.0), "score of an attempt"),
    "score against an opponent": (set_field((RUN, "attempts", 0, "per_opponent", 0, "mean"), 3e3), "of an attempt"),
    "value": (set_field((RUN, "solutions", 0, "value"), 301.0), "value of a solution"),
    "NashConv": (set_field((RUN, "solutions", 0, "nash_conv"), 1201.0), "NashConv"),
    "negative NashConv": (set_field((RUN, "solutions", 0, "nash_conv"), -1.0), "NashConv"),
    "exploitability": (set_field((RUN, "solutions", 0, "exploitability"), 1e9), "exploitability"),
    "evaluation": (extra(evaluation=EVALUATION | {"value": 1e9}), "value of a solution"),
    "exploitability of the evaluation": (extra(evaluation=EVALUATION | {"exploitability": 1e9}), "exploitability"),
    "interval": (
        extra(bootstrap={"draws": 9, "sigma": [[[0, 1]] * 2], "value": [0, 1e9], "nash_conv": [0, 0]}), "the value",
    ),
    "PopReturn": (extra(benchmark=SCORE | {"pop_return": 3000.0}), "PopReturn"),
    "PopExpl": (extra(benchmark=SCORE | {"pop_expl": 3000.0}), "PopExpl"),
    "AggScore": (extra(benchmark=SCORE | {"agg_score": 3000.0}), "AggScore"),
    "error of a score": (extra(benchmark=SCORE | {"agg_score_stderr": 1e9}), "error of a score"),
    "champion's mean": (champion(mean=LIKELY | {"mean": 3000.0}), "payoffs of the champion"),
    "champion's score": (champion(score=3000.0), "score of the champion"),
    "champion's text": (champion(hash="0" * 64), "hash of the policy at its place"),
}  # fmt: skip


@pytest.mark.parametrize("case", FORGED)
def test_what_the_game_cannot_give_is_refused_in_one_line(case, store, archive):
    change, words = FORGED[case]
    files = contents(archive)
    change(files)
    write(archive, files)
    before = store.runs()
    with pytest.raises(UsageError, match="cannot be imported") as error:
        import_run(store, archive, own=True)
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 600
    assert store.runs() == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("cell_beyond", "from -1,000 to 1,000"), ("cells_unknown", "policies of the run"),
        ("docstring_forged", "the docstring of policies/"),
    ],
)  # fmt: skip
def test_archives_that_were_taken_once_are_refused(name, words, store):
    with pytest.raises(UsageError, match=words):
        import_run(store, ARCHIVES / f"{name}.zip")
    assert store.runs() == []


def test_a_forfeit_may_be_worth_what_no_action_is():
    game = make_game(GameSpec("repeated_rps", {"num_throws": 300}))
    harsh = replace(game, lockstep=replace(game.lockstep, forfeit_reward=np.array([[-7.0, 5.0], [5.0, -7.0]])))
    bounds = bounds_of(harsh)
    assert (bounds.low, bounds.high, bounds.worst, bounds.best) == (-300.0, 300.0, -2100.0, 1500.0)


def test_a_cell_of_two_populations_is_of_one_policy_of_each(store, make, tmp_path):
    """Whose a text is that nobody was admitted for is said by its attempt."""
    settings = replace(make.settings, game=GameSpec("matrix", {"preset": "matching_pennies"}))
    run = store.create_run("", settings, 1)
    lease = store.acquire(run, "me")
    for player in (0, 1):
        lease.add_member(make.member(0, player))
    cell = make.cell(make.policy(0), make.policy(100))
    lease.cells.put(replace(cell, returns=cell.returns * 0 + [1.0, -1.0]))
    lease.release("stopped")
    path = tmp_path / "run.zip"
    export_run(store, run, path)
    assert import_run(store, path, own=True)
    files = contents(path)
    data = json.loads(files["cells.json"])
    data[0]["row"], data[0]["column"] = data[0]["column"], data[0]["row"]
    write(path, files | {"cells.json": json.dumps(data).encode()})
    with pytest.raises(UsageError, match="player 0 against one of player 1"):
        import_run(store, path, own=True)
