"""Any two-player game of OpenSpiel, by its short name: sequential or simultaneous, with chance, zero-sum or not.

    make_game(GameSpec("goofspiel", {"num_cards": 4}))

Rules and observations are written from the game object. Policies see texts and numbers only, never a state of
OpenSpiel, which would show everything. Chance is drawn by hand, so that equal seeds give equal episodes.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games", arXiv 1908.09453.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.errors import UsageError
from csro_core.games import openspiel_words as words
from csro_core.games.base import Episodes, GameSpec, LockstepStage, Parameter
from csro_core.games.openspiel_episodes import Draws, Forfeits, OpenSpielEpisodes, Served, first_news
from csro_core.games.openspiel_fitness import MOST_ACTIONS, catalogue_reason, reason_of_game, reason_of_type
from csro_core.games.openspiel_names import (
    TENSOR,
    checked_parameters,
    inner_game,
    known_type,
    pyspiel,
    registered_types,
)
from csro_core.games.openspiel_tree import BOTH, CHANCE, OVER, Node, Sight, Tree
from csro_core.games.openspiel_trial import open_game, try_game
from csro_core.games.stage import StageEpisodes, StageGame

REGISTERED = ("leduc_poker", "kuhn_poker", "liars_dice")
"""Games that the registry lists by name; all others of OpenSpiel come from its catalogue."""

MEASURED = "2.0.2"
"""Version of OpenSpiel whose games are known to load with their default parameters."""

_WALKS = 60
_WALKED_NODES = 3_000
_MOST_STAGE_ACTIONS = 250


@dataclass(frozen=True, eq=False)
class OpenSpielGame:
    """A game of OpenSpiel; satisfies the protocol `Game` (see there for the properties).

    Attributes:
        spec: name and parameters, canonical.
        title: a name for people.
        unit: unit of a return.
        min_return: least possible return of a player.
        max_return: largest possible return of a player.
        symmetric: True where both seats play the same zero-sum matrix, once.
        zero_sum: True where the returns add up to 0.
        action_names: names of the actions of each player.
        offset: taken off every return, so that a constant-sum game is played as a zero-sum one; else 0.
        rules: text of `rules_text`.
        observation: text of `observation_text`.
        first: the first `obs` of each player.
        stage: the same game in one step, where it is one; None else.
    """

    spec: GameSpec
    title: str
    unit: str
    min_return: float
    max_return: float
    symmetric: bool
    zero_sum: bool
    action_names: tuple[tuple[str, ...], tuple[str, ...]]
    offset: float
    rules: str
    observation: str
    first: tuple[dict[str, Any], dict[str, Any]]
    forfeits: Forfeits
    stage: StageGame | None

    @property
    def lockstep(self) -> LockstepStage | None:
        """The compact description of a game of one step; None for all others."""
        return None if self.stage is None else self.stage.lockstep

    @property
    def screening(self) -> GameSpec:
        """The game itself."""
        return self.spec

    def rules_text(self) -> str:
        """Returns the rules in the exact words for people and prompts."""
        return self.rules

    def observation_text(self) -> str:
        """Returns what `obs` holds, with an example of the very first observation of each player."""
        return self.observation

    def first_observation(self, player: int) -> dict[str, Any]:
        """Returns an `obs` that `player` may see at its first action."""
        return deepcopy(self.first[player])

    def new_episodes(self, seeds: Sequence[int]) -> Episodes:
        """Returns a fresh batch; an episode's seed decides all chance moves."""
        if self.stage is not None:
            return StageEpisodes(self.stage, len(seeds))
        rules = Served(words.written(self.spec), self.forfeits, self.offset)
        return OpenSpielEpisodes(_tree(_Asked(self.spec)), rules, seeds)


@dataclass(frozen=True)
class _Asked:
    """A canonical spec that can be looked up in a cache."""

    spec: GameSpec

    def __hash__(self) -> int:
        return hash(self.spec.key)


def load_openspiel(spec: GameSpec) -> Any:
    """Returns the `pyspiel.Game` of a spec; the same object for equal games.

    Args:
        spec: of an OpenSpiel game; its parameters need not be canonical.

    Raises:
        UsageError: OpenSpiel is not installed, has no such game, the parameters are wrong, or the game cannot be
            served here; the message says why and what would work.
    """
    known_type(spec.name)
    canonical = GameSpec(spec.name, checked_parameters(spec.name, spec.parameters))
    # The tensor is ours: the same object serves with and without it.
    plain = {key: value for key, value in canonical.parameters.items() if key != TENSOR}
    return _load(_Asked(GameSpec(spec.name, plain)))


