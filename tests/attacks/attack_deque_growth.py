# goal: mem
from collections import deque
class Policy:
    def act(self, obs): deque(iter(int, 1), 10 ** 9); return 1
