"""Goes on from its last periodic checkpoint and forgets the one that it saved on the notice."""

from correct import Trainer


class LoadsPeriodic(Trainer):
    def newest(self):
        steps = [int(each.name.split("-")[1]) for each in self.checkpoints.glob("step-*")]
        periodic = [step for step in steps if step % self.save_every == 0]
        return self.checkpoints / f"step-{max(periodic)}" if periodic else None


LoadsPeriodic().run()
