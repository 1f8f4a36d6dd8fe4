"""Behaviour tables as policies: what to do at every information state, written down as Python that people can read.

A table gives the chances of the legal actions at each information state. `table_policy` writes one for any OpenSpiel
game, `leduc_table_policy` one for hands of `repeated_leduc`, in the words of poker.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

Behaviour: TypeAlias = Mapping[str, Mapping[int, float]]
"""Information state -> legal action -> chance; the chances of a state add up to 1."""

DIGITS = 4
"""Decimal places of a written chance. Leduc's CFR+ table loses less than 0.001 chips a hand by it."""

_LEDUC = re.compile(r"\[Private: (\d+)\].*?(?:\[Public: (\d+)\])?\[Round1: ([\d ]*)\]\[Round2: ([\d ]*)\]")
_RANKS = "JQK"
_LETTERS = "fcr"

_LEDUC_TEXT = '''\
"""{origin}

TABLE gives the chances to fold, call (or check) and raise for "CARDS FIRST SECOND": own card and board card ("-" in
round 1), then the actions of both players in round 1 and in round 2, oldest first, f, c or r each, "-" for none.
Whose turn it is follows from the actions, so one table serves both seats.
"""
import random

TABLE = {{
{rows}
}}


class Policy:
    """{summary}"""

    def act(self, obs):
{reading}
        return random.choices((0, 1, 2), chances)[0]
'''

_READ_REPEATED = '''\
        first, second = obs["betting"]
        first = "".join(["fcr"[action] for action in first]) or "-"
        second = "".join(["fcr"[action] for action in second]) or "-"
        chances = TABLE[f"{obs['my_card']}{obs['board_card'] or '-'} {first} {second}"]'''

_READ_SINGLE = '''\
        # "[Observer: 0][Private: 4][Round 2]...[Public: 3][Round1: 1 1][Round2: 2 ]"; a card has rank number // SUITS.
        parts = dict(part.split(":") for part in obs["information_state"].strip("[]").split("][") if ":" in part)
        card = "JQK"[int(parts["Private"]) // SUITS]
        board = "JQK"[int(parts["Public"]) // SUITS] if "Public" in parts else "-"
        first = "".join(["fcr"[int(action)] for action in parts["Round1"].split()]) or "-"
        second = "".join(["fcr"[int(action)] for action in parts["Round2"].split()]) or "-"
        chances = TABLE[f"{card}{board} {first} {second}"]'''

_TEXT = '''\
"""{origin}

TABLES has one table a player. Each gives the chances of the legal actions, in their order, at the information states
that the policy can come to; elsewhere it plays the first legal action.
"""
import random

TABLES = (
    {{
{first}
    }},
    {{
{second}
    }},
)


class Policy:
    """{summary}"""

    def act(self, obs):
        legal = obs["legal_actions"]
        chances = TABLES[obs["player"]].get(obs["information_state"])
        return legal[0] if chances is None else random.choices(legal, chances)[0]
'''


def rounded(chances: Sequence[float], digits: int = DIGITS) -> tuple[float, ...]:
    """Returns chances with few decimal places that still add up to 1.

    Args:
        chances: >= 0, adding up to 1.
        digits: decimal places.
    """
    short = [round(chance, digits) for chance in chances]
    # What rounding took or gave goes to the largest chance, which it changes least.
    largest = max(range(len(short)), key=short.__getitem__)
    short[largest] = round(1.0 - sum(short[:largest] + short[largest + 1 :]), digits)
    return tuple(short)


def table_policy(tables: Sequence[Behaviour], origin: str, summary: str) -> str:
    """Returns the text of a policy for an OpenSpiel game that acts by a table.

    Args:
        tables: of player 0 and of player 1.
        origin: where they come from, for the docstring of the file.
        summary: what the policy does, for the docstring of the class.
    """
    first, second = ("\n".join(_row(state, table[state]) for state in sorted(table, key=_length)) for table in tables)
    return _TEXT.format(origin=origin, first=first, second=second, summary=summary)


def _length(state: str) -> tuple[int, str]:
    """Returns what sorts short states, which are early ones in most games, before long ones."""
    return len(state), state


def _row(state: str, chances: Mapping[int, float]) -> str:
    return f"        {state!r}: {_written(chances[action] for action in sorted(chances))},"


def leduc_table_policy(table: Behaviour, origin: str, summary: str, suits: int = 0) -> str:
    """Returns the text of a policy that plays every hand of Leduc poker by one table.

    Args:
        table: of OpenSpiel's `leduc_poker(suit_isomorphism=true)`, actions 0 fold, 1 call, 2 raise.
        origin: where the table comes from, for the docstring of the file.
        summary: what the policy does, for the docstring of the class.
        suits: 0: it plays `repeated_leduc`; else `leduc_poker`, with so many cards of a rank that look different.

    Raises:
        ValueError: a state is not one of that game.
    """
    rows = {_leduc_key(state): [chances.get(action, 0.0) for action in range(3)] for state, chances in table.items()}
    ordered = sorted(rows.items(), key=lambda row: _leduc_order(row[0]))
    lines = (f'    "{key}": {_written(chances)},' for key, chances in ordered)
    reading = _READ_SINGLE.replace("SUITS", str(suits)) if suits else _READ_REPEATED
    return _LEDUC_TEXT.format(origin=origin, rows="\n".join(lines), summary=summary, reading=reading)


def _leduc_key(state: str) -> str:
    found = _LEDUC.search(state)
    if found is None:
        raise ValueError(f"a state of leduc_poker must name cards and betting, got {state!r}")
    card, board, first, second = found.groups()
    cards = _RANKS[int(card)] + ("-" if board is None else _RANKS[int(board)])
    return f"{cards} {_leduc_letters(first)} {_leduc_letters(second)}"


def _leduc_letters(actions: str) -> str:
    return "".join(_LETTERS[int(action)] for action in actions.split()) or "-"


def _leduc_order(key: str) -> tuple[object, ...]:
    """Returns what sorts by round and betting, then by cards: the decisions at one spot stand below each other."""
    cards, first, second = key.split()
    return cards[1] != "-", len(first), first, len(second), second, tuple("-JQK".index(card) for card in cards)


def _written(chances: Iterable[float]) -> str:
    # A comma at the end, since one chance alone has to be a tuple too.
    written = [f"{chance:.{DIGITS}g}" for chance in rounded(tuple(chances))]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"
