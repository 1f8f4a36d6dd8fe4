"""`add`: adds a hand-written policy to the population of a run, and says what it earns and what sigma becomes."""

import argparse
import time

from csro_core.cli.arguments import chosen_store
from csro_core.cli.output import emit, table
from csro_core.cli.targets import read_policy
from csro_core.errors import CsroError, LeaseError
from csro_core.games import make_game
from csro_core.matches.local_pool import LocalPool
from csro_core.runner import Runner
from csro_core.store import Store
from csro_core.store.records import RequestRecord
from csro_core.store.runs import LEASE_SECONDS

NAME = "add"
HELP = "add a policy to the population of a run"

WAIT_SECONDS = 600.0


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the run, the policy and whose it is."""
    parser.add_argument("run", metavar="RUN", help="an id (or its first 4 or more characters) or a name; see `runs`")
    parser.add_argument("file", metavar="FILE", help="a path, reference:NAME or policy:HASH")
    parser.add_argument("--player", metavar="P", type=int, choices=(0, 1), default=0, help="whose policy (default: 0)")
    parser.add_argument("--name", metavar="TEXT", default="", help="a name for people")


def execute(args: argparse.Namespace) -> int:
    """Returns 0 where the policy was added; prints its payoffs and the new sigma.

    Raises:
        CsroError: it was refused, or nobody served the request in time.
    """
    store = chosen_store(args, create=False)
    try:
        run = store.run(args.run)
        text = read_policy(args.file, store)
        payload = {"text": text, "player": args.player, "parent": "", "name": args.name}
        record = ask(store, run.id, store.add_request(run.id, "add", payload))
    finally:
        store.close()
    if record.state == "failed":
        raise CsroError(str(record.result.get("message", "the request failed")))
    keys = ("index", "hash", "payoffs", "versus_sigma", "sigma_if_added")
    document = {key: record.result[key] for key in keys}
    rows = [(row["opponent"], row["mean"], 1.96 * row["stderr"], row["episodes"]) for row in record.result["payoffs"]]
    sums = f"policy {document['index']} ({record.result['name']}); sigma is now {document['sigma_if_added']}"
    emit(args, document, table(("opponent", "mean", "± (95 %)", "episodes"), rows) + f"\n{sums}")
    return 0


def _is_held(store: Store, run: str) -> bool:
    holder = store.lease_holder(run)
    return holder is not None and holder[1] < LEASE_SECONDS


def ask(store: Store, run: str, request: int) -> RequestRecord:
    """Waits for the answer to a request; serves it here where nobody holds the lease.

    Args:
        store: where the run is.
        run: its full id.
        request: number of the request.

    Returns:
        The answered request.

    Raises:
        CsroError: nobody answered in time.
    """
    end = time.monotonic() + WAIT_SECONDS
    while (record := store.request(request)).state not in ("done", "failed"):
        if time.monotonic() > end:
            raise CsroError(f"the holder of the run must answer within {WAIT_SECONDS:g} s, and it has not")
        if not _is_held(store, run):
            pool = LocalPool(make_game)
            try:
                Runner(store, run, pool).serve(linger=0.5)
            except LeaseError:
                pass  # somebody else was faster, and will answer
            finally:
                pool.close()
        time.sleep(0.1)
    return record
