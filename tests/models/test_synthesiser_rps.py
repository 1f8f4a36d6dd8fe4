"""What the synthesiser writes for repeated rock-paper-scissors."""

import ast
from dataclasses import replace

import pytest
from model_requests import failed, opponent, parent, play, request, scored, starters

from csro_core.models.synthesiser import Synthesiser
from csro_core.models.synthesiser.rps_text import read_genome
from csro_core.policies.library import reference_text
from csro_core.policies.source import describe_tree, sha256
from csro_core.sandbox.guard import check

SAMPLES = 12
BEAT_LAST = reference_text("beat_last")


def write(*args, **kwargs):
    return Synthesiser().write(request(*args, **kwargs)).source


def generations():
    """Texts of four iterations: from the starters alone, then from parents, feedback and a heavy opponent."""
    views = starters()
    texts = [write(sample) for sample in range(SAMPLES)]
    for iteration in range(1, 4):
        heavy = opponent(f"#{8 + iteration} synth", 0.7, texts[-1])
        met = (heavy, *(replace(view, weight=0.3 / len(views)) for view in views))
        parents = [parent(f"#{8 + iteration} synth", texts[-1]), parent("#9 synth", texts[0]), parent("#1", BEAT_LAST)]
        feedback = [scored(texts[0], -20.0, met[:2], (-40.0, 900.0)), failed("class Policy: pass")]
        for sample in range(SAMPLES):
            task = ("propose", "refine")[sample % 2]
            texts.append(write(1000 * iteration + sample, met, parents, feedback, task))
    return texts


@pytest.fixture(scope="module")
def texts():
    return generations()


def test_the_same_request_gives_the_same_text(texts):
    assert generations() == texts


def test_other_samples_give_other_programs(texts):
    identities = {describe_tree(ast.parse(text))[0] for text in texts}
    assert len(identities) > 0.97 * len(texts)


def test_the_guard_accepts_every_text(texts):
    assert [problem for text in texts for problem in check(text).problems] == []


def test_the_texts_are_of_readable_size(texts):
    own = [text.split("\ndef rival():\n")[0] for text in texts]
    assert max(len(text) for text in texts) < 30_000
    assert all(60 <= text.count("\n") <= 220 for text in own)
    assert all(len(line) <= 120 for text in texts for line in text.split("\n"))


def test_every_docstring_is_prose_of_its_own(texts):
    docstrings = [describe_tree(ast.parse(text))[1] for text in texts]
    assert min(len(docstring.split()) for docstring in docstrings) > 30
    assert len(set(docstrings)) > 0.9 * len(texts)


def test_nothing_is_defined_or_imported_in_vain(texts):
    for text in texts:
        tree = ast.parse(text)
        loaded = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in tree.body:
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= loaded
            elif isinstance(node, ast.Assign):
                assert {target.id for target in node.targets} <= loaded
            else:
                assert node.name in loaded | {"Policy"}
            if isinstance(node, ast.ClassDef):
                methods = [method for method in node.body if isinstance(method, ast.FunctionDef)]
                assert {method.name for method in methods} <= called | {"__init__", "act"}
                assert all(_unused(method) == set() for method in methods)


def _unused(function):
    parameters = {argument.arg for argument in function.args.args}
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    # `Constant.guess(self, log)` keeps the signature of its siblings; `self` may go unused there too.
    return parameters - used - {"self", "log"}


def test_optional_parameters_are_there_because_a_signal_uses_them(texts):
    for text in texts:
        for parameter in ("relative_to", "fade", "pick"):
            own = text.split("\ndef rival():\n")[0]
            declared = any(f", {parameter}=" in line for line in own.split("\n") if "def __init__" in line)
            listed = f"{parameter}=" in own.split("self.signals = [")[1].split("\n        ]\n")[0]
            assert declared == listed


def test_all_play_legally_from_the_first_throw(texts):
    for text in texts[::4]:
        moves, _ = play(text, BEAT_LAST)
        assert {action for pair in moves for action in pair} <= {0, 1, 2}


def test_first_proposals_are_small_and_their_descendants_grow(texts):
    sizes = [len(read_genome(text).signals) for text in texts]
    assert all(4 <= size <= 9 for size in sizes[:SAMPLES])
    assert sum(sizes[-SAMPLES:]) > 1.2 * sum(sizes[:SAMPLES])


