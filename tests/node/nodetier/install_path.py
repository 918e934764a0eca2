"""From nothing to a job that outlives its machine, in the steps that a person takes. Tests assert along it; the demo narrates it."""

import re

from harness import wait
from harness.cluster import condition

from . import jobs
from .tier import NAMESPACE
from .volume import Volume

class InstallPath:
    def __init__(self, tier, installation, narration, job):
        """`job`: the name for the job, if no job before it had that one."""
        self.job = tier.name(job)
        self.tier = tier
        self.cluster = tier.cluster
        self.installation = installation
        self.narration = narration
        self.volume = None
        self.lost = None  # the machine without power

    def install(self):
        self.narration.say("Here is a cluster: a control plane and two machines, each with a kubelet and containerd of its own.")
        self.narration.run("kubectl", "get", "nodes", must_show=[machine.name for machine in self.tier.nodes])
        self.narration.say("""The namespace of the operator admits only pods under Pod Security "restricted". The image that make image
                           made lies on the machines. One command installs the chart.""")
        self.installation.install()
        self.narration.run("kubectl", "get", "pods", "--namespace", "reprise-system", "--output", "wide", must_show=["Running"])
        self.narration.say("""Two replicas run, each with the chart's service account; one leads. They reach the API server through
                           its Service.""")

    def train(self, **settings):
        """Applies the quickstart's job and returns it when both ranks train."""
        self.volume = Volume(self.tier.volumes / self.job)
        self.narration.say("""An engineer applies the quickstart's job: two ranks with one checkpoint volume. (No GPU can be rented here:
                           the trainer is a small one for CPUs, and the job names no pool.)""")
        self.narration.apply(*jobs.quickstart(self.job, self.volume.directory, **settings))
        self.cluster.wait_for_attempt(self.job, 1, NAMESPACE)
        wait.until("two checkpoints", lambda: len(self.volume.steps()) >= 2)
        self.narration.run("kubectl", "get", "resumablejobs,pods", "--namespace", NAMESPACE, "--output", "wide", must_show=["Running"])
        return self._job()

    def lose_power(self):
        """Cuts the power of the machine on which the operator leads and a rank trains; returns what the volume holds then."""
        name = self.installation.leader()["spec"]["nodeName"]
        self.lost = next(machine for machine in self.tier.nodes if machine.name == name)
        self.narration.say(f"Now {name} loses its power. A rank trains there, and the operator's leader runs there as well.")
        saved = self.volume.steps()[-1]
        self.lost.cut_power()
        self.cluster.wait_for_state(self.job, "WriterNotFenced", namespace=NAMESPACE)
        self.narration.run("kubectl", "get", "resumablejobs", "--namespace", NAMESPACE, must_show=["WriterNotFenced"])
        self.narration.say("""The other replica leads now. Nobody has seen the rank on the dark machine end: it might only have lost its
                           network and still write. So no second attempt begins. Where Karpenter rents machines, the machine's end is the
                           proof; here a person who knows says so, with the command that the job itself names.""")
        return saved

    def confirm(self):
        """The person does what the job's message asks for; returns the job in its second attempt."""
        message = condition(self._job(), "PodsReady")["message"]
        self.narration.say(message)
        wanted = re.search(r"reprise\.dev/confirm-ended=\S+/\d+", message)
        if not wanted:
            raise AssertionError(f"the message names no confirmation: {message}")
        self.narration.run("kubectl", "annotate", "resumablejob", self.job, "--namespace", NAMESPACE, wanted[0])
        job = self.cluster.wait_for_attempt(self.job, 2, NAMESPACE)
        self.narration.say("Both ranks train on the other machine, from the last checkpoint that was complete.")
        self.narration.run("kubectl", "get", "resumablejobs,pods", "--namespace", NAMESPACE, "--output", "wide",
                           must_show=[f"{self.job}-2-0", f"{self.job}-2-1"])
        return job

    def power_back(self):
        """What was on the dark machine, also a replica of the operator, ends only when its kubelet says so."""
        if self.lost and not self.lost.is_on():
            self.narration.say(f"{self.lost.name} gets its power back.")
            self.lost.power_on()
            self.tier.wait_until_ready(self.lost)

    def complete(self):
        self.narration.run("kubectl", "wait", "--for=condition=Complete", f"resumablejob/{self.job}", "--namespace", NAMESPACE,
                           "--timeout=300s", must_show=["condition met"])
        self.narration.run("kubectl", "events", "--namespace", NAMESPACE, "--for", f"resumablejob/{self.job}")
        return self._job()

    def remove(self):
        self.power_back()
        self.narration.say("Uninstalling takes the operator and its rights away, and nothing else: the job is still there.")
        self.installation.uninstall()
        self.narration.run("kubectl", "get", "resumablejobs", "--all-namespaces")

    def _job(self):
        return self.cluster.job(self.job, NAMESPACE)
