"""`add`: adds a hand-written policy to the population of a run, and says what it earns and what sigma becomes."""

import argparse
import time
from contextlib import suppress

from csro_core.cli.arguments import add_cluster, chosen_store
from csro_core.cli.output import emit, table
from csro_core.cli.targets import read_policy
from csro_core.cli.work import match_pool
from csro_core.errors import CsroError, LeaseError, UsageError
from csro_core.games import make_game
from csro_core.runner import Runner
from csro_core.store import Store
from csro_core.store.records import RequestRecord
from csro_core.store.runs import checked_name

NAME = "add"
HELP = "add a policy to the population of a run"

WAIT_SECONDS = 600.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run, the policy and whose it is."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument("file", metavar="FILE", help="a path, reference:NAME, policy:HASH or cfr:ITERATIONS")
    parser.add_argument("--player", metavar="P", type=int, choices=(0, 1), default=0, help="whose policy (default: 0)")
    parser.add_argument("--name", metavar="TEXT", default="", help="a name for people")
    add_cluster(parser, remembered=True)


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the policy was added; prints its payoffs and the new sigma.

    Raises:
        UsageError: there is no such run, policy or population.
        CsroError: it was refused, or nobody served the request in time.
    """
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        if args.player == 1 and make_game(run.settings.game).symmetric:
            raise UsageError(f"--player must be 0: one population serves both seats of {run.settings.game.name}, got 1")
        name = checked_name(args.name) if args.name else ""
        text = read_policy(args.file, store, run.settings.game)
        payload = {"text": text, "player": args.player, "parent": "", "name": name}
        cluster = run.settings.cluster if args.cluster is None else args.cluster
        record = ask(store, run.id, store.add_request(run.id, "add", payload), cluster)
    finally:
        store.close()
    if record.state == "failed":
        raise CsroError(str(record.result.get("message", "the request failed")))
    keys = ("index", "hash", "payoffs", "versus_sigma", "sigma_if_added")
    document = {key: record.result[key] for key in keys}
    # A payoff is unknown (null) against an opponent that forfeited every episode.
    rows = [
        (row["opponent"], row["mean"], None if row["stderr"] is None else 1.96 * row["stderr"], row["episodes"])
        for row in record.result["payoffs"]
    ]
    sigma = "; ".join(" ".join(f"{share:.3f}" for share in shares) for shares in document["sigma_if_added"])
    sums = f"policy {document['index']} ({record.result['name']}); sigma is now {sigma}"
    emit(args, document, table(("opponent", "mean", "± (95 %)", "episodes"), rows) + f"\n{sums}")
    return 0


def ask(store: Store, run: str, request: int, cluster: str = "") -> RequestRecord:
    """Waits for the answer to a request; serves it here where nobody holds the lease.

    Requests to step or to run that somebody has left behind are not served here.

    Args:
        store: where the run is.
        run: its full id.
        request: number of the request.
        cluster: where it is played when it is served here: address of a scheduler, "" for this machine.

    Returns:
        The answered request.

    Raises:
        CsroError: nobody answered in time.
    """
    end = time.monotonic() + WAIT_SECONDS
    while (record := store.request(request)).state not in ("done", "failed"):
        if time.monotonic() > end:
            raise CsroError(f"the holder of the run must answer within {WAIT_SECONDS:g} s, and it has not")
        if not store.is_held(run):
            with match_pool(cluster) as pool, suppress(LeaseError):  # where somebody else was faster, he will answer
                Runner(store, run, pool).serve(0.5, ("check", "score", "add", "stop"))
        time.sleep(0.1)
    return record
