"""Handles SIGTERM first of all, and comes to look at it seconds later."""

import time

from correct import Trainer


class StartsSlowlyWithAHandler(Trainer):
    steps = 120

    def prepare(self):
        time.sleep(7)


StartsSlowlyWithAHandler().run()
