"""Is the finalist a better response? Its gain against sigma, and its lift against tau, on seeds it has never met.

Gain = u(pi, sigma_-) - u(sigma), a lower bound on the exploitability of sigma. Lift = u(pi, tau) minus the best
existing member's. Both are measured on the same fresh episodes, doubled while the answer is unclear and there is any
sign of a gain; the threshold z accounts for the number of looks and of tests (one-sided, 5 % over all of them,
Bonferroni). To stop early for want of any sign only makes false admissions rarer.

Sigma solves a meta-game that is known with errors only, so an existing member may itself earn more than sigma, and then
a paraphrase of it does too. Where the payoffs so far say so of a member, the finalist has to earn more than that member
as well: what the population has already is no improvement.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from csro_core.estimates import Estimate
from csro_core.evaluation.bench import Bench, Round
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.statistics import against_mixture, episodes_needed, judge, paired_difference, z_threshold

AdmissionVerdict: TypeAlias = Literal["improves", "broadens", "rejected", "undecided", "failed", "always"]

LOOKS = 3
LOOKS_WITH_LIFT = 2
"""Fewer where the lift counts too: it averages over many opponents, so the first look says much, and costs as much."""

SUPPORT = 1e-6
ROUNDING = 1e-9
"""Gains below this share of the range of returns are rounding."""


@dataclass(frozen=True)
class Trial:
    """A finalist on trial.

    Attributes:
        source: its text.
        player: whose policy it is to be.
        sigma: meta-strategies of that player and of its opponent.
        tau: `[n]` the training target, or None where it is sigma (then there is no lift).
        incumbent: the player's best policy against tau.
        iteration: number of the iteration: its seeds.
        rival: the player's best policy against sigma where it seems to earn more than sigma, or None.
    """

    source: str
    player: int
    sigma: tuple[NDArray[np.float64], NDArray[np.float64]]
    tau: NDArray[np.float64] | None
    incumbent: Entry
    iteration: int
    rival: Entry | None = None


@dataclass(frozen=True)
class Admission:
    """The outcome.

    Attributes:
        gain: against sigma, or None where nothing was played.
        lift: against tau, or None where tau is sigma.
        verdict: "improves" (gain), "broadens" (lift), "rejected", "undecided", "failed", or "always".
        message: the verdict in a sentence.
        rivalled: True where it was kept out only because a member earns more than sigma as well: then sigma rests on
            payoffs that are not known well enough.
    """

    gain: Estimate | None
    lift: Estimate | None
    verdict: AdmissionVerdict
    message: str
    rivalled: bool = False

    @property
    def admitted(self) -> bool:
        """True where the finalist joins the population."""
        return self.verdict in ("improves", "broadens", "always")


def admit(bench: Bench, populations: Populations, trial: Trial, always: bool) -> Admission:
    """Plays the finalist on fresh seeds until the verdict is clear or the looks are spent.

    Args:
        bench: plays.
        populations: who there is.
        trial: the finalist and what it is held against.
        always: admit it whatever it earns (it must have played).

    Returns:
        Gain, lift and verdict.
    """
    measurement = _Measurement(bench, populations, trial)
    looks, tests = (LOOKS, 1) if trial.tau is None else (LOOKS_WITH_LIFT, 2)
    rule = _Rule(
        z=z_threshold(looks * tests),
        tolerance=ROUNDING * (bench.game.max_return - bench.game.min_return),
    )
    seen = measurement.look()
    for _ in range(looks - 1):
        clear = "above" in (rule.improvement(seen), rule.side(seen.lift))
        if always or clear or not seen.hopeful:
            break
        seen = measurement.look()
    return _verdict(seen, rule, always)


@dataclass(frozen=True)
class _Seen:
    """What the episodes so far say; `ahead` is the finalist's payoff against sigma minus that of the rival."""

    gain: Estimate
    lift: Estimate | None
    ahead: Estimate | None
    rival: str = ""

    @property
    def hopeful(self) -> bool:
        """False where there is no sign of anything."""
        improves = self.gain.mean > 0 and (self.ahead is None or self.ahead.mean > 0)
        return improves or (self.lift is not None and self.lift.mean > 0)


