# goal: hang
import math
class Policy:
    def act(self, obs): return math.comb(10 ** 8, 5 * 10 ** 7) % 3
