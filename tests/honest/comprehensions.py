class Policy:
    def act(self, obs):
        h, m = obs["opponent_history"], obs["my_history"]
        pairs = [(a, b) for a, b in zip(m, h)]
        wins = {i: sum((a - b) % 3 == 1 for a, b in pairs[-k:]) for i, k in enumerate((3, 6, 9))}
        seen = {b for _, b in pairs if b != 0}
        grid = [[(x + y) % 3 for x in range(3)] for y in range(3)]
        flat = [cell for row in grid for cell in row if cell]
        gen = (w * w for w in wins.values())
        if (n := sum(gen)) and any((last := x) > 1 for x in h[-2:]):
            return (n + last) % 3
        *_, tail = flat
        return (len(seen) + tail + len(h)) % 3
