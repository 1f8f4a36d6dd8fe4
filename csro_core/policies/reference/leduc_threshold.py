"""A book player of Leduc poker: bets and calls by the chance to win a showdown against a random card."""


def equity(card, board):
    """Returns the chance to win a showdown against a card drawn from the rest of the deck, ties counting half."""
    deck = list("JJQQKK")
    deck.remove(card)
    if board is None:
        return {"J": 0.2, "Q": 0.5, "K": 0.8}[card]
    deck.remove(board)
    mine = "JQK".index(card) + 3 * (card == board)
    wins = 0.0
    for other in deck:
        theirs = "JQK".index(other) + 3 * (other == board)
        wins += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
    return wins / len(deck)


class Policy:
    """Bets from equity 0.6, raises from 0.75, and calls when the pot offers better odds than its equity asks for."""

    def act(self, obs):
        chance = equity(obs["my_card"], obs["board_card"])
        if not obs["to_call"]:
            return 2 if chance >= 0.6 else 1
        if chance >= 0.75 and 2 in obs["legal_actions"]:
            return 2
        return 1 if chance * (obs["pot"] + obs["to_call"]) >= obs["to_call"] else 0
