"""CSRO: Code-Space Response Oracles, PSRO whose best responses are readable Python programs.

Import the module you need (for example ``csro_core.csro``); this package imports nothing by itself.
"""

__version__ = "0.1.0"
