"""The Compare page as a person uses it; no process is started, the document is put into the table of pictures."""

from dataclasses import replace

import pytest

from app import comparisons, experiments, pictures
from csro_core.experiments.kept import IMPORTED
from csro_core.experiments.planning import ensure_runs
from csro_core.experiments.requests import KIND, for_experiment, request_key
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.codec import to_json
from csro_core.store.experiments import ExperimentTable
from csro_core.store.pictures import PictureTable
from csro_core.store.records import Member
from tests.app.app_pages import app, figures, html, words
from tests.app.fake_comparison import add_experiment, comparison, plan
from tests.app.fake_run import numbered_texts, policy_text

PAGE = "views/compare.py"
EVIL = '<img src=x onerror="alert(1)">'


@pytest.fixture(autouse=True)
def _no_process(monkeypatch) -> None:
    monkeypatch.setattr(pictures, "keep_worked_on", lambda key, command="picture", anew=False: None)
    monkeypatch.setattr(experiments, "_start", lambda record: None)


def table_of(store) -> ExperimentTable:
    return ExperimentTable(store.connections, store.clock)


def put(store, experiment: str, document, **changes) -> str:
    """Puts a document into the table of pictures as a worker would; returns its key."""
    request = replace(for_experiment(store, table_of(store).find(experiment)), **changes)
    table, key = PictureTable(store.connections, store.clock), request_key(store, request)
    table.ask(key, KIND, to_json(request), lambda: None)
    task = table.take(key)
    table.finish(task, to_json(document))
    return key


@pytest.fixture
def compared(store) -> str:
    """An experiment whose comparison is there."""
    experiment = add_experiment(store)
    put(store, experiment, comparison(store, experiment))
    return experiment


def test_an_empty_page_says_what_to_do(store):
    test = app(PAGE)
    assert any("Nothing is compared yet" in header.value for header in test.subheader)
    test.button(key="pick_runs").click().run()
    assert test.multiselect(key="runs_picker").value == []
    assert not test.exception


def test_everything_of_a_comparison_is_shown(store, compared):
    test = app(PAGE, experiment=compared)
    text = html(test)
    for part in ("all 20 runs are done", "cannot be told apart", "linear-refinement is ahead of best-of-n by",
                 "against the baseline", "paired differences", "final mixtures", "cross-play", "joint population",
                 "csro-chip green", "linear-refinement"):  # fmt: skip
        assert part in text, part
    assert [figure["data"][-1]["type"] for figure in figures(test)] == ["scatter", "scatter", "bar"]
    assert "2 human edits" in words(test).replace("\\", "")


def test_the_measure_and_the_axis_are_in_the_address_and_change_the_curves(store, compared):
    test = app(PAGE, experiment=compared, measure="agg_score", axis="iterations")
    assert figures(test)[0]["layout"]["yaxis"]["title"]["text"].startswith("AggScore")
    assert "Unequal cost: median 1 / 10 / 10 / 30 calls" in words(test).replace("\\", "")
    assert "AggScore <small>higher is better" in html(test)


def test_oracle_gain_is_off_and_says_that_it_compares_nothing(store, compared):
    test = app(PAGE, experiment=compared)
    assert "gain of the oracle" not in figures(test)[0]["layout"]["yaxis"]["title"]["text"]
    test.toggle(key="compare_gain").set_value(True).run()
    assert any("no comparison of oracles" in warning.value for warning in test.warning)
    assert "gain of the oracle" in figures(test)[0]["layout"]["yaxis"]["title"]["text"]


def test_without_human_edits_another_comparison_is_begun_at_once(store, compared):
    test = app(PAGE, experiment=compared)
    test.toggle(key="without_human").set_value(True).run()
    assert not test.exception
    assert any(button.key == "cancel_comparison" for button in test.button)
    request = replace(for_experiment(store, table_of(store).find(compared)), without_human=True)
    assert comparisons.by_key(request_key(store, request)).state == "waiting"
    test.button(key="cancel_comparison").click().run()
    assert comparisons.by_key(request_key(store, request)).state == "cancelled"
    assert "was cancelled" in words(app(PAGE, experiment=compared, edits="without"))


