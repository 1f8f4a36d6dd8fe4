# goal: hang
class Policy:
    def act(self, obs):
        while True:
            try: raise ValueError('x' * 1000)
            except ValueError as e:
                try: raise e from e
                except ValueError: pass
