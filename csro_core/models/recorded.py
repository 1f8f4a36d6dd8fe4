"""Answers of a stored run in place of a model: anybody can step the run again, without a key and at no cost."""

from csro_core.errors import ModelError
from csro_core.models.base import AnswerBook, Completion, OnText, Request, request_key
from csro_core.models.language import reading_of


class RecordedModel:
    """A `CodeModel` that looks its answers up."""

    free = True

    def __init__(self, name: str, title: str, book: AnswerBook) -> None:
        """Keeps its collaborators.

        Args:
            name: "recorded:RUN".
            title: the name for people.
            book: the answers, by `request_key`, so that it does not matter which model gave them.
        """
        self.name = name
        self.title = title
        self._book = book

    @property
    def identity(self) -> str:
        """The name: the answers of a run do not change."""
        return self.name

    def write(self, request: Request, on_text: OnText | None = None) -> Completion:
        """Looks the answer up; it is heard at once.

        Returns:
            The recorded answer, read anew.

        Raises:
            ModelError: the request was not recorded.
        """
        answer = self._book.find(request_key(request))
        if answer is None:
            raise ModelError(
                "not-recorded",
                f"{self.name} holds no answer to this request: give the game, oracle, seed and settings of that run, "
                "or take a model that answers",
            )
        if on_text is not None:
            on_text(answer)
        reading = reading_of(request, answer)
        return Completion(reading.source, reading.idea, answer, cached=True, problem=reading.problem)
