# goal: hang
class Policy:
    def act(self, obs):
        def g():
            while True:
                try: yield 1
                except BaseException: pass
        x = g()
        next(x)
        x.close()
        return 1
