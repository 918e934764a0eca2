"""A program at a terminal of its own, as a person sees it and types to it."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

LONGEST = 90


class Screen:
    def __init__(self, called, rows=40, columns=200):
        """`called`: arguments and environment."""
        arguments, environment = called
        self.seen, self.status = "", None
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execvpe(arguments[0], arguments, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.process, signal.SIGKILL)
            os.waitpid(self.process, 0)
        os.close(self.terminal)

    def press(self, key):
        os.write(self.terminal, key.encode())

    def frame(self):
        """What the screen shows now: each picture begins at the upper left corner and ends by clearing what is below it."""
        pictures = re.findall(r"\x1b\[H(.*?)\x1b\[J", self.seen, re.DOTALL)
        return pictures[-1] if pictures else ""

    def until(self, what, shows):
        """Reads on until `shows` says so of the frame."""
        deadline = time.monotonic() + LONGEST
        while not shows(self.frame()):
            if not self._read(deadline - time.monotonic()):
                raise AssertionError(f"the screen never showed {what}: {self.frame()!r}")

    def ended(self):
        """The exit code, when all has been read."""
        deadline = time.monotonic() + LONGEST
        while self._read(deadline - time.monotonic()):
            pass
        if time.monotonic() > deadline:
            raise AssertionError(f"the program goes on: {self.frame()!r}")
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        return self.status

    def _read(self, left):
        if not select.select([self.terminal], [], [], max(0, left))[0]:
            return False
        try:
            more = os.read(self.terminal, 65536).decode(errors="replace")
        except OSError:  # the other end is closed
            return False
        self.seen += more
        return bool(more)
