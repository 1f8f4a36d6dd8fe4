"""The Benchmark page: rows of others and one's own, the synthesiser's told apart, requests, hostile names."""

import csv
import io
from dataclasses import replace

import pytest

from app.benchmark_charts import Scores, course_figure, cross_figure, opponents_figure, squashed_by_starters
from app.formats import safe
from app.panels import benchmark, benchmark_course
from app.panels.benchmark_rows import FOOTNOTE, MARK, measured, opponents_csv, published, table_csv
from app.snapshot import snapshot_of
from csro_core.errors import UsageError
from csro_core.estimates import Estimate
from csro_core.evaluation.benchmark import BENCHMARKS, INFORMED_NOTE, TUNED_NOTE
from csro_core.evaluation.published import published_cross_table
from csro_core.games.base import GameSpec
from csro_core.store.records import RunSettings
from tests.app.app_pages import app, figures, html, run_id, words
from tests.app.benchmark_runs import LEDUC, RPS, add_benchmark_run, answered, scores

PAGE = "views/benchmark.py"
SCRIPT = "</style><script>alert(1)</script><img src=x onerror=alert(1)>"
HOSTILE = (SCRIPT, "**bold** [link](http://evil.example) :red[red] $x^2$", "=cmd|'/c calc'!A1", "x" * 100, "🎲 名前")


@pytest.fixture
def run(store):
    return add_benchmark_run(store)


def measure(store, run, target, informed=False, seed=0, **changes):
    """Writes a measurement of a target: "mixture", "champion", or the index of a policy."""
    digits = ""
    if isinstance(target, int):
        digits = store.members(run)[target].policy.hash
        target = f"policy:{digits}"
    elif target == "champion":
        digits = store.members(run)[1].policy.hash
    name = "leduc" if store.run(run).settings.game.name == "repeated_leduc" else "rrps"
    result = scores(name, seed, informed, target=target, hash=digits, **changes)
    return answered(store, run, "benchmark", {"target": target, "benchmark": name, "episodes": 10}, result)


def own_rows(text: str) -> list[str]:
    rows = [part.split("</tr>")[0] for part in text.split("<tr")[1:]]
    return [row for row in rows if row.startswith((' class="own"', ' class="informed"'))]


def letters_only(test):
    for place in (html(test), words(test)):
        assert "<script" not in place
        assert "<img" not in place
        assert "**bold**" not in words(test)


def test_published_rows_stand_with_their_sources(store, run):
    test = app(PAGE, run=run)
    text = html(test)
    assert "LinearRefinement (code, Top5)" in text
    assert "+122.1" in text
    assert text.count("secondary source</span>") == 5
    assert "arXiv 2303.03196" in text
    assert text.index("greenberg") < text.index("iocainebot") < text.index("PSRO-IMPALA")  # by AggScore
    assert "biopic" not in text
    test.toggle(key="benchmark_bots").set_value(True).run()
    assert html(test).count("<tr") - 1 == 9 + 41  # greenberg and iocainebot stand in both lists


def test_what_was_measured_stands_among_them_and_the_latest_answer_counts(store, run):
    measure(store, run, "mixture", informed=True, agg_score=10.0)
    measure(store, run, "mixture", informed=True, agg_score=130.0)
    measure(store, run, 0, agg_score=90.0)
    measure(store, run, 1, informed=True)
    measure(store, run, 2, informed=True)
    measure(store, run, 3)
    text = html(app(PAGE, run=run))
    rows = own_rows(text)
    assert len(rows) == 5
    mixture = next(row for row in rows if "mixture after iteration 0" in row)
    assert "+130 ± 10" in mixture
    assert 'class="informed"' in mixture[:20]
    assert MARK in mixture
    by_name = {name: next(row for row in rows if f'title="{name}"' in row) for name in ("rock", "r1", "mine", "theirs")}
    assert "by the synthesiser" in by_name["r1"]
    assert "human edit of the synthesiser" in by_name["mine"]
    assert "import" in by_name["theirs"]
    assert 'class="own"' in by_name["theirs"]
    assert MARK not in by_name["rock"] + by_name["theirs"]
    assert text.index("greenberg") < text.index("mixture after iteration 0") < text.index("LinearRefinement")
    assert safe(FOOTNOTE) in text


