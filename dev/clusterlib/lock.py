"""One command at a time per cluster."""

import contextlib
import fcntl
import os
import sys


@contextlib.contextmanager
def held(directory):
    """Holds a lock on the directory itself, so that no lock file is left behind."""
    while True:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print(f"waiting for another command on {directory.name}", file=sys.stderr)
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_still(directory, descriptor):
                yield
                return
        finally:
            os.close(descriptor)


def _is_still(directory, descriptor):
    """False when the directory was removed (and perhaps made anew) while we waited."""
    try:
        return os.path.samestat(os.stat(directory), os.fstat(descriptor))
    except FileNotFoundError:
        return False
