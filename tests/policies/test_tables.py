import runpy
from collections import Counter

import pytest

from csro_core.policies.library import reference_text
from csro_core.policies.tables import leduc_table_policy, rounded

STATE = "[Observer: 0][Private: 2][Round 2][Player: 0][Pot: 10][Money: 97 93][Public: 1][Round1: 1 2 1][Round2: 1 2]"
EARLY = "[Observer: 1][Private: 0][Round 1][Player: 1][Pot: 2][Money: 99 99][Round1: 1][Round2: ]"


def load(tmp_path, text):
    path = tmp_path / "policy.py"
    path.write_text(text)
    return runpy.run_path(str(path))


@pytest.mark.parametrize(
    ("chances", "expected"),
    [
        ([1 / 3, 1 / 3, 1 / 3], (0.3334, 0.3333, 0.3333)),
        ([0.00001, 0.99999], (0.0, 1.0)),
        ([0.25, 0.75], (0.25, 0.75)),
        ([1.0], (1.0,)),
    ],
)
def test_rounded_chances_add_up(chances, expected):
    assert rounded(chances) == expected
    assert sum(rounded(chances)) == pytest.approx(1.0, abs=1e-12)


def test_a_leduc_table_is_in_the_words_of_poker(tmp_path):
    table = {STATE: {0: 0.25, 1: 0.75, 2: 0.0}, EARLY: {1: 0.5, 2: 0.5}}
    loaded = load(tmp_path, leduc_table_policy(table, "From a test.", "Plays two spots."))
    assert loaded["TABLE"] == {"J- c -": (0, 0.5, 0.5), "KQ crc cr": (0.25, 0.75, 0)}
    assert list(loaded["TABLE"]) == ["J- c -", "KQ crc cr"]  # round 1 first
    obs = {"my_card": "K", "board_card": "Q", "betting": [[1, 2, 1], [1, 2]], "legal_actions": [0, 1, 2]}
    counts = Counter(loaded["Policy"]().act(obs) for _ in range(4000))
    # 5 standard deviations of a share at 4,000 draws are at most 0.04.
    assert counts[0] / 4000 == pytest.approx(0.25, abs=0.04)
    assert counts[2] == 0


def test_a_text_that_is_no_leduc_state_is_refused():
    with pytest.raises(ValueError, match="must name cards and betting"):
        leduc_table_policy({"0pb": {0: 1.0}}, "", "")


def test_the_shipped_table_is_whole(tmp_path):
    table = load(tmp_path, reference_text("leduc_cfr_plus"))["TABLE"]
    assert len(table) == 288  # information states of leduc_poker(suit_isomorphism=true)
    assert all(sum(chances) == pytest.approx(1.0, abs=1e-12) for chances in table.values())
