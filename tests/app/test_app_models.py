"""Models in the dashboard: chosen by name, tested, given a key that stays in memory, and a budget."""

import io
import json
import socket
import time
from dataclasses import replace

import pytest
from app_pages import SHELL, html, words
from streamlit.testing.v1 import AppTest

from app import experiments, services
from csro_core.errors import UsageError
from csro_core.experiments.plan import Plan, Variant
from csro_core.games.base import GameSpec
from csro_core.runner.keys import for_models, take_credentials
from csro_core.seeds import Seed
from csro_core.store.records import Caps, RunSettings
from csro_core.store.store import Store
from tests.models.fake_gemini import KEY, FakeGemini
from tests.models.fake_openai import FakeOpenAi, error

EQUILIBRIUM = "synthesiser:equilibrium"
KEEP_SERVED = services.keep_served
LITE = "gemini-3.5-flash-lite"


@pytest.fixture
def form(store: Store, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "GOOGLE_GEMINI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.session_state["new_run_wanted"] = True
    return test.run()


def everything(test: AppTest) -> str:
    """What the browser is sent, all of it: the values of password fields that the server sets among it."""
    return html(test) + words(test) + "".join(str(element.proto) for element in test.text_input)


def chosen(test: AppTest, kind: str) -> AppTest:
    test.selectbox(key="new_model").set_value(kind).run()
    assert not test.exception
    return test


def created(store: Store, test: AppTest) -> RunSettings:
    before = {run.id for run in store.runs()}
    test.button(key="create").click().run()
    assert not test.exception
    (run,) = [run for run in store.runs() if run.id not in before]
    return run.settings


def has_password(test: AppTest) -> bool:
    return any(field.key.startswith("key-") for field in test.text_input if field.key)


def test_only_models_that_need_a_key_have_a_field_for_it(form: AppTest, monkeypatch: pytest.MonkeyPatch):
    assert not has_password(form)
    assert has_password(chosen(form, "gemini"))
    assert not has_password(chosen(form, "openai"))
    form.text_input(key="new_openai_url").set_value("https://openrouter.ai/api/v1").run()
    assert has_password(form)
    assert not has_password(chosen(form, "recorded"))
    monkeypatch.setenv("GEMINI_API_KEY", "AIza-in-the-environment-of-the-server")
    assert not has_password(chosen(form, "gemini"))


def test_the_solved_table_is_offered_for_repeated_leduc_alone(store: Store, form: AppTest):
    assert not any("solved" in shown for shown in form.selectbox(key="new_model").options)
    form.selectbox(key="new_game").set_value("repeated_leduc").run()
    assert "solved beforehand" in words(chosen(form, EQUILIBRIUM))
    assert created(store, form).model == EQUILIBRIUM


def test_the_solved_table_is_given_up_with_its_game(form: AppTest):
    form.selectbox(key="new_game").set_value("repeated_leduc").run()
    chosen(form, EQUILIBRIUM)
    form.selectbox(key="new_game").set_value("repeated_rps").run()
    assert not form.exception
    assert form.selectbox(key="new_model").value == "synthesiser"


def test_a_model_is_chosen_with_a_budget(store: Store, form: AppTest):
    chosen(form, "gemini")
    form.selectbox(key="new_gemini").set_value(LITE).run()
    assert "US dollars" in words(form)
    form.number_input(key="cap_usd-new").set_value(2.5).run()
    settings = created(store, form)
    assert (settings.model, settings.caps) == (f"gemini:{LITE}", Caps(usd=2.5))


def test_recorded_answers_of_a_run_of_this_store(store: Store, form: AppTest):
    chosen(form, "recorded")
    recorded = form.selectbox(key="new_recording").value
    assert recorded in {run.id for run in store.runs() if run.iteration}
    assert created(store, form).model == f"recorded:{recorded}"


def test_a_senseless_address_is_one_sentence(form: AppTest):
    chosen(form, "openai")
    form.text_input(key="new_openai_url").set_value("http://user:secret@host/v1").run()
    assert "no user name" in form.error[0].value
    assert "secret" not in form.error[0].value
    assert form.button(key="create_disabled").disabled


def test_the_connection_is_tested_with_the_key_and_says_what_is_offered(form: AppTest, monkeypatch):
    chosen(form, "gemini")
    form.button(key="test_connection").click().run()
    assert "key" in form.error[0].value
    with FakeGemini() as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        form.text_input(key="key-new-gemini").set_value(f" {KEY} ").run()
        form.button(key="test_connection").click().run()
        assert not form.error
        assert "one of 3 models" in form.success[0].value
        assert [call.method for call in server.calls] == ["GET"]
        assert KEY not in everything(form)
        form.text_input(key="key-new-gemini").set_value("AIza-wrong-key-0000000000000000").run()
        form.button(key="test_connection").click().run()
        assert len(form.error) == 1
        assert "AIza" not in form.error[0].value


def test_the_connection_is_tested_once_and_not_for_long():
    assert services.CONNECTION_TEST.attempts == 1
    assert max(services.CONNECTION_TEST.deadline, services.CONNECTION_TEST.longest_try) <= 30.0


def test_a_server_in_trouble_is_asked_once(form: AppTest):
    chosen(form, "openai")
    with FakeOpenAi() as server:
        server.play(*(error(503, "overloaded") for _ in range(9)))
        form.text_input(key="new_openai_url").set_value(server.url).run()
        form.button(key="test_connection").click().run()
        assert [call.method for call in server.calls] == ["GET"]
    assert "overloaded" in form.error[0].value
    assert form.button(key="create")


@pytest.mark.parametrize("kind", ["gemini", "openai"])
def test_a_server_that_hangs_is_left_at_the_deadline(form: AppTest, monkeypatch, kind):
    monkeypatch.setattr(services, "CONNECTION_TEST", replace(services.CONNECTION_TEST, deadline=1.0))
    chosen(form, kind)
    with socket.create_server(("127.0.0.1", 0)) as deaf:  # connections wait in its queue for ever
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}"
        if kind == "gemini":
            monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", url)
            form.text_input(key="key-new-gemini").set_value(KEY).run()
        else:
            form.text_input(key="new_openai_url").set_value(url).run()
        began = time.monotonic()
        form.button(key="test_connection").click().run()
        assert time.monotonic() - began < 10
    assert not form.exception
    (said,) = form.error
    assert "in time" in said.value or "within 1 s" in said.value
    assert form.button(key="create")