def test_a_comparison_under_way_shows_how_far_it_is_and_a_failed_one_why(store):
    experiment = add_experiment(store)
    request = for_experiment(store, table_of(store).find(experiment))
    key, table = comparisons.start(request), PictureTable(store.connections, store.clock)
    task = table.take(key)
    table.beat(task, (3, 10))
    assert [bar.proto.text for bar in app(PAGE, experiment=experiment).get("progress")] == ["Comparing … 30\u00a0%"]
    table.fail(task, f"the bots are missing {EVIL}")
    test = app(PAGE, may_complain=True, experiment=experiment)
    assert "the bots are missing" in test.error[0].value
    assert "<img" not in test.error[0].value.replace("\\<", "")
    test.button(key="compare_now").click().run()
    assert comparisons.by_key(key).state == "waiting"


def test_what_was_compared_earlier_stays_while_runs_go_on(store, compared):
    request = for_experiment(store, table_of(store).find(compared))
    table_of(store).change(compared, "comparison", request_key(store, request))
    lease = store.acquire(table_of(store).runs(compared)[0].run, "test")
    lease.add_member(Member(0, 2, policy_text(numbered_texts(3)[2], "A policy."), "late", "oracle", "", 2))
    lease.release("stopped")
    test = app(PAGE, experiment=compared)
    assert request_key(store, request) != table_of(store).find(compared).comparison
    assert len(figures(test)) == 3
    assert "have gone on since" in words(test)


def test_an_unreadable_comparison_is_offered_anew(store):
    experiment = add_experiment(store)
    document = replace(comparison(store, experiment), baseline="nobody")
    put(store, experiment, document)
    test = app(PAGE, may_complain=True, experiment=experiment)
    assert "cannot be read" in test.error[0].value
    test.button(key="compare_now").click().run()
    assert any(button.key == "cancel_comparison" for button in test.button)


def test_imported_numbers_are_marked_and_computed_here_on_a_click(store):
    experiment = add_experiment(store)
    key = put(store, experiment, replace(comparison(store, experiment), notes=(IMPORTED,)))
    test = app(PAGE, experiment=experiment)
    assert any("nobody has checked them" in warning.value for warning in test.warning)
    test.button(key="compare_here").click().run()
    assert PictureTable(store.connections, store.clock).row(key).state == "waiting"
    assert any(button.key == "cancel_comparison" for button in test.button)


def test_the_grid_tells_the_state_of_every_run_and_why_it_failed(store):
    experiment = add_experiment(store, ("done", "running", "waiting", "failed"), name="half way")
    test = app(PAGE, may_complain=True, experiment=experiment)
    labels = [button.label for button in test.button if str(button.key).startswith("grid_")]
    assert len(labels) == 20
    assert labels[:4] == ["0 done", "1 running", "2 waiting", "3 failed"]
    assert "no connection" in test.error[0].value
    retries = [button for button in test.button if str(button.key).startswith("retry_0_")]
    retries[0].click().run()
    states = [run.state for run in table_of(store).runs(experiment)]
    assert (states.count("failed"), states.count("waiting")) == (4, 6)
    assert table_of(store).find(experiment).wanted == "run"
    test.button(key="retry_failed").click().run()
    assert "failed" not in [run.state for run in table_of(store).runs(experiment)]


def test_a_run_opens_with_a_click_on_the_grid(store):
    experiment = add_experiment(store, ("waiting", "done"))
    test = app(PAGE, experiment=experiment)
    test.button(key="grid_0_1").click().run()
    assert not test.exception
    run = table_of(store).runs(experiment)[1].run
    assert test.query_params["run"] in (run, [run])


