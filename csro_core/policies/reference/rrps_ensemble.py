"""A vote of 71 guesses: the strongest repeated rock-paper-scissors player of this library. Tuned on the benchmark.

Its readers and its numbers were chosen by their results against the 43 RoShamBo bots, so its score there says how much
such a design can reach, not what a search that never saw those bots would find. The ideas are old: counts after
situations, the longest earlier stretch that equals the present, and "he thinks that I think" (D. Egnor, Iocaine
Powder, 1999). Written anew; no bot's code was read for it.
"""
import random

POWER = 5  # a guess that would have won twice as much speaks 32 times as loud
MEMORIES = (0.99, 0.95, 0.8)  # what a record keeps at every throw
FLOOR = -3  # of recent earnings
RESULT = (0, 1, -1)  # of (mine - theirs) % 3: drawn, won, lost
TOO_LARGE = 1e60  # of the weight of a throw; then all records are scaled down


class Log:
    """The match so far as texts, one letter a throw."""

    def __init__(self):
        self.own, self.their = [], []
        self.texts = {"own": "", "their": "", "both": "", "outcome": "", "nothing": ""}

    def add(self, own, their):
        self.own.append(own)
        self.their.append(their)
        texts = self.texts
        texts["own"] += "012"[own]
        texts["their"] += "012"[their]
        texts["both"] += "abcdefghi"[3 * own + their]
        texts["outcome"] += "twl"[(own - their) % 3]


class Match:
    """Finds the latest stretch that equals the present one and says what both sides threw after it."""

    def __init__(self, within, longest):
        self.within, self.longest = within, longest
        self.found = 0

    def guess(self, log):
        text = log.texts[self.within]
        end = len(text)
        # A stretch can be one throw longer than the last time, never more.
        for length in range(min(self.found + 1, self.longest, end - 1), 0, -1):
            place = text.rfind(text[end - length:], 0, end - 1)
            if place >= 0:
                self.found = length
                return log.their[place + length], log.own[place + length]
        self.found = 0
        return None, None

    def learn(self, own, their):
        pass


class Habit:
    """Counts what both sides throw after equal situations.

    With `relative_to`, it counts turns away from that side's last throw; `fade` is what the counts of a situation keep
    when it returns; "least" guesses the rarest throw, which finds players that avoid to repeat themselves.
    """

    def __init__(self, after, length, relative_to=None, fade=1.0, pick=max):
        self.after, self.length, self.relative_to, self.fade, self.pick = after, length, relative_to, fade, pick
        self.counts = {}
        self.rows = None
        self.base = 0

    def guess(self, log):
        text = log.texts[self.after]
        if len(log.own) < self.length:
            self.rows = None
            return None, None
        key = text[len(text) - self.length:] if self.length else ""
        self.base = 0
        if self.relative_to and log.own:
            self.base = log.own[-1] if self.relative_to == "own" else log.their[-1]
        new = key not in self.counts
        if new:
            self.counts[key] = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
        self.rows = self.counts[key]
        if new:
            return None, None
        theirs, mine = self.rows
        pick, base = self.pick, self.base
        return (theirs.index(pick(theirs)) + base) % 3, (mine.index(pick(mine)) + base) % 3

    def learn(self, own, their):
        if self.rows is None:
            return
        for row, throw in zip(self.rows, (their, own)):
            if self.fade < 1:
                row[:] = [count * self.fade for count in row]
            row[(throw - self.base) % 3] += 1.0


class Lag:
    """Guesses that a throw returns after some throws."""

    def __init__(self, ago):
        self.ago = ago

    def guess(self, log):
        if len(log.own) < self.ago:
            return None, None
        return log.their[-self.ago], log.own[-self.ago]

    def learn(self, own, their):
        pass


