"""Entry of `python -m csro_core`."""

import sys

from csro_core.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
