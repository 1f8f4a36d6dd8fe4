"""Runs of any game for the tests of the dashboard: real episodes, with actions chosen at random."""

import random
import zlib

import numpy as np

from csro_core.games import make_game, parse_game
from csro_core.meta_solvers import make_meta_solver
from csro_core.metagame.cells import Cell
from csro_core.metagame.matchups import seats_of
from csro_core.metagame.payoffs import build_table, pairing
from csro_core.metagame.population import Entry, Populations
from csro_core.seeds import Seed, run_secret
from csro_core.store.defaults import meta_solver_for
from csro_core.store.records import Member, RunSettings, SolutionRecord
from tests.app.fake_run import policy_text

EPISODES = 4


def add_game_run(store, game: str) -> str:
    """Writes a run of a game with two policies a population, called "a" and "b", and no iterations."""
    settings = RunSettings(parse_game(game), episodes=EPISODES)
    run = store.create_run(game[:60], settings, 0)
    made = make_game(settings.game)
    lease = store.acquire(run, "test")
    texts = [policy_text(f"class Policy:\n    def act(self, obs):\n        return {n}\n", f"{n}") for n in (0, 1)]
    members = [
        Member(player, index, text, name, "seed", "", 0)
        for player in ((0,) if made.symmetric else (0, 1))
        for index, (text, name) in enumerate(zip(texts, "ab", strict=True))
    ]
    for member in members:
        lease.add_member(member)
    entries = tuple(Entry(text.hash, text.tree_hash, text.source, name) for text, name in zip(texts, "ab", strict=True))
    populations = Populations(made.symmetric, (entries,) if made.symmetric else (entries, entries))
    pairs = [pairing(row, column, made.symmetric, made.zero_sum) for row in entries for column in entries]
    for pair in {pair.key: pair for pair in pairs if pair is not None}.values():
        lease.cells.put(played(made, *pair.key))
    table = build_table(populations, lease.cells, made.zero_sum)
    solver = make_meta_solver(meta_solver_for(made, settings.meta_solver))
    solved = solver.solve(table.played, table.played_stderr, made.symmetric)
    sigma = tuple(tuple(float(share) for share in one) for one in solved.sigma[: len(populations.lists)])
    sizes = populations.sizes
    lease.add_solution(SolutionRecord(0, 0, "iteration", sizes, sigma, solved.value, solved.nash_conv, 0.0))
    lease.release("done")
    return run


def played(game, row: str, column: str) -> Cell:
    """Returns a cell of real episodes, as the referee logs them."""
    seats = seats_of(game.symmetric, 0, EPISODES)
    seeds = run_secret(Seed("0")).episode_seeds("cell", 0, EPISODES)
    returns, logs = np.zeros((EPISODES, 2)), []
    for place, (seat, seed) in enumerate(zip(seats, seeds, strict=True)):
        episodes = game.new_episodes([seed])
        generator = random.Random(seed)
        legal = [[], []]
        while turns := episodes.pending():
            for turn in turns:
                legal[turn.player] = turn.assign.get("legal_actions", legal[turn.player])
            episodes.apply([generator.choice(legal[turn.player]) for turn in turns])
        log = np.frombuffer(episodes.moves()[0], dtype=np.uint8).reshape(-1, 2)
        logs.append(zlib.compress((log[:, ::-1] if seat else log).tobytes()))
        returns[place] = episodes.returns()[0][::-1] if seat else episodes.returns()[0]
    return Cell(row, column, returns, np.zeros((EPISODES, 2), bool), (), tuple(logs))
