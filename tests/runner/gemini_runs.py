"""Runs over a loopback Gemini server: settings, credentials, and a model that is a function of the prompt."""

import hashlib

from running import SHORT_RPS, settings

from csro_core.runner.keys import Credentials
from tests.models.fake_gemini import KEY, prompt_of

MODEL = "gemini:gemini-3.8-flash"

IDEAS = (
    "return 1",
    "return 2",
    'return (obs["opponent_history"][-1] + 1) % 3 if obs["opponent_history"] else 0',
    'return (obs["opponent_history"][-1] + 2) % 3 if obs["opponent_history"] else 0',
    'return (obs["my_history"][-1] + 2) % 3 if obs["my_history"] else 1',
    'return (Counter(obs["opponent_history"]).most_common(1)[0][0] + 1) % 3 if obs["opponent_history"] else 2',
    'return (obs["throw"] // 2) % 3',
)


def answer(body):
    """A policy, chosen by a hash of what was asked."""
    number = int(hashlib.sha256(prompt_of(body).encode()).hexdigest(), 16)
    idea = IDEAS[number % len(IDEAS)]
    return (
        f"Idea: number {number % 1000}.\n\n```python\nfrom collections import Counter\n\n\nclass Policy:\n"
        f'    """Plays idea {number % len(IDEAS)}."""\n\n    def act(self, obs):\n        {idea}\n```\n'
    )


def made(oracle="best-of-n", **changes):
    start = {"attempts": 4, "initial": ("reference:rock", "reference:rotate")}
    return settings(SHORT_RPS, oracle=oracle, model=MODEL, **(start | changes))


def given(server, key=KEY):
    return Credentials(key, {"GOOGLE_GEMINI_BASE_URL": server.url})