def readers():
    """Returns 35 readers; each guesses both sides' next throw: theirs, and mine as a mind-reader would see it."""
    return [
        *(Match(within, 20) for within in ("both", "their", "own", "outcome")),
        *(Match(within, 5) for within in ("both", "their", "own")),
        *(Habit("both", length) for length in (1, 2, 3, 4)),
        *(Habit("their", length) for length in (2, 3, 4, 5)),
        *(Habit("own", length) for length in (1, 2, 3, 5)),
        Lag(1),
        Lag(2),
        Habit("nothing", 0, relative_to="their"),
        Habit("both", 1, relative_to="their"),
        Habit("outcome", 1, relative_to="their"),
        Habit("outcome", 1, relative_to="own"),
        Habit("outcome", 2, relative_to="own"),
        Habit("outcome", 3, relative_to="their"),
        Habit("both", 2, fade=0.9),
        Habit("their", 1, fade=0.9),
        Habit("their", 2, fade=0.8),
        Habit("own", 2, fade=0.8),
        Habit("their", 1, relative_to="their", fade=0.9),
        Habit("their", 1, relative_to="own", fade=0.95),
        Habit("nothing", 0, pick=min),
        Habit("their", 3, fade=0.9, pick=min),
    ]


class Policy:
    """Lets 71 guesses vote, each as loud as its record over about 100, 20 and 5 throws allows.

    A guess stands for three replies: beat it, beat what beats that (they expect it), or play it (they expect that I
    know). A record holds how far the opponent's throw was from the guess, so the three replies share it: the one that
    would have won more than it lost speaks for its throw. Half of the guesses are about its own throws, as an opponent
    would make them. Where nothing would have paid, or its choices lost lately, it throws at random.
    """

    def __init__(self):
        self.log = Log()
        self.readers = readers()
        self.choice = None
        self.earned = 0.0  # lately, by what the vote chose
        self.guesses = [0]  # of constant rock: its record is a fading count of the opponent's throws
        # records[memory][guess]: how often the opponent threw the guess, what beats it, or what it beats.
        self.records = [[[0.0, 0.0, 0.0] for _ in range(2 * len(self.readers) + 1)] for _ in MEMORIES]
        self.weights = [1.0] * len(MEMORIES)  # of the newest throw; it grows instead of all old ones fading

    def act(self, obs):
        if obs["my_history"]:
            self.learn(obs["my_history"][-1], obs["opponent_history"][-1])
        self.guesses = [0]
        for reader in self.readers:
            self.guesses += reader.guess(self.log)
        votes = [0.0, 0.0, 0.0]
        for memory, weight, records in zip(MEMORIES, self.weights, self.records):
            # Brings records over long and short memories to one scale: a mean times the root of how much it is worth.
            scale = (1 - memory) ** 0.5 / weight
            for guess, (same, beats, beaten) in zip(self.guesses, records):
                if guess is None:
                    continue
                # The reply `guess` wins when the opponent throws what it beats, and loses when he throws what beats it.
                if beaten > beats:
                    votes[guess] += ((beaten - beats) * scale) ** POWER
                if same > beaten:
                    votes[(guess + 1) % 3] += ((same - beaten) * scale) ** POWER
                if beats > same:
                    votes[(guess + 2) % 3] += ((beats - same) * scale) ** POWER
        loudest = max(votes)
        self.choice = votes.index(loudest) if loudest > 0 else None
        # Below the floor somebody reads these guesses. Chance cannot be read, so it plays until they pay again.
        if self.choice is None or self.earned < FLOOR:
            return random.randrange(3)
        return self.choice

    def learn(self, own, their):
        """Books the last throw: how far the opponent's throw was from each guess."""
        self.log.add(own, their)
        if self.choice is not None:
            self.earned = 0.98 * self.earned + RESULT[(self.choice - their) % 3]
        misses = [None if guess is None else (their - guess) % 3 for guess in self.guesses]
        for memory, records in enumerate(self.records):
            weight = self.weights[memory] = self.weights[memory] / MEMORIES[memory]
            for miss, record in zip(misses, records):
                if miss is not None:
                    record[miss] += weight
            if weight > TOO_LARGE:
                records[:] = [[count / weight for count in record] for record in records]
                self.weights[memory] = 1.0
        for reader in self.readers:
            reader.learn(own, their)
