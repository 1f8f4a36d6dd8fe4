"""The choice of a model in the form for a new run, the field for a key, and the test of a connection."""

from collections.abc import Iterable

import streamlit as st

from app import services
from app.formats import model_title, plain
from csro_core.errors import ModelError, UsageError
from csro_core.models.names import is_loopback, usual_url
from csro_core.models.prices import default_gemini, gemini_models
from csro_core.runner.keys import checked_key

KINDS = {
    "synthesiser": "Writes programs from a grammar of ideas. Needs no key and no network, costs nothing.",
    "gemini": "A Gemini model of Google writes the programs. It needs an API key.",
    "openai": "Any server that speaks OpenAI's API: Ollama, llama.cpp, vLLM, LM Studio, OpenRouter.",
    "recorded": "The answers of a run in this store, without a key; game, oracle, settings and seed must be its own.",
}
"""Kind of model → one sentence."""

EQUILIBRIUM = "synthesiser:equilibrium"
_EQUILIBRIUM_SENTENCE = (
    "The same grammar, which may also write a table solved beforehand (CFR+) into a program; free, without a key."
)
_SOLVED_GAME = "repeated_leduc"

_TITLES = {"gemini": "Gemini", "openai": "OpenAI-compatible server", "recorded": "recorded answers"}
_LOCAL = "http://127.0.0.1:11434/v1"
_MOST_SHOWN = 12


def choose(game: str, like: str = "synthesiser") -> str:
    """Draws the choice.

    Args:
        game: name of the game; for repeated Leduc poker there is one kind more.
        like: name of the model that the fields start from.

    Returns:
        The name of the model as the command line has it.

    Raises:
        UsageError: what is filled in names no model.
    """
    kinds = {"synthesiser": KINDS["synthesiser"]}
    if game == _SOLVED_GAME:
        kinds[EQUILIBRIUM] = _EQUILIBRIUM_SENTENCE
    kinds |= KINDS
    if st.session_state.get("new_model") not in kinds:  # it was chosen for another game
        st.session_state.pop("new_model", None)
    first = like if like in kinds else like.partition(":")[0]
    place = list(kinds).index(first) if first in kinds else 0
    kind = st.selectbox("Model", list(kinds), index=place, format_func=_title, key="new_model")
    st.caption(kinds[kind])
    if kind in {"synthesiser", EQUILIBRIUM}:
        return kind
    if kind == "recorded":
        return _recording(like.removeprefix("recorded:"))
    name = _gemini(like) if kind == "gemini" else _openai(like)
    key_field(name, "new")
    _test_button(name)
    return name


def _title(kind: str) -> str:
    return _TITLES.get(kind, model_title(kind))


def key_fields(models: Iterable[str], place: str) -> None:
    """Draws one field for each provider whose key the models may need.

    Args:
        models: names of models.
        place: tells these fields from others.

    Raises:
        UsageError: a name has no known form.
    """
    for model in {services.key_slot(model): model for model in models}.values():
        key_field(model, place)


def key_field(model: str, place: str) -> None:
    """Draws a password field where a model may need a key that nobody has given yet.

    What is typed stays in the memory of this browser session and is handed to the process that owns a run once, on its
    standard input; it is in no file, no log, no address and no command line.

    Args:
        model: name of the model.
        place: tells this field from others.
    """
    slot = services.key_slot(model)
    if not slot or services.has_environment_key(model):
        return
    known = services.remembered_key(model) is not None
    # Where it goes is said, because a run may come from a stranger's file and name a stranger's server.
    typed = st.text_input(
        plain(f"API key for {'Google Gemini' if slot == 'gemini' else slot}"),
        type="password", key=f"key-{place}-{slot}", autocomplete="off",
        placeholder="remembered until this page is closed" if known else "kept in memory only",
        help="Kept in the memory of this session and given to the process that works on the run, never stored.",
    )  # fmt: skip
    try:
        key = checked_key(typed or "")
    except UsageError as error:
        st.error(plain(str(error)), icon=":material/error:")
        return
    if key is not None:
        services.remember_key(slot, key)


def _gemini(like: str) -> str:
    own = [like.removeprefix("gemini:")] if like.startswith("gemini:") else []
    offered = list(dict.fromkeys([*own, *st.session_state.get(_offered_key("gemini"), gemini_models())]))
    chosen = st.selectbox(
        "Gemini model", offered, index=0, key="new_gemini", accept_new_options=True,
        help="Choose one or type its name; Test connection asks for those that your key may use.",
    )  # fmt: skip
    return f"gemini:{str(chosen or default_gemini()).strip()}"


def _openai(like: str) -> str:
    own, _, known_url = like.removeprefix("openai:").rpartition("@") if like.startswith("openai:") else ("", "", "")
    url = usual_url(st.text_input("Base URL", value=known_url or _LOCAL, key="new_openai_url", max_chars=300).strip())
    offered = list(dict.fromkeys([*([own] if own else []), *st.session_state.get(_offered_key(url), ())]))
    chosen = st.selectbox(
        "Name of the model there", offered, index=0 if offered else None, key="new_openai",
        accept_new_options=True, placeholder="qwen2.5-coder",
        help="Type it, or press Test connection first and choose one.",
    )  # fmt: skip
    if not is_loopback(url) and url.startswith("http:"):
        st.warning("This address is not encrypted: prompts, answers and a key can be read on the way.")
    return f"openai:{str(chosen or 'qwen2.5-coder').strip()}@{url}"


def _recording(like: str) -> str:
    runs = {run.id: run for run in services.store().runs() if run.iteration}
    if not runs:
        raise UsageError("recorded answers need a run with finished iterations in this store; there is none")
    place = list(runs).index(like) if like in runs else 0
    chosen = st.selectbox("Run", list(runs), index=place, format_func=lambda run: runs[run].name, key="new_recording")
    return f"recorded:{chosen}"


def _test_button(model: str) -> None:
    if not st.button("Test connection", key="test_connection", icon=":material/network_check:"):
        return
    place = st.empty()

    def waiting(seconds: float) -> None:
        place.caption(f"Asking the server … {seconds:.0f} s of at most {services.CONNECTION_TEST.deadline:.0f}")

    try:
        offered = services.offered_models(model, waiting)
    except (ModelError, UsageError) as error:
        place.error(plain(str(error)), icon=":material/error:")
        return
    place.empty()
    name = model.partition(":")[2].rpartition("@")[0] if model.startswith("openai:") else model.partition(":")[2]
    st.session_state[_offered_key(services.key_slot(model) or model.rpartition("@")[2])] = offered
    shown = ", ".join(offered[:_MOST_SHOWN]) + (", …" if len(offered) > _MOST_SHOWN else "")
    if name in offered:
        st.success(plain(f"Connected. {name} is one of {len(offered)} models that the server offers."))
    else:
        st.warning(plain(f"Connected, but {name} is not among the {len(offered)} models that it offers: {shown}."))


def _offered_key(server: str) -> str:
    return f"offered-{server}"
