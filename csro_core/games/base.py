"""What a game is to the rest of the core: the `Game` protocol, its episodes, and names for games as plain data.

Axes: `P` = 2 players, `E` episodes of a batch. A return is a player's total over one episode, in the game's unit.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray

Parameter: TypeAlias = int | float | str | bool | list[list[float]]


@dataclass(frozen=True)
class GameSpec:
    """A game by name and parameters: plain data that crosses processes and goes into the store.

    Attributes:
        name: a name of `csro_core.games.GAMES`.
        parameters: every parameter that differs from the game's default, JSON values only.
    """

    name: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Identity of the game: its name, and a hash of its parameters where it has any."""
        if not self.parameters:
            return self.name
        canonical = orjson.dumps(dict(self.parameters), option=orjson.OPT_SORT_KEYS)
        return f"{self.name}-{hashlib.sha256(canonical).hexdigest()[:12]}"

    def to_json(self) -> dict[str, Any]:
        """Returns the spec as JSON data."""
        return {"name": self.name, "parameters": dict(self.parameters)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "GameSpec":
        """Returns the spec that `to_json` wrote."""
        return cls(str(data["name"]), dict(data.get("parameters", {})))


class SpecKey:
    """A spec as the key of a cache: parameters may hold lists, which cannot be hashed, and 1 is not True."""

    def __init__(self, spec: GameSpec) -> None:
        """Keeps a copy of the spec."""
        self.spec = GameSpec(spec.name, dict(spec.parameters))
        self._identity = (spec.name, repr(sorted(spec.parameters.items())))

    def __hash__(self) -> int:
        """Returns the hash of name and parameters."""
        return hash(self._identity)

    def __eq__(self, other: object) -> bool:
        """Returns True for the same name and parameters."""
        return isinstance(other, SpecKey) and other._identity == self._identity


class Turn(NamedTuple):
    """One player of one episode has to act. A tuple, since a match makes thousands a second.

    Attributes:
        episode: index in the batch.
        player: the seat, 0 or 1.
        assign: keys of the player's `obs` that get new values.
        append: items that the lists of `obs` grow by. Lists of `obs` only ever grow; `obs` stays the same dict.
    """

    episode: int
    player: int
    assign: dict[str, Any]
    append: dict[str, list[Any]]


@dataclass(frozen=True)
class LockstepStage:
    """A game in which both players act at every step and see each other's action afterwards.

    The referee plays such a game by a compact byte protocol: one byte per episode and step, scores from the log.

    Attributes:
        num_steps: steps of an episode, >= 1.
        payoffs: `[2, A_0, A_1]` reward to each player for one step's joint action.
        forfeit_reward: `[2, 2]` reward a step to (player 0, player 1) when player f alone has forfeited, row f.
            When both have forfeited each step is worth 0 to both.
        step_key: key of `obs` that counts the steps, or None.
        own_key: list of `obs` that grows by the player's own action each step, or None.
        opponent_key: list of `obs` that grows by the opponent's action each step, or None.
    """

    num_steps: int
    payoffs: NDArray[np.float64]
    forfeit_reward: NDArray[np.float64]
    step_key: str | None = None
    own_key: str | None = None
    opponent_key: str | None = None


class Episodes(Protocol):
    """A batch of episodes in lockstep. Holds the game state and the score; policies never reach it."""

    def pending(self) -> list[Turn]:
        """Returns who must act now, in order of (episode, player); empty when all episodes are over."""
        ...

    def apply(self, actions: Sequence[int | None]) -> None:
        """Moves on.

        Args:
            actions: one action per pending turn, in the same order. None: that player has forfeited; it is not
                asked again in that episode, and the game's forfeit rule plays on for it.
        """
        ...

    def returns(self) -> NDArray[np.float64]:
        """Returns `[E, 2]` episode returns; only when nothing is pending."""
        ...

    def moves(self) -> list[bytes]:
        """Returns the log: for each episode the actions in order, two bytes (player 0, player 1) a step.

        255 stands for "no action" (not on turn, or forfeited).
        """
        ...


class Game(Protocol):
    """A two-player game in the contract of DESIGN section 7."""

    @property
    def spec(self) -> GameSpec:
        """Name and parameters; `spec.key` is the identity."""
        ...

    @property
    def title(self) -> str:
        """A name for people, such as "repeated rock-paper-scissors (1,000 throws)"."""
        ...

    @property
    def unit(self) -> str:
        """Unit of a return, such as "net throws per 1,000-throw match"."""
        ...

    @property
    def min_return(self) -> float:
        """Least possible return of a player."""
        ...

    @property
    def max_return(self) -> float:
        """Largest possible return of a player."""
        ...

    @property
    def symmetric(self) -> bool:
        """True: one population serves both seats (after averaging over seats)."""
        ...

    @property
    def zero_sum(self) -> bool:
        """True: the two returns add up to 0 in every episode."""
        ...

    @property
    def action_names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Names of the actions of each player, for logs and pictures."""
        ...

    @property
    def lockstep(self) -> LockstepStage | None:
        """The compact description, where the game is one; None for turn-based games."""
        ...

    @property
    def screening(self) -> GameSpec:
        """A cheaper version for first screens (scores are not comparable); the game itself where there is none."""
        ...

    def rules_text(self) -> str:
        """Returns the rules in the exact words for people and prompts."""
        ...

    def observation_text(self) -> str:
        """Returns what `obs` holds, with an example of the very first observation."""
        ...

    def first_observation(self, player: int) -> dict[str, Any]:
        """Returns the `obs` that `player` sees at its first action; JSON values only."""
        ...

    def new_episodes(self, seeds: Sequence[int]) -> Episodes:
        """Returns a fresh batch; `seeds` drive the game's own chance moves, one seed an episode."""
        ...
