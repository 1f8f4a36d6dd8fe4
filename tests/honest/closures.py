CALLS = 0
def make_counter(start=0):
    count = start
    def step(by=1):
        nonlocal count
        count += by
        return count
    return step
def compose(*functions):
    def run(x):
        for f in functions:
            x = f(x)
        return x
    return run
class Policy:
    def __init__(self):
        self.step = make_counter()
        self.table = [lambda x, k=k: (x + k) % 3 for k in range(3)]
    def act(self, obs):
        global CALLS
        CALLS += 1
        k = self.step(2) // 2 % 3
        assert CALLS == self.step(0) // 2
        def outer():
            x = obs["opponent_history"][-1] if obs["opponent_history"] else 0
            def inner(): return x + k
            return inner()
        return compose(self.table[k], lambda v: v + outer(), lambda v: v % 3)(k)
