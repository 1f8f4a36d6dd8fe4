"""`solve` with names, standard errors, the published table and the comparison; `picture`."""

import os

import numpy as np
import pytest

from csro_core.meta_solvers import META_SOLVERS
from csro_core.store import open_store
from csro_core.store.pictures import PictureTable

RPS = "0,-1,1\n1,0,-1\n-1,1,0\n"


def test_header_and_names_change_nothing_but_the_words(csro, tmp_path):
    plain, named = tmp_path / "plain.csv", tmp_path / "named.csv"
    plain.write_text(RPS)
    named.write_text("move,rock,paper,scissors\nrock,0,-1,1\npaper,1,0,-1\nscissors,-1,1,0\n")
    without = csro("solve", plain, "--meta-solver", "nash", "--json").json
    answer = csro("solve", named, "--meta-solver", "nash", "--json").json
    assert answer["sigma"] == without["sigma"]
    assert answer["names"] == [["rock", "paper", "scissors"]] * 2
    assert without["names"] == [[], []]
    words = csro("solve", named, "--meta-solver", "nash").out
    assert "scissors" in words
    assert "0.3333" in words


def test_the_published_table_by_its_name(csro):
    answer = csro("solve", "example:rrps", "--meta-solver", "nash", "--json").json
    sigma = dict(zip(answer["names"][0], answer["sigma"][0], strict=True))
    # The exact Nash of the published table puts 0.89 on the uniform random player.
    assert sigma["randbot"] == pytest.approx(0.89, abs=0.01)
    assert answer["nash_conv"] < 1e-6
    assert "(P - P^T) / 2" in answer["matrix_note"]
    assert "(P - P^T) / 2" in csro("solve", "example:rrps", "--meta-solver", "uniform").out


def test_standard_errors_widen_the_mixture(csro, tmp_path):
    matrix, noise = tmp_path / "m.csv", tmp_path / "e.csv"
    matrix.write_text("0,1\n-1,0\n")
    noise.write_text("0,5\n5,0\n")
    exact = csro("solve", matrix, "--meta-solver", "max-entropy-nash", "--json").json
    noisy = csro("solve", matrix, "--stderr", noise, "--meta-solver", "max-entropy-nash", "--json").json
    assert exact["sigma"][0] == pytest.approx([1, 0], abs=1e-5)
    assert noisy["sigma"][0][1] > 0.3
    assert noisy["epsilon"] > 0.5


@pytest.mark.parametrize("choice", [("--all-solvers",), ("--meta-solver", "all")])
def test_the_comparison(csro, tmp_path, choice):
    path = tmp_path / "rps.csv"
    path.write_text(RPS)
    rows = csro("solve", path, *choice, "--json").json["solvers"]
    assert [row["meta_solver"] for row in rows] == list(META_SOLVERS)
    assert all(np.allclose(row["sigma"], 1 / 3, atol=1e-3) for row in rows)


def test_the_comparison_for_people_says_why_a_solver_does_not_fit(csro, tmp_path, monkeypatch):
    two = {name: META_SOLVERS[name] for name in ("nash", "uniform")}
    monkeypatch.setattr("csro_core.analysis.solver_comparison.META_SOLVERS", two)
    row, column = tmp_path / "row.csv", tmp_path / "column.csv"
    row.write_text("a,b\n3,0\n0,2\n")
    column.write_text("2,0\n0,3\n")
    answer = csro("solve", row, "--column", column, "--all-solvers")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert "zero-sum" in next(line for line in lines if line.startswith("nash"))
    assert [line.split()[2] for line in lines if line.startswith("sigma of")] == ["row", "column"]
    rows = csro("solve", row, "--column", column, "--all-solvers", "--json").json["solvers"]
    nash = next(one for one in rows if one["meta_solver"] == "nash")
    assert (nash["sigma"], nash["value"], nash["nash_conv"]) == (None, None, None)


def test_what_is_refused(csro, tmp_path):
    matrix, noise, large = tmp_path / "m.csv", tmp_path / "e.csv", tmp_path / "large.csv"
    matrix.write_text(RPS)
    csro("solve", "example:x", "--meta-solver", "nash").refused("one of rrps, got 'x'")
    csro("solve", "example:rrps", "--stderr", matrix, "--meta-solver", "nash").refused("leave out")
    csro("solve", matrix, "--stderr", matrix, "--meta-solver", "nash").refused("not be negative, got -1")
    noise.write_text("0,1\n1,0\n")
    csro("solve", matrix, "--stderr", noise, "--meta-solver", "nash").refused("one shape, got (3, 3) and (2, 2)")
    csro("solve", matrix).refused("--meta-solver")
    large.write_text("0\n" * 1002)
    csro("solve", large, "--meta-solver", "nash").refused("at most 1000 rows")


def test_a_picture_is_computed_and_not_in_the_list_of_commands(csro, tmp_path, monkeypatch):
    # The command runs in this process, which would keep the low priority for all later tests and their servers.
    lowered = []
    monkeypatch.setattr(os, "nice", lowered.append)
    path = tmp_path / "pictures.sqlite"
    store = open_store(path)
    table = PictureTable(store.connections)
    table.ask("k", "disc", {}, lambda: {"payoffs": [[[0.0, 1.0], [-1.0, 0.0]]], "symmetric": True})
    assert csro("picture", "k", "--store", path, "--json").json == {"picture": "k", "state": "done"}
    assert table.row("k").state == "done"
    assert len(lowered) == 1
    csro("picture", "other", "--store", path).refused("'other'")
    csro("picture", "k", "--store", tmp_path / "nowhere.sqlite").refused("no such file")
    assert "a picture" not in csro("--help").out
