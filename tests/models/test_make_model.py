"""Models by their names: what is built, with which key, and what is only missed when a call is made."""

import subprocess
import sys
from dataclasses import replace

import fake_openai
import pytest
from chat_doubles import ANSWER, SOURCE, DictBook, render
from fake_openai import FakeOpenAi
from model_requests import request

from csro_core.errors import ModelError, NotFoundError, UsageError
from csro_core.models import ModelTools, key_for, known_models, make_client, make_model
from csro_core.models.names import parse_name
from csro_core.models.retry import Retry

KEY = "AIza-planted-key-0123456789"
OPENAI = "openai:m@https://models.invalid/v1"
LOCAL = "openai:m@http://127.0.0.1:1/v1"
LAN = "openai:m@http://10.0.0.1/v1"


@pytest.mark.parametrize(("name", "built"), [
    ("synthesiser", "synthesiser"), ("gemini", "gemini:gemini-3.8-flash"), ("gemini:gemini-x", "gemini:gemini-x"),
    (OPENAI, OPENAI), ("openai:m@http://localhost:1/", "openai:m@http://localhost:1/v1"),
    ("recorded:abc", "recorded:abc"),
])
def test_a_model_is_built_without_tools_key_or_network(name, built):
    model = make_model(name)
    assert model.name == built
    assert model.title
    assert model.identity
    assert make_model(built).identity == model.identity


@pytest.mark.parametrize("name", ["gpt", "openai:m", "gemini:", "recorded:"])
def test_a_bad_name_is_refused(name):
    with pytest.raises(UsageError):
        make_model(name)


def test_every_known_form_is_understood():
    for form, words in known_models().items():
        example = form.replace("MODEL@BASE_URL", "m@http://localhost:1").replace("MODEL", "m").replace("RUN", "r")
        assert parse_name(example, "m").kind == form.partition(":")[0]
        assert words


@pytest.mark.parametrize(("name", "free"), [
    ("synthesiser", True), ("recorded:abc", True), (LOCAL, True), ("gemini", False), (OPENAI, False), (LAN, False),
])
def test_what_is_free(name, free):
    assert make_model(name).free is free


@pytest.mark.parametrize("name", ["gemini", OPENAI])
def test_a_missing_key_is_told_when_a_call_is_made(name):
    model = make_model(name, ModelTools(render))
    with pytest.raises(ModelError) as caught:
        model.write(request(1))
    assert caught.value.reason == "needs-key"


@pytest.mark.parametrize(("name", "environment", "key"), [
    ("gemini", {"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b"}, "a"), ("gemini", {"GOOGLE_API_KEY": "b"}, "b"),
    ("gemini", {"GEMINI_API_KEY": "", "GOOGLE_API_KEY": "b"}, "b"), ("gemini", {"OPENAI_API_KEY": "c"}, None),
    ("openai:m@https://api.openai.com/v1", {"OPENAI_API_KEY": "c", "GEMINI_API_KEY": "a"}, "c"),
    ("openai:m@https://openrouter.ai/api/v1", {"OPENROUTER_API_KEY": "d", "OPENAI_API_KEY": "c"}, "d"),
    ("openai:m@https://openrouter.ai/api/v1", {"OPENAI_API_KEY": "c"}, None),
    # Not to a host that a stranger's run may name.
    (OPENAI, {"OPENAI_API_KEY": "c", "OPENROUTER_API_KEY": "d", "GEMINI_API_KEY": "a"}, None),
    ("openai:m@https://api.openai.com.models.invalid/v1", {"OPENAI_API_KEY": "c"}, None),
    ("openai:m@http://api.openai.com/v1", {"OPENAI_API_KEY": "c"}, None),
    (LOCAL, {"OPENAI_API_KEY": "c"}, None), (LAN, {"OPENAI_API_KEY": "c"}, None), ("gemini", {}, None),
])
def test_keys_of_the_environment_go_where_they_belong(name, environment, key):
    parsed = parse_name(name, "m")
    assert key_for(parsed, ModelTools(environment=environment)) == key
    assert key_for(parsed, ModelTools(key="typed", environment=environment)) == "typed"


def test_the_environment_of_the_process_is_not_looked_at(monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with pytest.raises(ModelError) as caught:
        make_model("gemini", ModelTools(render)).write(request(1))
    assert caught.value.reason == "needs-key"


@pytest.mark.parametrize("name", ["gemini", OPENAI, LOCAL])
def test_no_key_can_be_read_off_a_model(name):
    tools = ModelTools(render, key=KEY, environment={"GEMINI_API_KEY": KEY})
    model = make_model(name, tools)
    shown = f"{tools!r} {model!r} {model.name} {model.title} {model.identity} {make_client(name, tools)!r}"
    assert KEY not in shown


def test_a_language_model_answers_over_the_network():
    with FakeOpenAi(lambda body: f"{ANSWER}<!-- {fake_openai.prompt_of(body)} -->") as server:
        name = f"openai:fake-coder@{server.url}"
        completion = make_model(name, ModelTools(render, key=server.key)).write(request(5))
        assert completion.source == SOURCE
        assert "propose 5" in completion.answer
        assert completion.usd == 0.0
        assert make_client(name, ModelTools(key=server.key)).offered() == ("fake-chat", "fake-coder")


def test_a_recording_is_opened_by_its_run():
    books = {"abc": DictBook().record(request(5), ANSWER)}

    def answers(run):
        if run not in books:
            raise NotFoundError(f"no run {run!r}")
        return books[run]

    tools = ModelTools(answers=answers)
    assert make_model("recorded:abc", tools).write(request(5)).source == SOURCE
    with pytest.raises(NotFoundError):
        make_model("recorded:abd", tools)


@pytest.mark.parametrize(("name", "missing"), [("recorded:abc", "answers"), (LOCAL, "render")])
def test_a_tool_that_is_missing_is_a_mistake_of_the_program(name, missing):
    with pytest.raises(ValueError, match=f"ModelTools.{missing}"):
        make_model(name).write(request(1))


def test_the_prompts_version_is_part_of_the_identity():
    tools = ModelTools(render, prompt_version="7")
    assert make_model("gemini", tools).identity != make_model("gemini", replace(tools, prompt_version="8")).identity


@pytest.mark.parametrize(("name", "seconds"), [(LOCAL, 1_800), (LAN, 300), (OPENAI, 300)])
def test_a_server_on_this_machine_may_be_slow(name, seconds):
    assert make_client(name)._retry.longest_try == seconds
    assert make_client(name, ModelTools(retry=Retry(longest_try=5)))._retry.longest_try == 5


def test_only_servers_have_clients():
    with pytest.raises(UsageError, match="not a language model"):
        make_client("synthesiser")


def test_libraries_of_the_network_are_loaded_when_they_are_needed():
    script = (
        "import sys; from csro_core.models import make_model; make_model('synthesiser'); make_model('recorded:x'); "
        "print([name for name in ('google.genai', 'httpx2') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
