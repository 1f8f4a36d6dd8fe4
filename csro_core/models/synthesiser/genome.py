"""The genome of a repeated rock-paper-scissors policy: which signals it watches and how they decide together.

A *signal* guesses the next throw of one side: the opponent's, or the policy's own (a *mirrored* signal: what an
opponent who watches us would expect). Every guess is also read one and two steps further, by counting how far the
opponent's throw was from it, so one signal covers "beat it", "they expect that" and "they expect that I know".
"""

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["habit", "match", "lag", "constant", "simulation"]
Rule: TypeAlias = Literal["best", "levels", "vote", "levelvote"]

SIDES = ("opponent", "own")
CONTEXTS = ("own", "opponent", "both", "outcome")
BASES = ("nothing", "own", "opponent")
PICKS = ("most", "least")
RULES: tuple[Rule, ...] = ("best", "levels", "vote", "levelvote")
FADES = (1.0, 0.95, 0.9, 0.8)
MEMORIES = (1.0, 0.99, 0.97, 0.95, 0.9, 0.8)
POWERS = (1, 2, 3, 4, 5)
USUAL_POWER = 3
STOP_LOSSES = (None, 20, 30, 50)
NOISES = (0.0, 0.03, 0.1)
MAX_SIGNALS = 20
"""Three memories of 20 signals cost about 45 microseconds a throw."""

_LENGTHS: dict[Kind, tuple[int, ...]] = {"habit": (1, 2, 3, 4, 5), "match": (5, 10, 20), "lag": (1, 2, 3)}
_UNUSED: dict[Kind, tuple[str, ...]] = {
    "habit": (),
    "match": ("relative_to", "fade", "pick"),
    "lag": ("after", "relative_to", "fade", "pick"),
    "constant": ("side", "after", "relative_to", "fade", "pick"),
    "simulation": ("after", "relative_to", "fade", "pick"),
}


@dataclass(frozen=True)
class Signal:
    """One guess of a next throw. Fields that a kind does not use keep their defaults, so equal ideas are equal.

    Attributes:
        kind: "habit" (counts after equal situations), "match" (longest earlier stretch equal to the latest), "lag"
            (the throw some throws ago), "constant" (always rock; its record becomes a fading count of the
            opponent's throws), "simulation" (a copy of a policy is asked: of the opponent, or, about the own side, of
            the policy that the opponent simulates).
        side: whose throw is guessed.
        after: what a situation is made of: "own" or "opponent" throws, "both", or "outcome" (won, drawn, lost);
            for a habit also "nothing": all throws are one situation.
        length: habit 1 to 5 (1 after "nothing"), match up to 5, 10 or 20, lag 1 to 3, else 0.
        relative_to: habit: counts turns away from this side's last throw, or plain throws ("nothing").
        fade: habit: what the counts of a situation keep each time it returns, 1.0 = all.
        pick: habit: guess the most or the least frequent throw.
    """

    kind: Kind
    side: str = "opponent"
    after: str = "both"
    length: int = 0
    relative_to: str = "nothing"
    fade: float = 1.0
    pick: str = "most"

    @property
    def mirrored(self) -> "Signal":
        """The same signal about the other side; itself where there is no other side to it."""
        if self.kind in {"constant", "simulation"}:
            return self
        return replace(self, side="own" if self.side == "opponent" else "opponent")

    @property
    def valid(self) -> bool:
        """True where every field has a value of the grammar, and its default where the kind does not use it."""
        after_nothing = self.kind == "habit" and self.after == "nothing" and self.length == 1
        return (
            all(getattr(self, name) == getattr(Signal, name) for name in _UNUSED[self.kind])
            and self.side in SIDES
            and self.length in _LENGTHS.get(self.kind, (0,))
            and (self.after in CONTEXTS or after_nothing)
            and self.relative_to in BASES
            and self.fade in FADES
            and self.pick in PICKS
        )


@dataclass(frozen=True)
class Genome:
    """All that decides a policy's play.

    Attributes:
        signals: 1 to `MAX_SIGNALS`, no two equal.
        memories: what the record of a guess keeps at every throw, 1 to 3 of `MEMORIES`, longest first.
        rule: "best" or "vote" over all memories at once; "levels" or "levelvote" inside each memory, where the
            memory whose own choices earned most decides.
        power: a vote counts (wins - losses) ** power; only for the voting rules.
        stop_loss: plays at random for good once this many throws behind; None = never.
        noise: share of throws played at random anyway.
    """

    signals: tuple[Signal, ...]
    memories: tuple[float, ...]
    rule: Rule
    power: int = USUAL_POWER
    stop_loss: int | None = None
    noise: float = 0.0

    @property
    def votes(self) -> bool:
        """True where guesses vote, False where the best guess decides."""
        return self.rule in {"vote", "levelvote"}

    @property
    def by_memory(self) -> bool:
        """True where every memory decides for itself and the best earner is followed."""
        return self.rule in {"levels", "levelvote"}

    @property
    def simulates(self) -> bool:
        """True where a copy of another policy is asked."""
        return any(signal.kind == "simulation" for signal in self.signals)


def tidied(genome: Genome) -> Genome:
    """Returns the genome that plays the same in one spelling.

    Repeated signals are dropped, memories are ordered, a single memory needs no choice between memories, and a
    power that no vote reads is the default.
    """
    memories = tuple(sorted(set(genome.memories), reverse=True))[:3]
    rule = genome.rule
    if len(memories) == 1:
        rule = "vote" if genome.votes else "best"
    return replace(
        genome,
        signals=tuple(dict.fromkeys(genome.signals))[:MAX_SIGNALS],
        memories=memories,
        rule=rule,
        power=genome.power if genome.votes else USUAL_POWER,
    )
