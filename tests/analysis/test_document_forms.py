"""Documents of pictures are taken as they were computed, and refused when anything in them is of another form."""

import copy
import json

import pytest

from csro_core.analysis.document_forms import is_sound
from csro_core.analysis.pictures import PICTURES
from tests.analysis.test_pictures import GAMES, silent

ODD = (None, "x", [[1, 2], [3]], {}, 1e400, [[["x"]]])


def document(name, game):
    return json.loads(json.dumps(PICTURES[name].compute(game, {}, silent)))


def places(data, path=()):
    """Yields the path of every field and of the first of every list."""
    if path:
        yield path
    if isinstance(data, dict):
        for key in data:
            yield from places(data[key], (*path, key))
    elif isinstance(data, list) and data:
        yield from places(data[0], (*path, 0))


def changed(data, path, value):
    found = copy.deepcopy(data)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return found


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("game", GAMES)
def test_what_was_computed_is_sound(name, game):
    if not PICTURES[name].refusal(GAMES[game]):
        assert is_sound(name, document(name, GAMES[game]), GAMES[game])


@pytest.mark.parametrize("name", PICTURES)
def test_a_missing_field_and_no_document_at_all_are_not(name):
    game = GAMES["rps"]
    whole = document(name, game)
    for key in whole:
        assert not is_sound(name, {other: whole[other] for other in whole if other != key}, game)
    for data in (None, [], "x", 3, [whole]):
        assert not is_sound(name, data, game)


@pytest.mark.parametrize("name", PICTURES)
def test_a_value_of_another_kind_is_not(name):
    game = GAMES["noisy"]
    whole = document(name, game)
    for path in places(whole):
        for value in ODD:
            if value == "x" and path[-1] in {"solver", "note", "error"}:
                continue
            if value is None and path[0] == "alphas":  # infinity has no JSON
                continue
            assert not is_sound(name, changed(whole, path, value), game), (path, value)


@pytest.mark.parametrize(
    ("name", "path", "value"),
    [
        ("gamescape", ("hull", 0), 7),
        ("gamescape", ("hull", 0), -1),
        ("spinning-top", ("clusters", 0), [99]),
        ("alpha-rank", ("chosen",), 25),
        ("alpha-rank", ("profiles", 0), [7]),
        ("alpha-rank", ("edges", 0, "to"), 1.5),
        ("alpha-rank", ("sinks", 0), 10**9),
    ],
)
def test_a_policy_that_is_not_there_is_not(name, path, value):
    assert not is_sound(name, changed(document(name, GAMES["noisy"]), path, value), GAMES["noisy"])


def test_a_document_of_another_size_is_not():
    assert not is_sound("disc", document("disc", GAMES["rps"]), GAMES["noisy"])
