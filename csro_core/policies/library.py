"""The policies that ship with the product, as text. Nothing here executes one.

Uniform random is among them to play against, never as a start: "uniform random: exploitability 0, PopReturn 0; the
point is to win more without losing". It is an exact equilibrium of rock-paper-scissors: once in the population it keeps
the mass of sigma, every response gains nothing against it, and so it teaches nothing.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from csro_core.errors import UsageError

UNIFORM_NOTE = "uniform random: exploitability 0, PopReturn 0; the point is to win more without losing"
"""What a page says wherever a user meets the policy `uniform`."""

_REFERENCES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "repeated_rps": (
            "rock", "rotate", "biased", "beat_last", "copy_last", "beat_frequency", "win_stay_lose_shift", "sticky",
            "block", "markov1", "markov2", "markov3", "history_match", "iocaine_style", "rrps_ensemble",
            "uniform",
        ),
        "matrix": ("first_action", "pure_1", "pure_2", "maximin", "beat_uniform", "uniform"),
        "repeated_leduc": (
            "always_fold", "always_call", "always_raise", "uniform", "leduc_tight", "leduc_loose", "leduc_maniac",
            "leduc_honest", "leduc_threshold", "leduc_mirror", "leduc_cfr_plus", "leduc_adaptive",
        ),
        "leduc_poker": ("always_fold", "always_call", "always_raise", "uniform"),
        "kuhn_poker": ("always_fold", "always_call", "uniform"),
    }
)

_ANY_OTHER = ("first_action", "uniform")
"""What plays any game, since it reads the legal actions only."""

_INITIAL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "repeated_rps": _REFERENCES["repeated_rps"][:9],
        "matrix": ("first_action",),
        "repeated_leduc": (
            "leduc_tight", "leduc_loose", "leduc_maniac", "leduc_honest", "leduc_threshold", "leduc_mirror",
        ),
        "leduc_poker": ("always_raise",),
        "kuhn_poker": ("always_fold",),
    }
)


def reference_names(game_name: str) -> tuple[str, ...]:
    """Returns the names of the reference policies of a game, the simplest first.

    Args:
        game_name: a game; one without policies of its own gets those that read the legal actions only.
    """
    return _REFERENCES.get(game_name, _ANY_OTHER)


def default_initial(game_name: str) -> tuple[str, ...]:
    """Returns the names of the reference policies that a run starts from when nothing else is said.

    For repeated_rps nine simple starters; for repeated_leduc simple ones without the three opponents that the benchmark
    `leduc` consists of; elsewhere one fixed action, so that PSRO grows the support by itself. Never `uniform` (see the
    docstring of this module), nor an equilibrium, for the same reason.

    Args:
        game_name: a game.
    """
    return _INITIAL.get(game_name, _ANY_OTHER[:1])


def reference_text(name: str) -> str:
    """Returns the text of a reference policy.

    Args:
        name: a name that `reference_names` gives for some game.

    Raises:
        UsageError: there is no such policy; the message lists the known ones by game.
    """
    if name not in _ANY_OTHER and not any(name in names for names in _REFERENCES.values()):
        known = "; ".join(f"for {game}: {', '.join(names)}" for game, names in _REFERENCES.items())
        raise UsageError(f"unknown reference policy {name!r}; known {known}")
    return _read(name)


@cache
def _read(name: str) -> str:
    return files("csro_core.policies.reference").joinpath(f"{name}.py").read_text(encoding="utf-8")
