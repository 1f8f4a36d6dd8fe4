"""The pictures of a meta-game by name: what each is called, how it is read, and how it is computed.

A picture is computed to a document of plain JSON data that knows policies by their index only; whoever draws it adds
names and colours.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from csro_core.analysis import documents, refusals
from csro_core.analysis.matrix_game import MatrixGame

__all__ = ["PICTURES", "MatrixGame", "OnProgress", "Picture"]

OnProgress: TypeAlias = Callable[[int, int], None]
"""Hears (steps done, steps in all); may raise `Cancelled`, which ends the computation."""


@dataclass(frozen=True)
class Picture:
    """A picture of a meta-game.

    Attributes:
        name: in the store and in addresses.
        title: for people.
        how_to_read: one sentence.
        refusal: "" where the picture of a game can be drawn, else one sentence that says why not.
        compute: (game, params, on_progress) → the document. Raises ValueError where params are wrong or `refusal`
            has one to give, and Cancelled where `on_progress` does.
    """

    name: str
    title: str
    how_to_read: str
    refusal: Callable[[MatrixGame], str]
    compute: Callable[[MatrixGame, Mapping[str, Any], OnProgress], dict[str, Any]]


_ALL = (
    Picture(
        "solvers",
        "Meta-solvers side by side",
        "Each row is the mixture that one meta-solver finds on this very matrix; NashConv says how much two best "
        "responders within the matrix could gain against it, so 0 is an equilibrium.",
        refusals.none,
        documents.solvers,
    ),
    Picture(
        "decomposition",
        "Transitive and cyclic part",
        "The transitive part is what a rating of each policy explains (its mean payoff; rating minus rating), the "
        "cyclic part is what no rating can explain, as in rock-paper-scissors; the squares of the shares add up to 1.",
        refusals.antisymmetric,
        documents.decomposition,
    ),
    Picture(
        "disc",
        "Disc game",
        "A policy beats those that lie up to half a turn counter-clockwise of it, by the area that the two span with "
        "the centre: close to the centre is indifferent, a ring around it is a cycle, an arc on one side a ranking.",
        refusals.antisymmetric,
        documents.disc,
    ),
    Picture(
        "gamescape",
        "Gamescape",
        "Each policy is placed by its row of payoffs along the two directions in which the rows differ most; a policy "
        "inside the hull earns roughly what a mixture of others earns, one that widens the hull plays something new.",
        refusals.more_than_one,
        documents.gamescape,
    ),
    Picture(
        "spinning-top",
        "Spinning top",
        "Each layer is the support of an equilibrium after the layers above were removed, the strongest on top; wide "
        "layers hold many policies that beat one another in cycles, narrow ones mean that skill decides.",
        refusals.antisymmetric,
        documents.spinning_top,
    ),
    Picture(
        "alpha-rank",
        "Alpha-rank",
        "An arrow leads to what a population of players would drift to, and a profile weighs the more the longer they "
        "stay there; left of the sweep chance decides, right of it only better replies are followed.",
        refusals.alpha_rank,
        documents.alpha_rank,
    ),
    Picture(
        "diversity",
        "Diversity over iterations",
        "Effective diversity is what the equilibrium's members win from one another, expected cardinality roughly "
        "counts policies whose rows of payoffs differ; where a curve has gone flat, new policies repeat old ones.",
        refusals.antisymmetric,
        documents.diversity,
    ),
    Picture(
        "dominance",
        "Dominated policies",
        "A marked policy earns no more than the given mixture of others whatever the opponent plays (strictly: less "
        "against all), so nobody needs it in this matrix.",
        refusals.none,
        documents.dominance,
    ),
    Picture(
        "replicator",
        "Replicator dynamics of three policies",
        "An arrow says how the shares of the three policies change when each grows by what it earns above the average; "
        "paths that circle are cycles, paths that end in a corner are a winner.",
        refusals.three_policies,
        documents.replicator,
    ),
)

PICTURES: Mapping[str, Picture] = {picture.name: picture for picture in _ALL}
"""Every picture by its name, in the order of the page."""