def test_pause_resume_and_more_seeds_are_written_for_the_worker(store, monkeypatch):
    started = []
    monkeypatch.setattr(experiments, "_start", lambda record: started.append(record.id))
    experiment = add_experiment(store, ("done", "waiting"))
    test = app(PAGE, experiment=experiment)
    test.button(key="resume_experiment").click().run()
    table = table_of(store)
    assert (started, table.find(experiment).wanted) == ([experiment], "run")
    table.take(experiment, "worker")
    test = app(PAGE, experiment=experiment)
    assert test.button(key="add_seeds").proto.disabled or "running" in html(test)
    test.button(key="pause_experiment").click().run()
    assert table.find(experiment).wanted == "pause"
    table.release(experiment, "worker")
    test = app(PAGE, experiment=experiment)
    test.number_input(key="more_seeds").set_value(2).run()
    test.button(key="add_seeds").click().run()
    assert experiments.plan_of(table.find(experiment)).seeds == tuple("0123456")
    assert len(started) == 2


def test_runs_are_grouped_into_variants(store):
    experiment = add_experiment(store, chosen=plan(seeds=(Seed("0"), Seed("1"))))
    runs = [run.run for run in table_of(store).runs(experiment)]
    test = app(PAGE, runs=".".join([*runs, "nonsense"]), compared="runs")
    assert test.selectbox(key="baseline_picker").options == [
        "zero-shot", "best-of-n", "linear-refinement", "alpha-evolve"
    ]  # fmt: skip
    assert test.selectbox(key="baseline_picker").value == "best-of-n"
    test.button(key="compare_now").click().run()
    assert not test.exception
    assert any(button.key == "cancel_comparison" for button in test.button)


def test_runs_of_different_games_and_a_single_run_are_told_apart_in_words(store):
    runs = {run.name: run.id for run in store.runs()}
    test = app(PAGE, runs=f"{runs['demo rps']}.{runs['demo matrix']}", compared="runs")
    assert "must play one game" in test.info[0].value
    assert "Choose one more run" in app(PAGE, runs=runs["demo rps"], compared="runs").info[0].value


def test_a_hostile_name_of_an_experiment_stays_letters(store):
    experiment = add_experiment(store, ("failed",), name=EVIL)
    test = app(PAGE, may_complain=True, experiment=experiment)
    assert "<img" not in html(test)


def test_the_form_adds_best_of_n_and_writes_the_plan(store, monkeypatch):
    started = []
    monkeypatch.setattr(experiments, "_start", lambda record: started.append(record.name))
    test = app(PAGE)
    test.button(key="first_experiment").click().run()
    assert "best-of-n was added" in words(test).replace("\\", "")
    assert "4 variants" in words(test).replace("\\", "")
    test.text_input(key="experiment_name").set_value("mine").run()
    test.multiselect(key="experiment_contexts").set_value(["code", "none"]).run()
    assert "8 variants" in words(test).replace("\\", "")
    test.number_input(key="experiment_seeds").set_value(3).run()
    test.text_input(key="experiment_first_seed").set_value("7").run()
    test.button(key="start_experiment").click().run()
    assert not test.exception
    made = experiments.plan_of(table_of(store).find("mine"))
    assert (len(made.variants), made.seeds, made.baseline) == (8, ("7", "8", "9"), "best-of-n · context code")
    assert (made.resource, made.budget, started) == ("calls", 120.0, ["mine"])
    assert "planned" in " ".join(button.label for button in test.button)


def test_the_form_says_what_is_wrong_and_creates_nothing(store):
    test = app(PAGE)
    test.button(key="first_experiment").click().run()
    test.multiselect(key="experiment_models").set_value([]).run()
    assert any("at least one model" in error.value for error in test.error)
    assert table_of(store).all() == []


def test_a_taken_name_is_refused(store):
    add_experiment(store, name="taken")
    test = app(PAGE)
    test.button(key="new_experiment_button").click().run()
    test.text_input(key="experiment_name").set_value("taken").run()
    test.button(key="create_experiment").click().run()
    assert any("must be new" in error.value for error in test.error)


