# goal: flood
class Policy:
    def act(self, obs):
        for _ in range(9): print('A\x01\x03' * 10 ** 5)
        return 1
