"""The mark of runs that came with a file: nobody here saw their matches."""

from collections.abc import Sequence

import streamlit as st

from app import services
from app.formats import plain, safe, short
from csro_core.store.records import RunRecord

TIP = "It came with a file. Payoffs, verdicts and scores are as the file tells them: they were not played here."
_MOST_NAMED = 5


def chip(run: RunRecord) -> str:
    """Returns the mark as HTML, "" for a run of here."""
    return f'<span class="csro-chip gray" title="{safe(TIP)}">imported</span>' if run.imported else ""


def words(run: RunRecord) -> str:
    """Returns the mark as a piece of a line, "" for a run of here."""
    return " · imported" if run.imported else ""


def line(run: RunRecord) -> None:
    """Draws the mark as a line of its own, for pages without the header of the run; nothing for a run of here."""
    if run.imported:
        st.html(f'<div class="csro-note csro-imported">{chip(run)} {safe(short(run.name, 60))}: {safe(TIP)}</div>')


def of_runs(ids: Sequence[str]) -> None:
    """Says which of some runs came with a file; nothing where none did."""
    names = [short(run.name, 40) for run in services.store().runs() if run.id in ids and run.imported]
    if not names:
        return
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    st.caption(plain(f"imported: {', '.join(names[:_MOST_NAMED])}{more}. Their payoffs are as the file tells them."))
