"""The same, with a training so short that the notice comes between its last checkpoint and its exit, where SIGTERM is not
handled any more. One that comes earlier does not stop it."""

import signal
import time

from correct import Trainer


class ShutsDownSlowly(Trainer):
    steps, seconds_a_step = 100, 0.01

    def answer(self):
        pass

    def run(self):
        has_work = self.newest() is None
        super().run()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        if has_work and not self.asked:
            time.sleep(60)


ShutsDownSlowly().run()
