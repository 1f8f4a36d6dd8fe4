"""Model calls for the tests of the dashboard, of every outcome, some with hostile texts."""

from dataclasses import replace

from csro_core.models.chat import Prompt, PromptPart
from csro_core.store import Store
from csro_core.store.records import CallRecord

SCRIPT = "</style><script>alert(1)</script><img src=x onerror=alert(1)>"
MARKDOWN = "**bold** [link](http://evil.example) :red[red] $x^2$"
MODEL = "gemini:gemini-test"


def prompt_text(number: int = 0) -> str:
    """Returns a stored prompt with the usual parts, and one of a hostile name."""
    parts = (
        PromptPart("rules", "Rock beats scissors."),
        PromptPart("opponents", f"```python\n# {SCRIPT}\n```"),
        PromptPart(f"{MARKDOWN} {SCRIPT}", MARKDOWN),
        PromptPart("task", f"Write a policy, number {number}. {SCRIPT}"),
    )
    return Prompt("You write programs.", parts, "3").to_text()


def fake_call(number: int, **changes) -> CallRecord:
    """Returns an answered call of the first attempt of iteration 1."""
    call = CallRecord(
        f"key-{number}", 1, 0, MODEL, "answered", prompt_text(number), f"{MARKDOWN}\n{SCRIPT}\n```python\n```", 1200,
        300, 0.0025, 2.5, tokens_cached=1000, tokens_thinking=120, identity="test", request_key=f"request-{number}",
        task="propose",
    )  # fmt: skip
    return replace(call, **changes)


def outcomes() -> list[CallRecord]:
    """Returns one call of each outcome, all of run "demo rps"."""
    nothing = {"answer": "", "tokens_in": 0, "tokens_out": 0, "tokens_cached": 0, "tokens_thinking": 0, "usd": None}
    return [
        fake_call(0, attempt=2, reused=2),
        fake_call(1, usd=None),
        fake_call(2, message=f"there is no class Policy in it {SCRIPT}", attempt=1),
        fake_call(3, status="failed", reason="rate", message="too many requests; wait a minute", **nothing),
        fake_call(4, status="failed", reason=SCRIPT, message=MARKDOWN, usd=0.0001, iteration=2),
        fake_call(5, status="possibly billed", iteration=2, **nothing),
        fake_call(6, status="sent", iteration=5, **(nothing | {"prompt": "no JSON at all " + SCRIPT})),
        fake_call(7, cached=True, usd=0.0, iteration=2, model=f"recorded:{SCRIPT}"),
        fake_call(8, attempt=-1, task="summarise", usd=0.0, prompt='{"parts": "hostile"}', iteration=3),
        fake_call(9, prompt="", usd=0.0, iteration=3, attempt=2),
    ]


def add_calls(store: Store, run: str, calls: list[CallRecord]) -> list[int]:
    """Writes calls into a run that nobody holds, and returns their numbers."""
    lease = store.acquire(run, "test")
    with lease.atomically():
        numbers = [lease.put_call(call) for call in calls]
    lease.release("done")
    return numbers
