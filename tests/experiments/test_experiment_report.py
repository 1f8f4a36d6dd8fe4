"""Reports: everything of a stranger is escaped, nothing is fetched, and the page is sound."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from csro_core.experiments import page
from csro_core.experiments.archive import export_target
from csro_core.experiments.experiment_report import Told, experiment_report
from csro_core.experiments.figures import comparison_figures
from csro_core.experiments.kept import kept_comparison
from csro_core.experiments.people import run_people_files
from csro_core.experiments.plan import Variant
from csro_core.seeds import Seed
from csro_core.store import open_store
from csro_core.store.experiments import ExperimentTable
from csro_core.store.records import RunSettings
from tests.experiments.archived_experiment import GAME, PLAN, add_experiment, add_run
from tests.experiments.fake_documents import EVIL

VOID = {"meta", "br"}
DANGEROUS = {"script", "iframe", "object", "embed", "link", "img", "base", "form", "input", "video", "audio", "image"}


class Sound(HTMLParser):
    """Notes open tags, and what must not be in a report."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.policies: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        if tag in DANGEROUS:
            self.wrong.append(tag)
        for name, value in attrs:
            if name.startswith("on") or name in {"src", "href", "xlink:href", "style", "action", "srcset"}:
                self.wrong.append(f"{tag} {name}={value}")
            if name == "http-equiv":
                self.policies.append(dict(attrs)["content"])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")


def assert_sound(text: str) -> None:
    parser = Sound()
    parser.feed(text)
    parser.close()
    assert parser.wrong == []
    assert parser.open == []
    assert parser.policies == ["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]
    assert text.count("http") == text.count("http://www.w3.org/2000/svg") + text.count("http-equiv")
    assert "url(" not in text
    assert "@import" not in text


@pytest.fixture
def store(tmp_path):
    opened = open_store(tmp_path / "a.sqlite", clock=lambda: 1_000_000.0)
    yield opened
    opened.close()


def test_a_run_whose_every_text_is_hostile_has_a_sound_report(store):
    run = add_run(store, EVIL, RunSettings(GAME), extra=f'</code></pre>{EVIL}<img src="x" onerror="y">')
    text = run_people_files(store, run)["report.html"].decode()
    assert_sound(text)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_an_experiment_whose_every_text_is_hostile_has_a_sound_report(store):
    variants = (Variant(EVIL, "zero-shot", "synthesiser"), Variant("'><b>", "best-of-n", "synthesiser"))
    plan = replace(PLAN, name=EVIL, variants=variants, baseline=EVIL)
    experiment = add_experiment(store, plan)
    table = ExperimentTable(store.connections, store.clock)
    record = table.find(experiment)
    comparison = replace(kept_comparison(store, record), notes=(EVIL, "\x1b[2J"), unit=EVIL, title=EVIL)
    text = experiment_report(
        store, Told(record, table.runs(experiment), comparison, comparison_figures(comparison)), 0.0
    )
    assert_sound(text)
    assert "\x1b" not in text


def test_a_report_of_a_run_tells_settings_course_sigma_and_programs(store):
    run = add_run(store, "alone", RunSettings(GAME, seed=Seed("11")))
    text = run_people_files(store, run)["report.html"].decode()
    assert_sound(text)
    for words in (
        "alone", "seed 11", "1 of 4 iterations", "3.2 ± 1.0", "improves", "0.333", "<i>2</i>class Policy:",
        "Made 1970-01-12 13:46 UTC by CSRO", "python -m csro_core import FILE.zip",
        "python -m csro_core run --game repeated_rps",
    ):  # fmt: skip
        assert words in text
    assert text.count("<svg") == 3


def test_a_run_without_rows_has_a_report_too(store, tmp_path):
    run = store.create_run("empty", RunSettings(GAME), 3)
    text = run_people_files(store, run)["report.html"].decode()
    assert_sound(text)
    assert "No iteration is finished yet." in text
    export_target(store, run, tmp_path / "x.zip")


def test_line_numbers_and_code_are_apart():
    text = page.code("t", "a\n\n<b>")
    assert "<i>1</i>a\n<i>2</i>\n<i>3</i>&lt;b&gt;" in text
