"""What has to stand beside a score of a benchmark: who knew its opponents when the policy was written."""

from collections.abc import Sequence

from csro_core.evaluation.benchmark import INFORMED_NOTE, TUNED_NOTE, says_tuned
from csro_core.policies.source import sha256
from csro_core.store import Store


def benchmark_note(store: Store, texts: Sequence[str]) -> str:
    """Returns what has to stand beside the score of a policy or a mixture, "" for nothing.

    A policy is informed by the opponents where the synthesiser wrote it, in any run of the store, or a person made it
    from such a text; it is tuned on them where its own text says so.

    Args:
        store: where the runs are.
        texts: the policies that were scored.
    """
    models = {model.partition(":")[0] for text in texts for model in store.models_behind(sha256(text))}
    informed = INFORMED_NOTE if "synthesiser" in models else ""
    tuned = TUNED_NOTE if any(says_tuned(text) for text in texts) else ""
    return f"{informed} {tuned}".strip()
