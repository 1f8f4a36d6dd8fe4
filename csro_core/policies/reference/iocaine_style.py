"""Guess, second-guess, and keep the books: a meta-strategist in the manner of Iocaine Powder, with which Dan Egnor won
the First International RoShamBo Programming Competition in 1999. Written anew from the published idea, with other
books: every guess is read on three levels for both players, several memories of different length judge the
readings, and the memory whose own advice has paid best is followed.
"""
import random

MEMORIES = (0.99, 0.93, 0.8)
JUDGEMENT = 0.97
WINDOW = 2_000


class Match:
    """Where did the recent history of one kind occur before? Remembers the throw that came next."""

    def __init__(self):
        self.history = ""
        self.matched = 0

    def add(self, letter):
        """Appends one throw; returns the number of the throw after the longest earlier match, or None."""
        self.history += letter
        end = len(self.history)
        oldest = max(0, end - WINDOW)
        for length in range(min(self.matched + 1, end - 1), 0, -1):
            start = self.history.rfind(self.history[end - length:], oldest, end - 1)
            if start >= 0:
                self.matched = length
                return start + length
        self.matched = 0
        return None


class Policy:
    """Predicts from the longest match in three histories (both players', the opponent's, its own) and from counts.

    Each predictor says what the opponent would throw, and what he would throw if he predicted *us* in the same way.
    Each guess can be taken at its word or one or two thoughts further. Fading records say which reading has paid;
    three memories of different length each advise the best reading, and the one with the best record decides.
    Random while nothing pays.
    """

    def __init__(self):
        self.matches = [Match(), Match(), Match()]
        self.my_counts = [0, 0, 0]
        self.their_counts = [0, 0, 0]
        self.guesses = [None] * 8
        # misses[memory][guess][k]: how often the opponent threw k above the guess, fading.
        self.misses = [[[0.0, 0.0, 0.0] for _ in self.guesses] for _ in MEMORIES]
        self.advice = [None] * len(MEMORIES)
        self.records = [0.0] * len(MEMORIES)

    def act(self, obs):
        mine, theirs = obs["my_history"], obs["opponent_history"]
        if not theirs:
            return random.randrange(3)
        self.keep_books(theirs[-1])
        self.guesses = self.predict(mine, theirs)
        self.advice = [self.best_reply(book) for book in self.misses]
        trusted = max(range(len(MEMORIES)), key=lambda index: self.records[index])
        reply = self.advice[trusted]
        if reply is None or self.records[trusted] < 0:
            return random.randrange(3)
        return reply

    def keep_books(self, thrown):
        """Judges the last guesses and the last advice by what the opponent threw."""
        for index, reply in enumerate(self.advice):
            self.records[index] *= JUDGEMENT
            if reply is not None:
                # 1 above the opponent's throw wins, 2 above loses.
                self.records[index] += (0.0, 1.0, -1.0)[(reply - thrown) % 3]
        for fading, book in zip(MEMORIES, self.misses):
            for guess, counts in zip(self.guesses, book):
                if guess is not None:
                    counts[0] *= fading
                    counts[1] *= fading
                    counts[2] *= fading
                    counts[(thrown - guess) % 3] += 1.0

    def predict(self, mine, theirs):
        """Returns eight guesses of the opponent's next throw, None where there is no ground for one."""
        self.my_counts[mine[-1]] += 1
        self.their_counts[theirs[-1]] += 1
        letters = ("abcdefghi"[3 * mine[-1] + theirs[-1]], "012"[theirs[-1]], "012"[mine[-1]])
        guesses = []
        for match, letter in zip(self.matches, letters):
            place = match.add(letter)
            if place is None:
                guesses += [None, None]
            else:
                # The second of a pair: he expects us to repeat ourselves and beats that.
                guesses += [theirs[place], (mine[place] + 1) % 3]
        guesses.append(self.their_counts.index(max(self.their_counts)))
        guesses.append((self.my_counts.index(max(self.my_counts)) + 1) % 3)
        return guesses

    def best_reply(self, book):
        """Returns the reply whose reading has paid best in one memory, or None where none has paid."""
        best, reply = 0.0, None
        for guess, counts in zip(self.guesses, book):
            if guess is None:
                continue
            for level in range(3):
                # To reply `level` above the guess wins against one below that, and loses to one above it.
                paid = counts[level - 1] - counts[(level + 1) % 3]
                if paid > best:
                    best, reply = paid, (guess + level) % 3
        return reply
