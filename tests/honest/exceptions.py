class NoData(LookupError):
    def __init__(self, need, got=0):
        super().__init__(f"need {need}, got {got}")
        self.need = need
class Policy:
    def __init__(self):
        self.errors = []
        self.closed = 0
    def predict(self, h):
        if len(h) < 3:
            raise NoData(3, len(h))
        return {(0, 0): 1, (1, 1): 2}[h[-2], h[-1]]
    def act(self, obs):
        try:
            try:
                guess = self.predict(obs["opponent_history"])
            except KeyError as error:
                self.errors.append(str(error))
                raise ValueError("unknown") from error
            else:
                guess += 0
            finally:
                self.closed += 1
        except NoData as error:
            return error.need % 3
        except (ValueError, TypeError):
            guess = len(self.errors)
        except Exception:
            raise
        try:
            assert guess < 10_000, "too much"
        except AssertionError as e:
            guess = len(e.args[0])
        return guess % 3
