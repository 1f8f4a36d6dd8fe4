# goal: hang
from fractions import Fraction
class Policy:
    def act(self, obs):
        x = Fraction(3, 7)
        while True: x = x * x + Fraction(1, 3)
