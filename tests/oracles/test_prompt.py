"""Prompts word for word (`CSRO_WRITE_SNAPSHOTS=1` writes the snapshots anew), and what has to be in them anyway."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from csro_core.estimates import Estimate
from csro_core.games import make_game
from csro_core.games.base import GameSpec
from csro_core.models.base import Feedback, OpponentScore, OpponentView, ParentView, Request
from csro_core.models.chat import Prompt
from csro_core.oracles.alpha_evolve_wordings import LESSON
from csro_core.oracles.context import contract_text
from csro_core.oracles.prompt import MAX_CURRENT, MAX_PROGRAM, MAX_PROGRAMS, MAX_TRIED, prompt_version, render
from csro_core.policies.library import reference_text

SNAPSHOTS = Path(__file__).parent / "snapshots"
RPS = GameSpec("repeated_rps")

BEAT_LAST = OpponentView("beat_last", "a" * 64, 0.55, reference_text("beat_last"))
COPY_LAST = OpponentView("copy_last", "b" * 64, 0.25, reference_text("copy_last"))
OPPONENTS = (BEAT_LAST, COPY_LAST)

OWN = 'class Policy:\n    """Mine."""\n    def act(self, obs):\n        return 1  # paper\n'


def scores(*means):
    return tuple(OpponentScore(view.hash, Estimate(mean, 2.0, 8)) for view, mean in zip(OPPONENTS, means, strict=True))


PARENTS = (
    ParentView("r3", "c" * 64, OWN, Estimate(12.3, 4.0, 8), scores(40.0, -21.5)),
    ParentView("copy_last", COPY_LAST.hash, COPY_LAST.source, Estimate(-7.0, 3.0, 8), scores(-9.0, 0.0)),
)
GOOD = Feedback(
    OWN.replace("1", "2"), "scored", "", Estimate(-6.25, 3.0, 4), scores(-12.0, 1.0),
    "steps 1-4, total -12\nyou:      RPSR\nopponent: PSRP",
)  # fmt: skip
WORSE = replace(GOOD, source=OWN.replace("1", "0"), score=Estimate(-30.0, 3.0, 4), per_opponent=scores(-31.0, -29.0))
CRASHED = Feedback("class Policy:\n    def act(self, obs):\n        return obs['my_history'][-1]\n", "failed",
                   "line 3: IndexError: list index out of range (episode 0, step 0)", None)  # fmt: skip
REFUSED = Feedback("import os\n", "refused", "line 1: module os is not allowed", None)
SILENT = Feedback("", "no-answer", "the answer holds no program", None)
TAUGHT = Feedback("", LESSON, "helped (+3.1, most against beat_last): looks one step further", None)


def request(task="propose", feedback=(), opponents=OPPONENTS, parents=PARENTS, spec=RPS):
    game = make_game(spec)
    words = (game.rules_text(), game.observation_text(), contract_text())
    return Request(spec, *words, 0, tuple(opponents), tuple(parents), tuple(feedback), task, 7)


def hidden(view, summary=""):
    return replace(view, source=None, summary=summary)


REQUESTS = {
    "propose": request(),
    "propose-summary": request(opponents=[hidden(BEAT_LAST, "Beats your last throw."), hidden(COPY_LAST)], parents=()),
    "propose-nobody-known": request(opponents=(), parents=()),
    "refine": request("refine", (REFUSED, WORSE, GOOD, CRASHED)),
    "repair": request("repair", (GOOD, CRASHED)),
    "edit": replace(request("edit", (TAUGHT, GOOD, SILENT)), wording="Change as few lines as you can."),
    "crossover": request("crossover", (GOOD,)),
    "summarise": request("summarise", opponents=OPPONENTS[:1], parents=()),
    "matrix-player-1": replace(
        request(spec=GameSpec("matrix", {"preset": "matching_pennies"}), opponents=OPPONENTS[:1], parents=()), player=1
    ),
}


def labelled(prompt):
    parts = "\n\n".join(f"<<< {part.name} >>>\n{part.text}" for part in prompt.parts)
    return f"<<< system >>>\n{prompt.system}\n\n{parts}\n"


@pytest.mark.parametrize("name", REQUESTS)
def test_snapshots(name):
    path, text = SNAPSHOTS / f"{name}.txt", labelled(render(REQUESTS[name]))
    if os.environ.get("CSRO_WRITE_SNAPSHOTS"):
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), "CSRO_WRITE_SNAPSHOTS=1 writes the snapshots anew; read the change"


def parts_of(made):
    return {part.name: part.text for part in render(made).parts}


def test_the_constant_part_leads_and_the_task_ends():
    names = [part.name for part in render(REQUESTS["refine"]).parts]
    assert names == ["rules", "observation", "opponents", "parents", "tried", "current", "task"]
    early, late = render(REQUESTS["propose"]), render(REQUESTS["refine"])
    assert (early.system, early.parts[:4]) == (late.system, late.parts[:4])
    other = render(request(opponents=OPPONENTS[:1]))
    assert (other.system, other.parts[:2]) == (early.system, early.parts[:2])


@pytest.mark.parametrize("spec", [RPS, GameSpec("matrix"), GameSpec("repeated_rps", {"num_throws": 50})])
def test_rules_contract_and_first_observation_are_the_games_own_words(spec):
    game = make_game(spec)
    prompt = render(request(spec=spec, parents=()))
    assert contract_text().strip() in prompt.system
    assert game.rules_text().strip() in prompt.parts[0].text
    assert str(game.first_observation(0)) in prompt.parts[1].text
    assert "At the first action of an episode every history is empty" in prompt.parts[1].text
    assert game.unit in prompt.parts[2].text


def test_opponents_are_told_by_weight_with_their_share_of_the_mixture():
    told = parts_of(request())["opponents"]
    assert "The 2 opponents below make up 80.0 % of the mixture; the others are not shown." in told
    headings = [line for line in told.splitlines() if line.startswith("## ")]
    assert headings[0] == '## Opponent 1: "beat_last", 55.0 % of the mixture'
    assert headings[1] == '## Opponent 2: "copy_last", 25.0 % of the mixture'
    assert 'obs["opponent_history"]' in told
    assert "#" not in "".join(line for line in told.splitlines() if not line.startswith(("# ", "## ")))
    assert '"""' not in told


