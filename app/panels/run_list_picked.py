"""What can be done with the runs that are selected in the list."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import address, services
from app.formats import plain, safe, short
from app.panels import imported, model_choice, new_run
from app.panels.controls import STATUS
from app.panels.run_list_bin import ask_to_delete, each, labels
from csro_core.errors import UsageError
from csro_core.store.labels import MAX_NOTE, MAX_TAG, MAX_TAGS, checked_tags
from csro_core.store.records import RunRecord

RESUMABLE = frozenset({"interrupted", "failed", "stopped", "needs-key"})

_COMPARE = Path(__file__).resolve().parent.parent / "views" / "compare.py"


def one(run: RunRecord, all_tags: list[str]) -> None:
    """Draws the panel of one run.

    Args:
        run: the run.
        all_tags: tags of any run, to choose from.
    """
    colour, word = STATUS[run.status]
    facts = (f"<code>{run.id}</code>", safe(run.message)) if run.message else (f"<code>{run.id}</code>",)
    spans = "".join(f'<span class="fact">{fact}</span>' for fact in facts)
    st.html(
        f'<div class="csro-head"><span class="title">{safe(short(run.name, 80))}</span>'
        f'<span class="csro-chip {colour}">{word}</span>{imported.chip(run)}{spans}</div>'
    )
    _buttons(run)
    _labels(run, all_tags)


def _buttons(run: RunRecord) -> None:
    with st.container(horizontal=True, gap="small"):
        if st.button("Open", type="primary", key="runs_open", icon=":material/open_in_new:"):
            address.open_run(run.id)
            address.go("views/run.py")
        target = max(run.target, run.iteration + 1)
        if run.status in RESUMABLE and st.button(
            "Resume", key="runs_resume", icon=":material/play_arrow:", disabled=services.is_active(run.id),
            help=f"Goes on from the last finished iteration, to iteration {target}.",
        ):  # fmt: skip
            services.ask(run.id, "run", {"iterations": target})
            address.open_run(run.id)
            st.rerun()
        if st.button(
            "Same but with …", key="runs_same", icon=":material/content_copy:",
            help="The form for a new run, filled in with the settings and the initial population of this one.",
        ):  # fmt: skip
            new_run.want_like(run.id)
            st.rerun()
        _archive_button([run])
        if st.button("Delete", key="runs_delete", icon=":material/delete:"):
            ask_to_delete([run])
    if run.status in RESUMABLE:
        try:
            model_choice.key_field(run.settings.model, f"list-{run.id}")
        except UsageError as error:
            st.error(plain(str(error)), icon=":material/error:")


def _archive_button(runs: Sequence[RunRecord]) -> None:
    into = not all(run.archived for run in runs)
    if st.button(
        "Archive" if into else "Take out of the archive", key="runs_archive",
        icon=":material/archive:" if into else ":material/unarchive:",
        help="Archived runs stay whole; lists show them only where that is wanted.",
    ):  # fmt: skip
        table = labels()
        each([run.id for run in runs], lambda run: table.archive(run, into))
        st.rerun()


def _labels(run: RunRecord, all_tags: list[str]) -> None:
    """Draws name, tags and note, to be changed."""
    # What somebody else has saved meanwhile makes the fields new.
    version = f"{run.id}-{hash((run.name, run.tags, run.note))}"
    with st.form(f"runs_labels-{version}", border=False):
        left, right = st.columns(2, gap="medium")
        name = left.text_input("Name", value=run.name, key=f"runs_name-{version}", max_chars=100)
        tags = left.multiselect(
            "Tags", list(dict.fromkeys([*run.tags, *all_tags])), default=list(run.tags), key=f"runs_tags-{version}",
            accept_new_options=True, max_selections=MAX_TAGS, placeholder="none: choose or type one",
            format_func=lambda tag: short(str(tag), MAX_TAG),
        )  # fmt: skip
        note = right.text_area("Note", value=run.note, key=f"runs_note-{version}", max_chars=MAX_NOTE, height=122)
        if not st.form_submit_button("Save", key="runs_save", icon=":material/save:"):
            return
    table = labels()

    def save(which: str) -> None:
        # Everything is looked at before anything is kept.
        chosen = checked_tags(str(tag) for tag in tags)
        table.rename(which, name)
        table.set_tags(which, chosen)
        table.set_note(which, note)

    each([run.id], save)
    st.rerun()


def several(runs: Sequence[RunRecord]) -> None:
    """Draws the panel of two or more runs."""
    names = ", ".join(plain(short(run.name, 30)) for run in runs[:8]) + (", …" if len(runs) > 8 else "")
    st.markdown(f"**{len(runs)} runs:** {names}")
    ids = [run.id for run in runs]
    with st.container(horizontal=True, gap="small"):
        if _COMPARE.exists() and st.button(
            "Compare", type="primary", key="runs_compare", icon=":material/stacked_line_chart:"
        ):
            address.put(runs=".".join(ids), compared="runs", experiment=None, baseline=None, budget=None)
            address.go("views/compare.py")
        _archive_button(runs)
        if st.button("Delete", key="runs_delete", icon=":material/delete:"):
            ask_to_delete(runs)
    field, button = st.columns([0.3, 0.7], vertical_alignment="bottom")
    tag = field.text_input("Tag", key="runs_new_tag", max_chars=MAX_TAG, placeholder="a tag for all of them")
    if button.button("Add the tag", key="runs_add_tag", icon=":material/label:", disabled=not tag.strip()):
        table, known = labels(), {run.id: run.tags for run in runs}
        each(ids, lambda run: table.set_tags(run, [*known[run], tag]))
        st.rerun()
