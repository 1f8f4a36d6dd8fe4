"""Prices: what a call costs, and on which day."""

from datetime import date

import orjson
import pytest

from csro_core.errors import UsageError
from csro_core.models import prices
from csro_core.models.chat import Usage
from csro_core.models.prices import FREE, Price, cost, default_gemini, gemini_models, price_of, prices_date

TODAY = date(2026, 11, 29)


# USD per million tokens (input, output), as the sources in prices.json give them; introductory prices end with a day.
@pytest.mark.parametrize(("model", "day", "expected"), [
    ("gemini-3.8-flash", date(2026, 12, 31), (0.75, 3.75)),
    ("gemini-3.8-flash", date(2027, 1, 1), (1.5, 7.5)),
    ("gemini-4-carbon", date(2026, 11, 30), (2.0, 10.0)),
    ("gemini-4-carbon", date(2026, 12, 1), (4.0, 20.0)),
    ("gemini-2.5-pro", date(2026, 11, 30), (1.25, 10.0)),
    ("gemini-2.5-pro", date(2026, 12, 1), (0.75, 3.75)),
    ("gemini-2.5-pro", date(2027, 1, 1), (1.5, 7.5)),
    ("gemini-3.5-flash-lite", TODAY, (0.3, 2.5)),
])
def test_a_price_holds_for_its_days(model, day, expected):
    for name in (f"gemini:{model}", f"openai:{model}@https://generativelanguage.googleapis.com/v1beta/openai"):
        price = price_of(name, day)
        assert (price.input, price.output) == expected


def test_gemini_alone_is_the_default_model():
    assert price_of("gemini", TODAY) == price_of(f"gemini:{default_gemini()}", TODAY)
    assert default_gemini() == "gemini-3.8-flash"
    assert gemini_models()[0] == default_gemini()


@pytest.mark.parametrize("name", [
    "gemini:gemini-9-flash", "openai:m@https://openrouter.ai/api/v1", "openai:m@http://10.0.0.1/v1",
])
def test_an_unknown_price_is_none_and_never_zero(name):
    assert price_of(name, TODAY) is None
    assert cost(Usage(10, 0, 10), price_of(name, TODAY)) is None


def test_a_price_that_has_ended_is_unknown():
    assert price_of("gemini:gemini-3.7-flash", date(2026, 12, 31)) is not None
    assert price_of("gemini:gemini-3.7-flash", date(2027, 1, 1)) is None


@pytest.mark.parametrize("name", [
    "synthesiser", "recorded:abc", "openai:m@http://localhost:11434/v1", "openai:m@http://127.0.0.2:1",
    "openai:m@http://[::1]:8080/v1", "gemini:gemma-4-31b-it",
])
def test_what_is_free(name):
    assert price_of(name, TODAY).is_free
    assert cost(Usage(10, 2, 10, 5), price_of(name, TODAY)) == 0.0


def test_a_bad_name_is_said():
    with pytest.raises(UsageError):
        price_of("gpt", TODAY)


def test_cost_by_hand():
    # (1000 - 400) * 1 + 400 * 0.1 + (200 + 300) * 10 = 5640 millionths
    assert cost(Usage(1000, 400, 200, 300), Price(1.0, 0.1, 10.0)) == pytest.approx(0.005640, abs=1e-12)
    assert cost(Usage(), Price(1.0, 0.1, 10.0)) == 0.0
    # More cached than sent is a mistake of the server; nothing is charged below zero.
    assert cost(Usage(100, 400, 0), Price(1.0, 0.1, 10.0)) == pytest.approx(0.00001, abs=1e-12)


def test_a_call_of_the_usual_size():
    # 3k prompt, 1.5k code, 3k thoughts on gemini-3.8-flash before January: 0.00225 + 0.016875.
    assert cost(Usage(3000, 0, 1500, 3000), price_of("gemini", TODAY)) == pytest.approx(0.019125, abs=1e-12)


def test_long_prompts_have_their_own_price():
    price = price_of("gemini:gemini-3.1-pro-preview", TODAY)
    assert cost(Usage(200_000, 0, 0), price) == pytest.approx(0.4)
    assert cost(Usage(200_001, 0, 0), price) == pytest.approx(0.800004)
    assert not Price(0, 0, 0, 10, Price(1, 1, 1)).is_free
    assert FREE.is_free


def test_the_file_is_complete():
    data = orjson.loads(prices.files("csro_core.models").joinpath("prices.json").read_bytes())
    assert prices_date() == date.fromisoformat(data["date"])
    assert set(data["gemini"]["fallbacks"]) <= set(data["models"])
    for name, model in data["models"].items():
        ends = [price.get("until") for price in model["prices"]]
        assert model["source"].partition(":")[0].split(", ")[0] in data["sources"], name
        assert None not in ends[:-1], f"{name}: a price without an end must be the last"
        assert ends[:-1] == sorted(ends[:-1]), f"{name}: prices must be in order of time"
        assert all(price["cached"] <= price["input"] <= price["output"] for price in model["prices"]), name
