import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from csro_core.errors import UsageError
from csro_core.experiments.spec_file import plan_from_text

TOML = """
name = "oracles on RPS"
game = "repeated_rps(num_throws=300)"
oracles = ["zero-shot", "linear-refinement"]
seeds = 3
first_seed = 1000
budget = { calls = 36 }
attempts = 12
"""
YAML = """
name: oracles on RPS
game: repeated_rps(num_throws=300)
oracles: [zero-shot, linear-refinement]
seeds: 3
first_seed: 1000
budget: {calls: 36}
attempts: 12
"""
JSON = """{"name": "oracles on RPS", "game": "repeated_rps(num_throws=300)", "oracles": ["zero-shot",
"linear-refinement"], "seeds": 3, "first_seed": 1000, "budget": {"calls": 36}, "attempts": 12}"""


def test_the_three_formats_say_the_same():
    plan = plan_from_text(TOML, ".toml")
    assert plan == plan_from_text(YAML, ".yaml") == plan_from_text(YAML, ".yml") == plan_from_text(JSON, ".json")
    assert [one.name for one in plan.variants] == ["best-of-n", "zero-shot", "linear-refinement"]
    assert plan.baseline == "best-of-n"
    assert plan.seeds == ("1000", "1001", "1002")
    assert (plan.resource, plan.budget, plan.attempts, plan.target_mix) == ("calls", 36.0, 12, 0.0)
    assert plan.game.parameters == {"num_throws": 300}


def test_a_grid_is_a_product_named_by_what_differs():
    plan = plan_from_text(
        TOML.replace('oracles = ["zero-shot", "linear-refinement"]', 'oracles = ["best-of-n"]')
        + 'contexts = ["code", "none"]\nmeta_solvers = ["nash", "uniform"]\npreset = "robust"\n',
        ".toml",
    )
    assert [one.name for one in plan.variants] == [
        "context code · nash", "context code · uniform", "context none · nash", "context none · uniform",
    ]  # fmt: skip
    assert plan.target_mix == 0.5


