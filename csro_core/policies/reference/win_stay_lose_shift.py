"""Win: stay. Otherwise: shift. How people play: Z. Wang, B. Xu and H.-J. Zhou, "Social cycling and conditional
responses in the Rock-Paper-Scissors game", Scientific Reports 4:5830, 2014. The name is older: M. Nowak and
K. Sigmund, "A strategy of win-stay, lose-shift that outperforms tit-for-tat in the Prisoner's Dilemma game",
Nature 364, 1993.
"""
import random


class Policy:
    """After a won throw repeats it; after a tie or a loss shifts to what beats the opponent's last throw.

    Starts at random. Whoever knows the rule knows every throw but the first.
    """

    def act(self, obs):
        mine, theirs = obs["my_history"], obs["opponent_history"]
        if not mine:
            return random.randrange(3)
        won = (mine[-1] - theirs[-1]) % 3 == 1
        return mine[-1] if won else (theirs[-1] + 1) % 3
