"""The offline default "model": writes readable policies from a hand-written grammar of ideas. Not a language model."""

from csro_core.models.synthesiser.synthesiser import Synthesiser

__all__ = ["Synthesiser"]
