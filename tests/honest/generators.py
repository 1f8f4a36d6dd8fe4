import itertools
def windows(items, size):
    it = iter(items)
    window = tuple(itertools.islice(it, size))
    while len(window) == size:
        yield window
        try:
            window = window[1:] + (next(it),)
        except StopIteration:
            return
class Policy:
    def __init__(self):
        self.brain = self.think()
        next(self.brain)
    def think(self):
        history = yield None
        while True:
            counts = [0, 0, 0]
            for a, b in windows(history[-30:], 2):
                if history and a == history[-1]:
                    counts[b] += 1
            history = yield (counts.index(max(counts)) + 1) % 3
    def chained(self):
        yield from range(2)
        yield from (x * x for x in (1,))
    def act(self, obs):
        assert list(self.chained()) == [0, 1, 1]
        return self.brain.send(list(obs["opponent_history"]))
