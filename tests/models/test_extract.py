"""Programs in answers of every form that models are known to write."""

import ast
import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from model_requests import request

from csro_core.models.extract import Reading, read_answer, read_cut_answer
from csro_core.models.synthesiser import Synthesiser
from csro_core.policies.library import reference_names, reference_text

PROGRAM = '''import random
from collections import Counter


class Policy:
    """Beats the favourite throw of the opponent. Draws its first throw."""

    def __init__(self):
        self.seen = Counter()

    def act(self, obs):
        if not obs["opponent_history"]:
            return random.choice(obs["legal_actions"])
        self.seen[obs["opponent_history"][-1]] += 1
        return (self.seen.most_common(1)[0][0] + 1) % 3
'''
IDEA = "Beats the favourite throw of the opponent."
IMPORTS, CLASS = PROGRAM.split("\n\n\n")
SKETCH = "class Policy:\n    ..."
USE = "obs = {}\nplayer = Policy()\nplayer.act(obs)"
DRAFT = "class Policy:\n    def act(self, obs):\n        return 0\n"
TILDES, TICKS = "~~~", "```"


def fenced(code, label="python", fence=TICKS):
    return f"{fence}{label}\n{code.rstrip()}\n{fence}"


def indented(text, by="    "):
    return "\n".join(by + line if line else line for line in text.split("\n"))


def numbered(style):
    return "\n".join(style.format(place, line) for place, line in enumerate(PROGRAM.rstrip().split("\n"), 1))


def repl(text):
    return "\n".join((">>> " if line[:1].strip() else "... ") + line for line in text.rstrip().split("\n"))


