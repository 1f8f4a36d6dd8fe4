"""Figures of comparisons: sound XML, nothing of a name gets out of its place, and the numbers are the document's."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from app import colours
from csro_core.experiments import palette
from csro_core.experiments.bands import bands
from csro_core.experiments.figures import comparison_figures, course_figure, cross_play_figure
from csro_core.experiments.numbers import interval, number, ticks
from csro_core.experiments.palette import VARIANT_COLOURS, ink_on
from tests.experiments.fake_documents import EVIL, NAMES, fake_comparison

SVG = "{http://www.w3.org/2000/svg}"


def test_every_figure_is_sound_xml_with_a_title_and_no_reference_to_elsewhere():
    figures = comparison_figures(fake_comparison())
    assert set(figures) == {"gap-over-calls", "cross-play", "joint-shares"}
    for text in figures.values():
        root = ElementTree.fromstring(text)
        assert root.find(f"{SVG}title").text
        assert "href" not in text
        assert "script" not in text
        assert text.count("http") == 1  # the name of the language


@pytest.mark.parametrize("evil", [EVIL, "'/><image href='http://x'/>", "\x00\x1b\u2028\ud800x"])
def test_names_stay_words(evil):
    plain = comparison_figures(fake_comparison(("a", "b", "c", "d")))
    hostile = comparison_figures(replace(fake_comparison((evil, "b", "c", "d")), unit=evil, title=evil))
    for name, text in hostile.items():
        found, wanted = (sorted(e.tag for e in ElementTree.fromstring(t).iter()) for t in (text, plain[name]))
        assert found == wanted


def test_mean_and_band_are_those_of_the_seeds_at_equal_cost():
    comparison = fake_comparison()
    band = bands(comparison, "gap", "calls")[0]
    values = [course.points[-1].gap for course in comparison.courses if course.variant == NAMES[0]]
    assert band.cost[-1] == 50
    assert band.mean[-1] == pytest.approx(np.mean(values))
    assert band.half_width[-1] == pytest.approx(2.776445 * np.std(values, ddof=1) / np.sqrt(5), rel=1e-5)


def test_a_value_holds_until_the_next_one_is_known():
    comparison = fake_comparison(("a",), seeds=2)
    slow = replace(comparison.courses[1], points=comparison.courses[1].points[:1], final=0)
    band = bands(replace(comparison, courses=(comparison.courses[0], slow)), "gap", "calls")[0]
    expected = (comparison.courses[0].points[-1].gap + slow.points[0].gap) / 2
    assert band.mean[-1] == pytest.approx(expected)


def test_one_seed_has_no_band_and_no_measure_no_figure():
    single = fake_comparison(seeds=1)
    assert np.isnan(bands(single, "gap", "calls")[0].half_width).all()
    ElementTree.fromstring(course_figure(single, "gap", "calls"))
    assert course_figure(single, "exploitability", "calls") == ""
    assert course_figure(replace(single, courses=()), "gap", "calls") == ""


def test_each_variant_has_its_colour_and_its_context_a_dash():
    text = course_figure(fake_comparison(), "gap", "calls")
    lines = [e for e in ElementTree.fromstring(text).iter(f"{SVG}polyline")]
    assert [line.get("stroke") for line in lines] == list(VARIANT_COLOURS[:4])
    assert [line.get("stroke-dasharray") for line in lines] == [None, "7 4", "2 3", None]


def test_the_palette_is_that_of_the_pages():
    assert VARIANT_COLOURS == colours.STRONG
    seeds = [True] * 9 + [False] * 7 + [True]
    assert tuple(palette.policy_colours(seeds)) == colours.policy_colours(seeds)
    assert palette.DIVERGING == colours._DIVERGING_LIGHT


def test_cross_play_has_every_pair_with_its_interval():
    text = cross_play_figure(fake_comparison())
    assert text.count("± 1.5") >= 32  # in the cell and on hover
    assert "zero-shot against alpha-evolve" in text


def test_ink_can_be_read():
    for share in np.linspace(0, 1, 21):
        ground = palette.diverging_at(float(share))
        assert colours.contrast(ink_on(ground), ground) >= 4.5


@pytest.mark.parametrize(
    ("value", "half", "said"),
    [
        (41.23, 12.4, "41 ± 12"), (-0.5, None, "−0.50"), (None, 1.0, "–"), (float("nan"), None, "–"),
        (1e300, None, "1.00e+300"), (3.14159, 0.021, "3.14 ± 0.02"), (5.0, float("nan"), "5"),
    ],
)  # fmt: skip
def test_numbers_are_rounded_to_their_error(value, half, said):
    assert interval(value, half) == said
    assert number(0.0) == "0"


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 17), (0.001, 0.0012), (-1e15, 1e15), (5, 5.0001)])
def test_ticks_are_few_and_inside(low, high):
    found = ticks(low, high)
    assert 2 <= len(found) <= 12
    assert all(low - 1e-9 * abs(low) <= tick <= high + 1e-9 * abs(high) for tick in found)
