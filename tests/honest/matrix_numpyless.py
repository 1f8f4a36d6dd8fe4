from typing import List
PAYOFF: List[List[int]] = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
def mat_vec(m, v): return [sum(a * b for a, b in zip(row, v)) for row in m]
def softmax(xs, t=1.0):
    import math
    top = max(xs)
    e = [math.exp((x - top) / t) for x in xs]
    s = sum(e)
    return [x / s for x in e]
class Policy:
    def __init__(self):
        self.regret = [0.0] * 3
        self.average = [0.0] * 3
    def act(self, obs):
        if (h := obs["opponent_history"]):
            mine, theirs = obs["my_history"][-1], h[-1]
            for a in range(3):
                self.regret[a] += PAYOFF[a][theirs] - PAYOFF[mine][theirs]
        positive = [max(r, 0) for r in self.regret]
        total = sum(positive)
        sigma = [p / total for p in positive] if total > 0 else [1 / 3] * 3
        self.average = [x + y for x, y in zip(self.average, sigma)]
        values = mat_vec(PAYOFF, softmax([h.count(m) for m in range(3)]))
        return max(range(3), key=lambda a: (round(values[a], 9), round(self.average[a], 9), a))
