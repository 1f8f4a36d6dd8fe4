"""What holds an address in Python is the same in every process here, or counts as chance."""

import ast
import sys

import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import MatchJob
from csro_core.policies.chance import has_chance
from csro_core.sandbox.guard import check, compile_policy
from csro_core.sandbox.namespace import new_namespace

GAME = GameSpec("repeated_rps", {"num_throws": 30})
ROTATE = "class Policy:\n    def act(self, obs):\n        return obs['throw'] % 3\n"
HEAD = (
    "from collections import namedtuple\nfrom dataclasses import KW_ONLY, dataclass, field, fields\n"
    "from typing import Optional\nfrom fractions import Fraction\n"
    "from functools import partial, lru_cache\nfrom abc import ABC\n"
    "class Thing:\n    pass\nclass Slotted:\n    __slots__ = ('x',)\nclass Failed(Exception):\n    pass\n"
    "class Nan(float):\n    pass\n"
    "class Abstract(ABC):\n    pass\n@dataclass(eq=False)\nclass Data:\n    x: int = 0\n"
    "Pair = namedtuple('Pair', 'left right')\n"
    "def digits(text):\n    return sum(ord(letter) for letter in text)\n"
)

# Each makes a number of something that is an address in Python.
HASHED = """
hash(object())
hash(None)
hash((1, None, "a"))
hash((None, self.act))
hash(frozenset([None, 2]))
hash(self)
hash(Policy)
hash(self.act)
hash(digits)
hash(Thing()) + hash(Thing()) * 2
hash(Slotted())
hash(Failed())
hash(ValueError())
hash(Abstract())
hash(Data())
hash(Frozen())
hash(Frozen((1, 2)))
hash(Pair(None, 1))
hash(Fraction(1, 3))
hash(partial(digits, 1))
hash(lru_cache(None)(digits))
hash((x for x in ()))
hash(float("nan"))
hash(1e300 * 1e300 - 1e300 * 1e300)
hash(complex("nan"))
hash((1.5, (float("nan"), 2)))
hash(frozenset([float("nan")]))
hash(Pair(float("nan"), 1))
hash(Nan("nan"))
hash(Frozen(float("nan")))
[x != x for x in {float("nan"), 5, 7, 11, 64}].index(True)
[x != x for x in {1e200 * 1e200 * 0, 5, 7, 11, 64}].index(True)
hash(type(self))
Thing().__hash__()
object.__hash__(self)
digits(str(lambda: 0))
digits(repr(object()))
digits(f"{self.act}")
digits("%s" % [self.act])
digits(repr(self))
digits(str(Thing())) + digits(repr([Slotted(), Abstract(), Data()]))
digits(str(Failed()))
digits(str(field()) + str(fields(Data)) + repr([type, KW_ONLY, Optional, Abstract]))
digits(super().__repr__())
[2 * (x is None) + (x == 5) for x in {None, 5, 7, 11}].index(2)
[x == 5 for x in {self.act, digits, 5, len}].index(True)
[x is Thing for x in {Thing, int, Slotted, str}].index(True)
list({Thing(): 1, Slotted(): 2}.values())[0]
[isinstance(x, Thing) for x in {Thing(), Slotted(), Data(), Failed(), 5, 9, 77}].index(True)
len({None, 1} | {Thing, 2})
""".strip().splitlines()


FROZEN = "@dataclass(frozen=True)\nclass Frozen:\n    x: object = None\n"


def text_of(expression):
    return (
        HEAD
        + FROZEN * ("Frozen" in expression)
        + "class Policy:\n    def __init__(self):\n        self.kept = []\n    def act(self, obs):\n"
        f"        self.kept.append([Thing()] * obs['throw'])\n        return int({expression}) // 2 % 3\n"
    )


@pytest.fixture(scope="module")
def played(pool, reduced_pool):
    jobs = [MatchJob(GAME, (text_of(one), ROTATE), (0, 0), (1, 2), keep_moves=True) for one in HASHED]
    return {
        one: (first, second)
        for one, first, second in zip(HASHED, pool.submit(jobs), reduced_pool.submit(jobs), strict=True)
    }


@pytest.mark.parametrize("expression", HASHED)
def test_it_is_equal_in_two_processes_or_counts_as_chance(expression, played):
    first, second = played[expression]
    assert first.failures == second.failures == ()
    if not has_chance(ast.parse(text_of(expression))):
        assert first.moves == second.moves
        assert first.moves[0] == first.moves[1]


def test_most_of_them_are_no_chance():
    assert sum(not has_chance(ast.parse(text_of(one))) for one in HASHED) > len(HASHED) / 2


def executed(text):
    verdict = check(HEAD + text + ROTATE)
    assert verdict.problems == ()
    namespace = new_namespace(1)
    exec(compile_policy(verdict.tree), namespace)
    return namespace


def test_equal_things_have_equal_hashes():
    found = executed(
        "a = Thing()\nclass Eq:\n    def __eq__(self, other):\n        return True\n    def __hash__(self):\n"
        "        return 3\n    def m(self):\n        pass\ne = Eq()\n"
        "x = (hash(a) == hash(a) and hash((None, a)) == hash((None, a)) and hash(e.m) == hash(e.m)\n"
        "     and hash(Pair(None, 1)) == hash((None, 1)) and hash(Eq()) == 3 and hash((1, 2)) == hash((1.0, 2))\n"
        "     and hash(1) == 1 and hash('a') == hash('a') and {a: 5}[a] == 5 and hash(a) != hash(Thing()))\n"
    )
    assert found["x"]


def test_decorators_still_see_what_a_class_defines_itself():
    found = executed(
        "@dataclass\nclass Plain:\n    x: int = 0\n@dataclass(unsafe_hash=True)\nclass Hashed:\n    x: int = 0\n"
        "@dataclass(eq=False, repr=False)\nclass Bare:\n    x: int = 0\n"
        "texts = [repr(Plain()), repr(Hashed()), repr(Bare())]\nequal = hash(Hashed(1)) == hash(Hashed(1))\n"
        "try:\n    hash(Plain())\nexcept TypeError:\n    refused = True\n"
    )
    assert found["texts"] == ["Plain(x=0)", "Hashed(x=0)", "<policy.Bare object>"]
    assert found["equal"]
    assert found["refused"]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="slices have no hash before Python 3.12")
def test_the_hash_of_a_slice_is_made_of_those_of_its_parts():
    found = executed("thing = object()\nfound = hash(slice(thing, None, 2)) == hash((thing, None, 2))\n")
    assert found["found"]


def test_sets_of_plain_numbers_are_no_chance():
    text = "class Policy:\n    def act(self, obs):\n        return min(x * 0.5 for x in {1, 2.5, 3}) > 9\n"
    assert not has_chance(ast.parse(text))


@pytest.mark.parametrize("value", ["len", "(1).__str__", "list[int]"])
def test_a_hash_that_only_an_address_can_give_is_refused(value):
    with pytest.raises(TypeError, match="differs from run to run"):
        executed(f"hash({value})\n")


@pytest.mark.parametrize("name", ["__hash__", "__repr__", "__str__", "__format__"])
def test_hashes_and_texts_are_not_read_by_their_names_in_strings(name):
    by_operator = (f"operator.attrgetter('x.' + {name!r})", f"operator.methodcaller({name!r})")
    for call in (f"getattr(digits, {name!r})", *by_operator):
        with pytest.raises(AttributeError, match="use hash"):
            executed(f"import operator\n{call}\n")


def test_an_inspection_tells_of_chance(pool):
    assert not pool.inspect(ROTATE).chance
    assert pool.inspect(text_of("digits(str(lambda: 0))")).chance
