"""The figures of the Compare page: the numbers that they draw, and that one variant has one colour everywhere."""

from dataclasses import replace
from statistics import fmean

import orjson
import pytest

from app import compare_csv, compare_data
from app.compare_charts import View, curves_figure
from app.compare_charts_final import cross_figure, shares_figure
from csro_core.experiments.document import HELD_OUT, Comparison
from csro_core.store.codec import dumps, from_json
from tests.app.fake_comparison import BUDGET, VARIANTS, add_experiment, comparison

EVIL = '<img src=x onerror="alert(1)">'


@pytest.fixture
def document(store) -> Comparison:
    return comparison(store, add_experiment(store))


def drawn(document: Comparison, *view, **more):
    return curves_figure(document, View(*view, **more), compare_data.looks(document))


def mean_of(figure, name: str):
    return next(trace for trace in figure.data if trace.name == name and trace.showlegend is not False)


def test_a_mean_ends_at_the_budget_with_the_mean_of_the_final_mixtures(document):
    figure = drawn(document, "gap", "calls")
    for name, _, _ in VARIANTS:
        finals = [one.points[one.final].gap for one in document.courses if one.variant == name]
        trace = mean_of(figure, name)
        assert (trace.x[-1], trace.y[-1]) == (BUDGET, pytest.approx(fmean(finals)))
        assert trace.line.shape == "hv"
        assert " ± " in trace.customdata[-1]
        assert "5 seeds" in trace.customdata[-1]


def test_a_run_keeps_its_mixture_until_the_next_one(document):
    early = [one.points[0].gap for one in document.courses if one.variant == "alpha-evolve"]
    trace = mean_of(drawn(document, "gap", "calls"), "alpha-evolve")
    assert list(trace.x[:2]) == [0, 30]
    assert trace.y[0] == pytest.approx(fmean(early))


def test_what_is_beyond_the_budget_is_not_drawn(document):
    long = [replace(one, final=1) if one.variant == "zero-shot" else one for one in document.courses]
    trace = mean_of(drawn(replace(document, courses=tuple(long), budget=None), "gap", "calls"), "zero-shot")
    assert max(trace.x) == 1


def test_single_runs_are_thin_and_can_be_left_out(document):
    with_runs, without = drawn(document, "gap", "calls"), drawn(document, "gap", "calls", seeds=False)
    thin = [trace for trace in with_runs.data if trace.line.width == 1]
    assert len(thin) == 20
    assert "seed 3" in " ".join(text for trace in thin for text in trace.customdata)
    assert not [trace for trace in without.data if trace.line.width == 1]


def test_a_variant_of_one_seed_has_no_band(document):
    few = tuple(one for one in document.courses if one.seed == "0")
    figure = drawn(replace(document, courses=few), "gap", "calls")
    assert not [trace for trace in figure.data if trace.fill == "toself"]
    assert " ± " not in " ".join(mean_of(figure, "zero-shot").customdata)


def test_a_logarithmic_height_has_the_values_on_its_ticks(document):
    axis = drawn(document, "gap", "calls", logarithmic=True).layout.yaxis
    assert "100" in axis.ticktext
    assert list(axis.tickvals) == sorted(axis.tickvals)


def test_a_variant_has_one_colour_in_every_chart_whatever_is_planned_beside_it(document):
    looks = compare_data.looks(document, ["not there yet", *(name for name, _, _ in VARIANTS)])
    curve = mean_of(curves_figure(document, View("gap", "calls"), looks), "zero-shot")
    bars = shares_figure(document, looks).data[0].marker.color
    assert curve.line.color == bars[0] == looks["zero-shot"].colour == "#E69F00"
    assert len({look.colour for look in looks.values()}) == len(looks)


def test_dashes_tell_the_context(document):
    lines = tuple(replace(line, settings={**line.settings, "context": "none"}) if line.name == "zero-shot" else line
                  for line in document.variants)  # fmt: skip
    figure = drawn(replace(document, variants=lines), "gap", "calls")
    assert mean_of(figure, "zero-shot").line.dash == "dot"
    assert mean_of(figure, "best-of-n").line.dash == "solid"


def test_unequal_cost_is_said_with_the_median_calls_of_an_iteration(document):
    assert compare_data.unequal_cost(document).startswith("Unequal cost: median 1 / 10 / 10 / 30 calls an iteration")
    same = tuple(one for one in document.courses if one.variant in {"best-of-n", "linear-refinement"})
    assert compare_data.unequal_cost(replace(document, courses=same)) == ""


def test_what_all_runs_have_used_is_found(document):
    assert compare_data.common_amount(document) == 121
    one = tuple(course for course in document.courses if course.variant == "zero-shot")
    assert compare_data.common_amount(replace(document, courses=one)) is None


@pytest.mark.parametrize("dark", [False, True])
def test_cross_play_has_its_intervals_in_the_cells_and_on_hover(document, dark):
    heat, texts = cross_figure(document, dark).data
    assert heat.z[0][2] == pytest.approx(-52.8)
    assert "<br>± 11" in texts.text[1]
    assert texts.text[0] == "0"
    assert "<b>zero-shot</b> against <b>linear-refinement</b><br>−53 ± 11 (95 %), 5 seeds" in heat.customdata[0][2]


def test_a_single_seed_of_cross_play_has_no_interval(document):
    alone = replace(document.cross_play, half_width=tuple((None,) * 4 for _ in range(4)))
    heat, texts = cross_figure(replace(document, cross_play=alone), False).data
    assert "±" not in "".join(texts.text)
    assert "±" not in heat.customdata[0][1]


def test_hostile_names_stay_letters(document):
    text = dumps(document).decode().replace("zero-shot", EVIL.replace('"', "'")).replace("best-of-n", "=1+1")
    evil = from_json(Comparison, orjson.loads(text))
    looks = compare_data.looks(evil)
    for figure in (drawn(evil, "gap", "calls"), cross_figure(evil, False), shares_figure(evil, looks)):
        assert "<img" not in figure.to_json().replace("\\u003c", "<")
    assert "\n'=1+1," in compare_csv.cross_csv(evil).replace("\r", "")


def test_numbers_are_saved_whole(document):
    curves = compare_csv.curves_csv(document).splitlines()
    assert len(curves) == 1 + sum(len(course.points) for course in document.courses)
    assert sum(line.endswith(",1") for line in curves) == len(document.courses)
    assert len(compare_csv.cross_csv(document).splitlines()) == 17
    assert HELD_OUT in compare_csv.joint_csv(document)
