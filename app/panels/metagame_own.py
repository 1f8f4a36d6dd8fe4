"""The form for a matrix of one's own, and its solution."""

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.uploaded_file_manager import UploadedFile

from app import address, metagame_data, own_matrix
from app.formats import plain, short
from app.metagame_data import Shown
from app.own_matrix import OwnMatrix, Populations, Texts
from app.panels.metagame_pictures import by_picture
from csro_core.analysis.pictures import MatrixGame
from csro_core.errors import UsageError
from csro_core.evaluation.matrix_examples import EXAMPLES
from csro_core.meta_solvers import META_SOLVERS, make_meta_solver
from csro_core.meta_solvers.base import Solution

SOLVED_AT_ONCE = 120
"""Up to so many policies a player a matrix is solved by the page itself; larger ones by a process of their own."""

_POPULATIONS: dict[Populations, str] = {
    "auto": "as the matrix says",
    "one": "one: (A − Aᵀ) / 2",
    "two": "two",
}
_FIELDS = (
    ("row", "Payoffs to the row player", "0, -1, 1\n1, 0, -1\n-1, 1, 0"),
    ("column", "Payoffs to the column player", "empty: zero-sum"),
    ("stderr", "Standard errors", "empty: the payoffs are exact"),
)
_LONGEST_ERROR = 600


def opened() -> Shown | None:
    """Draws what is needed until a matrix is there and solved; returns it then."""
    token = address.get("matrix")
    own = own_matrix.find(token) if token else None
    if token and own is None:
        st.info(
            "This server does not have the matrix of this link any more: matrices are kept in its memory only. "
            "Paste it again.", icon=":material/info:",
        )  # fmt: skip
    title = "Bring your own matrix" if own is None else f"The matrix: {plain(short(own.title, 60))}"
    with st.expander(title, expanded=own is None, icon=":material/upload:"):
        _form()
    if own is not None and own.note:
        st.caption(plain(own.note))
    return None if own is None else _shown(own)


def choose_own() -> None:
    """Makes the page show a matrix of one's own from now on."""
    address.put(source="own")


def _form() -> None:
    st.caption(
        "One row a line, values separated by commas, semicolons or tabs, with or without names in the first line and "
        "column. A single matrix is a zero-sum game; a square one that is its own negative mirror image is one "
        "population that plays against itself."
    )
    for name, example in EXAMPLES.items():
        if st.button(
            f"Example: {plain(example.title)}", key=f"own_example_{name}", icon=":material/grid_on:", help=example.note
        ):
            _open(own_matrix.EXAMPLE + name)
    with st.form("own_form", border=False):
        fields = [
            _field(place, *about) for place, about in zip(st.columns(3, gap="medium"), _FIELDS, strict=True)
        ]
        called, unit, populations = st.columns(3, gap="medium")
        title = called.text_input("Name", key="own_title", max_chars=80, placeholder="my matrix")
        measured = unit.text_input("Unit of a payoff", key="own_unit", max_chars=60, placeholder="points a game")
        kind = populations.selectbox(
            "Populations", list(_POPULATIONS), key="own_populations", format_func=lambda one: _POPULATIONS[one],
            help="One population makes the matrix antisymmetric, which most pictures of the page need.",
        )  # fmt: skip
        pressed = st.form_submit_button("Use this matrix", type="primary", icon=":material/check:", key="own_use")
    if not pressed:
        return
    try:
        texts = Texts(*(text if file is None else _decoded(file.getvalue(), file.name) for text, file in fields))
        game = own_matrix.read_game(texts, measured, kind)
    except (UsageError, ValueError) as error:
        st.error(plain(short(str(error), _LONGEST_ERROR)), icon=":material/error:")
        return
    file = fields[0][1]
    _open(own_matrix.keep(game, title.strip() or (file.name if file is not None else "my matrix")).token)


def _field(place: DeltaGenerator, key: str, label: str, hint: str) -> tuple[str, UploadedFile | None]:
    """Draws the two ways to give a matrix; returns what was given."""
    text = place.text_area(f"{label} (CSV)", key=f"own_{key}", height=150, placeholder=hint)
    file = place.file_uploader(
        f"{label}: a file instead", key=f"own_{key}_file", type=["csv", "tsv", "txt"], max_upload_size=own_matrix.MAX_MB
    )
    return text, file


def _decoded(data: bytes, name: str) -> str:
    """Returns the text of a file.

    Raises:
        UsageError: it is not text.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{name}: a matrix is a text file in UTF-8, and this is something else") from error


def _open(token: str) -> None:
    address.put(source="own", matrix=token)
    st.rerun()


def _shown(own: OwnMatrix) -> Shown | None:
    solver = _solver()
    try:
        solution = _solution(own.game, solver)
    except (ValueError, UsageError) as error:
        said = f"{solver} cannot solve this matrix: {error}. Choose another solver."
        st.error(plain(short(said, _LONGEST_ERROR)), icon=":material/error:")
        return None
    return None if solution is None else metagame_data.of_matrix(own.game, own.title, solver, solution)


def _solver() -> str:
    names = list(META_SOLVERS)
    wanted = address.get("solver")
    st.session_state["own_solver"] = wanted if wanted in names else names[0]
    chosen = st.selectbox(
        "Meta-solver for sigma", names, key="own_solver", width=280,
        on_change=lambda: address.put(solver=st.session_state["own_solver"]),
        help=make_meta_solver(st.session_state["own_solver"]).explanation,
    )  # fmt: skip
    return str(chosen)


def _solution(game: MatrixGame, solver: str) -> Solution | None:
    """Returns sigma; None while it is computed, and the page shows how far it is.

    Raises:
        ValueError: the solver does not handle this matrix.
    """
    if max(game.sizes) <= SOLVED_AT_ONCE:
        return _solved(game.key, solver, game)
    document = by_picture("solvers", game, {"solvers": [solver]}).document
    if document is None:
        return None
    row = next((row for row in document["rows"] if row["solver"] == solver), None)
    if row is None or not row["sigma"]:
        raise ValueError(row["error"] if row else "it gave no answer")
    first, last = row["sigma"][0], row["sigma"][-1]
    sigma = (np.array(first, dtype=np.float64), np.array(last, dtype=np.float64))
    return Solution(sigma, float(row["value"]), float(row["nash_conv"]), 0.0, str(row["note"]))


@st.cache_resource(max_entries=64, show_spinner="Solving …")
def _solved(key: str, solver: str, _game: MatrixGame) -> Solution:
    """Solves a matrix once; `key` and `solver` are there for the cache."""
    return make_meta_solver(solver).solve(_game.payoffs, _game.stderr, _game.symmetric)
