"""Begins anew each time."""

from correct import Trainer


class LoadsNothing(Trainer):
    def newest(self):
        return None


LoadsNothing().run()
