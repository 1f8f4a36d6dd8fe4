"""Who wrote a text: the models of the runs in which an oracle came up with it, or with what a person made it from."""

import sqlite3

import orjson

# An oracle keeps the texts of its attempts too. A person's edit is followed back to the text that it was made from.
_RUNS = """
WITH RECURSIVE line (hash) AS (
    VALUES (?)
    UNION SELECT parent FROM members JOIN line ON policy = line.hash WHERE origin = 'human' AND parent != ''
)
SELECT settings FROM runs WHERE id IN (
    SELECT run FROM members JOIN line ON policy = line.hash WHERE origin = 'oracle'
    UNION SELECT run FROM attempts JOIN line ON policy = line.hash
)
"""
_EXACT = "exact"
_RECORDED = "recorded:"


def models_behind(connection: sqlite3.Connection, policy: str) -> set[str]:
    """Returns the names of the models that wrote a text; empty where no run of the store tells.

    Args:
        connection: to the store.
        policy: hash of the text.
    """
    found = [_known(row["settings"]) for row in connection.execute(_RUNS, (policy,))]
    # The oracle `exact` asks no model.
    asked = [settings["model"] for settings in found if settings and settings["oracle"] != _EXACT]
    return {_origin(connection, model) for model in asked}


def _origin(connection: sqlite3.Connection, model: str) -> str:
    """Returns the model that gave the answers of a recording, where the store has that run; else the name itself."""
    seen = set()
    while model.startswith(_RECORDED) and model not in seen:
        seen.add(model)
        wanted = model.removeprefix(_RECORDED)
        row = connection.execute("SELECT settings FROM runs WHERE id = ?", (wanted,)).fetchone()
        if row is None:
            break
        model = _known(row["settings"]).get("model", model)
    return model


def _known(text: str) -> dict[str, str]:
    """Returns oracle and model of settings; nothing where they are damaged, which lists of runs say."""
    try:
        settings = orjson.loads(text)
        return {name: settings[name] for name in ("oracle", "model") if isinstance(settings[name], str)}
    except (ValueError, TypeError, KeyError):
        return {}
