import pytest

from csro_core.progress import seconds_left, time_left


def test_the_pace_so_far_says_what_is_left():
    assert seconds_left(100, 400, 20.0) == 60.0
    assert seconds_left(400, 400, 20.0) == 0.0


@pytest.mark.parametrize(("done", "elapsed"), [(0, 60.0), (9, 60.0), (50, 1.9)])
def test_nothing_is_promised_from_too_little(done, elapsed):
    assert seconds_left(done, 1000, elapsed) is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "less than a minute left"),
        (44.0, "less than a minute left"),
        (70.0, "about a minute left"),
        (100.0, "about 2 minutes left"),
        (3_600.0, "about 60 minutes left"),
        (3 * 3_600.0, "about 3 hours left"),
        (60 * 3_600.0, "about 2 days left"),
    ],
)
def test_time_is_said_as_people_say_it(seconds, words):
    assert time_left(seconds) == words
