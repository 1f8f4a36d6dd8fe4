"""Random bytes and mutated policies as source: always a status, never a crash of the process that asks.

A few hundred by default; `CSRO_FUZZ=10000` takes ten thousand of each kind (a few minutes) and prints what came of
them. The texts depend on the number only, so a failure comes back.
"""

import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from csro_core.games.base import GameSpec
from csro_core.matches.jobs import FailureStatus, Limits, MatchJob
from csro_core.policies.library import reference_names, reference_text

AMOUNT = int(os.environ.get("CSRO_FUZZ", "300"))
GAME = GameSpec("repeated_rps", {"num_throws": 20})
LIMITS = Limits(load_seconds=0.3, act_seconds=0.3)
HONEST = "class Policy:\n    def act(self, obs):\n        return 1\n"
BATCH = 500

TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
# What turns a harmless text into a heavy or a strange one.
WORDS = """
while True : ( ) [ ] { } = == := , ** * + - ~ @ . .. ... -> 0 1 10**9 999999999 1e999 "" '' \"\"\" f" f' {x!r:>{y}}
\\ lambda yield await async global nonlocal del return raise import from as with match case _ __ __class__ __init__
self obs class obs["opponent_history"] def if else elif for in not and or is None try except finally str int list
range type print getattr random Policy act \x00 \x0c \ufeff \u202e \ud800 é ａｃｔ 𝕊 ; # $ ? `
""".split() + ["\n", "\t", " "]
LETTERS = b"()[]{}:=,.\n    '\"\\#@*+-0129abdefijlnorstx_ \t\r\x00\x0c\xc3\xa9\xef"


def start_texts():
    files = sorted((Path(__file__).parent.parent / "honest").glob("*.py"))
    honest = [path.read_text(encoding="utf-8") for path in files]
    return honest + [reference_text(name) for name in reference_names("repeated_rps")]


def random_bytes(number):
    """Returns noise, as the command line or the page would hand it on; some of it out of the letters of Python."""
    rng = np.random.default_rng([1, number])
    before_a_policy = number % 5 == 0
    size = int(rng.integers(0, 5 if before_a_policy else 400))
    if number % 3 == 0:
        data = rng.integers(0, 256, size, dtype=np.uint8).tobytes()
    else:
        letters = np.frombuffer(LETTERS, dtype=np.uint8)
        data = rng.choice(letters, size).tobytes()
    text = data.decode("utf-8-sig" if number % 2 else "utf-8", "surrogateescape" if number % 4 else "replace")
    return text + "\n" + HONEST if before_a_policy else text


def mutated(number):
    """Returns a valid policy after a few random changes to its tokens or its bytes."""
    rng = np.random.default_rng([2, number])
    texts = START
    text = texts[int(rng.integers(len(texts)))]
    changes = int(rng.integers(1, 4 if number % 4 == 0 else 2))
    if number % 2:
        return _other_bytes(text.encode(), rng, changes).decode("utf-8", "surrogateescape")
    tokens = TOKENS.findall(text)
    for _ in range(changes):
        place, other = (int(one) for one in rng.integers(0, len(tokens), 2))
        kind = int(rng.integers(5))
        if kind == 0:
            del tokens[place : place + int(rng.integers(1, 4))]
            tokens = tokens or [""]
        elif kind == 1:
            tokens[place] = tokens[other]
        elif kind == 2:
            tokens[place], tokens[other] = tokens[other], tokens[place]
        elif kind == 3:
            tokens.insert(place, WORDS[int(rng.integers(len(WORDS)))])
        else:
            tokens[place : place + 1] = tokens[place : place + 5] * int(rng.integers(1, 30))
    return "".join(tokens)


def _other_bytes(data, rng, changes):
    changed = bytearray(data)
    for _ in range(changes):
        place = int(rng.integers(0, max(1, len(changed))))
        kind = int(rng.integers(4))
        if kind == 0 and changed:
            changed[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            changed[place:place] = rng.integers(0, 256, 3, dtype=np.uint8).tobytes()
        elif kind == 2:
            del changed[place : place + int(rng.integers(1, 40))]
        else:
            changed[place:place] = changed[place : place + 60]
    return bytes(changed)


START = start_texts()


def outcomes(pool, texts):
    """Returns how often each status came: refused, unparsable, plays, or that of the first failure."""
    counted = Counter()
    with ThreadPoolExecutor(pool.workers) as threads:
        inspected = list(threads.map(pool.inspect, texts))
    accepted = []
    for text, inspection in zip(texts, inspected, strict=True):
        assert inspection.ok == (not inspection.problems)
        assert all(one.line >= 0 and one.message.isprintable() for one in inspection.problems)
        if inspection.ok:
            accepted.append(text)
        else:
            counted["unparsable" if inspection.problems[0].message.startswith("the text cannot") else "refused"] += 1
    jobs = [MatchJob(GAME, (text, HONEST), (0,), (1,), LIMITS) for text in accepted]
    for result in pool.submit(jobs):
        assert not result.forfeits[:, 1].any()
        blamed = {failure.policy for failure in result.failures}
        assert blamed == ({0} if result.forfeits.any() else set())
        counted[result.failures[0].status if result.failures else "plays"] += 1
    return counted


@pytest.mark.parametrize("make", [random_bytes, mutated])
def test_every_text_has_an_outcome(make, pool):
    counted = Counter()
    for first in range(0, AMOUNT, BATCH):
        counted += outcomes(pool, [make(number) for number in range(first, min(AMOUNT, first + BATCH))])
    print(f"{make.__name__}: {dict(counted.most_common())}")
    assert counted.total() == AMOUNT
    assert set(counted) <= {"refused", "unparsable", "plays", *get_args(FailureStatus)}
    if make is mutated:
        assert counted["plays"] > AMOUNT / 20
    # The host is alive, and an honest policy plays as ever.
    alive = pool.submit([MatchJob(GAME, (HONEST, HONEST), (0,), (1,), LIMITS)])[0]
    assert alive.failures == ()