def test_payoffs_have_units_and_intervals():
    made = parts_of(REQUESTS["refine"])
    assert "net throws per 1,000-throw match (± is a 95 % interval)" in made["parents"]
    assert '- against opponent 2, "copy_last": -21.5 ± 3.9' in made["parents"]  # 1.96 * 2.0
    assert "- against the mixture: +12.3 ± 7.8" in made["parents"]
    # Attempts are screened in a shorter match.
    assert "net throws per 300-throw match" in made["current"]
    assert "1,000-throw" not in made["current"] + made["tried"]


def test_an_attempt_as_parent_has_screening_units():
    attempt = ParentView("attempt 4", "", OWN, Estimate(1.0, 1.0, 4), scores(1.0, 2.0))
    assert "net throws per 300-throw match" in parts_of(request(parents=[attempt]))["parents"]


def test_a_program_is_shown_once():
    assert "Its program is that of opponent 2 above." in parts_of(request())["parents"]
    unseen = [hidden(view) for view in OPPONENTS]
    assert reference_text("copy_last").splitlines()[-1] in parts_of(request(opponents=unseen))["parents"]


def test_what_was_tried_says_how_it_ended():
    made = parts_of(request("refine", (REFUSED, CRASHED, SILENT, GOOD)))
    assert 'It was refused before it was played: "line 1: module os is not allowed".' in made["tried"]
    assert 'It failed while it was played: "line 3: IndexError' in made["tried"]
    assert 'It held no program: "the answer holds no program".' in made["tried"]
    assert "return 2" not in made["tried"]
    assert "opponent: PSRP" in made["current"]


