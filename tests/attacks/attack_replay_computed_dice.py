"""Computes the dice of both seats from small seeds by public code, knows its own by its first draw, and replays the other.

It needs no hole: the generator is written out here. It wins every throw where the run's secret follows from the seed
without effort (scheme 1).
"""
import random

M = (1 << 32) - 1


def primes():
    n = 2
    while True:
        if all(n % d for d in range(2, n) if d * d <= n):
            yield n
        n += 1


def root(n, k):
    low, high = 0, 1 << 60
    while low < high:
        mid = (low + high + 1) // 2
        if mid ** k <= n:
            low = mid
        else:
            high = mid - 1
    return low


g = primes()
P = [next(g) for _ in range(64)]
K = [root(p << 96, 3) & M for p in P]
H0 = [root(p << 64, 2) & M for p in P[:8]]


def sha63(data):
    n = len(data)
    data = data + bytes([128]) + bytes((55 - n) % 64) + (8 * n).to_bytes(8, "big")
    h = H0
    for at in range(0, len(data), 64):
        w = [int.from_bytes(data[i:i + 4], "big") for i in range(at, at + 64, 4)]
        for i in range(16, 64):
            x, y = w[i - 15], w[i - 2]
            s0 = ((x >> 7) | (x << 25)) ^ ((x >> 18) | (x << 14)) ^ (x >> 3)
            s1 = ((y >> 17) | (y << 15)) ^ ((y >> 19) | (y << 13)) ^ (y >> 10)
            w.append((w[i - 16] + w[i - 7] + (s0 & M) + (s1 & M)) & M)
        a, b, c, d, e, f, k, hh = h
        for i in range(64):
            s1 = (((e >> 6) | (e << 26)) ^ ((e >> 11) | (e << 21)) ^ ((e >> 25) | (e << 7))) & M
            t1 = hh + s1 + ((e & f) ^ (~e & k & M)) + K[i] + w[i]
            s0 = (((a >> 2) | (a << 30)) ^ ((a >> 13) | (a << 19)) ^ ((a >> 22) | (a << 10))) & M
            t2 = s0 + ((a & b) ^ (a & c) ^ (b & c))
            hh, k, f, e, d, c, b, a = k, f, e, (d + t1) & M, c, b, a, (t1 + t2) & M
        h = [(u + v) & M for u, v in zip(h, [a, b, c, d, e, f, k, hh])]
    return ((h[0] << 32) | h[1]) >> 1


def derive(*parts):
    out = ""
    for part in parts:
        text = ("int:" if isinstance(part, int) else "str:") + str(part)
        out += f"{len(text)}:{text};"
    return sha63(out.encode())


class Twister:
    """MT19937 with init_by_array (Matsumoto and Nishimura 2002), as `random.Random(seed)` has it."""

    def __init__(self, seed):
        key = []
        while seed:
            key.append(seed & M)
            seed >>= 32
        key = key or [0]
        mt = [19650218]
        for i in range(1, 624):
            mt.append((1812433253 * (mt[-1] ^ (mt[-1] >> 30)) + i) & M)
        i, j = 1, 0
        for _ in range(max(624, len(key))):
            mt[i] = ((mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1664525)) + key[j] + j) & M
            i, j = i + 1, (j + 1) % len(key)
            if i == 624:
                mt[0], i = mt[623], 1
        for _ in range(623):
            mt[i] = ((mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1566083941)) - i) & M
            i += 1
            if i == 624:
                mt[0], i = mt[623], 1
        mt[0] = 1 << 31
        self.mt, self.at = mt, 624

    def word(self):
        mt = self.mt
        if self.at == 624:
            for k in range(624):
                y = (mt[k] & (1 << 31)) | (mt[(k + 1) % 624] & (M >> 1))
                mt[k] = mt[(k + 397) % 624] ^ (y >> 1) ^ (2567483615 if y & 1 else 0)
            self.at = 0
        y = mt[self.at]
        self.at += 1
        y ^= y >> 11
        y ^= (y << 7) & 2636928640
        y ^= (y << 15) & 4022730752
        return y ^ (y >> 18)

    def below3(self):
        while True:
            r = self.word() >> 30
            if r < 3:
                return r


def candidates():
    for seed in (0, 1, 2, 7, 1 << 63):
        secret = derive("csro run secret", seed)
        for purpose in ("play", "cell"):
            for episode in range(4):
                yield derive(secret, purpose, 0, episode)


class Policy:
    """Replays its opponent's dice where it can compute them, else throws paper."""

    def __init__(self):
        self.first = random.getrandbits(32)
        self.todo = candidates()
        self.twin = None

    def act(self, obs):
        thrown = len(obs["opponent_history"])
        if self.twin is None:
            episode = next(self.todo, None)
            for seat in (0, 1) if episode is not None else ():
                if Twister(derive(episode, "seat", seat)).word() == self.first:
                    self.twin = Twister(derive(episode, "seat", 1 - seat))
                    for _ in range(thrown):
                        self.twin.below3()
                    break
        if self.twin is None:
            return 1
        return (self.twin.below3() + 1) % 3
