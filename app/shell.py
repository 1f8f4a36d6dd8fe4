"""The frame of every page: navigation on top, runs and their controls in the sidebar. What AppTest runs."""

import streamlit as st

from app import address, services
from app.code_view import stylesheet
from app.panels import controls, guide, import_archive, new_experiment, new_run, tour
from csro_core.errors import CsroError

st.set_page_config(page_title="CSRO", page_icon="🎲", layout="wide", initial_sidebar_state="expanded")
st.html(services.ASSETS / "style.css")
st.html(stylesheet())
address.restore()

PAGES = [
    st.Page(
        "views/run.py",
        title="Run",
        icon=":material/timeline:",
        default=True,
        help="Step the loop; watch payoffs, sigma and exploitability grow.",
    ),
    st.Page(
        "views/policies.py",
        title="Policies",
        icon=":material/code:",
        url_path="policies",
        help="Read every program, compare two, edit one and score the edit against the population.",
    ),
    st.Page(
        "views/metagame.py",
        title="Meta-game",
        icon=":material/grid_on:",
        url_path="metagame",
        help="The payoffs between policies: mixtures, best responses, cycles; also of a matrix of your own.",
    ),
    st.Page(
        "views/matches.py",
        title="Matches",
        icon=":material/compare_arrows:",
        url_path="matches",
        help="Two policies step by step: scores, moves and failures.",
    ),
    st.Page(
        "views/compare.py",
        title="Compare",
        icon=":material/balance:",
        url_path="compare",
        help="Oracle variants over seeds at equal cost, side by side; experiments.",
    ),
    st.Page(
        "views/benchmark.py",
        title="Benchmark",
        icon=":material/leaderboard:",
        url_path="benchmark",
        help="Policies of the run against a fixed population, beside published results.",
    ),
    st.Page(
        "views/calls.py",
        title="Model calls",
        icon=":material/forum:",
        url_path="calls",
        help="Every word that went to a model and came back, and what it cost.",
    ),
    st.Page(
        "views/runs.py",
        title="Runs",
        icon=":material/list:",
        url_path="runs",
        help="All runs: find, label, resume, repeat, compare, archive and delete them.",
    ),
]
page = st.navigation(PAGES, position="top")

try:
    controls.sidebar()
    guide.foot(PAGES)
    new_run.dialog_where_wanted()
    import_archive.dialog_where_wanted()
    new_experiment.dialog_where_wanted()
    tour.card(PAGES, page)
    page.run()
except CsroError as error:
    # A store that cannot be read, a run that was deleted meanwhile: one sentence instead of a traceback.
    st.error("This cannot be shown.", icon=":material/error:")
    st.text(str(error))
