from abc import ABC, abstractmethod

class Strategy(ABC):
    registry = []

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        Strategy.registry.append(cls)

    def __init__(self):
        self.score = 0.0

    @property
    @abstractmethod
    def name(self): ...

    @abstractmethod
    def guess(self, obs) -> int:
        raise NotImplementedError

    def update(self, theirs, guessed):
        self.score = 0.9 * self.score + (1 if theirs == guessed else -0.5)

    def __repr__(self):
        return f"<{self.__class__.__name__} {self.name}: {self.score:+.2f}>"

class Repeat(Strategy):
    name = "repeat"
    def guess(self, obs):
        h = obs["opponent_history"]
        return h[-1] if h else 0

class Cycle(Repeat):
    name = "cycle"
    def __init__(self, step=1):
        super().__init__()
        self.step = step
    def guess(self, obs):
        return (super().guess(obs) + self.step) % 3

class Mirror(Strategy):
    name = "mirror"
    def guess(self, obs):
        return obs["my_history"][-1] if obs["my_history"] else 2

class Policy:
    def __init__(self):
        self.strategies = [cls() for cls in Strategy.registry]
        self.guesses = {}

    def act(self, obs):
        history = obs["opponent_history"]
        for s in self.strategies:
            if history and s in self.guesses:
                s.update(history[-1], self.guesses[s])
            self.guesses[s] = s.guess(obs)
        best = max(self.strategies, key=lambda s: (s.score, s.name))
        assert repr(best).startswith("<" + type(best).__name__)
        return (self.guesses[best] + 1) % 3
