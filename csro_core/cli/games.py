"""`games`: what can be played."""

import argparse
from typing import Any

from csro_core.cli.output import emit, table
from csro_core.games import catalogue, list_games
from csro_core.games.base import Game

NAME = "games"
HELP = "list the games that can be played"

_WIDTH = 60
_TABLE_HEADERS = ("name", "with its default parameters", "unit", "symmetric", "zero-sum")


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the catalogue of OpenSpiel and the search in it."""
    parser.add_argument("--all", action="store_true", help="all games of OpenSpiel too, with why some cannot be played")
    parser.add_argument("--search", metavar="TEXT", default="", help="only games with this text in their name or title")


def execute(args: argparse.Namespace) -> int:
    """Returns 0, or 1 where a search found nothing; prints name, unit and kind of the games."""
    wanted = args.search.strip().lower()
    games = [game for game in list_games() if wanted in f"{game.spec.name} {game.title}".lower()]
    everything = args.all or bool(wanted)
    others = [entry for entry in catalogue() if wanted in f"{entry.name} {entry.title}".lower()] if everything else []
    document: list[dict[str, Any]] = [_record(game) for game in games]
    document += [
        {"name": one.name, "title": one.title, "playable": not one.reason, "reason": one.reason} for one in others
    ]
    emit(args, document, _text(games, others, wanted))
    return 0 if document else 1


def _record(game: Game) -> dict[str, Any]:
    return {
        "name": game.spec.name,
        "players": 2,
        "unit": game.unit,
        "symmetric": game.symmetric,
        "zero_sum": game.zero_sum,
        "title": game.title,
        "playable": True,
        "reason": "",
    }


def _text(games: list[Game], others: list[Any], wanted: str) -> str:
    parts = []
    if games:
        rows = [
            (g.spec.name, g.title, g.unit, "yes" if g.symmetric else "no", "yes" if g.zero_sum else "no")
            for g in games
        ]
        parts.append(table(_TABLE_HEADERS, rows))
    if others:
        lines = [(one.name, one.title[:_WIDTH], one.reason or "yes") for one in others]
        parts.append(table(("of OpenSpiel", "title", "can be played"), lines))
    if not parts:
        return f"no game has {wanted!r} in its name or title: `games --all` lists all of them"
    if not others:
        parts.append(f"and {len(catalogue())} more of OpenSpiel: `games --all`, `games --search TEXT`")
    return "\n\n".join(parts)
