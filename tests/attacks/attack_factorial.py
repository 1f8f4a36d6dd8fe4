# goal: hang
import math
class Policy:
    def act(self, obs): return math.factorial(10 ** 7) % 3
