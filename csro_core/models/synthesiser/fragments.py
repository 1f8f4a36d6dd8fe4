"""Pieces of policy text for repeated rock-paper-scissors, as a person would write them.

A line that starts with "[feature]" is kept where that feature is in use, one with "[-feature]" where it is not, so
that a policy holds only what it needs. Words in braces are filled in (see `composed`).
"""

import re
from collections.abc import Mapping, Set

_CONDITION = re.compile(r"\[([a-z,-]+)\](.*)")

POLICY = '''\
class Policy:
    """{DOCSTRING}"""

    def __init__(self):
        self.log = Log()
        self.signals = [
{SIGNALS}
        ]
        self.guesses = [None] * len(self.signals)
        # records[m][s]: what throwing guess s, its answer, or the answer to that would have earned.
        self.records = [[[0.0, 0.0, 0.0] for _ in self.signals] for _ in MEMORIES]
        self.weights = [1.0] * len(MEMORIES)  # of the newest throw
[by-memory]        self.choices = [None] * len(MEMORIES)
[by-memory]        self.earned = [0.0] * len(MEMORIES)  # lately, by the choices of each memory
[-by-memory]        self.choice = None
[-by-memory]        self.earned = 0.0  # lately, by these choices
[stop-loss]        self.total = 0

    def act(self, obs):
[simulation]        self.log.obs = obs
        if obs["opponent_history"]:
            self.learn(obs["my_history"][-1], obs["opponent_history"][-1])
        self.guesses = [signal.guess(self.log) for signal in self.signals]
[by-memory]        self.choices = [self.{RULE}(records) for records in self.records]
[by-memory]        earned = max(self.earned)
[by-memory]        choice = self.choices[self.earned.index(earned)]
[-by-memory]        self.choice = self.{RULE}()
[stop-loss]        if self.total <= -STOP_LOSS:
[stop-loss]            return random.randrange(3)  # someone reads these guesses: give nothing more away
[noise]        if random.random() < NOISE:
[noise]            return random.randrange(3)
        # Below the floor somebody reads these guesses. Chance cannot be read, so it plays until they pay again.
[by-memory]        if choice is None or earned < FLOOR:
[-by-memory]        if self.choice is None or self.earned < FLOOR:
            return random.randrange(3)
[by-memory]        return choice
[-by-memory]        return self.choice

    def learn(self, own, opponent):
        """Books the last throw: how far off each guess was, and what the choices would have earned."""
        self.log.add(own, opponent)
[stop-loss]        self.total += RESULT[(own - opponent) % 3]
[-by-memory]        if self.choice is not None:
[-by-memory]            self.earned = 0.98 * self.earned + RESULT[(self.choice - opponent) % 3]
        misses = [None if guess is None else (opponent - guess) % 3 for guess in self.guesses]
        for m, memory in enumerate(MEMORIES):
            # To let new throws weigh more is the same as to let all old ones fade, and cheaper.
            weight = self.weights[m] = self.weights[m] / memory
            for record, miss in zip(self.records[m], misses):
                if miss is not None:
                    record[(miss + 1) % 3] += weight
                    record[(miss + 2) % 3] -= weight
            if weight > 1e9:
                self.records[m] = [[earned / weight for earned in record] for record in self.records[m]]
                self.weights[m] = 1.0
[by-memory]            if self.choices[m] is not None:
[by-memory]                self.earned[m] = 0.98 * self.earned[m] + RESULT[(self.choices[m] - opponent) % 3]
'''

VOTE_BY_MEMORY = '''
    def vote(self, records):
        """Every guess votes for itself, for its answer and for the answer to that, as each would have paid."""
        votes = [0.0, 0.0, 0.0]
        for guess, (same, answer, second) in zip(self.guesses, records):
            if guess is None:
                continue
            if same > 0:
                votes[guess] += same**POWER
            if answer > 0:
                votes[(guess + 1) % 3] += answer**POWER
            if second > 0:
                votes[(guess + 2) % 3] += second**POWER
        most = max(votes)
        return votes.index(most) if most > 0 else None
'''

VOTE_POOLED = '''
    def vote(self):
        """Every guess votes for itself, for its answer and for the answer to that, as each would have paid."""
        votes = [0.0, 0.0, 0.0]
        for records, memory, weight in zip(self.records, MEMORIES, self.weights):
            # A long memory adds up more throws; divided by their spread, all memories speak equally loud.
            scale = max(1 - memory, 0.001) ** 0.5 / weight
            for guess, (same, answer, second) in zip(self.guesses, records):
                if guess is None:
                    continue
                if same > 0:
                    votes[guess] += (scale * same) ** POWER
                if answer > 0:
                    votes[(guess + 1) % 3] += (scale * answer) ** POWER
                if second > 0:
                    votes[(guess + 2) % 3] += (scale * second) ** POWER
        most = max(votes)
        return votes.index(most) if most > 0 else None
'''

BEST_BY_MEMORY = '''
    def best(self, records):
        """Some guess itself, its answer, or the answer to that: whatever would have paid most."""
        most, reply = 0.0, None
        for guess, record in zip(self.guesses, records):
            if guess is not None and max(record) > most:
                most = max(record)
                reply = (guess + record.index(most)) % 3
        return reply
'''

