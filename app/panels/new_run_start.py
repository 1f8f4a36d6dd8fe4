"""What the form for a new run begins with: the usual values, or the settings of a run ("same but with …")."""

from dataclasses import dataclass

from app import services
from app.formats import plain, short
from csro_core.errors import NotFoundError
from csro_core.games.base import GameSpec
from csro_core.store.records import PolicyText, RunRecord, RunSettings

_USUAL_ITERATIONS, _MOST_ITERATIONS = 8, 1000
_MOST_ATTEMPTS, _MOST_EPISODES = 200, 1000
_USUAL = RunSettings(GameSpec("repeated_rps"))
_POLICY, _REFERENCE = "policy:", "reference:"


@dataclass(frozen=True)
class Start:
    """What the form begins with.

    Attributes:
        settings: those of the run, or the usual ones.
        run: the run, None where there is none.
    """

    settings: RunSettings = _USUAL
    run: RunRecord | None = None

    @property
    def game(self) -> GameSpec | None:
        """The game of the run, None where there is no run."""
        return self.settings.game if self.run else None

    @property
    def said(self) -> str:
        """A sentence about it as Markdown, "" where there is no run."""
        if self.run is None:
            return ""
        kept = []
        if self.settings.admit == "always":
            kept.append("every finalist is admitted")
        if self.settings.refine_all:
            kept.append(f"{self.settings.oracle} spends all its attempts")
        words = f" Kept from there, without a field here: {' and '.join(kept)}." if kept else ""
        return f"Filled in with the settings of “{plain(short(self.run.name, 60))}”.{plain(words)}"

    @property
    def iterations(self) -> int:
        """Iterations wanted."""
        return _USUAL_ITERATIONS if self.run is None else min(max(self.run.target, 1), _MOST_ITERATIONS)

    def attempts(self, oracle: str, usual: int) -> int:
        """Returns the attempts for an oracle whose usual number is given."""
        same = oracle == self.settings.oracle and self.settings.attempts
        return min(self.settings.attempts, _MOST_ATTEMPTS) if same else usual

    def episodes(self, game: GameSpec, usual: int) -> int:
        """Returns the episodes of a cell for a game whose usual number is given."""
        return min(self.settings.episodes, _MOST_EPISODES) if game == self.game else usual

    def initial(self, game: GameSpec) -> list[str] | None:
        """Returns the initial policies of the run, references by their plain names; None for the usual ones."""
        if game != self.game or not self.settings.initial:
            return None
        return [word.removeprefix(_REFERENCE) for word in self.settings.initial]


def of_run(run: str) -> Start:
    """Returns what the form begins with for a run; the usual where `run` is "" or it is gone."""
    if not run:
        return Start()
    try:
        record = services.store().run(run)
    except NotFoundError:
        return Start()
    return Start(record.settings, record)


def is_text(word: str) -> bool:
    """Returns whether an initial policy is named by the hash of its text."""
    return word.startswith(_POLICY)


def policy_title(word: str) -> str:
    """Returns what an initial policy is called: a reference by its name, a text by its name or its hash."""
    if not is_text(word):
        return word
    digits, _, name = word.removeprefix(_POLICY).partition(":")
    return f"{name or 'text'} ({digits[:8]})"


def texts(initial: tuple[str, ...], start: Start) -> tuple[PolicyText, ...]:
    """Returns the texts of initial policies that are named by their hash, as the run has them.

    Raises:
        NotFoundError: one is not in the store any more.
    """
    run = start.run.id if start.run else None
    hashes = [word.removeprefix(_POLICY).partition(":")[0] for word in initial if is_text(word)]
    return tuple(services.store().policy(digits, run) for digits in hashes)
