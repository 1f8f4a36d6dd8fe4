"""The file of an experiment: TOML, YAML or JSON, a few lines. Read as data; unknown names are refused."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import yaml

from csro_core.errors import UsageError
from csro_core.experiments.plan import Plan, Resource, Variant
from csro_core.experiments.planning import Grid, baseline_of, checked
from csro_core.games import make_game, parse_game
from csro_core.seeds import Seed, checked_seed, drawn_seed, numbered_seeds
from csro_core.store.codec import from_json
from csro_core.store.defaults import default_episodes

FORMATS = (".toml", ".yaml", ".yml", ".json")
LONGEST = 100_000
"""Most characters of a file."""

_LARGEST = 2**63 - 1
_MOST_SEEDS = 1_000
_LONGEST_SEED = 100

TARGETS = {"psro": 0.0, "robust": 0.5}
"""Values of `preset` → m in tau = (1 - m) sigma + m uniform."""

_GRID = ("oracles", "models", "contexts", "meta_solvers")
_PLAIN = (
    "target_mix", "attempts", "episodes", "eval_solver", "play", "benchmark", "most_iterations", "jobs", "cluster",
    "baseline",
)  # fmt: skip
_KEYS = ("name", "game", *_GRID, "variants", "seeds", "first_seed", "budget", "preset", *_PLAIN)


def plan_from_text(text: str, ending: str, known: Sequence[Seed] = ()) -> Plan:
    """Returns the plan that a file describes.

    Args:
        text: of the file.
        ending: of its name, one of `FORMATS`.
        known: seeds that the experiment of this file has already: where it says only how many, they are taken before
            any is drawn.

    Raises:
        UsageError: it is no such file, or the plan is not possible.
    """
    if len(text) > LONGEST:
        raise UsageError(f"the file of an experiment has at most {LONGEST:,} characters, got {len(text):,}")
    data = _parsed(text.removeprefix("\ufeff"), ending.lower())
    if not isinstance(data, dict):
        raise UsageError("the file of an experiment must hold names and values at its top level")
    _check_values(data)
    unknown = [key for key in data if key not in _KEYS]
    if unknown:
        raise UsageError(f"an experiment has {', '.join(_KEYS)}; it has no {', '.join(unknown)[:100]}")
    return checked(_plan(data, known))


def _parsed(text: str, ending: str) -> Any:
    try:
        if ending == ".toml":
            return tomllib.loads(text)
        if ending in {".yaml", ".yml"}:
            return yaml.load(text, _Yaml)  # a SafeLoader
        if ending == ".json":
            return json.loads(text, object_pairs_hook=_each_once)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise UsageError(f"the file is no {ending[1:].upper()}: {' '.join(str(error).split())[:200]}") from error
    raise UsageError(f"the file of an experiment must end in {', '.join(FORMATS)}, got {ending[:20]!r}")


class _Yaml(yaml.SafeLoader):  # type: ignore[misc] # PyYAML has no types
    """Reads YAML in which names occur once, and without references, by which a few lines become gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a value must be written out where it is meant, not referred to with *")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        _each_once([(key.value, None) for key, _ in node.value if isinstance(key, yaml.ScalarNode)])
        found: dict[Any, Any] = super().construct_mapping(node, deep)
        return found