def keys(test) -> set[str]:
    return {str(button.key) for button in test.button}


def test_an_experiment_is_renamed(store):
    add_experiment(store, name="other", chosen=plan(seeds=(Seed("0"),)))
    experiment = add_experiment(store, name="first", chosen=plan(seeds=(Seed("0"),)))
    test = app(PAGE, experiment=experiment)
    field = next(one for one in test.text_input if str(one.key).startswith("experiment_rename"))
    field.set_value("other").run()
    test.button(key="experiment_rename_save").click().run()
    assert any("must be new" in error.value for error in test.error)
    next(one for one in test.text_input if str(one.key).startswith("experiment_rename")).set_value(EVIL).run()
    test.button(key="experiment_rename_save").click().run()
    assert not test.exception
    assert table_of(store).find(EVIL).id == experiment
    assert "<img" not in html(test)
    assert all(run.name.startswith(("first", "other", "demo")) for run in store.runs())


def test_a_deleted_experiment_leaves_its_runs_and_comes_back_by_undo(store):
    experiment = add_experiment(store, chosen=plan(seeds=(Seed("0"),)))
    runs = {run.id for run in store.runs()}
    test = app(PAGE, experiment=experiment)
    test.button(key="delete_experiment").click().run()
    assert "Its runs (4) are not deleted" in words(test)
    test.button(key="experiment_sure").click().run()
    assert table_of(store).all() == []
    assert {run.id for run in store.runs()} == runs
    assert any("Nothing is compared yet" in header.value for header in test.subheader)
    assert "experiment" not in test.query_params
    assert "is in the bin" in words(app(PAGE, experiment=experiment))
    test.button(key="experiment_undo").click().run()
    assert table_of(store).find(experiment).name == plan().name
    assert test.query_params["experiment"] in (experiment, [experiment])
    assert not any(key.startswith(("experiment_undo", "experiment_take_back")) for key in keys(test))


def test_the_bin_gives_back_and_deletes_for_good_and_a_busy_experiment_stays(store):
    experiment = add_experiment(store, ("done", "waiting"), chosen=plan(seeds=(Seed("0"),)))
    runs = len(store.runs())
    table_of(store).take(experiment, "worker")
    assert app(PAGE, experiment=experiment).button(key="delete_experiment").disabled
    table_of(store).release(experiment, "worker")
    experiments.labels().put_into_bin(experiment)
    test = app(PAGE)
    test.button(key=f"experiment_take_back-{experiment}").click().run()
    assert [one.id for one in table_of(store).all()] == [experiment]
    experiments.labels().put_into_bin(experiment)
    test = app(PAGE)
    test.button(key=f"experiment_erase-{experiment}").click().run()
    test.button(key="experiment_sure").click().run()
    assert (experiments.labels().bin(), len(store.runs())) == ([], runs)


def test_the_demo_experiment_is_offered_started_and_no_run_of_ones_own(store, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr(experiments, "_start", lambda record: started.append(record.name))
    monkeypatch.setenv("CSRO_STORE", str(tmp_path / "demos.sqlite"))
    test = app(PAGE)
    demos = open_store(tmp_path / "demos.sqlite")
    guided = next(run.id for run in demos.runs() if run.settings.game.name == "repeated_rps")
    test.button(key="demo_experiment").click().run()
    assert not test.exception
    made = table_of(demos).all()
    assert ([one.name for one in made], started) == ([experiments.demo_plan().name],) * 2
    runs = ensure_runs(demos, table_of(demos), made[0].id, experiments.plan_of(made[0]))
    assert len(runs) == 6
    assert all(demos.run(one.run).name.startswith("demo: ") for one in runs)
    test = app(PAGE)
    test.button(key="tour_start").click().run()  # still offered, and about the run with the most to see
    assert test.query_params["run"] in (guided, [guided])
    experiments.labels().put_into_bin(made[0].id)
    assert "demo_experiment" not in keys(app(PAGE))
    demos.close()
