#!/usr/bin/env python3
__version__ = "1.0"
__author__ = "a model"
__all__ = ["Policy"]
BEATS = [1, 2, 0]

def _helper(x):
    """Private helper."""
    return BEATS[x]

STRATEGIES = {f.__name__: f for f in (_helper,)}

class _Base:
    _shared = 1
    def __secret(self): return self._shared
    def reveal(self): return self.__secret()

class Policy(_Base):
    def act(self, obs):
        assert _Base.__name__ == "_Base" and Policy._shared == 1 and getattr(self, "_shared") == 1 and self.reveal() == 1
        if not obs["opponent_history"]:
            return 0
        return STRATEGIES["_helper"](obs["opponent_history"][-1])

def main() -> None:
    policy = Policy()
    print(policy.act({"opponent_history": [1]}))

if __name__ == "__main__":
    main()
