"""How dev/gate and dev/verify begin and end."""

import signal
import sys

from .table import TableError


def call(name, main):
    """Ends the program with what MAIN returns. Whoever stops it stops the tiers as well: it hears a terminal that is closed, and
    SIGTERM, as it hears Ctrl-C."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(each) != signal.SIG_IGN:  # nohup
            signal.signal(each, signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")
    try:
        sys.exit(main())
    except TableError as problem:
        sys.exit(f"{name}: {problem}")
    except KeyboardInterrupt:
        sys.exit(130)
