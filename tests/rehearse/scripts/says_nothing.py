"""Prints nothing."""

from correct import Trainer


class SaysNothing(Trainer):
    def tell(self):
        pass


SaysNothing().run()
