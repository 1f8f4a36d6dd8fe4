"""`run --allocation adaptive`, and `bench --allocation`."""

import xml.etree.ElementTree

from csro_core.store import default_path, open_store

RUN = (
    "run", "--game", "repeated_rps(num_throws=30)", "--initial", "reference:biased", "reference:sticky",
    "reference:uniform", "--episodes", 4, "--iterations", 0,
)  # fmt: skip


def test_a_run_plays_further_episodes_where_it_is_asked_to(csro):
    document = csro(*RUN, "--allocation", "adaptive", "--payoff-stderr", "0.5", "--json").json
    store = open_store(default_path())
    settings = store.run(document["run"]).settings
    lengths = {cell.episodes for cell in store.cells(document["run"]).all()}
    store.close()
    assert (settings.allocation, settings.payoff_stderr) == ("adaptive", 0.5)
    assert max(lengths) > 4


def test_the_usual_run_is_uniform(csro):
    document = csro(*RUN, "--json").json
    store = open_store(default_path())
    assert {cell.episodes for cell in store.cells(document["run"]).all()} == {4}
    assert store.run(document["run"]).settings.allocation == "uniform"
    store.close()


def test_mistakes_are_one_line(csro):
    csro(*RUN, "--payoff-stderr", "1").refused("--payoff-stderr needs --allocation adaptive")
    csro(*RUN, "--allocation", "adaptive", "--payoff-stderr", "0").refused("must be a number from 1e-09")
    csro("bench", "--figure", "x.svg").refused("--figure must come with --allocation")


def test_the_experiment_prints_its_table_and_draws_its_figure(csro, tmp_path):
    figure = tmp_path / "figure.svg"
    document = csro("bench", "--allocation", "--quick", "--json", "--figure", figure).json
    assert document["seeds"] == 2
    assert {row["solver"] for row in document["results"]} == {"max-entropy-nash", "nash"}
    assert xml.etree.ElementTree.parse(figure).getroot().tag.endswith("svg")
    csro("bench", "--allocation", "--figure", tmp_path / "no" / "x.svg").refused("in a folder that is there")
