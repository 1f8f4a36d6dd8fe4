class Scope:
    def __init__(self, log): self.log = log
    def __enter__(self):
        self.log.append("in")
        return self
    def __exit__(self, exc_type, exc, tb):
        self.log.append("out")
        return exc_type is ZeroDivisionError
class Policy:
    def __init__(self): self.log = []
    def act(self, obs):
        with Scope(self.log) as scope, Scope([]):
            1 / 0
        with (Scope(scope.log)):
            pass
        self.log[:] = self.log[-8:]
        return (len(self.log) + obs["throw"]) % 3
