"""The tree of an OpenSpiel game as far as it has been visited: every history is asked about once.

Texts of information states, legal actions and their names cost more than a move; a small game soon costs only walks
through dicts. Nodes hold no state of OpenSpiel: a chess state is large, and replaying a history is cheap and rare. A
bound on the memory keeps the top of a large game and makes the rest afresh for every episode.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Any, TypeAlias

CHANCE, BOTH, OVER = -1, -2, -4
"""`Node.player` where no single player is on turn; OpenSpiel's own numbers."""

Move: TypeAlias = int | tuple[int, int]
"""What leads from a node to the next: an action, a chance outcome, or the actions of both players."""

_MEMORY_BYTES = 40_000_000
_NODE_BYTES = 600


class Sight:
    """What a player sees where it has to act.

    Attributes:
        state: text of the information state.
        legal: legal actions in order; at least one.
        names: their names.
        tensor: numbers of the information state; None where nobody wants them.
    """

    __slots__ = ("legal", "names", "state", "tensor")

    def __init__(self, state: str, legal: list[int], names: list[str], tensor: list[float] | None) -> None:
        """Keeps everything."""
        self.state = state
        self.legal = legal
        self.names = names
        self.tensor = tensor


class Node:
    """A history of the game.

    Attributes:
        parent: the node before; None at the root, and at nodes that are not kept.
        move: what led here.
        player: who has to act: 0, 1, `CHANCE`, `BOTH` or `OVER`.
        sights: what each player sees; None for a player that has nothing to choose here.
        outcomes: chance outcomes, where chance has to act.
        thresholds: running sums of their probabilities.
        returns: of both players, where the episode is over.
        children: the nodes that are known to follow.
    """

    __slots__ = ("children", "move", "outcomes", "parent", "player", "returns", "sights", "thresholds")

    def __init__(self, parent: "Node | None", move: Move, player: int) -> None:
        """Makes a node of which nothing is known but whose turn it is."""
        self.parent = parent
        self.move = move
        self.player = player
        self.sights: tuple[Sight | None, Sight | None] = (None, None)
        self.outcomes: tuple[int, ...] = ()
        self.thresholds: list[float] = []
        self.returns: tuple[float, float] = (0.0, 0.0)
        self.children: dict[Move, Node] = {}

    def drawn(self, share: float) -> int:
        """Returns the chance outcome that a number in [0, 1) draws."""
        place = bisect_right(self.thresholds, share * self.thresholds[-1])
        return self.outcomes[min(place, len(self.outcomes) - 1)]


class Tree:
    """The nodes of one game."""

    def __init__(self, game: Any, tensor: bool) -> None:
        """Makes the root.

        Args:
            game: a `pyspiel.Game` of two players.
            tensor: True where sights hold the tensor too.
        """
        kind = game.get_type()
        self._game = game
        self._tensor = tensor
        self._has_information_state = kind.provides_information_state_string
        self._has_tensor = kind.provides_information_state_tensor
        self._room = _MEMORY_BYTES
        self._choices: dict[tuple[tuple[int, ...], tuple[str, ...]], tuple[list[int], list[str]]] = {}
        self.root = self._node(game.new_initial_state(), None, 0)

    def state_of(self, node: Node) -> Any:
        """Returns a state of OpenSpiel with this history."""
        moves = []
        here = node
        while here.parent is not None:
            moves.append(here.move)
            here = here.parent
        state = self._game.new_initial_state()
        for move in reversed(moves):
            _apply(state, move)
        return state

    def grow(self, node: Node, move: Move, state: Any) -> Node:
        """Makes the node that follows, and keeps it where there is room.

        Args:
            node: where the state is.
            move: the way on.
            state: of OpenSpiel; moves on too.

        Returns:
            The new node.
        """
        _apply(state, move)
        child = self._node(state, node, move)
        if self._room > 0:
            node.children[move] = child
        else:
            # Nobody comes here again: whoever is here keeps its state, and needs no way back.
            child.parent = None
        return child

    def _node(self, state: Any, parent: Node | None, move: Move) -> Node:
        node = Node(parent, move, OVER if state.is_terminal() else int(state.current_player()))
        used = _NODE_BYTES
        if node.player == OVER:
            first, second = state.returns()
            node.returns = (first, second)
        elif node.player == CHANCE:
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            node.outcomes = outcomes
            node.thresholds = list(accumulate(weights))
            used += 64 * len(outcomes)
        else:
            players = (0, 1) if node.player == BOTH else (node.player,)
            seen = [self._sight(state, player) if player in players else None for player in (0, 1)]
            node.sights = (seen[0], seen[1])
            used += sum(len(sight.state) + 80 * len(sight.legal) for sight in seen if sight is not None)
        self._room -= used
        return node

    def _sight(self, state: Any, player: int) -> Sight | None:
        legal = state.legal_actions(player)
        if not legal:
            return None
        if self._has_information_state:
            text = state.information_state_string(player)
        else:
            text = state.observation_string(player)
        names = [state.action_to_string(player, action) for action in legal]
        tensor = None
        if self._tensor:
            numbers = state.information_state_tensor if self._has_tensor else state.observation_tensor
            tensor = list(numbers(player))
        # Few sets of choices are different: they share lists, so that "the same as before" is told by identity.
        key = (tuple(legal), tuple(names))
        if self._room > 0:
            legal, names = self._choices.setdefault(key, (legal, names))
        return Sight(text, legal, names, tensor)


def _apply(state: Any, move: Move) -> None:
    if isinstance(move, tuple):
        state.apply_actions(list(move))
    else:
        state.apply_action(move)