def test_a_policy_of_a_language_model_names_its_model(store):
    run = add_benchmark_run(store, model="gemini:gemini-test")
    measure(store, run, 1)
    (row,) = own_rows(html(app(PAGE, run=run)))
    assert "by gemini:gemini-test" in row
    assert MARK not in row


def test_a_tuned_reference_is_no_work_of_the_synthesiser_and_its_exports_say_what_it_is(store, run):
    measure(store, run, 0, note=TUNED_NOTE)
    measure(store, run, "mixture", note=f"{INFORMED_NOTE} {TUNED_NOTE}")
    shown = own_rows(html(app(PAGE, run=run)))
    mixture, rock = (next(row for row in shown if f'title="{name}' in row) for name in ("mixture", "rock"))
    assert "tuned on the benchmark" in rock
    assert MARK not in rock
    assert "by the synthesiser" in mixture
    assert "in part tuned on the benchmark" in mixture
    rows = measured(snapshot_of(run), "rrps", store.requests(run, "benchmark"))
    assert [row.note for row in rows] == [f"{INFORMED_NOTE} {TUNED_NOTE}", TUNED_NOTE]
    assert TUNED_NOTE in opponents_csv(rows[1], "net throws")


def test_exports_carry_the_footnote_in_the_rows_it_belongs_to(store, run):
    measure(store, run, "mixture", informed=True)
    measure(store, run, 0)
    rows = measured(snapshot_of(run), "rrps", store.requests(run, "benchmark"))
    table = list(csv.DictReader(io.StringIO(table_csv([*rows, *published("rrps", True)], "net throws"))))
    assert len(table) == 2 + 9 + 41
    assert {row["name"]: row["note"] for row in table[:2]} == {"rock": "", "mixture after iteration 0": FOOTNOTE}
    assert {row["note"] for row in table[2:]} == {""}
    assert {row["secondary_source"] for row in table} == {"", "yes"}
    assert all(row["source"] for row in table)
    informed = next(row for row in rows if row.informed)
    lines = list(csv.DictReader(io.StringIO(opponents_csv(informed, "net throws"))))
    assert len(lines) == 43
    assert {line["note"] for line in lines} == {FOOTNOTE}
    assert [line["opponent"] for line in lines if line["nemesis"]] == [informed.nemesis]


def test_bars_mark_the_nemesis_and_the_heat_map_has_the_row_added(store, run):
    measure(store, run, "mixture", informed=True)
    row = measured(snapshot_of(run), "rrps", store.requests(run, "benchmark"))[0]
    bars, cross = figures(app(PAGE, run=run))
    labels = bars["layout"]["xaxis"]["ticktext"]
    assert len(labels) == 43
    assert labels[-1] == f"<b>nemesis: {row.nemesis}</b>"  # the largest loss is the last one
    assert sum("nemesis" in label for label in labels) == 1
    assert len(cross["data"][0]["customdata"]) == 45  # the row, a gap, 43 bots
    assert cross["layout"]["yaxis"]["ticktext"][0].startswith("<b>")
    for figure in (bars, cross):
        assert "informed by the 43" in figure["layout"]["title"]["text"].replace("<br>", " ")


def test_the_address_names_the_measurement_shown(store, run):
    measure(store, run, 0)
    measure(store, run, "champion")
    test = app(PAGE, run=run)
    assert "champion: r1" in test.selectbox(key="benchmark_shown").options[0]
    key = f"policy:{store.members(run)[0].policy.hash}"
    test.selectbox(key="benchmark_shown").set_value(key).run()
    assert test.query_params["measured"] == key
    assert app(PAGE, run=run, measured=key).selectbox(key="benchmark_shown").value == key
    assert app(PAGE, run=run, measured=SCRIPT).selectbox(key="benchmark_shown").value.startswith("champion")


