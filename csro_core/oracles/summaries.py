"""Descriptions of opponents in words, in place of their programs (context abstraction of arXiv 2603.10098)."""

from typing import Protocol

from csro_core.errors import ModelError
from csro_core.games.base import Game
from csro_core.models.answer_forms import plain_text
from csro_core.models.base import AskModel, OpponentView, Request
from csro_core.oracles.attempts import HOPELESS
from csro_core.policies.source import sha256
from csro_core.seeds import Secret

MAX_SUMMARY = 1_000
"""Characters of a summary that are kept."""


class Summaries(Protocol):
    """What policies do, in words."""

    def of(self, source: str) -> str:
        """Returns a description of a policy, "" where there is none. It is as untrusted as the text itself.

        Raises:
            ModelError: the model that describes answers nothing at all.
        """
        ...


class AskedSummaries:
    """Summaries that the run's model writes: one further call for every policy.

    Equal texts get equal requests within a run, whatever the iteration, so that a store of answers asks once for each.
    The synthesiser has no language; it answers with the first paragraph of the docstring.
    """

    def __init__(self, ask: AskModel, game: Game, player: int, secret: Secret) -> None:
        """Keeps its collaborators.

        Args:
            ask: asks the model.
            game: what is played.
            player: who meets the policies.
            secret: the outward one of the run: runs with different seeds never share an answer.
        """
        self._ask = ask
        self._game = game
        self._player = player
        self._secret = secret
        self._known: dict[str, str] = {}

    def of(self, source: str) -> str:
        """Returns the model's description of a policy (see `Summaries`).

        Raises:
            ModelError: the model answers nothing at all; a single answer that fails gives "".
        """
        text_hash = sha256(source)
        if text_hash not in self._known:
            self._known[text_hash] = self._written(source, text_hash)
        return self._known[text_hash]

    def _written(self, source: str, text_hash: str) -> str:
        view = OpponentView("the program", text_hash, 1.0, source)
        request = Request(
            game=self._game.spec, rules=self._game.rules_text(), observation=self._game.observation_text(), contract="",
            player=self._player, opponents=(view,), parents=(), feedback=(), task="summarise",
            sample=self._secret.derive("summary", text_hash),
        )  # fmt: skip
        try:
            completion = self._ask(request)
        except ModelError as error:
            if error.reason in HOPELESS:
                raise
            return ""
        words, _ = plain_text(completion.answer)
        return words.strip()[:MAX_SUMMARY]