def test_variants_may_be_named_one_by_one():
    listed = TOML.replace('oracles = ["zero-shot", "linear-refinement"]', "") + (
        '[[variants]]\nname = "evolved"\noracle = "alpha-evolve"\n[[variants]]\noracle = "best-of-n"\n'
    )
    plan = plan_from_text(listed, ".toml")
    assert [(one.name, one.oracle) for one in plan.variants] == [
        ("evolved", "alpha-evolve"), ("best-of-n", "best-of-n"),
    ]  # fmt: skip
    assert plan.baseline == "best-of-n"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("budget = { calls = 36 }", "budget = { hours = 2 }"), "budget must be one of"),
        (("budget = { calls = 36 }", "budget = { calls = 1, usd = 2 }"), "budget must be one of"),
        (("budget = { calls = 36 }", "budget = { calls = -1 }"), "budget must be a positive number"),
        (("budget = { calls = 36 }", "budget = { calls = 1.5 }"), "whole but for usd"),
        (("budget = { calls = 36 }", "budget = { calls = true }"), "must be a number"),
        (("budget = { calls = 36 }", "budget = { calls = nan }"), "must be finite"),
        (("budget = { calls = 36 }", f"budget = {{ calls = 1{'0' * 400} }}"), "must be finite"),
        (("attempts = 12", f"target_mix = 1{'0' * 400}"), "must be finite"),
        (("attempts = 12", "target_mix = true"), "target_mix must be a number"),
        (("attempts = 12", "preset = []"), "preset must be one of"),
        (('oracles = ["zero-shot", "linear-refinement"]', "variants = []"), "variants must be a list"),
        (("budget = { calls = 36 }", ""), "missing: ['budget']"),
        (("seeds = 3\nfirst_seed = 1000", "seeds = [1, 1]"), "seeds that differ"),
        (("seeds = 3\nfirst_seed = 1000", "seeds = [-1]"), "a seed must be"),
        (("seeds = 3", "seeds = 0"), "from 1 to 1,000"),
        (('"zero-shot", "linear-refinement"', '"no-such-oracle"'), "no-such-oracle"),
        (('["zero-shot", "linear-refinement"]', '"zero-shot"'), "list of names"),
        (("repeated_rps(num_throws=300)", "no_such_game"), "no_such_game"),
        (('name = "oracles on RPS"', 'name = ""'), "a name must have"),
        (('name = "oracles on RPS"', "name = 3"), "name must be a text"),
        (("attempts = 12", "attemps = 12"), "it has no attemps"),
        (("attempts = 12", 'attempts = "12"'), "attempts"),
        (("attempts = 12", "attempts = 5000"), "attempts must be from"),
        (("attempts = 12", "play = 3"), "play must be an even number"),
        (("attempts = 12", 'baseline = "nobody"'), "baseline must be one of"),
        (("attempts = 12", 'benchmark = "leduc"'), "leduc"),
        (("attempts = 12", 'preset = "psro"\ntarget_mix = 0.5'), "not both"),
        (("attempts = 12", 'cluster = "http://x"'), "tcp"),
        (("attempts = 12", "attempts = "), "no TOML"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(change, words):
    with pytest.raises(UsageError, match=words.replace("[", r"\[").replace("'", ".")) as caught:
        plan_from_text(TOML.replace(*change), ".toml")
    assert "\n" not in str(caught.value)


def test_a_file_of_another_kind_is_refused():
    for text, ending in (("- 1\n- 2", ".yaml"), ("[]", ".json"), ("x", ".ini"), ("a: [", ".yaml"), ("{", ".json")):
        with pytest.raises(UsageError):
            plan_from_text(text, ending)


def test_a_file_of_yaml_makes_no_objects():
    with pytest.raises(UsageError, match="no YAML"):
        plan_from_text('name: !!python/object/apply:os.system ["true"]', ".yaml")


def test_names_in_yaml_are_texts_and_values_are_written_out():
    bomb = "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}]\n" for a, b in pairwise("abcdefghijklmnopqrstuvwxyz"))
    for text, words in (
        (bomb, "written out"), ("&a {name: *a}", "written out"), (f"{YAML}1: 2", "must be texts"),
        (YAML.replace("oracles: [zero-shot, linear-refinement]", "variants: [{~: 1, oracle: zero-shot}]"), "be texts"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=words):
            plan_from_text(text, ".yaml")


def test_a_name_that_is_there_twice_is_refused():
    for text, ending in ((f"{YAML}seeds: 9", ".yaml"), (JSON.replace('"seeds": 3', '"seeds": 3, "seeds": 9'), ".json"),
                         (f"{TOML}seeds = 9", ".toml")):  # fmt: skip
        with pytest.raises(UsageError, match=r"once|overwrite"):
            plan_from_text(text, ending)


def test_a_file_may_begin_with_a_byte_order_mark():
    assert plan_from_text(f"\ufeff{TOML}", ".toml") == plan_from_text(TOML, ".toml")


def test_a_grid_too_large_is_refused_before_it_is_made():
    many = {key: [f"{key}{i}" for i in range(2_000)] for key in ("oracles", "models", "meta_solvers")}
    with pytest.raises(UsageError, match="at most 200 variants"):
        plan_from_text(json.dumps({"name": "n", "game": "repeated_rps", "budget": {"calls": 3}, **many}), ".json")


@given(st.text(max_size=300), st.sampled_from([".toml", ".yaml", ".json"]))
def test_any_text_is_a_plan_or_refused(text, ending):
    with pytest.raises(UsageError):
        plan_from_text(text, ending)


def test_seeds_are_drawn_where_a_file_says_only_how_many():
    counted = TOML.replace("first_seed = 1000\n", "")
    plan = plan_from_text(counted, ".toml")
    assert [len(seed) for seed in plan.seeds] == [26, 26, 26]
    assert not set(plan.seeds) & set(plan_from_text(counted, ".toml").seeds)
    # What the experiment has already comes before any that has to be drawn.
    assert plan_from_text(counted, ".toml", plan.seeds) == plan
    more = plan_from_text(counted.replace("seeds = 3", "seeds = 4"), ".toml", plan.seeds)
    assert more.seeds[:3] == plan.seeds
    assert plan_from_text(counted.replace("seeds = 3", "seeds = 2"), ".toml", plan.seeds).seeds == plan.seeds[:2]
    listed = TOML.replace("seeds = 3\nfirst_seed = 1000", f'seeds = [7, "{plan.seeds[0].upper()}"]')
    assert plan_from_text(listed, ".toml").seeds == ("7", plan.seeds[0])
