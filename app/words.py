"""The words of the dashboard, one sentence each, by subject: what the glossary shows."""

from collections.abc import Mapping

from csro_core.analysis.pictures import PICTURES
from csro_core.experiments.document import MEASURES

_LOOP = {
    "policy": "A program that plays: what acts from what its player can see.",
    "population": "The list of policies that a player chooses from; it only grows.",
    "profile": "One policy for each player.",
    "episode": "One play of the game, from its start to its return.",
    "payoff": "Mean return of an episode to the row policy, in the game's unit.",
    "meta-game": "The game whose actions are policies; its payoffs are the matrix.",
    "sigma": "The mixture over the population that the meta-solver makes of the payoffs.",
    "support": "The policies that have a share in sigma.",
    "meta-solver": "Turns the payoff matrix into sigma.",
    "oracle": "Looks for a best response: makes attempts and returns at most one finalist.",
    "model": "What turns a request into the text of a program: a language model, or the synthesiser.",
    "synthesiser": "The model that works without a key: a hand-written grammar of programs, not a language model.",
    "iteration": "Solve for sigma, look for a response, decide about it; an admitted one has a row from then on.",
    "attempt": "One program that the oracle asked for, checked and perhaps played.",
    "finalist": "The attempt that the oracle hands in; it is played once more on fresh seeds.",
    "starter": "A policy of the initial population, also called a seed policy.",
    "seed": "What all randomness of a run comes from: the same seed and settings give the same rows.",
    "target": "What the oracle searches against: sigma, or sigma mixed with uniform (tau).",
    "tau": "The target: (1 − m) sigma + m uniform. With m = 0 it is sigma, as in plain PSRO.",
    "context": "What a request shows the model of the opponents: their code, a summary, or nothing.",
    "budget": "What a run or each variant may use up: model calls, episodes, US dollars or seconds.",
}

_DECISION = {
    "gain": "What a finalist earns more than sigma against sigma, on fresh matches: a lower bound on exploitability.",
    "lift": "What a finalist earns more than the best member against the target, on the same fresh matches.",
    "admitted": "The gain (or the lift) is above z standard errors; z accounts for every look and test.",
    "rejected": "Neither gain nor lift was found. A search that found nothing proves nothing.",
    "undecided": "The interval does not tell yet; the message says about how many episodes would.",
    "screen score": "Payoff of an attempt in a first, short look; only used inside an oracle, not comparable.",
    "forfeit": "A policy that fails loses the rest of the episode by the game's rule; members that did have a ⚠.",
    "isolation": "How well the programs are shut in: a process of its own for each, and the kernel's jail where full.",
}

_NUMBERS = {
    "±": "A 95 % interval; standard errors and counts are in the tooltips.",
    "forfeits": "Episodes that a policy lost by failing; a benchmark says how many, by whom and why.",
    "gap": "The gain of the best policy known by now, also a later or a rejected one: with hindsight.",
    "exploitability": "NashConv divided by the number of players: what a best responder gains; 0 is an equilibrium.",
    "best response": "A policy that earns the most that can be earned against a given mixture.",
    "NashConv": "The sum over the players of what each could gain by its best response; here of the meta-game.",
    "ε-equilibrium": "A mixture that nobody gains more than ε against, within the policies of the matrix.",
    "champion": "The policy with the largest mean plus minimum payoff.",
    "leak": "What a policy gives away in one situation to the safest best responder; the leaks add up.",
    "PopReturn": "Mean return over the opponents of a benchmark, each counting alike.",
    "PopExpl": "The mean loss to the benchmark's opponent that wins most, the nemesis; below 0 where all lose.",
    "AggScore": "PopReturn minus PopExpl: good on average, and nobody's victim.",
    "nemesis": "The opponent of a benchmark that wins most. Found in noise, it looks stronger than it is.",
    "benchmark": "A fixed population of opponents that nobody trains against.",
}

_COMPARISON = {
    "variant": "One way to set up a run, such as an oracle with its model; its runs differ in their seeds only.",
    "experiment": "A grid of variants and seeds with the same budget for each run.",
    "gap to the common pool": f"{MEASURES['gap'].about[0].upper()}{MEASURES['gap'].about[1:]}.",
    "common pool": "All compared populations together with the held-out responders: the same opponents for everybody.",
    "held-out": "A responder that no compared variant trained on or began with.",
    "baseline": "The variant that the others are compared with, seed by seed.",
    "paired difference": "What a variant is ahead of the baseline, taken for each seed before the mean is.",
    "evaluation solver": "The one meta-solver by which the mixtures of all compared runs are made.",
    "cross-play": "The final mixtures of all variants, each against each.",
    "joint population": "All compared populations as one; its equilibrium says which variants' policies are needed.",
    "equilibrium share": "The weight that the equilibrium of the joint population puts on the policies of a variant.",
    "human edit": "A policy that a person wrote or changed and added; it and what came of it can be left out.",
}

_RUNS = {
    "run": "One course of the loop: a game, an oracle, a model, a seed and a number of iterations.",
    "interrupted": "The process that worked on the run has died; Resume goes on from the last finished iteration.",
    "tag": "A word of your own on a run, to find it and its like again.",
    "note": "A text of your own about a run.",
    "archive": "Archived runs are kept whole, and left out of lists until they are asked for.",
    "bin": "Deleted runs and experiments lie there and can be taken back, until the bin is emptied.",
    "lineage": "From which text a policy was made, and what was made from it.",
    "draft": "An edit that is kept but not in the population.",
}

_META_GAME = {
    "effective diversity": "What the members of the equilibrium win from one another: 0 where they all play alike.",
    "expected cardinality": "Roughly, how many policies have rows of payoffs that differ.",
    "transitive": "The part of the payoffs that a rating of each policy explains.",
    "cyclic": "The part of the payoffs that no rating explains, as in rock-paper-scissors.",
    "bootstrap interval": "How far a number moves when the episodes are drawn again from those that were played.",
} | {picture.title: picture.how_to_read for picture in PICTURES.values()}

SUBJECTS: Mapping[str, Mapping[str, str]] = {
    "The loop": _LOOP,
    "The decision": _DECISION,
    "The numbers": _NUMBERS,
    "Comparisons": _COMPARISON,
    "The list of runs": _RUNS,
    "Pictures of the meta-game": _META_GAME,
}
"""Subject → word → what it means."""

WORDS: Mapping[str, str] = {word: text for words in SUBJECTS.values() for word, text in words.items()}


def found(wanted: str) -> dict[str, dict[str, str]]:
    """Returns the subjects with the words that hold a text, in the word itself or in what it means.

    Args:
        wanted: as typed; blank finds everything.
    """
    part = wanted.strip().casefold()
    hits = {
        subject: {word: text for word, text in words.items() if part in f"{word}\n{text}".casefold()}
        for subject, words in SUBJECTS.items()
    }
    return {subject: words for subject, words in hits.items() if words}
