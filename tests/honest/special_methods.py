class Grid:
    __slots__ = ("_cells", "size")
    def __init__(self, size=3):
        self.size = size
        self._cells = [[0] * size for _ in range(size)]
    def __getitem__(self, key): return self._cells[key[0]][key[1]]
    def __setitem__(self, key, value): self._cells[key[0]][key[1]] = value
    def __delitem__(self, key): self[key] = 0
    def __len__(self): return self.size
    def __iter__(self): return (c for row in self._cells for c in row)
    def __contains__(self, x): return any(c == x for c in self)
    def __bool__(self): return True
    def __call__(self, row): return self._cells[row]
    def __repr__(self): return f"Grid({self.size})"
    def __eq__(self, other): return list(self) == list(other)
    def __hash__(self): return hash(tuple(self))
    def __add__(self, other):
        out = self.__class__(self.size)
        for i in range(self.size):
            for j in range(self.size):
                out[i, j] = self[i, j] + (other if isinstance(other, int) else other[i, j])
        return out
    __radd__ = __add__
    def __neg__(self): return self + 0
    def __format__(self, spec): return repr(self).rjust(int(spec or 0))
class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0: raise StopIteration
        self.n -= 1
        return self.n
class Policy:
    def __init__(self): self.grid = Grid()
    def act(self, obs):
        m, h = obs["my_history"], obs["opponent_history"]
        if h: self.grid[m[-1], h[-1]] += 1
        g = 1 + self.grid + self.grid
        del g[2, 2]
        assert 1 in g or g and len(g) == 3 and f"{g:9}" == "  Grid(3)" and str(g) == repr(g)
        row = g(m[-1] if m else 0)
        return (row.index(max(row)) + sum(Countdown(2))) % 3