FORMS = {
    "bare": PROGRAM,
    "fenced": fenced(PROGRAM),
    "fenced py": fenced(PROGRAM, "py"),
    "fenced Python": fenced(PROGRAM, "Python"),
    "fenced python3 with attributes": fenced(PROGRAM, 'python3 title="policy.py"'),
    "fenced without a label": fenced(PROGRAM, ""),
    "fenced with another label": fenced(PROGRAM, "text"),
    "tildes": fenced(PROGRAM, fence=TILDES),
    "four backticks": fenced(PROGRAM, fence="````"),
    "indented fence": indented(fenced(PROGRAM), "   "),
    "fence in a list": "1. ```python\n" + indented(PROGRAM, "   ") + "   ```",
    "prose before and after": f"Here is my policy:\n\n{fenced(PROGRAM)}\n\nIt counts, then beats the favourite.",
    "fence after prose": f"My answer: {fenced(PROGRAM)}",
    "code on the line of the fence": f"```python {PROGRAM}```",
    "fence at the end of the code": f"```python\n{PROGRAM.rstrip()}```",
    "never closed": f"```python\n{PROGRAM}",
    "closed twice": f"{fenced(PROGRAM)}\n```\n",
    "prose and bare code": f"I would count throws.\n\n{PROGRAM}",
    "bare code and prose": f"{PROGRAM}\nThis beats players with a favourite.\n- it is short\n",
    "prose with keywords": f"import what you need, from the list. class matters.\nfor example:\n\n{PROGRAM}",
    "two blocks, the imports first": f"Imports:\n{fenced(IMPORTS)}\nClass:\n{fenced(CLASS)}",
    "two blocks, the imports last": f"Class:\n{fenced(CLASS)}\nImports:\n{fenced(IMPORTS)}",
    "draft, then fixed": f"{fenced(DRAFT)}\nThat loses to paper. Fixed:\n{fenced(PROGRAM)}",
    "draft, then a bare final answer": f"{fenced(DRAFT)}\n\nFinal answer:\n\n{PROGRAM}",
    "a cut-off second version": f"{fenced(PROGRAM)}\nEven better:\n```python\n{DRAFT}",
    "a sketch after it": f"{fenced(PROGRAM)}\nIn short:\n{fenced(SKETCH)}",
    "then an example of its use": f"{fenced(PROGRAM)}\n{fenced(USE)}",
    "then a shell command": f"{fenced(PROGRAM)}\nRun:\n{fenced('python policy.py', 'bash')}",
    "carriage returns": fenced(PROGRAM).replace("\n", "\r\n"),
    "old line ends": fenced(PROGRAM).replace("\n", "\r"),
    "a byte order mark": f"\ufeff{PROGRAM}",
    "hard spaces": fenced(PROGRAM.replace("    ", "\u00a0\u00a0\u00a0 ")),
    "thoughts": f"<think>\nMaybe:\n{fenced(DRAFT)}\nNo.\n</think>\n\n{fenced(PROGRAM)}",
    "thoughts twice": f"<think>a</think>\n<thinking>\n{DRAFT}</thinking>{fenced(PROGRAM)}",
    "thoughts opened by the template": f"Maybe:\n{fenced(DRAFT)}\nNo.\n</think>\n{fenced(PROGRAM)}",
    "special tokens": f"{fenced(PROGRAM)}<|im_end|>\n<|endoftext|>",
    "special token after bare code": f"{PROGRAM.rstrip()}</s>",
    "special token before bare code": f"<|python_tag|>{PROGRAM}",
    "JSON": json.dumps({"idea": IDEA, "code": PROGRAM}),
    "JSON in a fence": fenced(json.dumps({"code": PROGRAM}, indent=2), "json"),
    "JSON with a fenced program": json.dumps({"code": fenced(PROGRAM)}),
    "a tool call": json.dumps([{"name": "write", "arguments": {"path": "a.py", "text": PROGRAM}}]),
    "a JSON string": json.dumps(PROGRAM),
    "broken JSON": '{"code": ' + json.dumps(PROGRAM) + ', "note": ',
    "JSON cut off": '{"code": ' + json.dumps(PROGRAM)[:-1],
    "JSON with line breaks": '{"code": "' + PROGRAM.replace('"', '\\"') + '"}',
    "escaped line breaks": PROGRAM.replace("\n", "\\n"),
    "HTML entities": fenced(PROGRAM.replace('"', "&quot;")),
    "tags": f"<answer>\n{PROGRAM}</answer>",
    "tags on the lines of code": f"<pre><code class='language-python'>{PROGRAM.rstrip()}</code></pre>",
    "Code Llama's tags": f"[PYTHON]\n{PROGRAM}[/PYTHON]",
    "a tag around a fence": f"<policy>\n{fenced(PROGRAM)}\n</policy>",
    "Markdown in Markdown": f"````markdown\n# Policy\n{fenced(PROGRAM)}\n````",
    "indented code": f"My policy:\n\n{indented(PROGRAM)}\n\nDone.",
    "indented in the fence": fenced(indented(PROGRAM)),
    "indented by tabs": fenced(indented(PROGRAM, "\t")),
    "a quotation": "\n".join(f"> {line}" for line in fenced(PROGRAM).split("\n")),
    "a diff": fenced("--- a\n+++ b\n@@ -1,2 +1,9 @@\n-import os\n" + indented(PROGRAM.rstrip(), "+"), "diff"),
    "line numbers": fenced(numbered("{}: {}")),
    "line numbers and bars": fenced(numbered("{:3d} | {}")),
    "line numbers and tabs": fenced(numbered("{:6d}\t{}")),
    "line numbers and spaces": fenced(numbered("{:2d} {}")),
    "line numbers without a fence": numbered("{}. {}"),
    "a prompt": fenced(repl(PROGRAM)),
    "a prompt without a fence": f"{repl(PROGRAM)}\n>>> ",
    "headings": f"# Policy\n\n## Idea\nCounts the throws.\n\n## Code\n{fenced(PROGRAM)}\n",
    "inline code before": f"The method `act` is ```short```.\n{fenced(PROGRAM)}",
}


