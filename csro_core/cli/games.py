"""`games`: what can be played."""

import argparse

from csro_core.cli.output import emit, table
from csro_core.games import list_games

NAME = "games"
HELP = "list the games that can be played"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds no options of its own."""


def execute(args: argparse.Namespace) -> int:
    """Returns 0; prints name, players, unit and kind of every game."""
    games = [
        {
            "name": game.spec.name,
            "players": 2,
            "unit": game.unit,
            "symmetric": game.symmetric,
            "zero_sum": game.zero_sum,
            "title": game.title,
        }
        for game in list_games()
    ]
    rows = [
        (g["name"], g["title"], g["unit"], "yes" if g["symmetric"] else "no", "yes" if g["zero_sum"] else "no")
        for g in games
    ]
    emit(args, games, table(("name", "with its default parameters", "unit", "symmetric", "zero-sum"), rows))
    return 0