BEST_POOLED = '''
    def best(self):
        """Some guess itself, its answer, or the answer to that: whatever would have paid most."""
        most, reply = 0.0, None
        for records, memory, weight in zip(self.records, MEMORIES, self.weights):
            # A long memory adds up more throws; divided by their spread, all memories speak equally loud.
            scale = max(1 - memory, 0.001) ** 0.5 / weight
            for guess, record in zip(self.guesses, records):
                if guess is not None and scale * max(record) > most:
                    most = scale * max(record)
                    reply = (guess + record.index(max(record))) % 3
        return reply
'''

LOG = '''\
class Log:
[text]    """Both sides' throws as lists, and as strings, which can be cut into keys and searched quickly."""
[-text]    """Both sides' throws."""

    def __init__(self):
        self.moves = {"own": [], "opponent": []}
[text]        self.text = {{TEXTS}}

    def add(self, own, opponent):
        self.moves["own"].append(own)
        self.moves["opponent"].append(opponent)
[text-own]        self.text["own"] += str(own)
[text-opponent]        self.text["opponent"] += str(opponent)
[text-both]        self.text["both"] += "abcdefghi"[3 * own + opponent]
[text-outcome]        self.text["outcome"] += "dwl"[(own - opponent) % 3]  # drawn, won, lost
[relative]
[relative]    def last(self, side):
[relative]        """The last throw of a side; 0 before the first, and where no side is named."""
[relative]        moves = self.moves.get(side)
[relative]        return moves[-1] if moves else 0
'''

HABIT = '''\
class Habit:
    """Counts what one side did each time the same things had just happened."""

    def __init__(self, side, after, length{PARAMETERS}):
        self.side, self.after, self.length = side, after, length
[relative]        self.relative_to = relative_to  # counts turns away from that side's last throw
[fade]        self.fade = fade  # what the counts of a situation keep each time it returns
[least]        self.pick = max if pick == "most" else min
        self.counts = {}
        self.row = None  # the counts of the situation before the last throw
[relative]        self.base = 0

    def guess(self, log):
        if self.row is not None:
[fade]            if self.fade < 1:
[fade]                self.row[:] = [count * self.fade for count in self.row]
[-relative]            self.row[log.moves[self.side][-1]] += 1
[relative]            self.row[(log.moves[self.side][-1] - self.base) % 3] += 1
        self.row = self.counts.setdefault(log.text[self.after][-self.length :], [0, 0, 0])
[relative]        self.base = log.last(self.relative_to)
        if not any(self.row):
            return None
[-relative,-least]        return self.row.index(max(self.row))
[-relative,least]        return self.row.index(self.pick(self.row))
[relative,-least]        return (self.row.index(max(self.row)) + self.base) % 3
[relative,least]        return (self.row.index(self.pick(self.row)) + self.base) % 3
'''

MATCH = '''\
class Match:
    """Finds the longest stretch of recent history that occurred before, and guesses what followed it then."""

    def __init__(self, side, within, longest):
        self.side, self.within, self.longest = side, within, longest
        self.found = 0

    def guess(self, log):
        text = log.text[self.within]
        end = len(text)
        # A stretch can be at most one longer than the one found a throw ago.
        for length in range(min(self.found + 1, self.longest, end - 1), 0, -1):
            start = text.rfind(text[end - length :], 0, end - 1)
            if start >= 0:
                self.found = length
                return log.moves[self.side][start + length]
        self.found = 0
        return None
'''

LAG = '''\
class Lag:
    """Guesses that one side repeats what it threw some throws ago."""

    def __init__(self, side, ago):
        self.side, self.ago = side, ago

    def guess(self, log):
        moves = log.moves[self.side]
        return moves[-self.ago] if len(moves) >= self.ago else None
'''

CONSTANT = '''\
class Constant:
    """Always guesses rock: the record of its errors is a fading count of all the opponent's throws."""

    def guess(self, log):
        return 0
'''

SIMULATION = '''\
[-mirrored]class Simulation:
[-mirrored]    """Asks a copy of the rival what it would throw now, seen from the rival's seat."""
[mirrored]class Reflection:
[mirrored]    """Asks a copy what it would throw in my place: a mind-reader that carries it expects that of me."""

    def __init__(self):
        self.copy = rival()()
        self.view = {"throw": 0, "my_history": [], "opponent_history": [], "legal_actions": [0, 1, 2]}

    def guess(self, log):
        self.view["num_throws"] = log.obs["num_throws"]
[-mirrored]        self.view["player"] = 1 - log.obs["player"]
[mirrored]        self.view["player"] = log.obs["player"]
        if log.moves["own"]:
            self.view["throw"] += 1
[-mirrored]            self.view["my_history"].append(log.moves["opponent"][-1])
[-mirrored]            self.view["opponent_history"].append(log.moves["own"][-1])
[mirrored]            self.view["my_history"].append(log.moves["own"][-1])
[mirrored]            self.view["opponent_history"].append(log.moves["opponent"][-1])
        return self.copy.act(self.view)
'''


def composed(template: str, features: Set[str], words: Mapping[str, str] | None = None) -> str:
    """Returns a piece of text with the lines that the features ask for, and the words filled in.

    Args:
        template: one of the texts above.
        features: what is in use.
        words: values for the names in braces; they are inserted as they are.
    """
    kept = []
    for line in template.split("\n"):
        condition = _CONDITION.match(line)
        if condition is None:
            kept.append(line)
        elif all((name.removeprefix("-") in features) != name.startswith("-") for name in condition[1].split(",")):
            kept.append(condition[2])
    text = "\n".join(kept)
    for name, value in (words or {}).items():
        text = text.replace("{" + name + "}", value)
    return text
