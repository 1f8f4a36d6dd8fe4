"""The process that owns a run. `Runner` is all that the command line needs."""

from csro_core.runner.process import Runner

__all__ = ["Runner"]
