"""Seeds as people type and see them."""

from app.formats import safe
from csro_core.errors import UsageError
from csro_core.seeds import Seed, checked_seed, short_seed
from csro_core.store.records import COMPUTABLE, RunSettings


def read_seed(typed: str) -> Seed:
    """Returns a seed as it is kept; "" where nothing is typed: it will be drawn.

    Raises:
        UsageError: it is neither a number nor the letters of a drawn seed.
    """
    try:
        return checked_seed(typed) if typed.strip() else Seed("")
    except ValueError as error:
        raise UsageError(str(error)) from error


def seed_facts(settings: RunSettings) -> list[tuple[str, str]]:
    """Returns the seed of a run as HTML with its tip, and a mark where its dice could be computed."""
    told = f"the seed, {settings.seed}: the same seed and settings give the same rows"
    facts = [(f"seed <b>{safe(short_seed(settings.seed))}</b>", told)]
    if settings.seed_scheme == 1:
        facts.append(('<span class="csro-chip orange">dice could be computed</span>', COMPUTABLE))
    return facts