@pytest.mark.parametrize(
    ("task", "feedback", "current"),
    [
        ("refine", (GOOD, WORSE, CRASHED), "return 2  # paper"),
        ("refine", (CRASHED, REFUSED), "import os"),
        ("repair", (GOOD, CRASHED), "['my_history'][-1]"),
        ("edit", (TAUGHT, WORSE, SILENT), "return 0  # paper"),
        ("crossover", (WORSE, GOOD), "return 2  # paper"),
    ],
)
def test_the_program_to_work_on(task, feedback, current):
    # It is shown as it is: messages name its lines, and edits look for them.
    made = parts_of(request(task, feedback))
    assert current in made["current"]
    assert made["task"] != parts_of(request())["task"]


def test_a_refinement_without_anything_to_refine_asks_for_a_new_policy():
    made = render(request("refine", (TAUGHT,)))
    assert [part.name for part in made.parts][-2:] == ["lessons", "task"]
    assert made.parts[-1].text.startswith("# Task\n\nWrite a new policy")


@pytest.mark.parametrize(("task", "feedback"), [("propose", ()), ("refine", (GOOD,))])
def test_samples_ask_in_several_wordings_and_equal_ones_in_the_same(task, feedback):
    made = request(task, feedback)
    asked = [render(replace(made, sample=sample)) for sample in range(40)]
    assert len({prompt.user for prompt in asked}) >= 6
    assert len({prompt.parts[:-1] for prompt in asked}) == 1
    assert render(replace(made, sample=3)) == asked[3]
    worded = {render(replace(made, sample=sample, wording="Do this.")).user for sample in range(40)}
    assert len(worded) == 1
    # The form of the answer comes last of all: small models forget what stands at the beginning only, and write prose.
    wording, form = worded.pop().rsplit("\n\n", 1)
    assert wording.endswith("\n\nDo this.")
    assert form.startswith("Answer with one line that begins with `Idea:`")
    assert "```python" in form


def test_sizes_are_bounded():
    long = "x = 1\n" * MAX_CURRENT
    views = [replace(BEAT_LAST, name="n" * 500, hash=f"{place}", source=long, weight=0.01) for place in range(40)]
    parents = [replace(PARENTS[0], source=long)] * 3
    told = [replace(WORSE, source=long, excerpt=long), replace(CRASHED, source=long, message=long)] * 50
    prompt = render(request("refine", told, views, parents))
    parts = {part.name: len(part.text) for part in prompt.parts}
    assert parts["opponents"] < MAX_PROGRAMS + 40 * 400
    assert parts["parents"] < MAX_PROGRAMS / 2 + 10_000
    assert parts["tried"] < 12_000 + MAX_TRIED * 4_000
    assert parts["current"] < MAX_CURRENT + 5_000
    one = parts_of(request(opponents=[replace(BEAT_LAST, source=long)]))["opponents"]
    assert MAX_PROGRAM - 10 < len(one) < MAX_PROGRAM + 1_000
    assert f"(cut: the block shows the beginning of {len(long) - 1:,} characters)" in one


def test_numbers_that_are_not_known_are_said_to_be():
    lost = Estimate(float("nan"), float("nan"), 0)
    single = OpponentScore(BEAT_LAST.hash, Estimate(5.0, float("nan"), 1))
    told = parts_of(request("refine", [replace(GOOD, score=lost, per_opponent=(single,))]))["current"]
    assert "- against the mixture: not known, since no episode counted" in told
    assert "+5.0 ± unknown" in told


def test_the_version_names_the_files_and_the_prompt_survives_the_store():
    prompt = render(REQUESTS["refine"])
    assert prompt.version == prompt_version()
    assert len(prompt.version) == 12
    assert Prompt.from_text(prompt.to_text()) == prompt


def test_a_summary_is_asked_for_without_rules_of_the_answer():
    prompt = render(REQUESTS["summarise"])
    assert [part.name for part in prompt.parts] == ["rules", "program", "task"]
    assert "Idea:" not in prompt.system
