"""The oracles by name. A new one is one file and one line here."""

from csro_core.errors import UsageError
from csro_core.oracles.alpha_evolve import AlphaEvolve
from csro_core.oracles.base import Oracle
from csro_core.oracles.best_of_n import BestOfN
from csro_core.oracles.exact import Exact
from csro_core.oracles.linear_refinement import LinearRefinement
from csro_core.oracles.zero_shot import ZeroShot

ORACLES: dict[str, Oracle] = {
    oracle.name: oracle for oracle in (ZeroShot(), BestOfN(), LinearRefinement(), AlphaEvolve(), Exact())
}


def make_oracle(name: str) -> Oracle:
    """Returns the oracle of that name.

    Raises:
        UsageError: there is none; the message lists the known names.
    """
    if name not in ORACLES:
        raise UsageError(f"the oracle must be one of {', '.join(ORACLES)}; got {name!r}")
    return ORACLES[name]
