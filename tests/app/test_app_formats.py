import pytest

from app import formats
from csro_core.estimates import Estimate


@pytest.mark.parametrize(
    ("mean", "stderr", "text"),
    [
        (14.2, 3.1, "+14 ± 6"),
        (-14.26, 0.31, "−14.3 ± 0.6"),
        (0.123, 0.0068, "+0.123 ± 0.013"),
        (1234.5, 61.0, "+1,234 ± 120"),
        (0.01, 3.0, "0 ± 6"),
    ],
)
def test_an_interval_is_rounded_to_its_error(mean, stderr, text):
    assert formats.interval(Estimate(mean, stderr, 8)) == text


def test_an_exact_number_and_one_of_unknown_error_say_so():
    assert formats.interval(Estimate(1.0, 0.0, 4)) == "+1 (exact)"
    assert formats.interval(Estimate(1.0, float("nan"), 1)) == "+1 (1 episode, error unknown)"


def test_a_weight_that_is_not_zero_never_looks_like_zero():
    assert formats.weight(0.0) == "0"
    assert formats.weight(0.004) == "<0.01"
    assert formats.weight(0.31) == "0.31"


def test_money_that_was_spent_never_looks_like_none():
    assert [formats.money(usd) for usd in (None, 0.0, 0.00004, 0.0006, 0.42, 12.345)] == [
        "unpriced", "$0.00", "<$0.0001", "$0.0006", "$0.4200", "$12.35"
    ]  # fmt: skip


def test_generated_text_becomes_letters_in_html_and_in_markdown():
    assert formats.safe('<b onclick="x">') == "&lt;b onclick=&quot;x&quot;&gt;"
    assert formats.plain("[a](http://b) **c** $d$ :red[e]") == (
        "\\[a\\]\\(http\\:\u2060//b\\) \\*\\*c\\*\\* \\$d\\$ \\:red\\[e\\]"
    )
    assert formats.plain("WWW.a.b c@d.e") == "WWW\u2060\\.a\\.b c@\u2060d\\.e"


def test_the_model_is_never_called_a_language_model():
    assert formats.model_title("synthesiser") == "synthesiser (hand-written grammar, not an LLM)"


def test_a_mixed_target_says_that_it_is_not_plain_psro():
    assert formats.target_title(0.0) == "sigma"
    assert formats.target_title(0.5) == "50 % sigma + 50 % uniform, not plain PSRO"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.012, "0.01 s"), (7.5, "7.5 s"), (14.2, "14 s"), (130, "2 min 10 s"), (3900, "1 h 5 min")]
)
def test_durations(seconds, text):
    assert formats.duration(seconds) == text
