"""Meta-solvers by name. A new one is one file and one line here."""

from collections.abc import Callable, Mapping

from csro_core.errors import UsageError
from csro_core.meta_solvers.alpha_rank import AlphaRankFiniteSolver, AlphaRankSolver
from csro_core.meta_solvers.base import MetaSolver
from csro_core.meta_solvers.logit import LogitSolver
from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from csro_core.meta_solvers.nash import NashSolver
from csro_core.meta_solvers.prd import PrdSolver
from csro_core.meta_solvers.rectified_nash import RectifiedNashSolver
from csro_core.meta_solvers.regret_matching import RegretMatchingPlusSolver, RegretMatchingSolver
from csro_core.meta_solvers.shor import ShorEvalSolver, ShorSolver, ShorTrueRegretSolver
from csro_core.meta_solvers.uniform import UniformSolver

META_SOLVERS: Mapping[str, Callable[[], MetaSolver]] = {
    "max-entropy-nash": MaxEntropyNashSolver,
    "nash": NashSolver,
    "uniform": UniformSolver,
    "prd": PrdSolver,
    "regret-matching": RegretMatchingSolver,
    "regret-matching-plus": RegretMatchingPlusSolver,
    "logit": LogitSolver,
    "alpha-rank": AlphaRankSolver,
    "alpha-rank-finite": AlphaRankFiniteSolver,
    "shor": ShorSolver,
    "shor-eval": ShorEvalSolver,
    "shor-true-regret": ShorTrueRegretSolver,
    "rectified-nash": RectifiedNashSolver,
}
"""Every meta-solver, the default first."""


def make_meta_solver(name: str) -> MetaSolver:
    """Returns the meta-solver with this name.

    Raises:
        UsageError: there is none; the message lists the known names.
    """
    if name not in META_SOLVERS:
        raise UsageError(f"a meta-solver must be one of {', '.join(META_SOLVERS)}, got {name!r}")
    return META_SOLVERS[name]()


ROUGH: Mapping[str, Callable[[], MetaSolver]] = {
    "prd": lambda: PrdSolver(2_000),
    "regret-matching": lambda: RegretMatchingSolver(3_000),
    "regret-matching-plus": lambda: RegretMatchingPlusSolver(3_000),
    "shor": lambda: ShorSolver(1_000),
    "shor-eval": lambda: ShorEvalSolver(1_000),
    "shor-true-regret": lambda: ShorTrueRegretSolver(1_000),
}
"""The meta-solvers whose answers take about a second, with fewer steps: for many draws of one meta-game."""


def rough_solver(solver: MetaSolver) -> MetaSolver:
    """Returns a solver for many draws of one meta-game: at most a tenth of a second each, less accurate where slow."""
    return ROUGH[solver.name]() if solver.name in ROUGH else solver
