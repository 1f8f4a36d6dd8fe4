"""The runs of `reproduce` and their scores: made where they are missing, taken as they are where they are there."""

import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from statistics import median

from csro_core import __version__
from csro_core.cli.evaluate import entrant_of, scores
from csro_core.cli.named_runs import finish, named_run
from csro_core.cli.reproduction_report import Row
from csro_core.cli.run import PRESETS
from csro_core.errors import UsageError
from csro_core.evaluation.benchmark import Benchmark, Mixture
from csro_core.evaluation.benchmark_scores import BenchmarkResult
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.policies.library import default_initial, reference_text
from csro_core.runner import Runner
from csro_core.runner.keys import Credentials
from csro_core.seeds import Seed
from csro_core.store import Store
from csro_core.store.defaults import default_episodes
from csro_core.store.records import Caps, RunSettings

ENTRANTS = ("mixture", "champion")
COMMAND = "reproduce"

_PACKAGES = ("numpy", "scipy", "open-spiel", "google-genai")


@dataclass(frozen=True)
class Plan:
    """What is reproduced, and how often.

    Attributes:
        seeds: where nothing else is asked for; as many as in the paper.
        episodes: a score rests on, against each opponent.
        fixed: reference policies whose scores are known, by the names they have in the report: a check of the scale.
    """

    seeds: int
    episodes: int
    fixed: tuple[tuple[str, str], ...]


PLANS: Mapping[str, Plan] = {
    "rrps": Plan(5, 20, ()),
    "leduc": Plan(3, 400, (("CFR+ (10,000 iterations)", "leduc_cfr_plus"), ("AlwaysRaise", "always_raise"))),
}
"""By the name of the benchmark."""


@dataclass(frozen=True)
class Wanted:
    """What is reproduced.

    Attributes:
        benchmark: scores the runs.
        model: of the runs, its full name.
        iterations: of each run.
        attempts: an iteration; 0 = the oracle's default.
        episodes: a score rests on, against each opponent.
        caps: of each run.
    """

    benchmark: Benchmark
    model: str
    iterations: int
    attempts: int
    episodes: int
    caps: Caps


