"""Who writes the policies of a run: its model, opened with the credentials at hand, and booked within its budget."""

from collections.abc import Iterator
from contextlib import contextmanager

from csro_core.errors import ModelError
from csro_core.models import ModelTools, key_for, make_model
from csro_core.models.names import parse_name
from csro_core.models.prices import default_gemini
from csro_core.oracles.prompt import prompt_version, render
from csro_core.runner.budget import Budget, Spent
from csro_core.runner.calls import BookedModel, Ledger, Listener
from csro_core.runner.keys import Credentials
from csro_core.runner.rates import rate_of
from csro_core.seeds import Secret
from csro_core.store import Lease, Store
from csro_core.store.records import Caps, RunSettings

SAMPLES = 512
"""Attempts of an iteration that calls are told apart by, at least."""


NEEDS_KEY = (
    "the model needs an API key, and this process was given none: enter it in the field for it and go on, or set "
    "GEMINI_API_KEY and resume"
)


def full_name(store: Store, model: str) -> str:
    """Returns the name of a model as settings hold it: "gemini" with its model, a recording with the id of its run.

    Args:
        store: where recordings are.
        model: as a person wrote it.

    Raises:
        UsageError: there is no such model, or no such run.
    """
    name = parse_name(model, default_gemini())
    return f"recorded:{store.run(name.model).id}" if name.kind == "recorded" else str(name)


class Writer:
    """The model of one run."""

    def __init__(
        self, store: Store, lease: Lease, run: tuple[RunSettings, Secret], listener: Listener, credentials: Credentials
    ) -> None:
        """Opens the model; a missing key is noticed by the first call only.

        Args:
            store: where recordings are.
            lease: of the run.
            run: its settings, and the outward branch of its secret: the model's server gets seeds from there.
            listener: hears of calls.
            credentials: keys.

        Raises:
            UsageError: the model, or the run that it is recorded in, is unknown here.
        """
        self._lease = lease
        settings, self._outward = run
        self._settings = settings
        self._listener = listener
        self._name = parse_name(settings.model, default_gemini())
        self._kind = self._name.kind
        self._tools = ModelTools(
            render=render,
            prompt_version=prompt_version(),
            key=credentials.key,
            answers=lambda run: store.answers(store.run(run).id),
            environment=credentials.environment,
        )
        self._model = make_model(settings.model, self._tools)
        spent = Spent.on(store.calls(lease.run), store.run(lease.run).seconds)
        self._budget = Budget(settings.caps, spent, lease.event)

    @property
    def lacks_key(self) -> bool:
        """True where the model needs a key and nobody has given one."""
        return self._kind == "gemini" and key_for(self._name, self._tools) is None

    def book(self, iteration: int, attempts: int) -> BookedModel:
        """Returns the model for one iteration.

        Args:
            iteration: its number.
            attempts: budget of attempts.
        """
        ledger = Ledger(
            lease=self._lease,
            budget=self._budget,
            listener=self._listener,
            render=None if self._kind == "synthesiser" else render,
            rate=rate_of(self._settings.model),
            instant=self._kind in {"synthesiser", "recorded"},
        )
        samples = [self._outward.derive("sample", iteration, attempt) for attempt in range(attempts + SAMPLES)]
        return BookedModel(self._model, ledger, iteration, samples, attempts)

    def change_caps(self, caps: Caps) -> None:
        """Sets other caps, here and in the run's settings."""
        self._lease.set_caps(caps)
        self._budget.change(caps)

    @contextmanager
    def iteration(self) -> Iterator[None]:
        """Counts the time of an iteration.

        Raises:
            ModelError: there is no key for the model, or the budget is used up.
        """
        if self.lacks_key:
            raise ModelError("needs-key", NEEDS_KEY)
        self._budget.begin()
        try:
            yield
        finally:
            self._budget.end()