def test_measure_asks_and_waits_and_says_why_it_failed(store, run):
    test = app(PAGE, run=run)
    assert "Measure something" in words(test)
    test.selectbox(key=f"benchmark_target-{run}").set_value("champion").run()
    test.number_input(key=f"benchmark_episodes-{run}").set_value(4).run()
    test.button(key="measure").click().run()
    (request,) = store.waiting(run)
    assert request.kind == "benchmark"
    assert request.payload == {"target": "champion", "benchmark": "rrps", "episodes": 4}
    assert test.button(key="measure").disabled
    assert not test.button(key="stop").disabled
    assert not test.button(key="step").disabled
    assert "Measuring a benchmark" in html(test)
    lease = store.acquire(run, "test")
    lease.answer(request.id, "working", {})
    lease.set_progress({"stages": [], "bar": [3, 11]})
    assert "3/11 parts" in html(app(PAGE, run=run))
    lease.answer(request.id, "failed", {"message": "no **bots** here"})
    lease.release("done")
    failed = app(PAGE, may_complain=True, run=run)
    assert r"no \*\*bots\*\* here" in failed.error[0].value
    assert not failed.button(key="measure").disabled
    measure(store, run, "champion")
    assert not app(PAGE, run=run).error


def test_leduc_is_measured_in_pairs_of_episodes_and_has_no_heat_map(store):
    run = add_benchmark_run(store, LEDUC)
    test = app(PAGE, run=run)
    assert "AlphaEvolve" in html(test)
    assert not [toggle for toggle in test.toggle if toggle.key == "benchmark_bots"]
    test.number_input(key=f"benchmark_episodes-{run}").set_value(7).run()
    test.button(key="measure").click().run()
    assert store.waiting(run)[0].payload == {"target": "mixture", "benchmark": "leduc", "episodes": 8}
    measure(store, run, 0)
    assert len(figures(app(PAGE, run=run))) == 1


def test_a_system_without_the_bots_says_so_and_shows_the_table_all_the_same(store, run, monkeypatch):
    def fail(_):
        raise UsageError("the benchmark needs OpenSpiel with its RoShamBo bots")

    assert benchmark.missing(BENCHMARKS["leduc"]) == ""
    monkeypatch.setattr("app.panels.benchmark.missing", lambda one: _said(fail, one))
    measure(store, run, 0)
    test = app(PAGE, run=run)
    assert "Nothing can be measured here" in test.warning[0].value
    assert test.button(key="measure").disabled
    assert "greenberg" in html(test)
    assert len(figures(test)) == 2


def _said(fail, one) -> str:
    try:
        fail(one)
    except UsageError as error:
        return str(error)
    return ""


def test_other_games_say_what_the_page_is_for_and_open_a_run_that_fits(store, run):
    test = app(PAGE, run=run_id(store, "demo matrix"))
    assert test.subheader[0].value == "This game has no benchmark"
    assert "43 RoShamBo bots" in words(test)
    test.button(key="open_fitting").click().run()
    assert test.query_params["run"] == run
    # Matches of another length are another game: the bots would not survive them.
    assert "no benchmark" in app(PAGE, run=run_id(store, "demo rps")).subheader[0].value