def _each_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Returns names and values as a mapping.

    Raises:
        ValueError: a name is there twice, and nobody can tell which of its values is meant.
    """
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"each name must be there once, got {twice[:60]!r} twice")
    return dict(pairs)


def _check_values(data: Mapping[Any, Any]) -> None:
    """Checks what the formats allow and a plan cannot have: names that are no texts, and numbers without an end.

    Raises:
        UsageError: there is such a thing.
    """
    left: list[Any] = [data]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                raise UsageError(f"names in an experiment must be texts, got {', '.join(map(str, value))[:100]}")
            left += value.values()
        elif isinstance(value, list):
            left += value
        elif isinstance(value, int | float) and not -_LARGEST <= value <= _LARGEST:
            raise UsageError(f"numbers in an experiment must be finite and at most {_LARGEST} in size")


def _plan(data: Mapping[str, Any], known: Sequence[Seed]) -> Plan:
    missing = [key for key in ("name", "game", "budget") if key not in data]
    if missing or not ("oracles" in data or "variants" in data):
        raise UsageError(f"an experiment needs name, game, budget, and oracles or variants; missing: {missing}")
    if "preset" in data and "target_mix" in data:
        raise UsageError("an experiment takes preset or target_mix, not both")
    spec = parse_game(_text(data, "game"))
    variants = _variants(data)
    resource, budget = _budget(data["budget"])
    preset = data.get("preset", "psro")
    if not isinstance(preset, str) or preset not in TARGETS:
        raise UsageError(f"preset must be one of {', '.join(TARGETS)}, got {str(preset)[:40]!r}")
    plain = {key: data[key] for key in _PLAIN if key in data}
    plain.setdefault("target_mix", TARGETS[preset])
    plain.setdefault("episodes", default_episodes(make_game(spec)))
    plain.setdefault("baseline", baseline_of(variants))
    whole = {
        "name": _text(data, "name"), "variants": [], "seeds": list(_seeds(data, known)), "resource": resource,
        "budget": budget, "game": {"name": spec.name, "parameters": dict(spec.parameters)}, **plain,
        "target_mix": plain["target_mix"],
    }  # fmt: skip
    defaults = {"attempts": 0, "eval_solver": "max-entropy-nash", "play": 8, "benchmark": "", "most_iterations": 200,
                "jobs": 0, "cluster": ""}  # fmt: skip
    try:
        read = from_json(Plan, {**defaults, **whole})
    except ValueError as error:
        raise UsageError(f"the experiment cannot be read: {error}") from error
    return replace(read, variants=variants)


def _variants(data: Mapping[str, Any]) -> tuple[Variant, ...]:
    if "variants" in data:
        mixed = [key for key in _GRID if key in data]
        if mixed:
            raise UsageError(f"an experiment takes variants or {', '.join(mixed)}, not both")
        listed = data["variants"]
        if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
            raise UsageError("variants must be a list of tables with oracle, and name, model, context, meta_solver")
        return tuple(_variant(one) for one in listed)
    axes = {key: _texts(data, key) for key in _GRID if key in data}
    try:
        return Grid(**axes).variants()  # type: ignore[arg-type] # `checked` looks at every name
    except TypeError as error:
        raise UsageError(f"the grid of an experiment cannot be read: {error}") from error


def _variant(data: Mapping[str, Any]) -> Variant:
    whole = {"context": "code", "meta_solver": "max-entropy-nash", "model": "synthesiser", **data}
    whole.setdefault("name", whole.get("oracle", ""))
    try:
        return from_json(Variant, whole)
    except ValueError as error:
        raise UsageError(f"a variant cannot be read: {error}") from error


def _budget(data: Any) -> tuple[str, float]:
    if not isinstance(data, dict) or len(data) != 1 or next(iter(data)) not in get_args(Resource):
        raise UsageError(f"budget must be one of {', '.join(get_args(Resource))} with its amount, such as calls = 36")
    ((resource, amount),) = data.items()
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        raise UsageError(f"the amount of a budget must be a number, got {str(amount)[:40]!r}")
    return str(resource), float(amount)


def _seeds(data: Mapping[str, Any], known: Sequence[Seed]) -> tuple[Seed, ...]:
    """Returns the seeds that a file asks for: those that are known come before any that has to be drawn.

    Raises:
        UsageError: it asks for none, or for something that is no seed.
    """
    seeds, first = data.get("seeds", 5), data.get("first_seed")
    if isinstance(seeds, list):
        if first is not None or not all(type(seed) in {int, str} for seed in seeds):
            raise UsageError("seeds must be how many (with first_seed), or a list of numbers or of drawn seeds")
        return tuple(_seed(seed) for seed in seeds)
    if type(seeds) is not int or not (first is None or type(first) is int) or not 1 <= seeds <= _MOST_SEEDS:
        raise UsageError(f"seeds must be how many, from 1 to {_MOST_SEEDS:,}, or a list, got {str(seeds)[:40]!r}")
    if first is not None:
        try:
            return numbered_seeds(first, seeds)
        except ValueError as error:
            raise UsageError(str(error)) from error
    return (*known[:seeds], *(drawn_seed() for _ in range(seeds - len(known))))


def _seed(written: int | str) -> Seed:
    try:
        return checked_seed(str(written)[:_LONGEST_SEED])
    except ValueError as error:
        raise UsageError(str(error)) from error


def _text(data: Mapping[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise UsageError(f"{key} must be a text, got {str(data[key])[:40]!r}")
    return str(data[key])


def _texts(data: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = data[key]
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        raise UsageError(f"{key} must be a list of names, got {str(found)[:60]!r}")
    return tuple(found)
