"""The bench: everything that plays in a run, with its seeds, behind a few verbs.

Holds the collaborators (game, executor, cells, monitor) and remembers what a text was found to be, so that an
iteration inspects and probes every text once.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from csro_core.evaluation.behaviour import clusters, probe
from csro_core.evaluation.exploitability import ExactTables
from csro_core.games.base import Game, GameSpec
from csro_core.matches.jobs import MatchExecutor
from csro_core.metagame.cells import CellStore
from csro_core.metagame.matchups import Matchup, Meeting, play_many
from csro_core.metagame.population import Entry, Populations
from csro_core.metagame.sampling import deepen, deepen_each, fill
from csro_core.policies.source import Inspection
from csro_core.progress import Monitor
from csro_core.seeds import Secret

TABLE_INSTANCES = 1_024
"""Instances that a policy with dice is tabulated from; a run asks again and again for new policies."""


@dataclass(frozen=True)
class Round:
    """Which episodes are played: a purpose, the iteration they belong to, and their numbers.

    Attributes:
        purpose: "screen", "final", "gain": part of the seed.
        iteration: part of the seed; 0 where all iterations share the episodes.
        count: how many episodes.
        first: number of the first one.
    """

    purpose: str
    iteration: int
    count: int
    first: int = 0


@dataclass
class Bench:
    """What a run plays with.

    Attributes:
        game: what is played.
        executor: plays matches and inspects texts.
        cells: keeps payoff cells.
        secret: the run's secret (`Store.secret`).
        episodes: episodes of a payoff cell, even.
        monitor: hears of progress, may stop or pause.
        make_game: makes the screening version of the game.
        exact: True where payoffs and gains come from tables (`exact_play`): the game must be small enough.
        met: episodes that `meet` has played so far, those of the screening game too: what a search costs.
    """

    game: Game
    executor: MatchExecutor
    cells: CellStore
    secret: Secret
    episodes: int
    monitor: Monitor
    make_game: Callable[[GameSpec], Game]
    met: int = 0
    exact: bool = False
    _inspections: dict[str, Inspection] = field(default_factory=dict)
    _actions: dict[tuple[int, str], bytes] = field(default_factory=dict)
    _tables: ExactTables | None = None

    @property
    def tables(self) -> ExactTables:
        """The tables of the policies, for games small enough; nothing is asked before it is needed."""
        if self._tables is None:
            self._tables = ExactTables(self.executor, self.game.spec, self.secret, TABLE_INSTANCES)
        return self._tables

    @property
    def is_one_step(self) -> bool:
        """True where an episode is a single joint action: episodes are then nearly free."""
        return self.game.lockstep is not None and self.game.lockstep.num_steps == 1

    @property
    def screening(self) -> Game:
        """The cheaper version of the game for first screens."""
        return self.make_game(self.game.screening)

    def inspect(self, text: str) -> Inspection:
        """Returns what the text is found to be; nothing of it is run."""
        if text not in self._inspections:
            self._inspections[text] = self.executor.inspect(text)
        return self._inspections[text]

    def fill(self, populations: Populations) -> None:
        """Plays the cells of these populations that are missing."""
        meeting = Meeting(self.game, self.executor, self.cells, self.secret)
        fill(meeting, populations, self.episodes, self.monitor.bar)

    def deepen(self, own: Sequence[Entry], opponents: Sequence[Entry], player: int, episodes: int) -> None:
        """Plays further episodes of the cells between some policies, so that each has at least `episodes`.

        Args:
            own: policies of `player`.
            opponents: whom they meet.
            player: whose policies `own` are.
            episodes: even.
        """
        meeting = Meeting(self.game, self.executor, self.cells, self.secret)
        deepen(meeting, own, opponents, player, episodes, self.monitor.bar)

    def deepen_each(self, wanted: Iterable[tuple[Entry, Entry, int]]) -> None:
        """Plays further episodes of some cells.

        Args:
            wanted: policy of player 0, policy of player 1, and the episodes that their cell shall have at least, even.
        """
        meeting = Meeting(self.game, self.executor, self.cells, self.secret)
        deepen_each(meeting, wanted, self.monitor.bar)

    def meet(
        self, sources: Sequence[str], opponents: Sequence[Entry], player: int, episodes: Round, screening: bool = False
    ) -> list[Matchup]:
        """Plays texts against opponents on the same fresh episodes.

        Args:
            sources: `n` texts.
            opponents: whom each of them meets.
            player: the seat the texts are written for.
            episodes: which episodes.
            screening: True for the cheaper version of the game.

        Returns:
            One matchup a text, in order.
        """
        game = self.screening if screening else self.game
        seeds = self.secret.episode_seeds(episodes.purpose, episodes.iteration, episodes.count, episodes.first)
        meeting = Meeting(game, self.executor, self.cells, self.secret)
        self.met += len(set(sources)) * len(opponents) * episodes.count
        return play_many(meeting, sources, opponents, player, seeds, self.monitor.bar)

    def actions(self, texts: Sequence[str], player: int) -> list[bytes]:
        """Returns each text's actions on the fixed probe histories, in the seat of `player` (see `behaviour.probe`)."""
        keys = {text: (player, self.inspect(text).tree_hash) for text in texts}
        fresh = [text for text, key in keys.items() if key not in self._actions]
        if fresh:
            for text, actions in zip(fresh, probe(self.executor, self.game, fresh, self.secret, player), strict=True):
                self._actions[keys[text]] = actions
        return [self._actions[keys[text]] for text in texts]

    def clusters(self, entries: Sequence[Entry], player: int) -> list[int]:
        """Returns the behaviour cluster of each of `player`'s policies, 0, 1, …."""
        return clusters(self.actions([entry.source for entry in entries], player))
