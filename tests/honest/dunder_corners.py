from __future__ import annotations
class Meta:
    __slots__ = "value", "__hidden"
    def __init__(self, value=1):
        self.value = value
        self.__hidden = value
    def hidden(self): return self.__hidden
    def __lt__(self, o): return self.value < o.value
    def __int__(self): return self.value
    def __index__(self): return self.value
    def __floordiv__(self, k): return self.value // k
    def __class_getitem__(cls, item): return cls
    def __missing__(self, key): return 0
    def __reversed__(self): return iter(())
    def __enter__(self): return self
    def __exit__(self, *a): return None
class One:
    __slots__ = "_x"
    def __init__(self): self._x = 1
class Policy:
    """Ellipsis, chained comparison, dict views, bytes, del, conditional import, loops with `_` and `__`."""
    def act(self, obs):
        ...
        if True:
            import math as _math
        for _ in range(2):
            for __ in range(1): pass
        a = Meta[int](2)
        b = {"x": 1} | {"y": 2}
        common = b.keys() & {"x", "q"} | {"w"}
        with a: n = int(a) + a.hidden() + a // 2 + One()._x
        assert "rps"[a] == "s" and 0 <= n < 10 > 3 and len(common) == 2 and b"ab"[0] == 97 and min(a, Meta(3)) is a
        assert (lambda *, q=1: q)() == 1 and not (None is ...) and isinstance(a, Meta | int) and issubclass(Policy, object)
        return (n + obs["throw"] + _math.floor(0.5)) % 3
