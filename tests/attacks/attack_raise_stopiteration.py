# goal: exit
class Policy:
    def act(self, obs): raise StopIteration(1)