@pytest.mark.parametrize("form", FORMS)
def test_the_program_is_found(form):
    reading = read_answer(FORMS[form])
    assert reading.problem == ""
    assert ast.dump(ast.parse(reading.source)) == ast.dump(ast.parse(PROGRAM)) or form in REORDERED
    assert sorted(reading.source.split()) == sorted(PROGRAM.split())
    ast.parse(reading.source)


REORDERED = {"two blocks, the imports last"}


DOCUMENTED = f'''class Policy:
    """Copies.

    Example:
{indented(fenced("Policy().act({})"))}
{fenced("class Policy:")}
    """

    def act(self, obs):
        return max(obs["legal_actions"], default=0)
'''


@pytest.mark.parametrize("answer", [DOCUMENTED, fenced(DOCUMENTED), f"Hello there.\n{DOCUMENTED}Bye bye now."])
def test_a_fence_in_a_docstring_is_text(answer):
    assert read_answer(answer).source == DOCUMENTED


def test_an_open_string_does_not_swallow_the_fence():
    broken = 'class Policy:\n    """Never closed.\n    def act(self, obs):\n        return 0\n'
    assert read_answer(f"{fenced(broken)}\nSome words.\n\nmore").source == broken
    assert read_answer(f"{fenced(broken)}\nSome words.\n\n{fenced(PROGRAM)}").source == PROGRAM
    # A whole program wins over one whose string is open.


def test_names_in_other_blocks_complete_the_program():
    helper = "def beat(action):\n    return (action + STEP) % 3\n"
    unused = "import os\n\ndef never():\n    return 1\n"
    policy = "class Policy:\n    def act(self, obs):\n        return beat(obs['player'])\n"
    answer = "\nthen\n".join(map(fenced, ["STEP = 2", unused, "STEP = 1", helper, policy]))
    assert read_answer(answer).source in {f"{helper}\n{policy}", f"STEP = 1\n\n{helper}\n{policy}"}
    assert "os" not in read_answer(answer).source


def test_an_example_of_its_use_is_no_part_of_it():
    policy = "class Policy:\n    def act(self, obs):\n        return STEP\n"
    use = "STEP = 3\nprint(Policy().act({}))"
    assert read_answer(f"{fenced(policy)}\n{fenced(use)}").source == policy


MARKED = '''class Policy:
    """Escapes.
<answer>
    """

    def act(self, obs):  # no fence: ```
        return len("&quot;" + '&lt;') < 3
'''


@pytest.mark.parametrize("answer", [MARKED, fenced(MARKED), f"<policy>\n{fenced(MARKED)}\n</policy>"])
def test_tags_entities_and_fences_inside_a_program_stay(answer):
    assert read_answer(answer).source == MARKED


def test_tags_above_the_class_of_a_bare_program_stay():
    program = f'"""About\n<answer>\nthis file.\n</answer>\n"""\n{DRAFT}'
    assert read_answer(program).source == program


def test_an_open_bracket_does_not_swallow_the_rest():
    assert read_answer(f"STEPS = [1, 2\n{DRAFT}Bye for now.").source == f"STEPS = [1, 2\n{DRAFT}"


def test_the_end_of_thoughts_after_the_program_is_no_end_of_thoughts():
    assert read_answer(f"{fenced(PROGRAM)}\n</think>\nThat was it.").source == PROGRAM


def test_a_class_in_two_blocks_is_put_together():
    head, act = PROGRAM.split("\n\n    def act")
    act = f"    def act{act}"
    reading = read_answer(f"{fenced(head)}\nand\n{fenced(act)}")
    assert ast.dump(ast.parse(reading.source)) == ast.dump(ast.parse(PROGRAM))


def test_several_classes_stay_together():
    both = f"class Counts:\n    total = 0\n\n\n{PROGRAM}"
    assert read_answer(fenced(both)).source == both
    assert read_answer(both).source == both


