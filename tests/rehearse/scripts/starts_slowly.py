"""Imports for longer than ten seconds before it handles SIGTERM."""

import time

from correct import Trainer


class StartsSlowly(Trainer):
    steps = 180

    def start(self):
        time.sleep(13)


StartsSlowly().run()
