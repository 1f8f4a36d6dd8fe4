"""Genome to policy text for any OpenSpiel game, and back: a chain of if-statements where that is short, else a table.

In a chain every rule has lines of its own, so that whoever asks where a policy acted is told the rule.
"""

from collections.abc import Mapping

from csro_core.models.synthesiser.openspiel_chain import can_be_chain, read_chain, write_chain
from csro_core.models.synthesiser.openspiel_genome import Genome
from csro_core.models.synthesiser.openspiel_table import read_table, write_table

MAX_TEXT = 32_768

_MOST_LINES, _MOST_LETTERS = 300, 26_000
"""Of a chain: it needs two lines and about 60 letters more a rule than a table."""


def write_policy(genome: Genome, docstring: str, names: Mapping[int, str]) -> str:
    """Returns the text of a policy.

    Args:
        genome: how it plays; `tidied`.
        docstring: its paragraphs, wrapped and indented.
        names: what actions are called, for the comments.
    """
    if can_be_chain(genome):
        text = write_chain(genome, docstring, names)
        if len(text) <= _MOST_LETTERS and text.count("\n") <= _MOST_LINES:
            return text
    return write_table(genome, docstring, names)


def read_genome(text: str) -> Genome | None:
    """Returns the genome of a text by this synthesiser, or None for any other text."""
    if len(text) > MAX_TEXT:
        return None
    return read_table(text) or read_chain(text)
