"""Addresses of objects count as chance, and nothing else does without need."""

import ast
from pathlib import Path

import pytest

from csro_core.policies.chance import draws_random, has_chance
from csro_core.policies.library import reference_names, reference_text

HONEST = Path(__file__).parent.parent / "honest"
HEAD = (
    "from collections import Counter, defaultdict, deque, namedtuple\nfrom dataclasses import dataclass\n"
    "from functools import cache, lru_cache, partial\nfrom itertools import count\n"
)

SHOWN = r"""
str(lambda: 0)
repr(len.__call__)
f"{max}" + f"{(x for x in ())}"
f = lambda: 0\n"%s" % f
f = lambda: 0\ntemplate = "%" + "s"\ntemplate % (f,)
f = lambda: 0\ntemplate = chr(37) + chr(115)\ntemplate % f
str(object())
marker = object()\nstr([marker])
def f(): pass\nstr(f)
def f(): pass\ng = f\nrepr({1: g})
def f():\n    yield 1\nstr(f())
class A:\n    def m(self): pass\nstr(A().m)
class A:\n    def m(self): pass\nfor m in [A().m]:\n    x = format(m)
str([].append)
x = [].append\nstr(x)
str(iter([1]))
x = iter([1])\nstr(x)
x = zip([1], [2])\nstr((x, 1))
x = iter([1])\nl = [x]\nfor i in l:\n    str(i)
x = iter([1])\nl = []\nl.append(x)\nfor i in l:\n    str(i)
x = iter([1])\nd = {1: x}\nfor i in d.values():\n    str(i)
def f():\n    x = iter([1])\n    return [x]\nfor i in f():\n    str(i)
str(map(len, [])) + str(count())
list(map(str, [lambda: 0]))
list(map(repr, [iter([])]))
d = {}\nd["x"] = lambda: 0\nstr(d)
d = []\ne = d\ne.append(lambda: 0)\nstr(d)
def put(c):\n    c.append(lambda: 0)\nd = []\nput(d)\nstr(d)
class A: pass\na = A()\na.f = lambda: 0\nstr(a.f)
class A: pass\na = A()\nsetattr(a, "f", lambda: 0)\nstr(a.f)
class A: pass\na = A()\nsetattr(a, "f", lambda: 0)\nstr(getattr(a, "f"))
class A:\n    def m(self): pass\nstr(getattr(A(), "m"))
@dataclass\nclass A:\n    x: object = None\nstr(A(lambda: 0))
@dataclass\nclass A:\n    x: object = None\na = A()\na.x = len.__call__\nstr(a)
P = namedtuple("P", "x")\nstr(P(lambda: 0))
try:\n    [].index(lambda: 0)\nexcept ValueError as e:\n    x = str(e)
try:\n    [].index(lambda: 0)\nexcept ValueError as e:\n    x = e.args[0]
try:\n    [].index(iter([]))\nexcept ValueError as e:\n    x = str(e)
try:\n    {}[iter([])]\nexcept KeyError as e:\n    x = str(e)
try:\n    raise ValueError(iter([]))\nexcept ValueError as e:\n    x = str(e)
try:\n    {}[lambda: 0]\nexcept KeyError as e:\n    x = f"{e}"
def f(a=lambda: 0):\n    return str(a)
def f(*a):\n    return str(a)\nf(1, lambda: 0)
def f(g):\n    return str(g)\nx = [f]\nx[0](lambda: 0)
def f():\n    return lambda: 0\nstr(f())
def f():\n    return lambda: 0\nx = f()\nwhile x:\n    y = x\n    z = str(y)
s = str\ns(lambda: 0)
[s(lambda: 0) for s in (str,)]
str(partial(lambda: 0))
str(lru_cache(None)(int))
@cache\ndef f(): pass\nstr(f)
str(defaultdict(lambda: 0))
x = object.__repr__(1)
class A:\n    def f(self): return super().__repr__()
match 1:\n    case object(__repr__=r):\n        r()
match [lambda: 0]:\n    case [f]:\n        str(f)
match [lambda: 0]:\n    case [*f]:\n        str(f)
with open() as f:\n    pass\nclass A:\n    def __enter__(self): return lambda: 0\nstr(f)
if (f := lambda: 0):\n    x = str(f)
a, *b = 1, lambda: 0\nstr(b)
class A:\n    def __add__(self, o): return lambda: 0\nstr(A() + 1)
class A:\n    def __getitem__(self, o): return lambda: 0\nstr(A()[1])
class A:\n    def __call__(self, o): return lambda: 0\nstr(A()(1))
class A:\n    @property\n    def p(self): return lambda: 0\nstr(A().p)
class A:\n    def __init__(self, f): self.f = f\nstr(A(lambda: 0).f)
def g():\n    x = yield\n    str(x)\ng().send(lambda: 0)
def g():\n    yield lambda: 0\nfor x in g():\n    str(x)
x = sorted([1], key=lambda a: str(lambda: 0))
global f\nf = 1\ndef set():\n    global f\n    f = lambda: 0\nstr(f)
x = max([lambda: 0], key=str)
str(getattr)
x = [print, hash]\nstr(x)
ascii(dict(a=iter([1])))
"%s".__mod__(lambda: 0)
import operator\noperator.mod("%s", lambda: 0)
from operator import mod\nmod("%s", lambda: 0)
from operator import mod as write\nwrite("%s", lambda: 0)
import operator as o\nf = o.mod\nf("%s", lambda: 0)
class S(str): pass\nS(lambda: 0)
t = "%s"\nt %= (lambda: 0)
d = dict(**{"a": lambda: 0}, **{})\nstr(d)
def f(**k): return str(k)\nf(a=lambda: 0)
x = sorted([lambda: 0], key=str)
x = sorted([lambda: 0], key=lambda f: f"{f}")
import math\nstr([math.floor.__call__])
""".strip().splitlines()

