"""Entry of `python -m csro_core`."""

import signal
import sys

# Loading numpy and scipy takes a second, in which Ctrl-C would end in a traceback: until `main` can answer it, it just
# ends the process. Where the signal is ignored (as in a shell's background jobs) it stays so.
_INTERRUPT = signal.getsignal(signal.SIGINT)
if __name__ == "__main__" and _INTERRUPT is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from csro_core.cli.main import main  # noqa: E402 - see above

if __name__ == "__main__":
    signal.signal(signal.SIGINT, _INTERRUPT)
    sys.exit(main())
