"""The desk of a runner: answers the requests to check, score and add a policy that a person wrote, or to assess."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csro_core.csro import MetaGame, settle
from csro_core.errors import Cancelled, CsroError, LeaseError, StoreError, UsageError
from csro_core.estimates import Estimate
from csro_core.evaluation.checkup import check_policy
from csro_core.games.base import Game
from csro_core.metagame.population import Entry
from csro_core.metagame.statistics import against_mixture, paired_difference
from csro_core.runner.assessments import ASSESSMENTS, assess
from csro_core.runner.faults import UnexpectedError
from csro_core.runner.session import Session
from csro_core.store.records import RequestRecord
from csro_core.store.runs import checked_name

LOGGER = logging.getLogger(__name__)

MAX_EPISODES = 256
"""Episodes a cell that "play more" may reach."""


@dataclass(frozen=True)
class _Asked:
    """What a request says, read and checked.

    Attributes:
        text: the policy.
        player: whose policy it is; 0 where one population serves both seats.
        parent: hash of the text it came from, "".
        name: a name for people, "" where none is given.
        episodes: episodes a cell that are wanted, even.
    """

    text: str
    player: int = 0
    parent: str = ""
    name: str = ""
    episodes: int = 0


class Desk:
    """Answers requests on a session; a request that fails is answered with the reason and hurts nothing else."""

    def __init__(self, session: Session) -> None:
        """Keeps the session."""
        self._session = session

    def answer(self, request: RequestRecord) -> None:
        """Answers one request of kind "check", "score", "add", "benchmark" or "exploitability".

        Raises:
            LeaseError: the lease is lost.
            StoreError: the store cannot be written.
            Cancelled: the run was stopped meanwhile.
        """
        lease = self._session.lease
        lease.answer(request.id, "working", {})
        try:
            self._serve(request)
        except (LeaseError, StoreError):
            raise
        except Cancelled:
            lease.answer(request.id, "failed", {"message": "the run was stopped before this was done"})
            raise
        except CsroError as error:
            LOGGER.info("request %s failed: %s", request.id, error)
            lease.answer(request.id, "failed", {"message": str(error)})

    def _serve(self, request: RequestRecord) -> None:
        """Does what was asked and answers it.

        Raises:
            CsroError: it cannot be done; the message is for the one who asked.
            UnexpectedError: it failed for a reason that nobody had thought of.
        """
        lease = self._session.lease
        try:
            if request.kind in ASSESSMENTS:
                lease.answer(request.id, "done", assess(self._session, request))
                return
            asked = _read(request.payload, self._session.bench.game)
            if request.kind == "add":
                self._add(request.id, asked)
            else:
                lease.answer(request.id, "done", self._score(asked) if request.kind == "score" else self._check(asked))
        except CsroError:
            raise
        except Exception as error:  # whatever it was: it concerns this request, and the run goes on
            LOGGER.debug("request %s failed", request.id, exc_info=True)
            raise UnexpectedError(error) from error

    def _check(self, asked: _Asked) -> dict[str, Any]:
        bench = self._session.bench
        return check_policy(bench.executor, bench.game, asked.text, bench.secret).document(bench.executor.isolation)

    def _score(self, asked: _Asked) -> dict[str, Any]:
        """Returns what a text earns against the whole population and what adding it would do; nothing is added."""
        session, text, player = self._session, asked.text, asked.player
        session.open()
        checkup = check_policy(session.bench.executor, session.bench.game, text, session.bench.secret)
        if not checkup.playable:
            return checkup.document(session.bench.executor.isolation)
        inspection = session.put_text(text)
        entry = Entry(inspection.hash, inspection.tree_hash, text, "edit")
        now = session.metagame
        if asked.episodes > session.settings.episodes:
            self._play_more(entry, player, asked.parent, asked.episodes)
        after = settle(session.bench, session.solver, now.populations.extended(player, entry))
        return {
            **checkup.document(session.bench.executor.isolation),
            **_scores(after, now, player),
            **_comparison(after, now, player, asked.parent),
            "sigma_if_added": {
                "weight": float(after.solution.sigma[player][-1]),
                "sigma": [[float(share) for share in shares] for shares in _per_population(after)],
            },
        }

    def _add(self, request: int, asked: _Asked) -> None:
        session, player = self._session, asked.player
        session.open()
        checkup = check_policy(session.bench.executor, session.bench.game, asked.text, session.bench.secret)
        if not checkup.playable:
            raise CsroError(f"a policy must pass the check before it is added; {checkup.sentence}")
        before = session.metagame
        added = session.extension(asked.text, player, asked.parent, asked.name or self._name_after(asked.parent))
        after = added.metagame
        answer = {
            "index": added.member.index,
            "hash": added.member.policy.hash,
            "name": added.member.name,
            **_scores(after, before, player),
            "sigma": [[float(share) for share in shares] for shares in _per_population(after)],
            "sigma_if_added": [[float(share) for share in shares] for shares in _per_population(after)],
        }
        with session.lease.atomically():
            session.lease.add_member(added.member)
            session.lease.add_solution(added.solution)
            session.lease.answer(request, "done", answer)
        session.adopt(after)

    def _play_more(self, entry: Entry, player: int, parent: str, episodes: int) -> None:
        """Plays further episodes of the edit and its parent against the support of sigma, on shared seeds."""
        metagame, bench = self._session.metagame, self._session.bench
        opponents = metagame.populations.against(player)
        support = np.flatnonzero(metagame.solution.sigma[1 - player] > 1e-6)
        own = [entry, *(known for known in metagame.populations.of(player) if known.hash == parent)]
        bench.deepen(own, [opponents[place] for place in support], player, episodes)

    def _name_after(self, parent: str) -> str:
        names = [m.name for group in self._session.metagame.populations.lists for m in group if m.hash == parent]
        return f"{names[0]}-edit" if names else "edit"


def _read(payload: Mapping[str, Any], game: Game) -> _Asked:
    """Returns what a request says.

    Raises:
        UsageError: it does not make sense.
    """
    text, parent, name = (payload.get(key, "") for key in ("text", "parent", "name"))
    if not (isinstance(text, str) and isinstance(parent, str) and isinstance(name, str)):
        raise UsageError("text, parent and name of a request must be texts")
    player, episodes = payload.get("player", 0), payload.get("episodes", 0)
    if player not in ((0,) if game.symmetric else (0, 1)):
        seats = "0, because one population serves both seats" if game.symmetric else "0 or 1"
        raise UsageError(f"player must be {seats}; got {str(player)[:40]!r}")
    if not isinstance(episodes, int) or episodes < 0:
        raise UsageError(f"episodes must be a whole number >= 0, got {str(episodes)[:40]!r}")
    even = min(MAX_EPISODES, episodes + episodes % 2)
    return _Asked(text, int(player), parent, checked_name(name) if name.strip() else "", even)


def _scores(after: MetaGame, before: MetaGame, player: int) -> dict[str, Any]:
    """Returns what the last policy of `player` in `after` earns, by opponent and against the sigma of `before`."""
    samples = _samples(after, player)[-1]
    opponents = before.populations.against(player)
    payoffs = []
    for place, opponent in enumerate(opponents):
        earned = against_mixture(samples[place : place + 1], np.ones(1)).estimate
        payoffs.append({"opponent": opponent.name, "hash": opponent.hash, **_document(earned)})
    sigma = before.solution.sigma[1 - player]
    total = against_mixture(samples[: len(opponents)], sigma).estimate
    forfeits = int(after.table.forfeits[..., player].sum(axis=1 - player)[-1])
    return {"payoffs": payoffs, "versus_sigma": _document(total), "forfeits": forfeits}


def _comparison(after: MetaGame, before: MetaGame, player: int, parent: str) -> dict[str, Any]:
    """Returns the edit against its parent, by episode: both met the same opponents on the same seeds."""
    place = next((i for i, own in enumerate(before.populations.of(player)) if own.hash == parent), None)
    if place is None:
        return {"versus_parent": None, "verdict": "cannot tell yet"}
    samples = _samples(after, player)
    sigma = before.solution.sigma[1 - player]
    size = len(before.populations.against(player))
    difference = paired_difference(samples[-1][:size], samples[place][:size], sigma)
    verdict = "cannot tell yet"
    if abs(difference.mean) > difference.half_width:
        verdict = "better" if difference.mean > 0 else "worse"
    return {"versus_parent": _document(difference), "verdict": verdict}


def _samples(metagame: MetaGame, player: int) -> NDArray[np.float64]:
    """Returns `[N_player, N_opponent, E]` clean returns to `player`."""
    samples = metagame.table.clean_samples[player]
    return np.asarray(samples if player == 0 else samples.transpose(1, 0, 2))


def _per_population(metagame: MetaGame) -> list[Any]:
    return list(metagame.solution.sigma[: len(metagame.populations.lists)])


def _document(estimate: Estimate) -> dict[str, Any]:
    return {"mean": estimate.mean, "stderr": estimate.stderr, "episodes": estimate.episodes}
