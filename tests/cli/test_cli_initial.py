"""`run --initial`: files, globs and folders, and what is said of policies that cannot be."""

import os

import pytest

from csro_core.cli import initial, work
from csro_core.policies.library import reference_names, reference_text
from csro_core.runner import watch

GAME = ("--game", "repeated_rps(num_throws=20)", "--iterations", 0, "--episodes", 2)


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "policies"
    made.mkdir()
    for name in ("rock", "rotate", "beat_last"):
        (made / f"my-{name}.py").write_text(reference_text(name), encoding="utf-8")
    (made / "__init__.py").write_text("")
    (made / "notes.txt").write_text("not a policy")
    return made


def names(outcome):
    assert outcome.code == 0, outcome.err
    return [policy["name"] for policy in outcome.json["policies"]]


@pytest.mark.parametrize("word", ["{}", "{}/", "{}/*.py", "{}/my-beat_last.py,{}/my-rock.py,{}/my-rotate.py"])
def test_files_globs_and_folders_start_a_run(csro, folder, word):
    outcome = csro("run", *GAME, "--initial", word.replace("{}", str(folder)).replace("*", "my-*"), "--json")
    assert names(outcome) == ["my-beat_last", "my-rock", "my-rotate"]
    shown = csro("show", outcome.json["run"], "--json").json
    assert [policy["origin"] for policy in shown["policies"]] == ["seed"] * 3
    text = csro("run", *GAME, "--initial", f"policy:{shown['policies'][0]['hash'][:12]}", "reference:sticky", "--json")
    assert names(text)[1] == "sticky"
    assert text.json["policies"][0]["hash"] == shown["policies"][0]["hash"]


def test_names_a_shell_has_expanded_are_taken(csro, folder):
    files = sorted(folder.glob("my-*.py"))
    assert len(names(csro("run", *GAME, "--initial", *files, "--json"))) == 3


def test_both_players_of_another_game_start_with_them(csro, tmp_path):
    (tmp_path / "one.py").write_text(reference_text("pure_1"), encoding="utf-8")
    game = ("--game", "matrix(preset=matching_pennies)", "--iterations", 0, "--episodes", 2)
    document = csro("run", *game, "--initial", "reference:first_action", tmp_path / "one.py", "--json").json
    assert [(policy["player"], policy["name"]) for policy in document["policies"]] == [
        (0, "first_action"), (0, "one"), (1, "first_action-2"), (1, "one-2"),
    ]  # fmt: skip


def test_every_refused_policy_is_a_line_and_there_is_no_run(csro, folder):
    (folder / "my-bad.py").write_text("import os\n" + reference_text("rock"), encoding="utf-8")
    (folder / "my-binary.py").write_bytes(b"\xff\xfe\n")
    outcome = csro("run", *GAME, "--initial", folder)
    assert outcome.code == 2
    assert outcome.out == ""
    first, second, last = outcome.err.splitlines()
    assert first.startswith(f"{folder}/my-bad.py:1: refused: ")
    assert "os" in first
    assert second.startswith(f"{folder}/my-binary.py: refused: ")
    assert last == "error: every initial policy must pass the check, 2 of 5 did not: see above"
    assert csro("runs", "--json").json == []


def test_the_same_program_twice_is_said_and_played_once(csro, folder):
    copy = folder / "my-stone.py"
    copy.write_text(reference_text("rock") + "\n# the same but for this\n", encoding="utf-8")
    outcome = csro("run", *GAME, "--initial", folder, "--json")
    assert "my-stone" not in names(outcome)
    assert f"{copy}: left out: the same program as {folder}/my-rock.py" in outcome.err


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("nobody*.py", "there is no .py file for 'nobody*.py'"),
        ("nobody.py", "there is no such file"),
        ("./nobody", "there is no such file"),
        ("nobody", "unknown reference policy 'nobody'"),
    ],
)
def test_names_that_mean_nothing_leave_no_run_behind(csro, word, words):
    csro("run", *GAME, "--initial", word).refused(words)
    assert csro("runs", "--json").json == []


def test_an_empty_folder_is_refused(csro, tmp_path):
    csro("run", *GAME, "--initial", tmp_path).refused("there is no .py file")


def test_what_is_no_plain_file_is_left_out(csro, folder):
    """A pipe would never be opened, and a link to the folder itself shows every file dozens of times."""
    os.mkfifo(folder / "my-pipe.py")
    (folder / "my-folder.py").mkdir()
    (folder / "my-nothing.py").symlink_to(folder / "nothing")
    (folder / "my-zero.py").symlink_to("/dev/zero")
    (folder / "loop").symlink_to(folder)
    for word in (folder, folder / "my-*.py", folder / "**" / "my-*.py"):
        outcome = csro("run", *GAME, "--initial", word, "--json")
        assert names(outcome) == ["my-beat_last", "my-rock", "my-rotate"]
        assert "left out" not in outcome.err


def test_names_of_files_are_shown_on_one_line(csro, folder):
    (folder / "my-\x1b[2J\nline.py").write_text("class", encoding="utf-8")
    outcome = csro("run", *GAME, "--initial", folder)
    assert len(outcome.err.splitlines()) == 2
    assert "my-?[2J?line.py:1: refused" in outcome.err


def test_too_many_are_refused_before_they_are_read(csro, folder, monkeypatch):
    monkeypatch.setattr(initial, "MAX_INITIAL", 2)
    csro("run", *GAME, "--initial", folder).refused("at most 2 policies, got 3")


def test_a_long_stage_says_how_far_it_is(csro, monkeypatch):
    monkeypatch.setattr(work, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(work, "WATCH_SECONDS", 0.005)
    monkeypatch.setattr(watch, "BAR_SECONDS", 0.0)
    outcome = csro("run", *GAME, "--initial", *reference_names("repeated_rps")[:15])
    lines = [line for line in outcome.err.splitlines() if " of 105 matches" in line]
    assert lines
    assert all(0 <= int(line.split()[0]) < 105 for line in lines)


def test_what_is_under_way_is_said_with_the_time_left():
    assert work.under_way({"bar": [1_200, 4_950], "left": 130.0}) == "1,200 of 4,950 matches, about 2 minutes left"
    assert work.under_way({"bar": [3, 4_950], "left": None}) == "3 of 4,950 matches"
    assert work.under_way({"bar": [4_950, 4_950], "left": 0.0}) == ""
    assert work.under_way({"bar": None}) == work.under_way({}) == ""
