# goal: exit
class Policy:
    def act(self, obs): raise RecursionError
