"""`play`: two policies meet in the jail."""

import argparse
import zlib
from typing import Any

import orjson

from csro_core.cli.arguments import MAX_EPISODES, MAX_SEED, add_cluster, chosen_store, user_path, whole
from csro_core.cli.output import emit, interval
from csro_core.cli.targets import needs_store, read_game, read_policy
from csro_core.cli.work import match_pool
from csro_core.errors import UsageError
from csro_core.estimates import estimate
from csro_core.games import make_game
from csro_core.games.base import Game
from csro_core.matches.jobs import MatchJob, MatchResult
from csro_core.metagame.matchups import seats_of
from csro_core.seeds import episode_seeds, run_secret

NAME = "play"
HELP = "let two policies play each other"

_PLAYERS = ("A", "B")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the policies, the game and how much is played."""
    for name in _PLAYERS:
        parser.add_argument(name.lower(), metavar=name, help="a policy: a path, reference:NAME or policy:HASH")
    parser.add_argument(
        "--game", metavar="G", required=True, help="NAME, NAME(parameter=value), or matrix:FILE.csv; see `games`"
    )
    parser.add_argument(
        "--episodes", metavar="N", type=whole(1, MAX_EPISODES), default=10, help="how many (default: %(default)s)"
    )
    parser.add_argument("--seed", metavar="S", type=whole(0, MAX_SEED), default=0, help="default: %(default)s")
    parser.add_argument(
        "--log", metavar="FILE", help="write every episode with its moves to this file, a JSON line each"
    )
    add_cluster(parser)


def execute(args: argparse.Namespace) -> int:
    """Returns 1 where one of them forfeited every episode, else 0; prints the mean return of both."""
    spec = read_game(args.game)
    game = make_game(spec)
    sources = _sources(args)
    seats = seats_of(game.symmetric, 0, args.episodes)
    seeds = episode_seeds(run_secret(args.seed), "play", 0, args.episodes)
    job = MatchJob(spec, sources, seats, seeds, keep_moves=args.log is not None)
    if args.log is not None:
        # Before anything is played: a long match must not end in a file that cannot be written.
        _write_log(args.log, b"")
    with match_pool(args.cluster) as pool:
        (result,) = pool.submit([job])
    if args.log is not None:
        _write_log(args.log, _log(job, result))
    document = _document(game, result)
    emit(args, document, _words(args, game, result, document))
    return 1 if result.forfeits.all(axis=0).any() else 0


def _sources(args: argparse.Namespace) -> tuple[str, str]:
    if not (needs_store(args.a) or needs_store(args.b)):
        return read_policy(args.a, None), read_policy(args.b, None)
    store = chosen_store(args, create=False)
    try:
        return read_policy(args.a, store), read_policy(args.b, store)
    finally:
        store.close()


def _document(game: Game, result: MatchResult) -> dict[str, Any]:
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
        "mean": [value.mean for value in estimates],
        "stderr": [value.stderr for value in estimates],
        "failures": failures,
        "deterministic": result.deterministic,
        "seconds": result.seconds,
    }


def _words(args: argparse.Namespace, game: Game, result: MatchResult, document: dict[str, Any]) -> str:
    lines = [f"{game.title}, {document['episodes']} episodes, {result.seconds:.2f} s; in {game.unit}:"]
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
            "seed": seed,
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
