"""The operator dies at random moments and is started again: what comes out is what comes out without dying.

The seed is printed; REPRISE_SEED=N plays the same moments again (as far as a real cluster repeats itself)."""

import collections
import os
import random
import time
import unittest

from harness import fence_invariant, manifests, wait
from harness.case import ClusterCase
from harness.nodes import claim_of
from harness.operator import Operator
from harness.watchlog import WatchLog

COPIES = 2
KILLS = 5  # in each of the three phases

# scenario: (more of its spec, what comes out: attempt, interruptions, failures, state)
SCENARIOS = {
    "succeeds": ({"parallelism": 2}, (1, 0, 0, "Complete")),
    "fails": ({"backoffLimit": 0}, (1, 0, 1, "Failed")),
    "retries": ({}, (2, 0, 1, "Recovered")),
    "checkpoints": ({}, (2, 0, 0, "Recovered")),
    "evicted": ({"parallelism": 2}, (2, 1, 0, "Recovered")),
    "forced": ({}, (2, 1, 0, "Recovered")),
    "noticed": ({"parallelism": 2}, (2, 1, 0, "Recovered")),
    "suspended": ({"parallelism": 2}, (2, 0, 0, "Recovered")),
}
JOBS = [f"{scenario}-{copy}" for scenario in SCENARIOS for copy in range(COPIES)]


def scenario_of(job):
    return SCENARIOS[job.rpartition("-")[0]]


class Crash(ClusterCase):
    """Every scenario COPIES times side by side, each on nodes of its own: a rank that ends while nobody looks costs its
    node (a pod object that is gone proves nothing), and a neighbour there would be interrupted."""

    pools = tuple(manifests.pool(name, sharing={"mode": "Exclusive"}, scaleDown={"idleSeconds": 600},
                                 capacity=[{"type": "Spot", "maxGpus": 8, "noticeSeconds": 15}]) for name in JOBS)
    with_operator = False

    def setUp(self):
        self.seed = int(os.environ.get("REPRISE_SEED", random.randrange(10**6)))
        print(f"\nREPRISE_SEED={self.seed}")
        self.random = random.Random(self.seed)
        self.watch = self.enterContext(WatchLog(self.cluster, "pods", "nodes", "nodeclaims", "resumablejobs"))
        Crash.operator = Operator(self.cluster).start("--leader-elect=false")
        self.addCleanup(self.operator.__exit__)

    def test_an_operator_killed_at_random_moments_ends_where_one_that_lives_ends(self):
        self.cluster.apply(*[manifests.job(name, pool=name, **scenario_of(name)[0]) for name in JOBS])
        self.die_and_come_back()
        for name in JOBS:
            self.cluster.wait_for_state(name, "Started", "Recovered", seconds=240)
        for name in JOBS:
            self.begin(name)
        self.die_and_come_back()
        for copy in range(COPIES):
            self.cluster.wait_for_state(f"suspended-{copy}", "Suspended")
            self.cluster.kubectl("patch", "rj", f"suspended-{copy}", "-n", "vision", "--type=merge", "-p", '{"spec":{"suspend":false}}')
        self.die_and_come_back()
        for name in JOBS:
            wanted = scenario_of(name)[1]
            wait.until(f"{name} comes to {wanted}", lambda: self.has_come_to(name, wanted), seconds=180)
        wait.steady("nothing moves any more", self.outcomes, stretch=5)
        self.assertEqual(self.outcomes(), {name: scenario_of(name)[1] for name in JOBS})
        fence_invariant.check(self.watch.up_to_now())
        self.assertEqual(self.pods_made(), self.pods_wanted(), "each pod was made once, and no other")

    def die_and_come_back(self):
        for _ in range(KILLS):
            time.sleep(self.random.uniform(0, 1.2))  # the random moment; the operator needs about half of it to be ready
            self.operator.kill()
            self.operator.start("--leader-elect=false", wait_until_ready=False)
        wait.until("the operator is ready", self.operator.ready)

    def begin(self, name):
        """What happens to the job."""
        attempt = f"{name}-{self.cluster.job(name)['status']['attempt']}"
        first = f"{attempt}-0"
        annotate = lambda pod, code: self.cluster.annotate("pod", pod, "vision", **{"reprise.test/exit-code": str(code)})
        scenario = name.rpartition("-")[0]
        if scenario == "succeeds":
            annotate(first, 0)
            annotate(f"{attempt}-1", 0)
        elif scenario in ("fails", "retries"):
            annotate(first, 1)
        elif scenario == "checkpoints":
            annotate(first, 85)
        elif scenario == "evicted":
            self.cluster.kubectl("delete", "pod", first, "-n", "vision", "--wait=false")
        elif scenario == "forced":
            self.cluster.kubectl("delete", "pod", first, "-n", "vision", "--force", "--grace-period=0")
        elif scenario == "noticed":
            claim = claim_of(self.cluster, self.cluster.get("pod", first, "vision"))
            self.cluster.kubectl("delete", "nodeclaim", claim["metadata"]["name"], "--wait=false")
        elif scenario == "suspended":
            self.cluster.kubectl("patch", "rj", name, "-n", "vision", "--type=merge", "-p", '{"spec":{"suspend":true}}')

    def has_come_to(self, name, wanted):
        found = self.outcomes()[name]
        if found != wanted:
            raise LookupError(f"{found}; seed {self.seed}")
        return True

    def outcomes(self):
        found = {}
        for job in self.cluster.list("resumablejobs", "vision"):
            name, status = job["metadata"]["name"], job["status"]
            state = next(one["reason"] for one in status["conditions"] if one["type"] == "PodsReady")
            found[name] = (status["attempt"], status.get("interruptionCount", 0), status.get("failures", 0), state)
        return found

    def pods_made(self):
        uids = collections.defaultdict(set)
        for _, pod in self.watch.of("pods"):
            if "reprise.dev/attempt" in pod["metadata"].get("labels", {}):
                uids[pod["metadata"]["name"]].add(pod["metadata"]["uid"])
        return {name: len(of_name) for name, of_name in uids.items()}

    def pods_wanted(self):
        return {f"{name}-{attempt}-{index}": 1 for name in JOBS for spec, wanted in [scenario_of(name)]
                for attempt in range(1, wanted[0] + 1) for index in range(spec.get("parallelism", 1))}


if __name__ == "__main__":
    unittest.main()
