"""`check`: is this text a policy? A static check, then a short trial match against itself in the jail."""

import argparse
from typing import Any

from csro_core.cli.output import emit
from csro_core.cli.targets import UnreadablePolicy, read_game, read_policy_file
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchExecutor, MatchJob
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.source import sha256
from csro_core.seeds import episode_seeds, run_secret

NAME = "check"
HELP = "check a policy's file: the rules of the contract, and a short trial match against itself"

_SEATS = (0, 1)


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the file and the game of the trial match."""
    parser.add_argument("file", metavar="FILE", help="the policy: a Python file with a class Policy")
    parser.add_argument(
        "--game", metavar="G", default="repeated_rps", help="the game of the trial match (default: %(default)s)"
    )


def execute(args: argparse.Namespace) -> int:
    """Returns 1 where the policy has a problem, else 0; prints each with its line."""
    game = read_game(args.game)
    pool = LocalPool(make_game)
    try:
        isolation = pool.isolation.level
        try:
            text = read_policy_file(args.file)
            digest = sha256(text)
            problems = _problems(pool, game, text)
        except UnreadablePolicy as error:
            digest = error.hash
            problems = [{"line": 0, "message": str(error)}]
    finally:
        pool.close()
    document = {"ok": not problems, "hash": digest, "problems": problems, "isolation": isolation}
    emit(args, document, _words(args.file, game, document))
    return 1 if problems else 0


def _problems(pool: MatchExecutor, game: GameSpec, text: str) -> list[dict[str, Any]]:
    inspection = pool.inspect(text)
    if not inspection.ok:
        return [{"line": problem.line, "message": problem.message} for problem in inspection.problems]
    trial = make_game(game).screening
    seeds = episode_seeds(run_secret(0), "check", 0, len(_SEATS))
    (result,) = pool.submit([MatchJob(trial, (text, text), _SEATS, seeds)])
    # Both sides are the same text and fail alike in every episode: the first failure of a kind says it all.
    found: dict[tuple[str, int], str] = {}
    for failure in result.failures:
        found.setdefault((failure.status, failure.line or 0), failure.message)
    return [{"line": line, "message": message} for (_, line), message in found.items()]


def _words(path: str, game: GameSpec, document: dict[str, Any]) -> str:
    isolation = f"isolation {document['isolation']}"
    if document["ok"]:
        return f"{path}: ok, also in a trial match of {game.name} against itself ({document['hash'][:12]}, {isolation})"
    lines = []
    for problem in document["problems"]:
        place = f"{path}:{problem['line']}" if problem["line"] else path
        message = str(problem["message"]).removeprefix(f"line {problem['line']}: ")
        lines.append(f"{place}: {message}")
    return "\n".join(lines)
