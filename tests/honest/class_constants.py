class Move:
    ROCK, PAPER, SCISSORS = range(3)
    NAMES = {ROCK: "rock", PAPER: "paper", SCISSORS: "scissors"}
    BEATS = {ROCK: SCISSORS, PAPER: ROCK, SCISSORS: PAPER}
    BEATEN_BY = {loser: winner for winner, loser in BEATS.items()}

class Policy:
    OPENING = (Move.PAPER, Move.SCISSORS, Move.ROCK)

    def act(self, obs):
        t = obs["throw"]
        if t < len(self.OPENING):
            return self.OPENING[t]
        mine, theirs = obs["my_history"][-1], obs["opponent_history"][-1]
        if Move.BEATS[mine] == theirs:
            return mine
        elif mine == theirs:
            return Move.BEATEN_BY[mine]
        else:
            return Move.BEATEN_BY[theirs]
