# goal: exit
class Policy:
    def act(self, obs): raise BrokenPipeError(32, 'gone')
