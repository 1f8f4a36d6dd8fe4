"""Words about a Leduc genome: the docstring of a policy."""

from csro_core.models.synthesiser.leduc_genome import Genome, Style

_WIDE = 0.34


def headline(genome: Genome) -> str:
    """Returns the first sentence of the docstring."""
    usual = "an equilibrium of one hand" if genome.equilibrium else f"a {manner(genome.style)} style"
    if not genome.adaptive:
        return f"Plays {usual}, whoever sits opposite."
    start = "from the first hand on" if genome.confidence == 0 else "once it is sure of how the opponent plays"
    return f"Plays {usual}, and the best answer to the opponent's habits {start}."


def manner(style: Style) -> str:
    """Returns two words for a style, such as "loose, aggressive"."""
    folds = sum(1 - share for row in style.calls for share in row) / 6
    bets = sum(share for row in style.bets for share in row) / 6
    bluffs = (style.bets[0][0] + style.bets[1][0]) / 2
    stays = "tight" if folds > _WIDE else "loose" if folds < _WIDE / 2 else "steady"
    acts = "aggressive" if bets > 0.55 else "quiet" if bets < 0.3 else "balanced"
    honesty = ", honest" if bluffs < 0.03 else ", bluffing" if bluffs > 0.5 else ""
    return f"{stays}, {acts}{honesty}"


def what_it_does(genome: Genome) -> str:
    """Returns sentences about the usual style."""
    if genome.equilibrium:
        return (
            "The table is an approximate equilibrium of one hand, computed beforehand by CFR+ and rounded to whole "
            "percents: over both seats nobody can win much from it, and it takes from the weak only what they give."
        )
    style = genome.style
    weak = (1 - style.raises[0][0]) * (1 - style.calls[0][0])
    return (
        f"It bets {_of(style.bets[0][2], 'kings')} and {_of(style.bets[1][2], 'pairs')}, and bluffs with "
        f"{_of(style.bets[0][0], 'jacks')} and, after the board, {_of(style.bets[1][0], 'low hands')}. Facing a bet it "
        f"folds {_of(weak, 'jacks')} and raises {_of(style.raises[1][2], 'pairs')}."
    )


def how_it_adapts(genome: Genome) -> str:
    """Returns sentences about learning and deviating, "" for a policy that does not."""
    if not genome.adaptive:
        return ""
    if genome.trust is None:
        learns = "It counts how often the opponent folds, calls and raises in each situation, whatever it holds."
    else:
        learns = (
            "It counts how often the opponent folds, calls and raises in each situation with weak, middling and strong "
            "hands: a showdown tells the hand, and a hand that was not shown counts in each rank by its likelihood."
        )
    if genome.known:
        learns += (
            f" Its first guess is the one of {len(genome.known)} styles, read in others' programs, and its own that "
            f"foretells best."
        )
    waits = (
        f"Once the counts foretell the opponent clearly better than the usual style does (log-likelihood ratio above "
        f"{genome.confidence:g}), it does what they say wins most."
    )
    ending = "" if genome.stop_loss is None else f" {genome.stop_loss} chips lost that way, it stops for good."
    return f"{learns} {waits}{ending}"


def _of(share: float, hands: str) -> str:
    return f"all {hands}" if share == 1 else f"no {hands}" if share == 0 else f"{share:.0%} of {hands}"
