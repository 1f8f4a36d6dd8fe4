"""A matrix game with what its pictures need to know, as one value that can be stored and named by its content."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.meta_solvers.verify import check_payoffs

_ROUNDING = 1e-9
MAX_POLICIES = 1_000
"""Most policies of a player: beyond, the linear programs take minutes and a picture of them shows nothing."""


@dataclass(frozen=True, eq=False)
class MatrixGame:
    """A two-player game given by its payoffs: the meta-game of a run, or a matrix that a person brought along.

    Attributes:
        payoffs: `[2, N_0, N_1]` payoff to each player, finite.
        stderr: `[2, N_0, N_1]` standard errors of the payoffs; None where they are exact or unknown.
        symmetric: True where both players choose from one population, so that `payoffs[1] == payoffs[0].T`.
        names: of the policies of each player, for people; `((), ())` where they have none.
        unit: of the payoffs, for people; may be "".
        iterations: for each player and policy the iteration in which it joined, 0 for seeds; () where not known.
    """

    payoffs: NDArray[np.float64]
    stderr: NDArray[np.float64] | None = None
    symmetric: bool = False
    names: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    unit: str = ""
    iterations: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        """Checks what every picture takes for granted.

        Raises:
            ValueError: shapes that do not fit together, a number that is not finite, or too many policies.
        """
        check_payoffs(self.payoffs, self.stderr, self.symmetric)
        sizes = self.payoffs.shape[1:]
        if max(sizes) > MAX_POLICIES:
            raise ValueError(f"a matrix game has at most {MAX_POLICIES} policies a player, got {sizes[0]} x {sizes[1]}")
        # Payoffs up to this size can be squared and summed without overflow.
        if float(np.abs(self.payoffs).max()) > 1e100:
            raise ValueError("payoffs must be at most 1e100 in size, got larger ones: divide them all by one number")
        for what, listed in (("names", self.names), ("iterations", self.iterations)):
            given = [len(one) for one in listed]
            if any(given) and given != list(sizes):
                raise ValueError(f"{what} must be given for every policy, {list(sizes)} a player, got {given}")

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of policies of each player."""
        return self.payoffs.shape[1], self.payoffs.shape[2]

    @cached_property
    def zero_sum(self) -> bool:
        """True where the payoffs of the two players add up to 0 in every cell."""
        largest = float(np.abs(self.payoffs).max())
        return float(np.abs(self.payoffs[0] + self.payoffs[1]).max()) <= _ROUNDING * largest

    @property
    def antisymmetric(self) -> bool:
        """True where one antisymmetric matrix says it all: symmetric and zero-sum."""
        return self.symmetric and self.zero_sum

    @property
    def matrix(self) -> NDArray[np.float64]:
        """`[N_0, N_1]` payoff to the row player; of an antisymmetric game without the rounding that breaks it."""
        own: NDArray[np.float64] = self.payoffs[0]
        return (own - own.T) / 2 if self.antisymmetric else own

    @cached_property
    def key(self) -> str:
        """SHA-256 of what pictures are computed from, hex: the payoffs, errors and iterations, not names and unit."""
        digest = hashlib.sha256(repr((self.payoffs.shape, self.symmetric, self.iterations)).encode())
        for table in (self.payoffs, self.stderr):
            # + 0.0 makes -0.0 and 0.0 the same bytes.
            digest.update(b"-" if table is None else np.ascontiguousarray(table + 0.0, dtype="<f8").tobytes())
        return digest.hexdigest()

    def to_document(self) -> dict[str, Any]:
        """Returns the game as JSON data; the second player's table is left out where the first one's says it."""
        exactly_zero_sum = bool((self.payoffs[0] == -self.payoffs[1]).all())
        tables = self.payoffs[:1] if exactly_zero_sum else self.payoffs
        errors = self.stderr
        if errors is not None and bool((errors[0] == errors[1]).all()):
            errors = errors[:1]
        return {
            "payoffs": tables.tolist(),
            "stderr": None if errors is None else errors.tolist(),
            "symmetric": self.symmetric,
            "names": [list(names) for names in self.names],
            "unit": self.unit,
            "iterations": [list(joined) for joined in self.iterations],
        }

    @classmethod
    def from_document(cls, document: Any) -> "MatrixGame":
        """Returns the game that `to_document` wrote.

        Args:
            document: JSON data, not trusted.

        Raises:
            ValueError: it is not of that form, or no game (see the class).
        """
        if not isinstance(document, Mapping):
            raise ValueError(f"a matrix game must be a JSON object, got {type(document).__name__}")
        payoffs = _tables(document.get("payoffs"), "payoffs", -1.0)
        errors = document.get("stderr")
        stderr = None if errors is None else _tables(errors, "stderr", 1.0)
        names = _lists(document.get("names", [[], []]), str, "names")
        if len(names) != 2:
            raise ValueError(f"names must be two lists, got {len(names)}")
        return cls(
            payoffs,
            stderr,
            document.get("symmetric") is True,
            (names[0], names[1]),
            str(document.get("unit", "")),
            _lists(document.get("iterations", []), int, "iterations"),
        )


def _tables(value: Any, what: str, sign: float) -> NDArray[np.float64]:
    """Returns `[2, N_0, N_1]`, the second table from the first where only one is given.

    Raises:
        ValueError: it is no list of one or two tables of numbers.
    """
    if not isinstance(value, list) or len(value) not in (1, 2):
        raise ValueError(f"{what} must be a list of one or two tables, got {type(value).__name__}")
    try:
        tables = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be tables of numbers with rows of one length ({error})") from error
    return np.concatenate([tables, sign * tables]) + 0.0 if len(value) == 1 else tables


def _lists(value: Any, kind: type, what: str) -> tuple[tuple[Any, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(one, list) for one in value):
        raise ValueError(f"{what} must be a list of lists, got {repr(value)[:40]}")
    if not all(type(item) is kind for one in value for item in one):
        raise ValueError(f"{what} must hold values of type {kind.__name__} only")
    return tuple(tuple(one) for one in value)