def build(name: str, parameters: Mapping[str, Parameter], known: tuple[str, ...] = ()) -> OpenSpielGame:
    """Returns the game.

    Args:
        name: a short name of OpenSpiel.
        parameters: those of OpenSpiel, and `tensor` (default false): observations hold the tensor too.
        known: names of other games, for the suggestions in messages.

    Raises:
        UsageError: see `load_openspiel`.
    """
    known_type(name, known)
    spec = GameSpec(name, checked_parameters(name, parameters))
    game = load_openspiel(spec)
    kind = game.get_type()
    tensor = bool(spec.parameters.get(TENSOR))
    if tensor and not (kind.provides_information_state_tensor or kind.provides_observation_tensor):
        raise UsageError(f"game {name} has no tensor: leave {TENSOR} out")
    tree = _tree(_Asked(spec))
    names, first = _look_around(tree, game.num_distinct_actions(), words.written(spec), name)
    utility = game.utility_sum()
    offset = 0.0 if utility is None else utility / 2
    zero_sum = utility is not None
    common = kind.utility == pyspiel.GameType.Utility.IDENTICAL
    low, high = game.min_utility() - offset, game.max_utility() - offset
    if zero_sum:
        # OpenSpiel's bounds need not be sharp; one player's least is the other's largest.
        high = max(high, -low)
        low = -high
    forfeits = _forfeits(name, low, high, zero_sum, common)
    step = _stage(game, offset, forfeits) if _is_one_step(game) else None
    if step is not None:
        names = names[0][: step.payoffs.shape[1]], names[1][: step.payoffs.shape[2]]
    symmetric = step is not None and zero_sum and _is_antisymmetric(step)
    facts = words.Facts(
        spec, registered_types()[name].long_name.rstrip("."), game, (low, high), zero_sum, offset, symmetric,
        _forfeit_words(forfeits, zero_sum, common), names, first, _payoffs_of(game, spec, step),
    )  # fmt: skip
    inside = ", ".join(f"{key} {value}" for key, value in spec.parameters.items())
    title = f"{facts.long_name[:1].upper()}{facts.long_name[1:]}{f' ({inside})' if inside else ''}"
    unit = "chips per hand" if name in words.POKER else "points per game"
    rules, observation = words.rules(facts), words.observation(facts)
    shell = None if step is None else StageGame(
        spec, title, unit, symmetric, names, step, spec, rules, observation, first, zero_sum
    )  # fmt: skip
    return OpenSpielGame(
        spec, title, unit, low, high, symmetric, zero_sum, names, offset, rules, observation, first, forfeits,
        shell,
    )  # fmt: skip


@lru_cache(maxsize=64)
def _load(asked: _Asked) -> Any:
    spec = asked.spec
    reason = reason_of_type(registered_types()[spec.name])
    if not reason and not spec.parameters:
        reason = catalogue_reason(spec.name)
    if not reason and (spec.parameters or _installed_version() != MEASURED):
        reason = try_game(spec)
    if not reason:
        game = open_game(spec)
        reason = reason_of_game(game)
        if not reason:
            return game
    raise UsageError(f"game {words.written(spec)} cannot be played here: {reason}")


@lru_cache(maxsize=6)
def _tree(asked: _Asked) -> Tree:
    return Tree(load_openspiel(asked.spec), bool(asked.spec.parameters.get(TENSOR)))


def _look_around(
    tree: Tree, actions: int, shown: str, name: str
) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], tuple[dict[str, Any], dict[str, Any]]]:
    """Plays some episodes at random.

    Returns:
        Names of each player's actions as they are met (else their numbers), and a first observation of each player.

    Raises:
        UsageError: a player was never asked.
    """
    names = [[str(action) for action in range(min(actions, MOST_ACTIONS))] for _ in (0, 1)]
    met: list[set[int]] = [set(), set()]
    first: list[Sight | None] = [None, None]
    draws = Draws(0)
    nodes = 0
    for _ in range(_WALKS):
        node, state = tree.root, None
        while node.player != OVER:
            nodes += 1 + len(node.outcomes) // 50
            for player, sight in enumerate(node.sights):
                if sight is None:
                    continue
                nodes += len(sight.legal) // 20
                first[player] = first[player] or sight
                for action, word in zip(sight.legal, sight.names, strict=True):
                    if action not in met[player]:
                        met[player].add(action)
                        names[player][action] = word
            move = _random_move(node, draws)
            child = node.children.get(move)
            if child is None:
                state = tree.state_of(node) if state is None else state
                child = tree.grow(node, move, state)
            else:
                state = None
            node = child
        if nodes > _WALKED_NODES and all(first):
            break
    zero, one = first
    if zero is None or one is None:
        raise UsageError(f"game {name} cannot be played here: one of its players never has to move")
    return (tuple(names[0]), tuple(names[1])), (first_news(zero, 0, shown), first_news(one, 1, shown))


