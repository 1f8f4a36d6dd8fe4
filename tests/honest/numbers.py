import math
import copy
from fractions import Fraction
class Policy:
    def __init__(self):
        self.belief = [Fraction(1, 3)] * 3
        self.z = complex(1, 0)
        self.log = bytearray()
    def act(self, obs):
        h = obs["opponent_history"]
        before = copy.deepcopy(self.belief)
        shallow = copy.copy(before)
        if h:
            self.belief = [(b * 9 + (i == h[-1])) / 10 for i, b in enumerate(before)]
            self.belief = [b.limit_denominator(10_000) for b in self.belief]
            self.log += bytes([h[-1]])
        self.z *= 1j
        bits = (len(h) * 2654435761 & 0xFFFFFFFF).bit_count()
        entropy = -sum(float(b) * math.log(b, 2) for b in self.belief if b)
        angle = round(math.degrees(math.atan2(self.z.imag, self.z.real))) % 360 // 90
        big = max(range(3), key=lambda i: self.belief[i])
        assert shallow == before and math.isclose(abs(self.z), 1) and len(self.log) == len(h) and divmod(7, 3) == (2, 1)
        return (big + 1 + (angle + bits + (~big & 3)) // 40 + int(entropy > 9) + int.from_bytes(self.log[-1:], "big") * 0) % 3