class Reproduction:
    """Makes the rows of the report, one run after the other."""

    def __init__(
        self, wanted: Wanted, store: Store, pool: LocalPool, credentials: Credentials, known: Sequence[Row]
    ) -> None:
        """Takes what is wanted; nothing is played yet.

        Args:
            wanted: what is reproduced.
            store: where the runs are, or come to be.
            pool: plays matches.
            credentials: keys of the model.
            known: rows of an earlier report; they are not made again.
        """
        self._wanted = wanted
        self._store = store
        self._pool = pool
        self._credentials = credentials
        self._known = {(row.run, row.entrant, row.seed, row.iterations, row.episodes): row for row in known}

    def fixed_rows(self) -> list[Row]:
        """Returns the scores of the policies whose scores are known."""
        rows = []
        for name, reference in PLANS[self._wanted.benchmark.name].fixed:
            mixture = Mixture((reference_text(reference),), (1.0,))
            row = self._known.get(("", name, Seed("0"), 0, self._wanted.episodes))
            if row is None:
                (result,) = scores(self._wanted.benchmark, [mixture], self._wanted.episodes, Seed("0"), self._pool)
                nobody = RunSettings(self._wanted.benchmark.game, oracle="", model="", seed=Seed("0"))
                row = _row(nobody, ("", "", name), 0, result, (self._wanted.episodes, 0.0))
            rows.append(row)
        return rows

    def rows(self, oracle: str, preset: str, seed: Seed) -> Iterator[Row]:
        """Gives the rows of one run, which is worked on first where it is not finished.

        Raises:
            UsageError: a run of that name has other settings.
            CsroError: the run did not come to its end.
        """
        run = self._finished_run(oracle, preset, seed)
        iterations = self._wanted.iterations
        keys = {entrant: (run, entrant, seed, iterations, self._wanted.episodes) for entrant in ENTRANTS}
        if all(key in self._known for key in keys.values()):
            yield from (self._known[key] for key in keys.values())
            return
        mixtures = [entrant_of(self._store, run, entrant == "champion", self._wanted.benchmark) for entrant in ENTRANTS]
        results = scores(self._wanted.benchmark, mixtures, self._wanted.episodes, seed, self._pool)
        seconds = median(iteration.seconds for iteration in self._store.iterations(run))
        settings = self._store.run(run).settings
        for entrant, mixture, result in zip(ENTRANTS, mixtures, results, strict=True):
            row = _row(settings, (preset, run, entrant), iterations, result, (self._wanted.episodes, seconds))
            yield replace(row, left_out=mixture.left_out)

    def settings_rows(self) -> list[tuple[str, str]]:
        """Returns names and values of everything that decides the rows."""
        settings = self._settings("", "psro", Seed("0"))
        hidden = ("oracle", "seed", "seed_scheme", "target_mix", "initial", "cluster")
        shown = {name: value for name, value in asdict(settings).items() if name not in hidden}
        return [
            ("command", " ".join(["python -m csro_core", *sys.argv[1:]])),
            *((name, str(value)) for name, value in shown.items()),
            ("initial", ", ".join(default_initial(settings.game.name))),
            ("presets", "; ".join(f"{name}: m = {preset.target_mix:g}" for name, preset in PRESETS.items())),
            ("iterations", str(self._wanted.iterations)),
            ("episodes against each opponent", str(self._wanted.episodes)),
            ("isolation", str(self._pool.isolation)),
            ("csro_core", __version__),
            ("Python", platform.python_version()),
            *((name, _version(name)) for name in _PACKAGES),
            ("system", platform.platform()),
        ]

    def _finished_run(self, oracle: str, preset: str, seed: Seed) -> str:
        """Returns the id of the finished run; one of the same name and settings is not run again.

        Raises:
            UsageError: a run of that name has other settings.
            CsroError: the run did not come to its end.
        """
        parts = [preset, oracle, f"seed-{seed}"]
        if self._wanted.benchmark.name != "rrps":
            parts.insert(0, self._wanted.benchmark.name)
        if self._wanted.model != "synthesiser":
            parts.append(self._wanted.model)
        return self._run("-".join(parts), self._settings(oracle, preset, seed))

    def _settings(self, oracle: str, preset: str, seed: Seed) -> RunSettings:
        game = make_game(self._wanted.benchmark.game)
        return RunSettings(
            game.spec, oracle=oracle, model=self._wanted.model, seed=seed, target_mix=PRESETS[preset].target_mix,
            attempts=self._wanted.attempts, episodes=default_episodes(game), caps=self._wanted.caps,
        )  # fmt: skip

    def _run(self, name: str, settings: RunSettings) -> str:
        store, wanted = self._store, self._wanted.iterations
        run = named_run(store, name, settings, wanted, COMMAND)
        if store.run(run).iteration > wanted:
            raise UsageError(
                f"run {name} of the store must be one of `{COMMAND}` with these options: choose another --store"
            )
        finish(store, run, wanted, Runner(store, run, self._pool, self._credentials))
        return run


def _row(
    settings: RunSettings, names: tuple[str, str, str], iterations: int, result: BenchmarkResult,
    measured: tuple[int, float],
) -> Row:  # fmt: skip
    preset, run, entrant = names
    episodes, seconds = measured
    return Row(
        oracle=settings.oracle, model=settings.model, preset=preset, seed=settings.seed, entrant=entrant, run=run,
        iterations=iterations, episodes=episodes,
        pop_return=result.pop_return.mean, pop_return_stderr=result.pop_return.stderr,
        pop_expl=result.pop_expl.mean, pop_expl_stderr=result.pop_expl.stderr,
        pop_expl_split=result.pop_expl_split.mean,
        agg_score=result.agg_score.mean, agg_score_stderr=result.agg_score.stderr,
        agg_score_split=result.agg_score_split.mean,
        nemesis=result.nemesis, left_out=0.0, failures=len(result.failures), seconds=seconds,
    )  # fmt: skip


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
