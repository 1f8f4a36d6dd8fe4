"""What the child process of `openspiel_trial` runs: opens a game and plays it at random. Imports OpenSpiel alone.

It has a generator of the standard library, which nothing else here may have: numpy would double its start.

Reads one JSON list [name, parameters of OpenSpiel, tensor?, most moves, bytes of memory] from standard input and prints
one JSON line: "" where episodes come to an end, else what is wrong.
"""

import json
import random  # noqa: TID251 - see above
import sys
from typing import Any

import pyspiel

try:
    import resource
except ImportError:  # Windows has no such limits.
    resource = None  # type: ignore[assignment]

EPISODES = 3
ROUNDING = 1e-6


def open_game(name: str, parameters: dict[str, Any]) -> Any:
    """Returns a `pyspiel.Game`; what OpenSpiel has to say goes to standard error.

    Args:
        name: short name.
        parameters: of OpenSpiel; a game among them is a dict with its "name".

    Raises:
        RuntimeError: OpenSpiel refuses it (`pyspiel.SpielError`); other exceptions come from its bindings, and a few
            parameters abort the process.
    """
    if name != "repeated_game":
        return pyspiel.load_game(name, parameters)
    # Only this constructor lets a repeated game have information states: the actions of all steps so far.
    rest = dict(parameters)
    stage = dict(rest.pop("stage_game"))
    rest["enable_infostate"] = True
    return pyspiel.create_repeated_game(pyspiel.load_game(stage.pop("name"), stage), rest)


def look_at(name: str, parameters: dict[str, Any], tensor: bool, most_moves: int) -> str:
    """Returns what is wrong with a game, "" where nothing is; may abort this process."""
    try:
        game = open_game(name, parameters)
        game.num_distinct_actions()
        game.min_utility()
        if game.num_players() != 2 or game.max_game_length() > most_moves:
            return ""  # Refused by whoever asks, in better words.
        for number in range(EPISODES):
            wrong = _fault_of_an_episode(game, tensor, random.Random(number), most_moves)
            if wrong:
                return wrong
        return ""
    # Bindings raise what they like: SpielError, bad_alloc, map::at; all of it is an answer here.
    except (RuntimeError, ValueError, TypeError, LookupError, MemoryError, AttributeError, OverflowError) as error:
        words = " ".join(str(error).split())
        # A message may begin with a place in OpenSpiel's source.
        return (words.split(" ", 1)[1] if words.startswith("/") and " " in words else words)[:200] or "no reason given"


def _fault_of_an_episode(game: Any, tensor: bool, chance: random.Random, most_moves: int) -> str:
    """Returns what is wrong with an episode at random, or ""; asks for everything that a match asks for."""
    state = game.new_initial_state()
    for _ in range(4 * most_moves):
        if state.is_terminal():
            return _fault_of_returns(game, state.returns())
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choices(outcomes, weights)[0])
        elif state.is_simultaneous_node():
            state.apply_actions([_chosen(game, state, player, tensor, chance) for player in (0, 1)])
        else:
            state.apply_action(_chosen(game, state, state.current_player(), tensor, chance))
    return "has no end"


def _fault_of_returns(game: Any, returns: list[float]) -> str:
    """Returns how the returns contradict what the game says of them: a few parameters make it untrue."""
    low, high, total = game.min_utility(), game.max_utility(), game.utility_sum()
    got = " and ".join(f"{value:g}" for value in returns)
    if min(returns) < low - ROUNDING or max(returns) > high + ROUNDING:
        return f"its returns must be from {low:g} to {high:g}, as it says, and are {got}"
    if total is not None and abs(sum(returns) - total) > ROUNDING:
        return f"its returns must add up to {total:g}, as it says, and are {got}"
    return ""


def _chosen(game: Any, state: Any, player: int, tensor: bool, chance: random.Random) -> int:
    legal = state.legal_actions(player)
    if not legal:
        return 0
    kind = game.get_type()
    if kind.provides_information_state_string:
        state.information_state_string(player)
    elif kind.provides_observation_string:
        state.observation_string(player)
    if tensor and kind.provides_information_state_tensor:
        state.information_state_tensor(player)
    action: int = chance.choice(legal)
    state.action_to_string(player, action)
    return action


def main() -> int:
    """Returns 0; reads what is asked for and prints what is wrong."""
    name, parameters, tensor, most_moves, memory = json.loads(sys.stdin.read())
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.write(json.dumps(look_at(name, parameters, tensor, most_moves)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
