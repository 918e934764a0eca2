"""The same, with a training so short that it ends within the grace."""

from correct import Trainer


class TrainsToItsEnd(Trainer):
    def on_term(self, _signal, _frame):
        pass


TrainsToItsEnd().run()
