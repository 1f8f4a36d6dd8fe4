"""A first look at an OpenSpiel game in a process of its own: some parameters make OpenSpiel abort, hang or eat memory.

Measured with 2.0.2, every parameter of every two-player game at a few odd values: 46 of them end the process by a
signal (`leduc_poker(starting_player=100000)`, `hanabi(colors=-1)`, many of `universal_poker`), 27 do not return
within 8 seconds or eat memory (`blotto(coins=100000)`); the others are refused, in several lines on standard error.
"""

import json
import subprocess  # noqa: TID251 - no policy runs in it, and games lie below the sandbox
import sys
from pathlib import Path
from typing import Any

from csro_core.games import openspiel_fitness
from csro_core.games.base import GameSpec
from csro_core.games.openspiel_names import TENSOR, pyspiel, pyspiel_parameters

if pyspiel is not None:
    from csro_core.games import openspiel_child

SECONDS = 10.0
MEMORY_BYTES = 4 << 30

_CHILD = Path(__file__).with_name("openspiel_child.py")


def open_game(spec: GameSpec) -> Any:
    """Returns the `pyspiel.Game` of a spec that is known to load (see `try_game`).

    Raises:
        UsageError: a game inside its parameters is unknown.
    """
    return openspiel_child.open_game(spec.name, pyspiel_parameters(spec))


def try_game(spec: GameSpec) -> str:
    """Returns why a game cannot serve, "" where nothing speaks against it; opens and plays it in its own process.

    Args:
        spec: its parameters are checked (`openspiel_names.checked_parameters`).

    Raises:
        UsageError: a game inside its parameters is unknown.
    """
    tensor = bool(spec.parameters.get(TENSOR))
    asked = [spec.name, pyspiel_parameters(spec), tensor, openspiel_fitness.MOST_STEPS, MEMORY_BYTES]
    try:
        done = subprocess.run(
            # -P: the folder of the script is no place to import from.
            [sys.executable, "-P", str(_CHILD)],
            input=json.dumps(asked),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"OpenSpiel does not open and play it within {SECONDS:g} seconds; smaller parameters may work"
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        return "OpenSpiel breaks down on it (it aborts, or needs more than 4 GB); other parameters may work"
    wrong = str(json.loads(lines[-1]))
    return f"OpenSpiel refuses it: {wrong}" if wrong else ""