@pytest.mark.parametrize("game", ["repeated_rps", "matrix"])
def test_bare_programs_are_taken_to_the_letter(game):
    for name in reference_names(game):
        text = reference_text(name)
        assert read_answer(text) == Reading(text, read_answer(text).idea, "")
        assert read_answer(f"Some words first.\n\n{fenced(text)}").source == text


def test_the_synthesisers_texts_are_taken_to_the_letter():
    for sample in range(40):
        text = Synthesiser().write(request(sample)).source
        reading = read_answer(text)
        assert reading.source == text
        assert reading.idea


@pytest.mark.parametrize(("answer", "sentence"), [
    ("", "empty"), (" \n\t", "empty"), ("<think>so many words", "before the thoughts did"),
    ("<think>words</think>", "before the thoughts did"), ("I cannot help with that.", "no Python program"),
    (fenced("print(1)"), "no Python program"), ("{}", "no Python program"), ("[1, 2]", "no Python program"),
    (fenced("def act(self, obs):\n    return 0"), "no class"),
    (fenced("class Bot:\n    def act(self, obs):\n        return 0"), "class Bot: the class must be named Policy"),
    ("class policy:\n    pass\n", "class policy: the class must be named Policy"),
    ("<<<<<<< SEARCH\nclass Policy:\n=======\nclass Policy:  # new\n>>>>>>> REPLACE", "is an edit"),
    (fenced(f"<<<<<<< SEARCH\n{DRAFT}=======\n{PROGRAM}>>>>>>> REPLACE"), "is an edit"),
    ("You could write a class Policy: it is easy.", "no Python program"),
])
def test_what_is_missing_is_said_in_one_sentence(answer, sentence):
    reading = read_answer(answer)
    assert reading.source == ""
    assert sentence in reading.problem
    assert reading.problem.count(". ") == 0
    assert reading.problem.endswith(".")


def test_bad_python_is_left_to_the_inspection():
    assert read_answer(fenced("class Policy:\n    def act(self obs)\n")).source.startswith("class Policy")


@pytest.mark.parametrize(("answer", "idea"), [
    (PROGRAM, IDEA),
    (fenced(PROGRAM), IDEA),
    (f"Here is the code:\n{fenced(PROGRAM)}", IDEA),
    (f"Sure! Here's a policy.\n\n{fenced(PROGRAM)}", IDEA),
    (f"Counts throws\u200b and *beats* the   most\nfrequent. More.\n{fenced(PROGRAM)}",
     "Counts throws and *beats* the most frequent."),
    (f"**Idea:** Punish `rock` by paper\n\n{fenced(PROGRAM)}", "Punish rock by paper"),
    (f"## Strategy\n\n1. Watch the last 2.5 throws! Then act.\n{fenced(PROGRAM)}", "Watch the last 2.5 throws!"),
    (f"{fenced(PROGRAM)}\n\nIt counts, then beats.", "It counts, then beats."),
    (json.dumps({"idea": "Mirror what it did.", "code": PROGRAM}), "Mirror what it did."),
    (f"<think>No idea at all, sorry.</think>{fenced(PROGRAM)}", IDEA),
    (fenced(DRAFT), ""),
    (f'"""About this file. More."""\n{DRAFT}', "About this file."),
    ("I cannot help with that. Sorry.", "I cannot help with that."),
    (f"{'very ' * 60}long.\n{fenced(PROGRAM)}", ("very " * 60)[:199].rstrip() + "\u2026"),
    (f"Plays <b>bold</b>\x07 moves \u202enow.\n{fenced(PROGRAM)}", "Plays bold moves now."),
])
def test_the_idea_is_one_clean_sentence(answer, idea):
    assert read_answer(answer).idea == idea


PIECES = [
    "```", "```python\n", "~~~", "\n", "class Policy:", "class Policy(A):\n", "    def act(self, obs):\n", '"""', "'''",
    "import os\n", "<think>", "</think>", '{"code": "', "\\n", '\\"', '"', "&lt;", "&amp;", "> ", ">>> ", "+", "@@\n",
    "1: ", "- ", "#", "(", "[", "<code>", "</code>", "\r", "\t", " ", "\ud800", "\u202e", "\0", "<<<<<<< SEARCH\n", "x",
]  # fmt: skip