ORDERED = r"""
for x in {None, 1}: pass
for x in {len, max}: pass
list({lambda: 0, 1})
s = set()\ns.add(None)\ns.pop()
s = set()\ns.add(object())\nfor x in s: pass
s = {int, str}\nx = list(s)
s = set([None, 1])\nx = [y for y in s]
s = set()\ns |= {None}\nx = tuple(s)
next(iter(frozenset([None, 2])))
def f(x): return\ns = {f(1), 2}\nlist(s)
d = {}\nfor x in {d.get(1), 3}: pass
for x in {None: 1}.keys() | {2: 1}.keys(): pass
max({None, int}, key=str)
k = {None: 1, 2: 3}.keys()\nfor x in k - {5}: pass
f = lambda k: list(k - {5})\nf({None: 1}.items())
k = {None: 1}.keys\nfor x in k() & {1}: pass
s = {None, 1}\na, b = s
s = {None, 1}\nx = [*s]
s = {(None, 1), (2, 3)}\nx = list(s)
s = {None}\nstr(s)
s = {None}\n"".join(s)
s = {None}\nenumerate(s)
s = {None}\ndeque(s)
s = {None}\nx = []\nx.extend(s)
s = {None}\ndict.fromkeys(s)
s = {None}\nt = s.union({1})\nfor x in t: pass
class A: pass\nclass B: pass\nfor x in {A, B}: pass
for x in {type(1), type("")}: pass
for x in {ValueError(), 1}: pass
sorted({None, 1}, key=lambda x: 0)
class A:\n    def __lt__(self, o): return False\n    __gt__ = __lt__\nmax({A(), len, max})
s = {None, 1}\nfor x in s.__iter__(): pass
s = {None, 1}\ni = s.__iter__()\nnext(i)
try:\n    pass\nexcept ValueError as e:\n    x = list({e})
@dataclass(frozen=True)\nclass A:\n    x: object = None\nfor a in {A(), A(1)}: pass
@dataclass(frozen=True)\nclass A:\n    x: object = None\nhash(A())
P = namedtuple("P", "x")\nfor p in {P(None)}: pass
""".strip().splitlines()

PLAIN = r"""
x = 1 in {1, 2}
x = None in {None, 1}
x = sorted({None: 1}, key=lambda k: 1)
x = len({None, 1})
for x in {1, 2, "a"}: pass
for x in set([1, 2]): pass
f"{1}" + str([1]) + repr("a") + "%d" % 3
x = sorted({1, 2}, key=lambda k: -k)
h = [1]\nx = max(set(h), key=h.count)
h = [1]\nx = "".join(map(str, h[-3:]))
d = {}\nx = max(d, key=d.get)
c = Counter([1])\nx = c.most_common(1)[0][0]
x = list(map(lambda a: a + 1, [1]))\ny = str(x)
x = [str(a) for a in (1, 2)]
experts = [lambda h: 0, lambda h: 1]\nx = [e([]) for e in experts]\ny = "".join(str(m) for m in [1, 2])
marker = object()\nx = {}.get(1, marker) is marker\ny = f"{3}"
class A:\n    def m(self): return 1\n    def n(self):\n        f = self.m\n        return f()\nstr(3)
x = None\ny = x in {1, 2}\nfor z in {3, 4}: pass
x = isinstance(1, (int, str))\ny = str(2)
def f(x):\n    '''100 %'''\n    return x % 3\ng = [f]
pairs = zip([1], [2])\nfor a, b in pairs:\n    x = f"{a}{b}"
pairs = zip([1], [2])\nkept = [list(pairs)]\nfor a in kept:\n    x = f"{a}"
x = hash((1, 2)) % 3
class A: pass\nx = hash(A()) % 3\ny = str(A())
x = sum(1 for a in [1] if a)\ny = str(x)
try:\n    pass\nexcept ValueError as e:\n    x = str(e)
""".strip().splitlines()


def tree(text):
    return ast.parse(HEAD + text.replace("\\n", "\n"))


@pytest.mark.parametrize("text", SHOWN + ORDERED)
def test_what_shows_an_address_is_chance(text):
    assert has_chance(tree(text))


@pytest.mark.parametrize("text", PLAIN)
def test_what_shows_none_is_no_chance(text):
    assert not has_chance(tree(text))


def test_nothing_in_a_tree_is_an_error():
    """Hostile texts are read too, and large ones in little time: what is too tangled counts as chance."""
    for path in (HONEST.parent / "attacks").glob("*.py"):
        try:
            parsed = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        assert has_chance(parsed) in {True, False}
    calls = "f([" + ",".join(f"q{number}" for number in range(50)) + "])\n"
    parameters = ",".join(f"p{number}" for number in range(200))
    assert not has_chance(ast.parse(f"def f({parameters}): return 1\n" + calls * 100))
    names = ",".join(f"a{number}" for number in range(600))
    assert has_chance(ast.parse(f"def f({parameters}): return 1\n" + f"{names} = x = [{names}]\n" * 9))


def test_honest_policies_and_references_are_rarely_taken_for_chance():
    texts = [path.read_text(encoding="utf-8") for path in HONEST.glob("*.py")]
    texts += [reference_text(name) for game in ("repeated_rps", "leduc_poker") for name in reference_names(game)]
    parsed = [ast.parse(text) for text in texts]
    without = [one for one in parsed if not draws_random(one)]
    assert len(without) > 25
    assert sum(has_chance(one) for one in without) <= 3
