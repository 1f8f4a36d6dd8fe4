# goal: mem
class Policy:
    def act(self, obs): return len(bytes(10 ** 11) + bytearray(10 ** 11)) % 3