def test_whoever_goes_elsewhere_does_not_wait_for_a_server_that_hangs(monkeypatch):
    """Streamlit ends a script where it draws: `waiting` raises there."""
    monkeypatch.setattr(services.st, "session_state", {})
    beats = []

    def waiting(seconds: float) -> None:
        beats.append(seconds)
        if len(beats) == 3:
            raise KeyboardInterrupt

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        began = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            services.offered_models(f"openai:m@http://127.0.0.1:{deaf.getsockname()[1]}/v1", waiting)
        assert time.monotonic() - began < 5
    assert beats == sorted(beats)


def test_what_is_no_key_is_not_repeated(form: AppTest):
    chosen(form, "gemini")
    form.text_input(key="key-new-gemini").set_value("two words").run()
    assert "printable ASCII" in form.error[0].value
    assert "two words" not in form.error[0].value


class Pipe(io.BytesIO):
    """Keeps what was written when it is closed."""

    def close(self) -> None:
        self.written = self.getvalue()
        super().close()


def test_the_key_is_handed_over_once_on_standard_input(store: Store, monkeypatch: pytest.MonkeyPatch):
    started = []

    class Process:
        def __init__(self, command, **options):
            self.command, self.options, self.stdin = command, options, Pipe()
            started.append(self)

    run = store.create_run("", RunSettings(GameSpec("repeated_rps"), model=f"gemini:{LITE}"), 1)
    monkeypatch.setattr(services, "_spawned", {})
    monkeypatch.setattr(services.subprocess, "Popen", Process)
    monkeypatch.setattr(services.st, "session_state", {})
    services.remember_key("gemini", KEY)
    KEEP_SERVED(run)
    (process,) = started
    assert process.command[-1] == "--key-on-stdin"
    assert process.stdin.written == f"{KEY}\n".encode()
    assert process.stdin.closed
    assert KEY not in json.dumps([process.command, str(process.options)])


def test_the_sidebar_asks_for_a_key_and_raises_a_budget(store: Store, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("GEMINI_API_KEY", raising=False)
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    run = store.create_run("paid", RunSettings(GameSpec("repeated_rps"), model=f"gemini:{LITE}", caps=Caps(calls=5)), 3)
    lease = store.acquire(run, "test")
    lease.release("needs-key", "the model needs an API key")
    test = AppTest.from_file(SHELL, default_timeout=60)
    test.query_params["run"] = run
    test.run()
    assert not test.exception
    test.text_input(key=f"key-{run}-gemini").set_value(KEY).run()
    test.number_input(key=f"cap_calls-{run}").set_value(50).run()
    test.button(key="run_to").click().run()
    (request,) = store.waiting(run)
    assert request.payload["caps"] == {"usd": None, "tokens": None, "calls": 50, "seconds": None}
    assert KEY not in everything(test)
    assert KEY.encode() not in store.path.read_bytes()
    assert KEY not in json.dumps(dict(request.payload))


def test_slots_of_keys():
    assert services.key_slot("synthesiser") == services.key_slot("recorded:abcd") == ""
    assert services.key_slot("gemini:x") == "gemini"
    assert services.key_slot("openai:m@http://127.0.0.1:11434/v1") == ""
    assert services.key_slot("openai:m@https://openrouter.ai/api/v1") == "https://openrouter.ai/api/v1"
    with pytest.raises(UsageError):
        services.key_slot("nonsense")


def test_an_experiment_is_handed_one_key_a_provider(store: Store, monkeypatch: pytest.MonkeyPatch):
    started = []
    monkeypatch.setattr(services, "start_worker", lambda command, keys, what: started.append((command, keys)))
    monkeypatch.setattr(services.st, "session_state", {})
    router, other = "https://openrouter.ai/api/v1", "https://other.example/v1"
    models = ("synthesiser", f"gemini:{LITE}", "gemini:second", f"openai:m@{router}", f"openai:m@{other}")
    variants = tuple(Variant(f"v{place}", "best-of-n", model) for place, model in enumerate(models))
    plan = Plan("keys", GameSpec("repeated_rps"), variants, (Seed("0"),), "calls", 1.0, "v0")
    experiment = experiments.create(plan)
    monkeypatch.setattr(experiments, "_spawned", {})
    services.remember_key("gemini", KEY)
    services.remember_key("https://elsewhere.example/v1", "not-of-this-plan")
    experiments.resume(experiment)
    services.remember_key(router, "sk-router")
    experiments._spawned.clear()
    experiments.resume(experiment)
    (first, one), (second, both) = started
    assert first[-1] == second[-1] == "--keys-on-stdin"
    # A key that is the only one goes to its own provider all the same.
    assert one == f"gemini {KEY}"
    assert both.splitlines() == [f"gemini {KEY}", f"{router} sk-router"]
    assert KEY not in " ".join((*first, *second))
    taken = take_credentials({}, io.BytesIO(f"{both}\n".encode()), several=True)
    assert for_models(taken, models).keys == {"gemini": KEY, router: "sk-router"}
