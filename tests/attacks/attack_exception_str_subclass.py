# goal: flood
class S(str):
    def __getitem__(self, k): return self
    def replace(self, *a): return S('z' * 10 ** 6)
    def __len__(self): return 1
class E(Exception):
    def __str__(self): return S('q')
class Policy:
    def act(self, obs): raise E
