"""The pictures of a meta-game that are computed on demand: chosen, begun, watched, cancelled, drawn."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from app import address, metagame_csv, pictures
from app.formats import plain, short
from app.metagame_data import Shown
from app.panels import metagame_cards
from app.panels.metagame_board import DOMINATED
from app.panels.metagame_figure import foot, heading
from csro_core.analysis.pictures import PICTURES, MatrixGame
from csro_core.errors import CsroError

POLL_SECONDS = 0.5
_UNDER_WAY = frozenset({"waiting", "working"})
_WIDE = frozenset({"solvers", "decomposition", "alpha-rank"})
_KEY = "pictures"
_LONGEST_MESSAGE = 600
_TROUBLE = "picture_trouble_"
"""With the name of a picture: why it could not be begun, until its card has said so."""

Params = Mapping[str, Any]


def chosen() -> list[str]:
    """Returns the pictures that the address names, in the order of the page."""
    named = set(address.get(_KEY).split("."))
    return [name for name in PICTURES if name in named]


def dominated(shown: Shown) -> dict[int, str]:
    """Returns the marks of dominated row policies, as far as they have been computed."""
    if "dominance" not in chosen():
        return {}
    document = pictures.picture("dominance", shown.game, {}).document
    return {} if document is None else {int(found["policy"]): DOMINATED for found in document["players"][0]}


def panel(shown: Shown) -> None:
    """Draws the choice of pictures and a card for each that is chosen."""
    st.html('<p class="csro-panel-title">More pictures <small>computed when they are chosen, and kept</small></p>')
    st.session_state[_KEY] = chosen()
    st.pills(
        "Pictures", list(PICTURES), key=_KEY, selection_mode="multi", label_visibility="collapsed",
        format_func=lambda name: PICTURES[name].title if name in PICTURES else name,
        on_change=_follow, args=(shown,),
    )  # fmt: skip
    for row in rows_of(chosen()):
        _card_row(row, shown)


def rows_of(names: list[str]) -> list[list[str]]:
    """Returns the pictures row by row: a wide one alone, the others in pairs, the order kept as far as that goes."""
    rows: list[list[str]] = []
    pair: list[str] = []
    for name in names:
        if name in _WIDE:
            rows.append([name])
            continue
        pair.append(name)
        if len(pair) == 2:
            rows.append(pair)
            pair = []
    return [*rows, pair] if pair else rows


def _follow(shown: Shown) -> None:
    """Keeps the choice in the address, and begins what was just chosen."""
    before, now = set(chosen()), list(st.session_state[_KEY])
    address.put(**{_KEY: ".".join(now) or None})
    for name in now:
        if name not in before:
            _begin(name, shown.game, metagame_cards.params(name, shown))


def _begin(name: str, game: MatrixGame, params: Params) -> None:
    """Begins a picture that is neither there nor under way; its card says where that is not possible.

    Called by callbacks, which run outside of the page's own net.
    """
    st.session_state.pop(_TROUBLE + name, None)
    try:
        if pictures.picture(name, game, params).state in {"absent", "failed", "cancelled"}:
            pictures.start(name, game, params)
    except CsroError as error:
        st.session_state[_TROUBLE + name] = str(error)


def by_picture(name: str, game: MatrixGame, params: Params) -> pictures.PictureState:
    """Begins a picture that is not there, shows how far it is, and returns it; for what a page cannot do without."""
    if pictures.picture(name, game, params).state == "absent":
        pictures.start(name, game, params)
    state = pictures.picture(name, game, params)
    if state.state in _UNDER_WAY:
        _watch(name, game, params)
    elif state.state != "done":
        _offer(name, game, params, state)
    return state


def _card_row(names: list[str], shown: Shown) -> None:
    if names[0] in _WIDE:
        with st.container(border=True):
            _card(names[0], shown)
        return
    for place, name in zip(st.columns(2, gap="medium"), names, strict=False):
        with place, st.container(border=True, height="stretch"):
            _card(name, shown)


def _card(name: str, shown: Shown) -> None:
    about = PICTURES[name]
    heading(about.title, about.how_to_read)
    refusal = about.refusal(shown.game)
    if refusal:
        st.info(plain(refusal), icon=":material/block:")
        return
    params = metagame_cards.choose(name, shown)
    try:
        state = pictures.picture(name, shown.game, params)
    except CsroError as error:
        st.error(plain(short(str(error), _LONGEST_MESSAGE)), icon=":material/error:")
        return
    if state.state == "done" and state.document is not None:
        charts = metagame_cards.draw(name, state.document, shown, params)
        document = state.document
        foot(charts, lambda: metagame_csv.document_csv(name, document, shown, params), shown.title, name)
    elif state.state in _UNDER_WAY:
        _watch(name, shown.game, params)
    elif state.state == "refused":
        st.info(plain(state.message), icon=":material/block:")
    else:
        _offer(name, shown.game, params, state)


def _offer(name: str, game: MatrixGame, params: Params, state: pictures.PictureState) -> None:
    trouble = st.session_state.pop(_TROUBLE + name, "")
    if trouble or state.state == "failed":
        message = trouble or state.message or "It failed without a reason."
        st.error(plain(short(message, _LONGEST_MESSAGE)), icon=":material/error:")
    elif state.state == "cancelled":
        st.caption("It was cancelled.")
    word = "Compute" if state.state == "absent" else "Compute again"
    if st.button(word, key=f"compute_{name}", type="primary", icon=":material/calculate:"):
        _begin(name, game, params)
        st.rerun()


def _watch(name: str, game: MatrixGame, params: Params) -> None:
    """Shows how far a picture is until it is there, and draws the page anew then."""

    def poll() -> None:
        try:
            look()
        except CsroError as error:
            # A fragment runs outside of the page's own net: say it here, and look again at the next beat.
            st.warning(plain(str(error)), icon=":material/error:")

    def look() -> None:
        state = pictures.picture(name, game, params)
        if state.state not in _UNDER_WAY:
            st.rerun()
        share = min(1.0, state.done / state.total) if state.total > 0 else 0.0
        words = "Starting …" if state.state == "waiting" else f"Computing … {100 * share:.0f} %"
        st.progress(share, text=words.replace(" %", "\u00a0%"))
        if st.button("Cancel", key=f"cancel_{name}", icon=":material/close:"):
            pictures.cancel(name, game, params)
            st.rerun()

    st.fragment(poll, run_every=POLL_SECONDS)()
