"""Genome to policy text for repeated Leduc poker, and back.

A genome is read from text only, by patterns: the text is hostile until proven otherwise, so it is neither run nor
parsed as Python here, and every value is checked against the grammar.
"""

import re
from collections.abc import Sequence
from itertools import islice
from typing import cast

from csro_core.models.synthesiser import leduc_fragments
from csro_core.models.synthesiser.fragments import composed
from csro_core.models.synthesiser.leduc_equilibrium import TABLE
from csro_core.models.synthesiser.leduc_genome import (
    CONFIDENCES,
    MAX_KNOWN,
    PLAIN,
    PRIORS,
    STOP_LOSSES,
    TRUSTS,
    Genome,
    Shares,
    Style,
    tidied,
    valid_share,
)

FLOOR = -3
"""The least that the evidence can fall to, so that an opponent that changes is found out in time."""

SLIP = 0.02
"""The least chance that anybody is credited with for any act, so that no act is impossible."""

MAX_TEXT = 32_768

_LINE = re.compile(r"^(BET|RAISE|CALL|PRIOR|TRUST|CONFIDENCE|STOP_LOSS) = ([\d., ()]{1,80}?)(?:  #.*)?$", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,4}(?:\.\d{1,4})?")
_ROWS = r"\(\({n}, {n}, {n}\), \({n}, {n}, {n}\)\)".replace("{n}", _NUMBER.pattern)
_KNOWN = re.compile(r"^    \(({rows}), ({rows}), ({rows})\),$".replace("{rows}", _ROWS), re.MULTILINE)
_SHARES = re.compile(r"\(\(({n}), ({n}), ({n})\), \(({n}), ({n}), ({n})\)\)".replace("{n}", _NUMBER.pattern))
_STATIC_MARK = "\n    def act(self, obs):\n        chances = usual("
_ADAPTIVE_MARK = "\n    def learn(self, hand):\n"
_TABLE_MARK = "\nTABLE = {\n"


def write_policy(genome: Genome, docstring: str) -> str:
    """Returns the text of a policy.

    Args:
        genome: how it plays; `tidied`.
        docstring: its paragraphs, wrapped and indented.
    """
    asked = {
        "adaptive": genome.adaptive,
        "ranks": genome.trust is not None,
        "stop-loss": genome.stop_loss is not None,
        "table": genome.equilibrium,
        "known": bool(genome.known),
    }
    features = {name for name, used in asked.items() if used}
    body = leduc_fragments.ADAPTIVE if genome.adaptive else leduc_fragments.STATIC
    by_strength = not genome.equilibrium or genome.trust is not None and genome.adaptive or bool(genome.known)
    parts = [
        composed(leduc_fragments.HEAD, features, {"CONSTANTS": _constants(genome, by_strength)}),
        composed(leduc_fragments.USUAL, features),
        *([composed(leduc_fragments.TOOLS, features)] if genome.adaptive else []),
        composed(body, features, {"DOCSTRING": docstring}),
    ]
    return "\n\n".join(parts)


def read_genome(text: str) -> Genome | None:
    """Returns the genome that a text carries, or None: another author's text, or one edited beyond recognition."""
    if len(text) > MAX_TEXT or "\ndef usual(card, board, first, second):\n" not in text:
        return None
    adaptive = _ADAPTIVE_MARK in text
    if not adaptive and _STATIC_MARK not in text:
        return None
    constants = {name: value for name, value in _LINE.findall(text)}
    equilibrium = _TABLE_MARK in text
    style = PLAIN if equilibrium else _read_style([constants.get(name, "") for name in ("BET", "RAISE", "CALL")])
    if style is None:
        return None
    if not adaptive:
        return tidied(Genome(style, equilibrium=equilibrium))
    stop_loss = _read_number(constants.get("STOP_LOSS"))
    prior, trust = _read_number(constants.get("PRIOR")), _read_number(constants.get("TRUST"))
    confidence = _read_number(constants.get("CONFIDENCE"))
    return tidied(Genome(
        style,
        adaptive=True,
        prior=prior if prior in PRIORS else Genome.prior,
        trust=trust if trust is None or trust in TRUSTS else Genome.trust,
        confidence=confidence if confidence in CONFIDENCES else Genome.confidence,
        stop_loss=int(stop_loss) if stop_loss is not None and stop_loss in STOP_LOSSES else None,
        equilibrium=equilibrium,
        known=_read_known(text),
    ))  # fmt: skip


def _constants(genome: Genome, by_strength: bool) -> str:
    style = genome.style
    blocks = []
    if genome.equilibrium:
        blocks.append(TABLE)
    else:
        blocks.append(
            "# Chances by strength: in round 1 J, Q, K; in round 2 low, middle, pair (see STRENGTH).\n"
            f"BET = {_written(style.bets)}  # where there is nothing to call\n"
            f"RAISE = {_written(style.raises)}  # of raising a bet\n"
            f"CALL = {_written(style.calls)}  # of calling what is not raised; the rest folds\n"
        )
    if genome.adaptive:
        lines = [f"PRIOR = {genome.prior:g}  # acts in a situation that the first guess at its style weighs"]
        if genome.trust is not None:
            lines.append(f"TRUST = {genome.trust:g}  # acts with one strength that the counts over all hands weigh")
        lines.append(f"CONFIDENCE = {genome.confidence:g}  # evidence from which the usual style is left")
        if genome.stop_loss is not None:
            lines.append(f"STOP_LOSS = {genome.stop_loss}  # chips that leaving it may cost before it is kept for good")
        lines.append(f"FLOOR = {FLOOR}  # of the evidence, so that a change of mind is found out in time")
        lines.append(f"SLIP = {SLIP:g}  # least chance of any act: nobody is beyond a surprise")
        blocks.append("\n".join(lines) + "\n")
    if genome.known:
        styles = (", ".join(map(_written, (style.bets, style.raises, style.calls))) for style in genome.known)
        rows = "".join(f"    ({style}),\n" for style in styles)
        blocks.append(f"KNOWN = [\n{rows}]  # styles read in others' programs: bets, raises and calls by strength\n")
    if by_strength:
        blocks.append(leduc_fragments.STRENGTH)
    return "".join(blocks).rstrip("\n")


def _written(shares: Shares) -> str:
    rounds = ("({})".format(", ".join(f"{share:g}" for share in part)) for part in shares)
    return "({})".format(", ".join(rounds))


def _read_known(text: str) -> tuple[Style, ...]:
    styles = [_read_style(match.groups()) for match in islice(_KNOWN.finditer(text), MAX_KNOWN)]
    return tuple(style for style in styles if style is not None)


def _read_style(tables: Sequence[str]) -> Style | None:
    found = [_SHARES.fullmatch(table) for table in tables]
    parts: list[Shares] = []
    for match in found:
        if match is None:
            return None
        values = [float(number) for number in match.groups()]
        if not all(valid_share(value) for value in values):
            return None
        parts.append(cast(Shares, (tuple(values[:3]), tuple(values[3:]))))
    return Style(*parts)


def _read_number(text: str | None) -> float | None:
    match = _NUMBER.fullmatch(text.strip()) if text is not None else None
    return float(match[0]) if match is not None else None