class _Measurement:
    """Episodes so far, for the finalist and for what it is compared with."""

    def __init__(self, bench: Bench, populations: Populations, trial: Trial) -> None:
        self._bench = bench
        self._trial = trial
        sigma_opponent = trial.sigma[1]
        weights = sigma_opponent if trial.tau is None else sigma_opponent + trial.tau
        self._places = np.flatnonzero(weights > SUPPORT)
        against = populations.against(trial.player)
        self._opponents = [against[place] for place in self._places]
        own = populations.of(trial.player)
        self._mixture = [] if populations.symmetric else [int(i) for i in np.flatnonzero(trial.sigma[0] > SUPPORT)]
        rivals = [] if trial.tau is None else [trial.incumbent]
        rivals += [] if trial.rival is None else [trial.rival]
        self._sources = [trial.source, *(own[i].source for i in self._mixture), *(rival.source for rival in rivals)]
        self._clean: list[NDArray[np.float64]] = []

    def look(self) -> _Seen:
        """Returns gain, lift and lead over all episodes so far, after playing as many again as there were."""
        first = self._clean[0].shape[1] if self._clean else 0
        episodes = Round("gain", self._trial.iteration, first or self._bench.episodes, first)
        played = self._bench.meet(self._sources, self._opponents, self._trial.player, episodes)
        fresh = [matchup.clean for matchup in played]
        self._clean = [np.hstack(pair) for pair in zip(self._clean, fresh, strict=True)] if self._clean else fresh
        rival = self._trial.rival
        return _Seen(self._gain(), self._lift(), self._ahead(), rival.name if rival else "")

    def _gain(self) -> Estimate:
        weights = _shares(self._trial.sigma[1][self._places])
        if not self._mixture:
            return against_mixture(self._clean[0], weights).estimate
        shares = _shares(self._trial.sigma[0][self._mixture])
        own = self._clean[1 : 1 + len(self._mixture)]
        mixture = sum(share * samples for share, samples in zip(shares, own, strict=True))
        return paired_difference(self._clean[0], np.asarray(mixture), weights)

    def _lift(self) -> Estimate | None:
        if self._trial.tau is None:
            return None
        incumbent = self._clean[-1 if self._trial.rival is None else -2]
        return paired_difference(self._clean[0], incumbent, _shares(self._trial.tau[self._places]))

    def _ahead(self) -> Estimate | None:
        if self._trial.rival is None:
            return None
        return paired_difference(self._clean[0], self._clean[-1], _shares(self._trial.sigma[1][self._places]))


def _shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(weights / weights.sum(), dtype=np.float64)


@dataclass(frozen=True)
class _Rule:
    """When a value counts as positive: beyond `z` standard errors, and beyond what rounding can do."""

    z: float
    tolerance: float

    def side(self, estimate: Estimate | None) -> str:
        if estimate is None:
            return "below"
        beyond = Estimate(estimate.mean - self.tolerance, estimate.stderr, estimate.episodes)
        return judge(beyond, self.critical(estimate.episodes))

    def critical(self, episodes: int) -> float:
        """Returns z for a standard error that is itself estimated from so many episodes: Student's instead of Gauss's.

        With the 8 episodes of a first look a threshold of 2.13 would be passed by nothing twice as often as it says.
        """
        if episodes < 2 or self.z == 0.0:
            return self.z
        return float(stats.t.isf(stats.norm.sf(self.z), episodes - 1))

    def improvement(self, seen: _Seen) -> str:
        """Returns on which side of an improvement the finalist is: of sigma, and of whoever beats it already."""
        sides = {self.side(seen.gain), *([] if seen.ahead is None else [self.side(seen.ahead)])}
        return "above" if sides == {"above"} else "below" if "below" in sides else "unclear"


def verdict(bench: Bench, gain: Estimate, lift: Estimate | None, always: bool) -> Admission:
    """Returns the verdict on values that are known without sampling error.

    Args:
        bench: of the game.
        gain: against sigma.
        lift: against tau, None where tau is sigma.
        always: admit it whatever it earns.
    """
    rule = _Rule(0.0, ROUNDING * (bench.game.max_return - bench.game.min_return))
    return _verdict(_Seen(gain, lift, None), rule, always)


def _verdict(seen: _Seen, rule: _Rule, always: bool) -> Admission:
    gain, lift = seen.gain, seen.lift
    beyond = f"by more than {rule.z:.2f} standard errors"
    if rule.improvement(seen) == "above":
        also = f", and than {seen.rival}, who does too" if seen.ahead is not None else ""
        return Admission(gain, lift, "improves", f"earns more than sigma{also}, {beyond}")
    if rule.side(lift) == "above":
        return Admission(gain, lift, "broadens", f"beats the best member against the target {beyond}")
    if always:
        return Admission(gain, lift, "always", "admitted because every finalist is (admit = always)")
    rivalled = rule.side(gain) == "above"
    if (rule.improvement(seen), rule.side(lift)) == ("below", "below"):
        if rule.side(gain) == "below":
            return Admission(gain, lift, "rejected", "does not earn more than sigma: nothing found, which is no proof")
        words = f"earns more than sigma, but no more than {seen.rival} does already"
        return Admission(gain, lift, "rejected", words, rivalled)
    if gain.episodes == 0:
        return Admission(gain, lift, "rejected", "every opponent of weight forfeited: there is nothing to measure")
    narrow = gain if seen.ahead is None or rule.side(gain) != "above" else seen.ahead
    best = max((e for e in (narrow, lift) if e is not None), key=lambda e: e.mean)
    more = episodes_needed(best, rule.critical(best.episodes))
    if best.mean <= 0 or more is None:
        words = "no sign of a gain on fresh seeds: nothing found, which is no proof"
        if rivalled:
            words = f"earns more than sigma, but there is no sign that it earns more than {seen.rival} does already"
        return Admission(gain, lift, "rejected", words, rivalled)
    beyond = f" whether it earns more than {seen.rival}, who beats sigma too" if rivalled else ""
    return Admission(gain, lift, "undecided", f"about {more} more episodes would tell{beyond}", rivalled)
