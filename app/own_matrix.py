"""Matrices that people bring along: text in, a matrix game out; kept by this server so that a link finds them again."""

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import streamlit as st

from csro_core.analysis.own_matrix import matrix_game
from csro_core.analysis.pictures import MatrixGame
from csro_core.errors import UsageError
from csro_core.evaluation.matrix_examples import EXAMPLES
from csro_core.games.matrix_rows import NamedRows, named_rows_from_csv_text

Populations: TypeAlias = Literal["auto", "one", "two"]

EXAMPLE = "example."
"""Tokens of the examples that ship with the project begin with this."""

MAX_MB = 5
"""Largest file of a matrix that a page takes, in megabytes; the limit of the server is that of archives."""

_MOST_KEPT = 20
_TOKEN_DIGITS = 16


@dataclass(frozen=True)
class OwnMatrix:
    """A matrix of a person: what the address calls it, what people call it, the game, and a note on it or ""."""

    token: str
    title: str
    game: MatrixGame
    note: str = ""


@dataclass(frozen=True)
class Texts:
    """CSV texts of a person: payoffs to the row player, and where there are any, to the other one, and errors."""

    row: str
    column: str = ""
    stderr: str = ""


def read_game(texts: Texts, unit: str, populations: Populations) -> MatrixGame:
    """Returns the game that texts describe.

    Args:
        texts: see `Texts`; without payoffs to the column player the game is zero-sum.
        unit: of a payoff, for people; may be "".
        populations: "auto": one population where the matrices say so; "one": made so, by (A - A^T) / 2; "two".

    Raises:
        UsageError: a text is no matrix, the shapes differ, or one population is asked for and cannot be; one sentence.
    """
    row = _read(texts.row, "payoffs to the row player")
    column = _read(texts.column, "payoffs to the column player") if texts.column.strip() else None
    stderr = _read(texts.stderr, "standard errors") if texts.stderr.strip() else None
    game = matrix_game(row, column, stderr, unit.strip())
    if populations == "two":
        return replace(game, symmetric=False)
    return game if populations == "auto" or game.symmetric else _one_population(game)


def _one_population(game: MatrixGame) -> MatrixGame:
    """Returns the game in which both players choose from one list: the mean over the two seats.

    Raises:
        UsageError: the matrix is not square.
    """
    rows, columns = game.sizes
    if rows != columns:
        raise UsageError(f"one population needs a square matrix, got {rows} x {columns}")
    own = (game.payoffs[0] + game.payoffs[1].T) / 2
    errors = None
    if game.stderr is not None:
        table = np.hypot(game.stderr[0], game.stderr[1].T) / 2
        errors = np.stack([table, table.T])
    names = (game.names[0], game.names[0])
    return MatrixGame(np.stack([own, own.T]) + 0.0, errors, True, names, game.unit)


def _read(text: str, what: str) -> NamedRows:
    if not text.strip():
        raise UsageError(f"{what}: paste a matrix, or choose a file")
    try:
        return named_rows_from_csv_text(text)
    except UsageError as error:
        raise UsageError(f"{what}: {error}") from error


def keep(game: MatrixGame, title: str) -> OwnMatrix:
    """Keeps a matrix in the memory of this server, the newest 20 of all."""
    told = repr((game.key, game.names, game.unit, title)).encode()
    own = OwnMatrix(hashlib.sha256(told).hexdigest()[:_TOKEN_DIGITS], title, game)
    shelf = _shelf()
    shelf[own.token] = own
    shelf.move_to_end(own.token)
    while len(shelf) > _MOST_KEPT:
        shelf.popitem(last=False)
    return own


def find(token: str) -> OwnMatrix | None:
    """Returns the matrix that an address names; None where this server does not have it (any more)."""
    example = EXAMPLES.get(token.removeprefix(EXAMPLE)) if token.startswith(EXAMPLE) else None
    if example is not None:
        return OwnMatrix(token, example.title, example.game(), example.note)
    return _shelf().get(token)


@st.cache_resource(show_spinner=False)
def _shelf() -> OrderedDict[str, OwnMatrix]:
    return OrderedDict()
