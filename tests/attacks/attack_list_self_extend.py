# goal: mem
class Policy:
    def act(self, obs):
        x = [1]
        while True: x.extend(x)
