"""Ends before anything can happen to it."""

from correct import Trainer


class IsDoneAtOnce(Trainer):
    steps = 5


IsDoneAtOnce().run()
