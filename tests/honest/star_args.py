def blend(*weights, scale=1.0, **named):
    return [scale * w for w in weights] + sorted(named.values())
def only(a, /, b, *, c=3): return a + b + c
class Policy:
    def __init__(self, *args, **kwargs):
        self.options = {"scale": 2.0, **kwargs}
        self.args = [*args, *range(2)]
    def act(self, obs):
        h = obs["opponent_history"]
        first, *middle, last = [0, *h, 1]
        values = blend(*self.args, len(middle), **self.options, x=last)
        return int(sum(values) + only(1, b=first)) % 3