def test_a_run_without_policies_offers_a_step(store):
    run = store.create_run("new", RunSettings(RPS), 1)
    test = app(PAGE, run=run)
    assert "greenberg" in html(test)
    test.button(key="first_step").click().run()
    assert [request.kind for request in store.waiting(run)] == ["step"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_answers_are_letters(store, name):
    run = add_benchmark_run(store, names=(name, f"{name[:90]}1", f"{name[:90]}2"), name=name)
    failures = [{"status": SCRIPT, "line": 3, "message": SCRIPT}]
    line = {"opponent": SCRIPT, "mean": 1.0, "stderr": None}
    measure(store, run, 1, informed=True, failures=failures, nemesis=SCRIPT, per_opponent=[line, line | {"mean": 2}])
    measure(store, run, "mixture", iteration=SCRIPT)
    test = app(PAGE, run=run)
    letters_only(test)
    test.selectbox(key="benchmark_shown").set_value(f"policy:{store.members(run)[1].policy.hash}").run()
    assert not test.exception
    letters_only(test)
    assert "&lt;/style" in figures(test)[0]["layout"]["yaxis"]["ticktext"][0]
    rows = measured(snapshot_of(run), "rrps", store.requests(run, "benchmark"))
    assert not any(line.startswith("=") for line in table_csv(rows, "x").splitlines())


@pytest.mark.parametrize(
    "result", [{}, {"per_opponent": []}, {"per_opponent": [1]}, {"per_opponent": "x"}, {"per_opponent": [{}]},
               {"per_opponent": [{"opponent": None, "mean": "x"}], "episodes": "many", "failures": 7, "hash": 5}],
)  # fmt: skip
def test_answers_of_another_form_break_nothing(store, run, result):
    answered(store, run, "benchmark", {"target": "mixture", "benchmark": "rrps"}, result)
    answered(store, run, "benchmark", {"target": 7, "benchmark": "rrps"}, result)
    answered(store, run, "benchmark", {}, result)
    app(PAGE, run=run)


@pytest.mark.parametrize("dark", [False, True])
def test_figures_of_both_themes_keep_to_what_they_are_given(dark):
    table = published_cross_table()
    got = tuple(Estimate(float(number), float("nan") if number == 3 else 2.0, 1) for number in range(43))
    shown = Scores(SCRIPT, table.bots, got, table.bots[0], True, FOOTNOTE, "net throws")
    for figure in (opponents_figure(shown), cross_figure(shown, table.bots, table.means, dark)):
        assert "<script" not in figure.to_json().replace("\\u003c", "<")
    bars = opponents_figure(shown)
    assert bars.data[0].y[0] == 42.0
    assert bars.data[0].marker.color[-1] != bars.data[0].marker.color[0]


def test_unknown_game_of_a_benchmark_is_no_crash(store, monkeypatch):
    run = store.create_run("tall", RunSettings(GameSpec("matrix", {"preset": "matching_pennies"})), 1)

    def fail(spec):
        raise UsageError("no OpenSpiel here")

    monkeypatch.setattr("csro_core.games.make_game", fail)
    assert "This game has no benchmark" in app(PAGE, run=run).subheader[0].value


def test_the_course_of_sigma_is_drawn_where_the_run_measured_it(store):
    run = add_benchmark_run(store)
    test = app(PAGE, run=run)
    assert "--benchmark rrps" in words(test)
    snapshot = snapshot_of(run)
    score = {"benchmark": "rrps", "episodes": 10, "pop_return": 120.0, "pop_return_stderr": 2.0, "pop_expl": 20.0,
             "pop_expl_stderr": 3.0, "agg_score": 100.0, "agg_score_stderr": 4.0, "nemesis": SCRIPT}  # fmt: skip
    broken = score | {"agg_score": "much"}
    first = snapshot.solutions[0]
    solutions = (
        replace(first, extra={"benchmark": score}),
        replace(first, iteration=1, extra={"benchmark": broken}),
        replace(first, iteration=2, extra={"benchmark": score | {"benchmark": "leduc"}}),
        replace(first, iteration=3, extra={"benchmark": [1]}),
        replace(first, iteration=4, extra={"benchmark": score | {"agg_score": 110.0}}),
    )
    points = benchmark_course.course(replace(snapshot, solutions=solutions), "rrps")
    assert [(point.finished, point.agg_score.mean) for point in points] == [(0, 100.0), (4, 110.0)]
    figure = course_figure(points, "net throws", FOOTNOTE)
    assert [trace.name for trace in figure.data] == ["AggScore", "PopReturn", "PopExpl"]
    assert list(figure.data[0].error_y.array) == pytest.approx([1.96 * 4.0] * 2)
    assert "<script" not in str(figure.to_dict())
    start = replace(points[0], agg_score=Estimate(-1300.0, 1.0, 10))
    later = [replace(points[0], finished=1), replace(points[1], finished=2)]
    assert squashed_by_starters([start, *later])
    assert not squashed_by_starters(later)
    assert course_figure([start, *later], "net throws", "").layout.yaxis.range[0] > -100
    lines = list(csv.DictReader(io.StringIO(benchmark_course.course_csv(points, "net throws"))))
    assert [line["iterations_finished"] for line in lines] == ["0", "4"]
    assert not lines[0]["nemesis"].startswith("=")