@pytest.mark.parametrize("name", ["rock", "rotate", "beat_last", "win_stay_lose_shift"])
def test_simple_opponents_are_taken_apart(texts, name):
    source = reference_text(name)
    net = [play(text, source, num_throws=300)[1] for text in texts[:6]]
    assert min(net) > 200


def test_copies_are_few_and_go_one_deep():
    base = write(3)
    heavy = opponent("#9 synth", 0.8, base)
    carrying = [text for sample in range(100) if "\ndef rival():\n" in (text := write(sample, [heavy]))]
    assert 2 <= len(carrying) <= 25
    reader = opponent("#10 reader", 0.8, carrying[0])
    answers = [write(sample, [reader, heavy], [parent("#10 reader", carrying[0])]) for sample in range(40)]
    assert any("            Reflection()," in text for text in answers)
    assert any("            Simulation()," in text for text in answers)
    assert all(text.count("def rival():") <= 1 and check(text).problems == () for text in answers)
    for text in answers[:10]:
        assert {action for pair in play(text, carrying[0], num_throws=60)[0] for action in pair} <= {0, 1, 2}


def test_a_copy_foresees_a_deterministic_opponent():
    # Throws the product of digits of the throw number: no habit or stretch shows it soon, a copy knows it at once.
    text = (
        "class Policy:\n    \"\"\"A fixed but tangled sequence.\"\"\"\n\n    def act(self, obs):\n"
        "        throw = obs[\"throw\"]\n        return (throw * throw * 7 // 5 + throw // 3 % 7) * 5 // 3 % 3\n"
    )
    views = [opponent("#9 tangled", 1.0, text)]
    written = [write(sample, views) for sample in range(60)]
    carrying = next(one for one in written if "\ndef rival():\n" in one)
    assert play(carrying, text, num_throws=300)[1] > 270


def test_refining_starts_from_the_best_attempt_and_aims_at_its_worst_opponent():
    views = [opponent("#1 beat_last", 0.2, BEAT_LAST), opponent("#2 rock", 0.1, reference_text("rock"))]
    base = write(7, views)
    weak = write(8, views)
    feedback = [scored(weak, -90.0, views, (-200.0, 10.0)), scored(base, 40.0, views, (-30.0, 300.0))]
    genome = read_genome(base)
    for sample in range(10):
        text = write(sample, views, feedback=feedback, task="refine")
        kept = set(read_genome(text).signals) & set(genome.signals)
        assert text != base
        assert len(kept) >= len(genome.signals) - 3
        assert "The weakest result was against #1 beat_last." in " ".join(text.split())


def test_refine_and_propose_differ_at_equal_samples():
    views = starters()
    feedback = [scored(write(3), 10.0)]
    differing = [write(s, views, feedback=feedback, task="refine") != write(s, views) for s in range(20)]
    assert all(differing)


def test_repair_drops_the_copy_first_and_then_half_of_the_signals():
    carrying = next(text for sample in range(200)
                    if "def rival" in (text := write(sample, [opponent("#1 beat_last", 1.0, BEAT_LAST)])))
    repaired = write(5, feedback=[failed(carrying)], task="repair")
    assert "def rival" not in repaired
    assert set(read_genome(repaired).signals) < set(read_genome(carrying).signals)
    halved = write(5, feedback=[failed(repaired)], task="repair")
    assert len(read_genome(halved).signals) == len(read_genome(repaired).signals) // 2


@pytest.mark.parametrize("task", ["propose", "refine", "repair"])
def test_hostile_or_foreign_texts_are_only_a_reason_to_start_afresh(task):
    hostile = ["", "\x00", "(" * 30_000, "# genome: {" + "[" * 5_000, "class Policy:\n    pass\n"]
    views = [opponent(f"#{i}", 0.2, text) for i, text in enumerate(hostile)] + [opponent("hidden", 0.2, None)]
    feedback = [scored(text, 1.0) for text in hostile] + [failed(text) for text in hostile]
    for sample in range(5):
        text = write(sample, views, [parent("p", text) for text in hostile], feedback, task)
        assert check(text).problems == ()


def test_no_opponents_at_all_is_no_failure():
    assert check(write(1, [])).problems == ()


def test_the_texts_know_nothing_of_the_sample():
    assert sha256(write(12)) != sha256(write(13))
    assert "12345678901" not in write(12345678901)
