"""Many pools over many nodes that nobody plays: what the operator takes and what a change costs."""

import json
import subprocess
import sys
import time

from harness.errors import BenchError
from harness.usage import memory_mib

from . import requests
from .meter import Background, meter, restart, settle

_CHANGES = 200


class Trials:
    def __init__(self, cluster, contender, load, plan, pools):
        self._cluster, self._contender, self._load, self._plan, self._pools = cluster, contender, load, plan, pools
        self.values, self.kinds = {}, {}

    def run(self):
        self._contender.install()
        self._create_nodes()
        self._contender.start()
        self._measured("pools", self._pools, self._create_pools)
        self.values["memory.pools_mib"] = memory_mib(self._contender.process.pid)[0]
        self._idle()
        self._measured("change", _CHANGES, self._change_nodes)
        cpu, wall = restart(self._contender)
        self.values.update({"restart.cpu_s": cpu, "restart.wall_s": wall,
                            "memory.restarted_mib": memory_mib(self._contender.process.pid)[0]})

    def _create_nodes(self):
        done = subprocess.run([self._load, f"--kubeconfig={self._cluster.state.kubeconfig}", f"--pools={self._pools}",
                               "nodes", "0", str(self._plan.nodes)], stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise BenchError("the nodes could not be created (see above)")

    def _create_pools(self):
        self._cluster.kubectl.run("create", "-f", "-", input=json.dumps({"apiVersion": "v1", "kind": "List", "items": [
            {"apiVersion": "reprise.dev/v1alpha1", "kind": "GpuPool", "metadata": {"name": f"p{i}"},
             "spec": {"existingNodes": {"selector": {"matchLabels": {"reprise.dev/pool": f"p{i}"}}}}}
            for i in range(self._pools)]}))

    def _change_nodes(self):
        """Labels that no pool reads: what an event of a node costs that leads to no write."""
        names = [f"node-{i:05d}" for i in range(min(_CHANGES, self._plan.nodes))]
        self._cluster.kubectl.run("label", "--overwrite", "nodes", *names, f"bench.reprise.dev/changed=at-{time.time_ns()}")

    def _idle(self):
        counted, measured = requests.Requests(self._cluster.state.audit_log), meter(self._cluster, self._contender)
        time.sleep(self._plan.idle)  # this stretch of time is what is measured
        used, own = measured.read(), requests.of(counted.read(), self._contender.users)
        self._background = Background.of(used)
        self.values.update({"idle.writes": requests.writes(own), "idle.cpu_s": 60 * used["operator_cpu"] / used["wall"]})

    _background = Background({})

    def _measured(self, name, number, work):
        counted, measured = requests.Requests(self._cluster.state.audit_log), meter(self._cluster, self._contender)
        work()
        settle(self._cluster, self._contender)
        used, own = self._background.less(measured.read()), requests.of(counted.read(), self._contender.users)
        self.values.update({f"{name}.cpu_ms": 1000 * used["operator_cpu"] / number, f"{name}.writes": requests.writes(own) / number,
                            f"{name}.apiserver_cpu_ms": 1000 * used["kube_apiserver_cpu"] / number, f"{name}.other": used["other"]})
        self.kinds[name] = {kind: count / number for kind, count in own.most_common()}
        print(f"bench/operator: {name}: {used['wall']:.0f} s", file=sys.stderr, flush=True)
