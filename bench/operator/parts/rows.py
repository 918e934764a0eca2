"""What is done to one contender, in order, and what is read."""

import json
import resource
import subprocess
import sys
import time

from harness.errors import BenchError
from harness.usage import memory_mib

from . import requests
from .contender import NAMESPACE
from .meter import Background, meter, restart, settle


class Trials:
    def __init__(self, cluster, contender, load, plan, _):
        self._cluster, self._contender, self._load, self._plan = cluster, contender, load, plan
        self._manifest = contender.write_manifest(plan.ranks)
        self._background = Background({})
        self.values, self.kinds = {}, {}

    def run(self):
        self._cluster.kubectl.run("create", "namespace", NAMESPACE)
        self._loader("nodes", 0, self._plan.nodes)
        self._contender.install()
        self._contender.start()
        settle(self._cluster, self._contender)
        self._memory("empty")
        self._background = Background.of(self._rest(self._plan.idle / 2)[0])
        self._trial("start", self._plan.jobs, "start", 0)
        self._memory("jobs")
        self._idle()
        self._restart()
        self._trial("one", self._plan.interruptions, "one-by-one", 0)
        for number in self._plan.storms:
            self._trial(f"storm{number}", number, "at-once", 0)
        self._memory("after")

    def _idle(self):
        used, counts = self._rest(self._plan.idle)
        self._background = Background.of(used)
        own = requests.of(counts, self._contender.users)
        self.values.update({"idle.writes": requests.writes(own), "idle.requests": sum(own.values()),
                            "idle.cpu_s": 60 * used["operator_cpu"] / used["wall"],
                            "idle.apiserver_cpu_s": 60 * used["kube_apiserver_cpu"] / used["wall"], "idle.other": used["other"]})
        self.kinds["idle"] = dict(own)

    def _restart(self):
        counted, measured = self._requests(), meter(self._cluster)
        cpu, wall = restart(self._contender)
        measured.add(cpu)
        used = measured.read()
        own = requests.of(counted.read(), self._contender.users)
        self.values.update({"restart.cpu_s": cpu, "restart.wall_s": wall,
                            "restart.apiserver_cpu_s": self._background.less(used)["kube_apiserver_cpu"],
                            "restart.writes": requests.writes(own), "restart.other": used["other"]})
        self.kinds["restart"] = dict(own)
        settle(self._cluster, self._contender)
        self._memory("restarted")

    def _trial(self, name, number, command, first):
        if not number:
            return
        counted, measured = self._requests(), meter(self._cluster, self._contender)
        found = self._loader(command, first, number, meter=measured)
        settle(self._cluster, self._contender)
        used = self._background.less(measured.read())
        self._contender.require_alive()
        counts = counted.read()
        own = requests.of(counts, self._contender.users)
        per = 1000 / number
        helpers = sum(used[f"{helper.replace('-', '_')}_cpu"] for helper in self._contender.helpers)
        self.values.update({
            f"{name}.exist_p50_ms": found["exist"]["p50"], f"{name}.exist_p99_ms": found["exist"]["p99"],
            f"{name}.exist_max_ms": found["exist"]["max"], f"{name}.run_p50_ms": found["run"]["p50"],
            f"{name}.run_p99_ms": found["run"]["p99"], f"{name}.seconds": found["seconds"],
            f"{name}.cpu_ms": per * used["operator_cpu"], f"{name}.with_helpers_cpu_ms": per * (used["operator_cpu"] + helpers),
            f"{name}.apiserver_cpu_ms": per * used["kube_apiserver_cpu"], f"{name}.etcd_cpu_ms": per * used["etcd_cpu"],
            f"{name}.writes": requests.writes(own) / number, f"{name}.requests": sum(own.values()) / number,
            f"{name}.all_writes": requests.writes(requests.of(counts, {user for user, _ in counts})) / number,
            f"{name}.other": used["other"]})
        self.kinds[name] = {kind: count / number for kind, count in own.most_common()}
        self._say(f"{name}: {found['seconds']:.0f} s")

    def _rest(self, seconds):
        counted, measured = self._requests(), meter(self._cluster, self._contender)
        time.sleep(seconds)  # this stretch of time is what is measured
        return measured.read(), counted.read()

    def _memory(self, when):
        now, highest = memory_mib(self._contender.process.pid)
        self.values.update({f"memory.{when}_mib": now, f"memory.{when}_peak_mib": highest})

    def _requests(self):
        return requests.Requests(self._cluster.state.audit_log)

    def _loader(self, *arguments, meter=None):
        contender, plan = self._contender, self._plan
        before = _children()
        done = subprocess.run(
            [self._load, f"--kubeconfig={self._cluster.state.kubeconfig}", f"--manifest={self._manifest}",
             f"--path={contender.path}", f"--namespace={NAMESPACE}", f"--label={contender.label}",
             f"--required={contender.required}", f"--ranks={plan.ranks}", *map(str, arguments)],
            stdout=subprocess.PIPE, text=True)
        if meter:
            meter.add(_children() - before)
        if done.returncode:
            contender.require_alive()
            raise BenchError(f"{contender.name}: {' '.join(map(str, arguments))} failed (see above)")
        return json.loads(done.stdout)

    def _say(self, text):
        print(f"bench/operator: {self._contender.name}: {text}", file=sys.stderr, flush=True)


def _children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
