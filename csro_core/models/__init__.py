"""The registry of code models: a new model is one new file and one line here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from csro_core.errors import UsageError
from csro_core.models.base import CodeModel
from csro_core.models.synthesiser import Synthesiser

MODELS: Mapping[str, Callable[[], CodeModel]] = MappingProxyType({"synthesiser": Synthesiser})
"""Name of a model without a parameter → what builds it."""

_PLANNED = ("gemini", "openai", "recorded")
"""Models with a parameter after a colon, named in the design and not built yet."""


def make_model(name: str) -> CodeModel:
    """Returns the model with this name.

    Args:
        name: a name of `MODELS`.

    Raises:
        UsageError: the name is unknown or stands for a model that is not built yet; the message lists the known ones.
    """
    known = ", ".join(MODELS)
    if name in MODELS:
        return MODELS[name]()
    if name.partition(":")[0] in _PLANNED:
        raise UsageError(f"model {name!r} is not built yet; known models: {known}")
    raise UsageError(f"unknown model {name!r}; known models: {known}")
