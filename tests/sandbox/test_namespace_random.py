"""A policy never learns the hidden seed of its generator, whatever methods its own objects have."""

import random

import pytest

from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import new_namespace

HEAD = "class Policy:\n    def act(self, obs):\n        return 0\n"
SEED = 987654321987


def executed(text, seed=SEED):
    verdict = check(HEAD + text)
    assert verdict.problems == ()
    namespace = new_namespace(seed)
    exec(compile_policy(verdict.tree), namespace)
    return namespace


# Subclasses that note what every method of theirs is handed.
SPIES = (
    """
import random
met = []
def spy(name):
    def method(self, *arguments):
        met.append((name, arguments))
        return NotImplemented
    return method
"""
    + "\n".join(
        f"class {kind.title()}({kind}):\n"
        + "\n".join(f"    {name} = spy('{name}')" for name in (*methods.split(), "__eq__", "__hash__", "__bool__"))
        for kind, methods in {
            "int": "__int__ __index__ __repr__ __str__ __format__ __abs__ bit_length to_bytes __add__ __radd__ __mul__",
            "float": "__float__ __repr__ __str__ __format__ __abs__ hex as_integer_ratio __add__ __radd__ __int__",
            "str": "startswith encode __str__ __repr__ __format__ __add__ __radd__ __iter__ __len__ __getitem__",
            "bytes": "__repr__ __str__ __format__ __add__ __radd__ __iter__ __len__ __getitem__ startswith hex join",
        }.items()
    )
    + """
class Anything:
    __repr__ = __str__ = __format__ = __index__ = __eq__ = __hash__ = __int__ = spy('anything')
given = [Int(5), Float(0.5), Str("abc"), Bytes(b"abc"), Anything(), [1], (1, 2), None]
draws = []
for one in given:
    random.seed(one)
    draws.append(random.random())
    r = random.Random(one)
    draws.append(r.random())
    r.seed(one)
    draws.append(r.random())
    r.seed(one, 1)
"""
)


def test_no_method_of_a_seed_is_called():
    found = executed(SPIES)
    assert found["met"] == []
    assert executed(SPIES)["draws"] == found["draws"]
    assert not set(executed(SPIES, 5)["draws"]) & set(found["draws"])


OVERRIDES = """
import random
met = []
class R(random.Random):
    def seed(self, *arguments):
        met.append(arguments)
    def getrandbits(self, k):
        met.append(k)
        return 0
    def setstate(self, state):
        met.append(state)
class S(random.Random):
    def seed(self, a=None, version=2):
        met.append((a, version))
        super().seed(a, version)
r = R(1)
r.seed(2)
never_seeded = r.random()
seeded = S(1).random()
"""


def test_a_seed_method_of_a_policy_sees_what_the_policy_wrote():
    found = executed(OVERRIDES)
    assert found["met"] == [(1,), (2,), (1, 2)]
    assert found["seeded"] == executed("import random\nx = random.Random(1).random()\n")["x"]


def test_a_generator_that_never_seeds_itself_repeats_all_the_same():
    """The base class would have left it with the system's randomness."""
    assert executed(OVERRIDES)["never_seeded"] == executed(OVERRIDES)["never_seeded"]
    assert executed(OVERRIDES)["never_seeded"] != executed(OVERRIDES, 5)["never_seeded"]
    text = "import random\nx = random.Random.__new__(random.Random).random()\n"
    assert executed(text)["x"] == executed(text)["x"]


BEHIND = """
import random
R = random.Random
class Sub(R):
    def seed(self, *arguments):
        super(R, self).seed()
first, second, third = super(R, R).__new__(R), R(1), Sub(1)
super(R, second).seed()
super(Sub, third).seed()
draws = [one.random() for one in (first, second, third, Sub(2), Sub.__new__(Sub))]
"""


def test_the_systems_randomness_is_out_of_reach():
    assert executed(BEHIND)["draws"] == executed(BEHIND)["draws"]
    assert not set(executed(BEHIND)["draws"]) & set(executed(BEHIND, 5)["draws"])


@pytest.mark.parametrize("written", [0, -7, True, 2.5, "me", "caf\u00e9", b"me", 10**300])
def test_mixtures_are_those_that_older_matches_were_played_with(written):
    text = "import random\nx = random.Random(SEED).random()\nrandom.seed(SEED)\ny = random.random()\n"
    found = executed(f"SEED = {'10**300' if written == 10**300 else ascii(written)}\n" + text)
    assert found["x"] == found["y"] == random.Random(f"{SEED}:{written!r}").random()
    assert executed("import random\nx = random.random()\n")["x"] == random.Random(SEED).random()


def test_numbers_of_any_size_are_seeds():
    text = "import random\nx = random.Random(10**6000).random()\ny = random.Random(10**6000 + 1).random()\n"
    found = executed(text)
    assert found["x"] != found["y"]


def test_a_copy_of_the_hidden_generator_is_the_hidden_generator():
    text = (
        "import copy, random\nmemo = {}\nchoice = copy.deepcopy(random.choice, memo)\n"
        "held = [one for value in memo.values() for one in (value if isinstance(value, list) else [value])"
        " if hasattr(one, 'getstate')]\n"
    )
    assert executed(text)["held"] == []
