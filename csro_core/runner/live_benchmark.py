"""What sigma scores against a benchmark after every iteration of a run that asks for it.

The scores decide nothing: no policy meets an evaluation population in training. They are kept in the solution's row
(`SolutionRecord.extra["benchmark"]`), so that a page draws a curve and an export holds it.
"""

from collections.abc import Sequence
from typing import Any

from csro_core.evaluation.benchmark import Mixture, Scoreboard, benchmark_named
from csro_core.evaluation.documents import benchmark_document
from csro_core.matches.jobs import MatchExecutor
from csro_core.progress import Monitor
from csro_core.runner.telling import local_pool
from csro_core.seeds import Secret

KEPT = (
    "benchmark", "episodes", "pop_return", "pop_return_stderr", "pop_expl", "pop_expl_stderr", "agg_score",
    "agg_score_stderr", "nemesis", "policies", "left_out", "forfeits",
)  # fmt: skip
"""What of a score's document stays in a solution's row."""


class LiveBenchmark:
    """Scores mixtures of one run; a policy that was played once is not played again."""

    def __init__(self, name: str, secret: Secret, executor: MatchExecutor, monitor: Monitor) -> None:
        """Takes what plays; nothing is played yet.

        Args:
            name: of the benchmark.
            secret: of the run: all of its iterations meet the same episodes.
            executor: plays the run's matches; the benchmark is played on this machine.
            monitor: hears how far it is.

        Raises:
            UsageError: there is no such benchmark, or this system lacks its opponents.
        """
        benchmark = benchmark_named(name)
        benchmark.opponents()
        self._board = Scoreboard(benchmark, benchmark.episodes, secret.scores)
        self._executor = executor
        self._monitor = monitor

    def of(self, sources: Sequence[str], sigma: Sequence[float]) -> dict[str, Any]:
        """Returns what a mixture scores, as JSON data (`KEPT`).

        Args:
            sources: the policies.
            sigma: their shares.

        Raises:
            UsageError: this system lacks the opponents.
            Cancelled: the run was stopped.
        """
        mixture = Mixture.without_negligible(sources, sigma)
        self._monitor.stage("solve", f"sigma against {self._board.benchmark.title}")
        with local_pool(self._executor, self._monitor.bar) as pool:
            (result,) = self._board.scores([mixture], pool)
        document = benchmark_document(self._board.benchmark, result, mixture, self._board.episodes, "")
        return {name: document[name] for name in KEPT}
