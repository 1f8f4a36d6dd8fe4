from typing import NamedTuple
class Pair(NamedTuple):
    mine: int
    theirs: int = 0
    @property
    def won(self): return (self.mine - self.theirs) % 3 == 1
class Policy:
    def act(self, obs):
        match obs:
            case {"throw": 0 | 1, "legal_actions": [first, *_]}:
                return first
            case {"my_history": [*_, a], "opponent_history": [*_, b], **rest} if "player" in rest:
                pair = Pair(a, theirs=b)
            case _:
                raise RuntimeError("never")
        match pair:
            case Pair(mine=x, theirs=y) if x == y:
                return (x + 1) % 3
            case Pair(0, 1) | Pair(1, 2):
                return 2
            case (int() as x, _) if pair.won:
                return x
            case [_, y]:
                return -y % 3
