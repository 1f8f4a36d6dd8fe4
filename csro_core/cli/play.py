"""`play`: two policies meet in the jail."""

import argparse
import zlib
from typing import Any

import orjson

from csro_core.cli.arguments import MAX_EPISODES, add_cluster, add_seed, chosen_store, user_path, whole
from csro_core.cli.output import emit, interval
from csro_core.cli.targets import bot_name, needs_store, read_game, read_policy
from csro_core.cli.work import match_pool
from csro_core.errors import UsageError
from csro_core.estimates import estimate
from csro_core.evaluation.bot_matches import GAME as BOTS_GAME
from csro_core.evaluation.bot_matches import Bots, Contestant, play_match_with_bots
from csro_core.games import make_game
from csro_core.games.base import Game, GameSpec
from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.matches.local_pool import LocalPool
from csro_core.metagame.matchups import seats_of
from csro_core.seeds import Seed, drawn_seed, run_secret
from csro_core.store import Store

NAME = "play"
HELP = "let two policies play each other"

_PLAYERS = ("A", "B")

_TARGET = "a path, reference:NAME, policy:HASH, bot:NAME (an OpenSpiel bot), cfr:ITERATIONS or vad-cfr:ITERATIONS"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the policies, the game and how much is played."""
    for name in _PLAYERS:
        parser.add_argument(name.lower(), metavar=name, help=_TARGET)
    parser.add_argument(
        "--game", metavar="G", required=True, help="NAME, NAME(parameter=value), or matrix:FILE.csv; see `games`"
    )
    parser.add_argument(
        "--episodes", metavar="N", type=whole(1, MAX_EPISODES), default=10, help="how many (default: %(default)s)"
    )
    add_seed(parser)
    parser.add_argument(
        "--log", metavar="FILE", help="write every episode with its moves to this file, a JSON line each"
    )
    add_cluster(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 1 where one of them forfeited every episode, else 0; prints the mean return of both."""
    spec = read_game(args.game)
    game = make_game(spec)
    contestants = _contestants(args, spec)
    seats = seats_of(game.symmetric, 0, args.episodes)
    seed = args.seed or drawn_seed()
    seeds = run_secret(seed).episode_seeds("play", 0, args.episodes)
    job = MatchJob(spec, _texts(contestants), seats, seeds, keep_moves=args.log is not None)
    if args.log is not None:
        # Before anything is played: a long match must not end in a file that cannot be written.
        _write_log(args.log, b"")
    result = _played(args, job, contestants)
    if args.log is not None:
        _write_log(args.log, _log(job, result))
    document = _document(game, result, seed)
    emit(args, document, _words(args, game, result, document))
    return 1 if result.forfeits.all(axis=0).any() else 0


def _contestants(args: argparse.Namespace, spec: GameSpec) -> tuple[Contestant, Contestant]:
    """Returns who plays.

    Raises:
        UsageError: there is no such policy or bot, or the bot does not play this game.
    """
    store = chosen_store(args, create=False) if needs_store(args.a) or needs_store(args.b) else None
    try:
        first, second = (_contestant(name, store, spec) for name in (args.a, args.b))
    finally:
        if store is not None:
            store.close()
    bots = [one for one in (first, second) if isinstance(one, Bots)]
    if bots and make_game(spec).spec != make_game(BOTS_GAME).spec:
        raise UsageError(f"the bots play {make_game(BOTS_GAME).title} only: choose --game {BOTS_GAME.name}")
    if bots and args.cluster:
        raise UsageError("bots play on this machine only: leave --cluster out")
    return first, second


def _contestant(name: str, store: Store | None, spec: GameSpec) -> Contestant:
    bot = bot_name(name)
    return read_policy(name, store, spec) if bot is None else Bots((bot,))


def _texts(contestants: tuple[Contestant, Contestant]) -> tuple[str, str]:
    first, second = ("" if isinstance(one, Bots) else one for one in contestants)
    return first, second


def _played(args: argparse.Namespace, job: MatchJob, contestants: tuple[Contestant, Contestant]) -> MatchResult:
    if not any(isinstance(one, Bots) for one in contestants):
        with match_pool(args.cluster) as pool:
            return pool.submit([job])[0]
    local = LocalPool(make_game)
    try:
        return play_match_with_bots(contestants, job.seats, job.seeds, local)
    finally:
        local.close()


def _document(game: Game, result: MatchResult, seed: Seed) -> dict[str, Any]:
    estimates = [estimate(result.returns[:, player]) for player in (0, 1)]
    failures = [
        {
            "player": failure.policy,
            "episode": failure.episode,
            "step": failure.step,
            "status": failure.status,
            "line": failure.line,
            "message": failure.message,
        }
        for failure in result.failures
    ]
    return {
        "game": game.spec.key,
        "unit": game.unit,
        "episodes": int(result.returns.shape[0]),
        "seed": seed,
        "mean": [value.mean for value in estimates],
        "stderr": [value.stderr for value in estimates],
        "failures": failures,
        "deterministic": result.deterministic,
        "seconds": result.seconds,
    }


def _words(args: argparse.Namespace, game: Game, result: MatchResult, document: dict[str, Any]) -> str:
    played = f"{document['episodes']} episodes, seed {document['seed']}, {result.seconds:.2f} s"
    lines = [f"{game.title}, {played}; in {game.unit}:"]
    for player, (letter, name) in enumerate(zip(_PLAYERS, (args.a, args.b), strict=True)):
        lines.append(f"  {letter} {name}: {interval(estimate(result.returns[:, player]))}")
    if result.deterministic:
        lines.append("  no random number decides: equal seats gave equal episodes, so only the first ones were played")
    for failure in result.failures:
        place = "every episode" if failure.episode is None else f"episode {failure.episode}, step {failure.step}"
        lines.append(f"  {_PLAYERS[failure.policy]} {failure.status} ({place}): {failure.message}")
    return "\n".join(lines)


def _log(job: MatchJob, result: MatchResult) -> bytes:
    lines = []
    for episode, (seat, seed) in enumerate(zip(job.seats, job.seeds, strict=True)):
        moves = zlib.decompress(result.moves[episode]) if result.moves else b""
        pairs = [[None if move == 255 else move for move in moves[i : i + 2]] for i in range(0, len(moves), 2)]
        record = {
            "episode": episode,
            "seed": str(seed),
            "seats": [seat, 1 - seat],
            "returns": result.returns[episode].tolist(),
            "forfeits": result.forfeits[episode].tolist(),
            "moves": pairs,
        }
        lines.append(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE))
    return b"".join(lines)


def _write_log(path: str, data: bytes) -> None:
    try:
        user_path(path).write_bytes(data)
    except OSError as error:
        raise UsageError(f"--log must name a file that can be written, {path}: {error.strerror}") from error
