from typing import Any, Generic, Literal, NewType, Optional, Protocol, TypedDict, TypeVar, Union, cast, runtime_checkable
from collections.abc import Iterable, Mapping, Sequence
T = TypeVar("T")
MoveId = NewType("MoveId", int)
Mode = Literal["repeat", "cycle"]
class Stats(TypedDict):
    wins: int
    mode: Mode
Other = TypedDict("Other", {"a": int})
@runtime_checkable
class Predictor(Protocol):
    def predict(self, history: Sequence[int]) -> Optional[int]: ...
class Box(Generic[T]):
    def __init__(self, value: Optional[T] = None) -> None:
        self.value: Optional[T] = value
    def get(self, default: T) -> T:
        return default if self.value is None else self.value
class Last(Predictor):
    def predict(self, history: Sequence[int]) -> Optional[int]:
        return history[-1] if history else None
class Policy:
    def __init__(self) -> None:
        self.stats: Stats = {"wins": 0, "mode": "cycle"}
        self.typed = Stats(wins=1, mode="repeat")
        self.predictors: dict[str, Predictor] = {"last": Last()}
    def act(self, obs: Mapping[str, Any]) -> int:
        history = cast(Sequence[int], obs["opponent_history"])
        assert isinstance(history, Sequence) and isinstance(obs, Mapping) and not isinstance(3, (str, Iterable))
        guess = Box(self.predictors["last"].predict(history)).get(0)
        self.stats["wins"] += self.typed["wins"]
        return MoveId((guess + self.stats["wins"]) % 3)
