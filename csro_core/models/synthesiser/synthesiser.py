"""The code model `synthesiser`: no key, no network, no state; everything it knows is in the request."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from csro_core.errors import ModelError
from csro_core.models.base import Completion, OnText, Request
from csro_core.models.synthesiser.matrix import write_matrix
from csro_core.models.synthesiser.rps import write_rps
from csro_core.policies.stripping import first_paragraph

_WRITERS: Mapping[str, Callable[[Request], Completion]] = MappingProxyType(
    {"repeated_rps": write_rps, "matrix": write_matrix}
)


class Synthesiser:
    """Writes policies from a grammar of ideas; the same request always gives the same text."""

    name = "synthesiser"
    title = "synthesiser (hand-written grammar, not an LLM)"
    free = True
    identity = "synthesiser"

    def write(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Returns a policy for the request; there is nothing to hear on the way.

        Asked for a summary it has no words of its own: it answers with the first paragraph of the docstring.

        Raises:
            ModelError: the grammar does not know the game.
        """
        if request.task == "summarise":
            words = first_paragraph(request.opponents[0].source or "")
            return Completion(source="", idea="", answer=words)
        if request.game.name not in _WRITERS:
            raise ModelError(
                "unsupported-game",
                f"the synthesiser writes for {' and '.join(_WRITERS)}, not for {request.game.name!r}: "
                "choose one of these games, or another model",
            )
        return _WRITERS[request.game.name](request)
