"""The code model `synthesiser`: no key, no network, no state; everything it knows is in the request."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from csro_core.errors import ModelError, UsageError
from csro_core.models.base import Completion, OnText, Request
from csro_core.models.synthesiser.leduc import write_leduc
from csro_core.models.synthesiser.matrix import write_matrix
from csro_core.models.synthesiser.openspiel import write_openspiel
from csro_core.models.synthesiser.rps import write_rps
from csro_core.policies.stripping import first_paragraph

_WRITERS: Mapping[str, Callable[[Request], Completion]] = MappingProxyType(
    {"repeated_rps": write_rps, "matrix": write_matrix, "repeated_leduc": write_leduc}
)


class Synthesiser:
    """Writes policies from a grammar of ideas; the same request always gives the same text.

    There are two of them. `synthesiser` starts from the rules and the opponents alone. `synthesiser:equilibrium` may
    also write a table into its policies for repeated Leduc poker that was solved beforehand (CFR+); for every other
    game the two are the same.
    """

    free = True

    def __init__(self, equilibrium: bool = False) -> None:
        """Chooses which of the two this is."""
        self._equilibrium = equilibrium
        self.name = "synthesiser:equilibrium" if equilibrium else "synthesiser"
        self.identity = self.name
        self.title = f"synthesiser (hand-written grammar{' with a solved table' * equilibrium}, not an LLM)"

    def write(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Returns a policy for the request; there is nothing to hear on the way.

        Asked for a summary it has no words of its own: it answers with the first paragraph of the docstring.

        Raises:
            ModelError: the grammar does not know the game.
        """
        if request.task == "summarise":
            words = first_paragraph(request.opponents[0].source or "")
            return Completion(source="", idea="", answer=words)
        writer = _WRITERS.get(request.game.name)
        if writer is not None:
            return write_leduc(request, True) if self._equilibrium and writer is write_leduc else writer(request)
        try:
            return write_openspiel(request)
        except UsageError as error:
            raise ModelError(
                "unsupported-game",
                f"the synthesiser writes for {', '.join(_WRITERS)} and games of OpenSpiel, "
                f"not for {request.game.name!r}: {error}",
            ) from error