def _random_move(node: Node, draws: Draws) -> Any:
    if node.player == CHANCE:
        return node.drawn(draws.share())
    chosen = [sight.legal[draws.below(len(sight.legal))] if sight is not None else 0 for sight in node.sights]
    return (chosen[0], chosen[1]) if node.player == BOTH else chosen[node.player]


def _forfeits(name: str, low: float, high: float, zero_sum: bool, common: bool) -> Forfeits:
    """Returns the forfeit rule: the offender gets the game's least return, so that forfeiting is never better."""
    if zero_sum:
        return Forfeits(name in words.POKER, ((low, -low), (-low, low), (0.0, 0.0)))
    other = low if common else min(max(0.0, low), high)
    return Forfeits(name in words.POKER, ((low, other), (other, low), (low, low)))


def _forfeit_words(forfeits: Forfeits, zero_sum: bool, common: bool) -> str:
    fails = "A player that fails (an exception, an action that is not legal, too much time or memory) forfeits: "
    if forfeits.plays_on:
        return (
            f"{fails}for the rest of the episode it folds where it can and checks where it cannot fold, and is not "
            f"asked again."
        )
    least, other = forfeits.returns[0]
    if zero_sum:
        rest = f"it gets the least return of the game, {least:g}, and the opponent {other:g}."
    elif common:
        rest = f"both players get the least return of the game, {least:g}."
    else:
        rest = f"it gets the least return of the game, {least:g}, and the opponent {other:g}."
    return f"{fails}the episode is over at once; {rest}"


def _is_one_step(game: Any) -> bool:
    kind = game.get_type()
    return bool(
        kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS
        and kind.chance_mode == pyspiel.GameType.ChanceMode.DETERMINISTIC
        and game.max_game_length() == 1
        and game.num_distinct_actions() <= _MOST_STAGE_ACTIONS
    )


def _is_antisymmetric(step: LockstepStage) -> bool:
    payoffs = step.payoffs
    return payoffs.shape[1] == payoffs.shape[2] and bool((payoffs[1] == payoffs[0].T).all())


def _payoffs_of(game: Any, spec: GameSpec, step: LockstepStage | None) -> Any:
    """Returns `[2, A_0, A_1]` payoffs of a game of one step, or of one repetition of it; None for other games."""
    if step is not None:
        return step.payoffs
    if spec.name != "repeated_game":
        return None
    stage = inner_game(spec.name, "stage_game", str(spec.parameters["stage_game"]))
    inner = pyspiel.load_game(stage.pop("name"), stage)
    return _payoffs(inner, 0.0) if _is_one_step(inner) else None


def _stage(game: Any, offset: float, forfeits: Forfeits) -> LockstepStage:
    """Returns a game of one step in numbers."""
    payoffs = _payoffs(game, offset)
    payoffs.setflags(write=False)
    reward = np.array(forfeits.returns[:2])
    reward.setflags(write=False)
    return LockstepStage(1, payoffs, reward)


def _payoffs(game: Any, offset: float) -> NDArray[np.float64]:
    """Returns `[2, A_0, A_1]` returns of every joint action of a game of one step."""
    root = game.new_initial_state()
    legal = [root.legal_actions(player) for player in (0, 1)]
    payoffs = np.zeros((2, len(legal[0]), len(legal[1])))
    for row in legal[0]:
        for column in legal[1]:
            state = root.clone()
            state.apply_actions([row, column])
            payoffs[:, row, column] = np.array(state.returns()) - offset
    return payoffs + 0.0  # no negative zeros


@lru_cache(maxsize=1)
def _installed_version() -> str:
    try:
        return version("open_spiel")
    except PackageNotFoundError:
        return "unknown"