def check(reading):
    assert bool(reading.source) != bool(reading.problem)
    assert len(reading.idea) <= 200
    assert "\n" not in reading.idea + reading.problem
    assert "\r" not in reading.source
    (reading.source + reading.idea + reading.problem).encode()


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=200))
@example("<think></think></think>class Policy:")
def test_it_never_raises(text):
    check(read_answer(text))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.sampled_from([1, 40]))
def test_it_never_raises_on_what_repeats(piece, times):
    check(read_answer(PROGRAM[: 20 * times] + piece * times))


def seconds_for(text):
    began = time.process_time()
    check(read_answer(text))
    return time.process_time() - began


@pytest.mark.parametrize("piece", [
    *PIECES, "``` \n", "```python\nclass Policy:\n'''\n```\n", "a" * 99 + "\n", "a, ", "import a, ", "(\n", '"\n',
    "a" * 9 + "`", "<think></think>", "<|im_end|>", " . ", "a b. ",
    "class Policy:\n    def act(self, obs): 0\n\nwords here\n", "\n    class Policy", "+class Policy:\n'''\n",
    "def f():\n\nx y\n", "import a\n\nx y\n", "a = (\n", '{"a":', "from a import (",
])  # fmt: skip
def test_the_time_is_linear(piece):
    text = piece * (200_000 // len(piece))
    # 0.4 s at most here. What is quadratic takes minutes.
    assert seconds_for(text) < 4.0


def test_a_megabyte_of_garbage_takes_seconds():
    text = "".join(piece * 100 for piece in PIECES)
    assert seconds_for(text * (1_000_000 // len(text))) < 10.0


CUT = PROGRAM[: PROGRAM.index("self.seen[")]
EDIT = "<<<<<<< SEARCH\nreturn 0\n=======\nreturn 1\n>>>>>>> REPLACE\n"


@pytest.mark.parametrize("answer", [
    f"{fenced(PROGRAM)}\nIt begins by chance, and th",
    f"{fenced(PROGRAM)}\nA better one:\n{TICKS}python\n{CUT}",
    f"{PROGRAM}\nThis beats whoever has a favou",
    fenced(PROGRAM),
    f"{fenced(json.dumps({'code': PROGRAM}), 'json')}\nThe idea of th",
    f"<think>\nLet me see.\n</think>\n{fenced(PROGRAM)}\nIt beg",
])
def test_an_answer_that_was_cut_off_after_its_program_gives_it(answer):
    reading = read_cut_answer(answer)
    assert (reading.source, reading.problem) == (PROGRAM, "")
    # A resumed run and a recording read the same answer without knowing that it was cut off.
    assert read_answer(answer).source == reading.source


@pytest.mark.parametrize("answer", [
    "",
    "I would",
    CUT,
    PROGRAM,
    f"{TICKS}python\n{CUT}",
    f"{TICKS}python\n{PROGRAM}",
    f"{fenced(IMPORTS)}\n{TICKS}python\n{CUT}",
    json.dumps({"code": PROGRAM})[:-20],
    f"<think>\n{fenced(PROGRAM)}\nBut per",
    f"{fenced(PROGRAM)}\n{EDIT}",
    f"{fenced(SKETCH)}\nNow for",
])
def test_one_that_was_cut_off_before_is_none(answer):
    reading = read_cut_answer(answer)
    assert reading.source == ""
    assert "cut off" in reading.problem


@given(st.integers(0, 400))
def test_half_a_program_is_never_taken(place):
    answer = f"Here it is.\n{fenced(PROGRAM)}\nIt plays well, and that is all that there is to say."
    assert read_cut_answer(answer[:place]).source in {"", PROGRAM}
