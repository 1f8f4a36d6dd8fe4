class Policy:
    total: int = 0
    weights: list = [1, 1, 1]
    def act(self, obs):
        self.total += 1
        self.total <<= 1
        self.total |= 1
        self.total ^= 5
        self.total %= 97
        w = list(self.weights)
        for x in obs["opponent_history"][-5:]:
            w[x] *= 1.5
            w[x] -= 0.25
            w[(x + 1) % 3] /= 2
            w[(x + 2) % 3] **= 1
        x: int
        x = y = w.index(max(w))
        x, y = y, x + 1
        (a, b), c = (x, y), [1]
        d = {}
        d["k"] = d.get("k", 0) + a
        d["k"] += b
        d |= {"z": 1}
        del d["z"], c[0]
        assert not c and 0 <= x < 3 != y - 5
        return (d["k"] + self.total // 50) % 3
