"""Meta-solver `logit`: quantal response equilibrium.

Axes: `N_p` policies of player p.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, lu_factor, lu_solve

from csro_core.meta_solvers.base import Solution
from csro_core.meta_solvers.scaling import solution_of, unit_payoffs
from csro_core.meta_solvers.verify import check_payoffs

Vector = NDArray[np.float64]
Pair = tuple[Vector, Vector]

PRECISION = 50.0
"""Lambda for payoffs scaled to [-1, 1]: one percent of the range costs a factor e of weight."""

_FIRST = 0.25  # lambda times the range at which the trace starts; below 1 there is one solution
_FACTOR = 1.6  # by which lambda grows at first
_LARGEST = 4.0
_SMALLEST = 1.002  # a smaller step means that the branch turns back
_NEWTON = 8  # steps of Newton's method before lambda is tried in a smaller step
_CLOSE = 1e-12  # residual of the logits, relative to 1 + lambda times the range
_DYNAMICS = 5_000
_RATE = 0.05


@dataclass(frozen=True)
class Quantal:
    """A quantal response equilibrium.

    Attributes:
        sigma: `[N_0]` and `[N_1]`.
        precision: lambda that it belongs to; below the wanted one where the trace could not be carried on.
        jumped: True where the branch that starts from uniform turned back and another one was carried on.
    """

    sigma: Pair
    precision: float
    jumped: bool


class LogitSolver:
    """Everybody plays better policies more often, by the logit of their payoff against the others' mixture.

        sigma_p(i) ~ exp(lambda u_p(i, sigma_-p))

    lambda is chosen without regard to the unit: 100 divided by the range of the player's payoffs, so that a policy
    that earns one percent of the range less is played e times less. Of the many solutions of a general-sum game it is
    the one that is reached from uniform as lambda grows (the principal branch), as long as that branch goes on. All
    weights are positive.

    Source: McKelvey and Palfrey 1995 (Games and Economic Behavior 10), definition 2 and section 3; branch as in
    Turocy 2005 (Games and Economic Behavior 51), but by Newton's method at growing lambda.
    """

    name = "logit"
    explanation = (
        "quantal response: a policy that earns one percent of the range of payoffs less is played e times less; smooth "
        "in the payoffs, also for general-sum games"
    )
    zero_sum_only = False

    def solve(
        self, payoffs: NDArray[np.float64], stderr: NDArray[np.float64] | None = None, symmetric: bool = False
    ) -> Solution:
        """Returns a quantal response equilibrium (see `MetaSolver.solve`); general-sum payoffs are fine.

        Raises:
            ValueError: the payoffs are not finite or have the wrong shape.
        """
        check_payoffs(payoffs, stderr, symmetric)
        found = logit_equilibrium(unit_payoffs(payoffs), PRECISION, symmetric)
        note = ""
        if found.precision < PRECISION:
            note = (
                f"the trace of quantal responses ended at a lambda of {found.precision:.3g} instead of {PRECISION:g} "
                f"(payoffs scaled to [-1, 1])"
            )
        elif found.jumped:
            note = "the branch of quantal responses from uniform turned back; this one was reached from its end"
        return solution_of(payoffs, found.sigma, note)


def logit_equilibrium(payoffs: NDArray[np.float64], precision: float, symmetric: bool = False) -> Quantal:
    """Returns a quantal response equilibrium.

    Args:
        payoffs: `[2, N_0, N_1]`, finite.
        precision: lambda, in 1 / unit of the payoffs, >= 0.
        symmetric: True where one population serves both seats; both then play the same.
    """
    system = _System(payoffs, symmetric)
    size = float(np.ptp(payoffs, axis=(1, 2)).max())
    logits = np.zeros(system.size)
    if size == 0.0 or precision == 0.0:
        return Quantal(system.sigma(logits), precision, jumped=False)
    here, factor, jumped = 0.0, _FACTOR, False
    while here < precision:
        ahead = min(precision, here * factor if here else _FIRST / size)
        found = system.newton(logits, here, ahead, size)
        if found is None and factor > _SMALLEST:
            factor = np.sqrt(factor)
            continue
        if found is None:
            found, jumped = system.settle(logits, min(precision, here * _FACTOR), size), True
            if found is None:
                return Quantal(system.sigma(logits), here, jumped)
            ahead, factor = min(precision, here * _FACTOR), _FACTOR
        here, logits, factor = ahead, found, min(_LARGEST, factor * 1.2)
    return Quantal(system.sigma(logits), precision, jumped)


class _System:
    """The equations l = lambda u(softmax(l)), over the logits of both players, or of the one population."""

    def __init__(self, payoffs: NDArray[np.float64], symmetric: bool) -> None:
        self._symmetric = symmetric
        self._first = payoffs[0]
        self._second = payoffs[1].T
        self._rows, columns = self._first.shape
        self.size = self._rows if symmetric else self._rows + columns

    def sigma(self, logits: Vector) -> Pair:
        """Returns the mixtures of logits."""
        if self._symmetric:
            one = _softmax(logits)
            return one, one.copy()
        return _softmax(logits[: self._rows]), _softmax(logits[self._rows :])

    def payoffs(self, sigma: Pair) -> Vector:
        """Returns `[size]` what each policy earns against the other's mixture."""
        if self._symmetric:
            own: Vector = self._first @ sigma[1]
            return own
        return np.concatenate([self._first @ sigma[1], self._second @ sigma[0]])

    def newton(self, logits: Vector, here: float, ahead: float, size: float) -> Vector | None:
        """Returns the logits at lambda = `ahead`, from those at `here`; None where they are too far apart."""
        now = logits
        if here:
            step = self._solver(logits, here)
            if step is None:
                return None
            now = logits + (ahead - here) * step(self.payoffs(self.sigma(logits)))
        target = _CLOSE * (1 + ahead * size)
        residual = now - ahead * self.payoffs(self.sigma(now))
        for _ in range(_NEWTON):
            worst = float(np.abs(residual).max())
            if worst <= target:
                return now
            step = self._solver(now, ahead)
            if step is None:
                return None
            candidate = now - step(residual)
            if not np.isfinite(candidate).all():
                return None
            now = candidate
            residual = now - ahead * self.payoffs(self.sigma(now))
        return None

    def settle(self, logits: Vector, precision: float, size: float) -> Vector | None:
        """Returns the logits that smooth best replies come to at this lambda; None where they do not settle."""
        now = logits
        for _ in range(_DYNAMICS):
            residual = now - precision * self.payoffs(self.sigma(now))
            if float(np.abs(residual).max()) <= 1e-6 * (1 + precision * size):
                return self.newton(now, 0.0, precision, size)
            now = now - _RATE * residual
        return None

    def _solver(self, logits: Vector, precision: float) -> "_Step | None":
        first, second = self.sigma(logits)
        try:
            if self._symmetric:
                slope = precision * _through(self._first, second)
                return _Step(lu_factor(np.eye(self.size) - slope, check_finite=False), None, None)
            slope = precision * _through(self._first, second)
            back = precision * _through(self._second, first)
            return _Step(lu_factor(np.eye(self._rows) - slope @ back, check_finite=False), slope, back)
        except LinAlgError:
            return None


@dataclass(frozen=True)
class _Step:
    """The linearised equations at one point, factorised; the second player's part is eliminated."""

    factors: tuple[NDArray[np.float64], NDArray[np.int32]]
    slope: Vector | None
    back: Vector | None

    def __call__(self, right: Vector) -> Vector:
        if self.slope is None or self.back is None:
            one: Vector = lu_solve(self.factors, right, check_finite=False)
            return one
        rows = self.slope.shape[0]
        first = lu_solve(self.factors, right[:rows] + self.slope @ right[rows:], check_finite=False)
        return np.concatenate([first, right[rows:] + self.back @ first])


def _through(matrix: Vector, sigma: Vector) -> Vector:
    """Returns the derivative of `matrix @ softmax(l)` by the logits."""
    weighted = matrix * sigma
    return weighted - np.outer(weighted.sum(axis=1), sigma)


def _softmax(logits: Vector) -> Vector:
    weights: Vector = np.exp(logits - logits.max())
    weights /= weights.sum()
    return weights
