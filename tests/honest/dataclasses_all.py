from __future__ import annotations
from dataclasses import KW_ONLY, asdict, astuple, dataclass, field, fields, is_dataclass, replace
from typing import ClassVar

@dataclass(frozen=True, slots=True, order=True)
class Guess:
    weight: float
    move: int = field(compare=False)
    source: str = field(default="none", compare=False, repr=False)

    def shifted(self, by: int) -> Guess:
        return replace(self, move=(self.move + by) % 3)

@dataclass
class Tracker:
    LIMIT: ClassVar[list[int]] = [10, 20]
    hits: int = 0
    _misses: int = 0
    log: list[Guess] = field(default_factory=list)
    _: KW_ONLY
    name: str = "tracker"

    def __post_init__(self):
        self.ratio = 0.5

    def note(self, good: bool) -> None:
        if good:
            self.hits += 1
        else:
            self._misses += 1
        self.ratio = self.hits / (self.hits + self._misses)

@dataclass
class Policy:
    tracker: Tracker = field(default_factory=lambda: Tracker(name="mine"))
    last: Guess | None = None

    def act(self, obs):
        theirs = obs["opponent_history"]
        if self.last and theirs:
            self.tracker.note(theirs[-1] == self.last.move)
        candidates = [Guess(theirs[-12:].count(m) + 0.1 * m, m, f"m{m}") for m in range(3)]
        self.last = max(candidates)
        self.tracker.log.append(self.last)
        plain = asdict(self.tracker)
        assert plain["_misses"] == self.tracker._misses and plain["name"] == "mine" and is_dataclass(self)
        assert [f.name for f in fields(Guess)] == ["weight", "move", "source"] and astuple(self.last)[1] == self.last.move
        assert "LIMIT" not in plain and repr(self.last).startswith("Guess(weight=")
        try:
            self.last.move = 0
        except AttributeError:
            pass
        match self.last.shifted(1):
            case Guess(_, move) if self.tracker.ratio >= 0.2:
                return move
            case Guess(move=move):
                return (move + 1) % 3
