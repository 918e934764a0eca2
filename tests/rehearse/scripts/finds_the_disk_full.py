"""Finds no space on this machine."""

import errno
import os

from correct import Trainer


class FindsTheDiskFull(Trainer):
    def write(self, directory):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(directory / "state.json"))


FindsTheDiskFull().run()
