"""Catches SIGTERM, and never looks at what its handler has noted; only its periodic saves go on."""

from correct import Trainer


class TakesNoHeed(Trainer):
    steps = 4000

    def on_term(self, _signal, _frame):
        pass


TakesNoHeed().run()
