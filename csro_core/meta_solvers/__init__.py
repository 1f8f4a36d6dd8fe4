"""Meta-solvers by name. A new one is one file and one line here."""

from collections.abc import Callable, Mapping

from csro_core.errors import UsageError
from csro_core.meta_solvers.base import MetaSolver
from csro_core.meta_solvers.max_entropy_nash import MaxEntropyNashSolver
from csro_core.meta_solvers.nash import NashSolver
from csro_core.meta_solvers.uniform import UniformSolver

META_SOLVERS: Mapping[str, Callable[[], MetaSolver]] = {
    "max-entropy-nash": MaxEntropyNashSolver,
    "nash": NashSolver,
    "uniform": UniformSolver,
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
