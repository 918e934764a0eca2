"""The node agent as the chart installs it, on real kubelets: a notice of the cloud becomes a taint, the job saves and goes on.
The metadata services are played, one for each machine."""

import json
import time
import unittest

from harness import wait
from harness.cluster import OPERATOR_NAMESPACE, ROOT
from nodetier import host
from nodetier.case import NodeCase
from played.clouds import Ec2, MetadataServer

RELEASE = ("reprise", str(ROOT / "charts/reprise"), "--namespace", OPERATOR_NAMESPACE, "--reuse-values", "--wait", "--timeout", "180s")
SPOT = "reprise.dev/spot-interruption"
PLACE = "node-agents"  # the operator's own namespace need not admit pods with the machine's network


class NodeAgent(NodeCase):
    @classmethod
    def setUpClass(cls):
        cluster = cls.tier.cluster
        cls.clouds = {machine.address: Ec2() for machine in cls.tier.nodes}
        cls.metadata = cls.enterClassContext(MetadataServer(cls.clouds, cls.tier.address(1)))
        out = cluster.state / "node-agent-image"
        host.run(ROOT / "packaging/image/build", cls.tier.build, out)
        archive, = out.glob("*.docker.tar")
        for machine in cls.tier.nodes:
            machine.load(archive)
        cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {
            "name": PLACE, "labels": {"pod-security.kubernetes.io/enforce": "privileged"}}})
        cls.addClassCleanup(cluster.run, "helm", "upgrade", *RELEASE, "--set", "nodeAgent.enabled=false")
        cluster.run("helm", "upgrade", *RELEASE, "--set", f"nodeAgent.enabled=true,nodeAgent.provider=aws,nodeAgent.namespace={PLACE}",
                    "--set", "nodeAgent.nodeSelector.kubernetes\\.io/arch=amd64",
                    "--set", f"nodeAgent.extraArgs={{--metadata-url={cls.metadata.url}}}")

    def node_agents(self):
        return {pod["spec"]["nodeName"]: pod for pod in self.cluster.list("pods", PLACE) if "deletionTimestamp" not in pod["metadata"]}

    def taint(self, machine):
        return next((taint for taint in self.cluster.get("node", machine.name)["spec"].get("taints", []) if taint["key"] == SPOT), None)

    def notices(self, machine):
        return [event for event in self.cluster.list("events", "default") if event["involvedObject"].get("name") == machine.name
                and event.get("source", {}).get("component") == "reprise-node-agent"]

    def test_a_notice_of_the_cloud_interrupts_the_job_which_goes_on_when_it_is_withdrawn(self):
        wait.until("each machine has one", lambda: len(self.node_agents()) == 2)
        volume = self.begin("noticed", steps=500, step_milliseconds=50, save_every=0, on_notice={"signal": "SIGUSR1"})
        self.wait_for_attempt(1)
        wait.until("the trainers run", lambda: self.trainers.of(self.job()) == {1})
        taken = self.machine_of(1, 0)
        cloud = self.clouds[taken.address]
        begun, said = time.monotonic(), time.time()
        cloud.interrupt(seconds=60)
        self.addCleanup(lambda: "spot/instance-action" in cloud.documents and cloud.withdraw())
        taint = wait.until("the Node is tainted", lambda: self.taint(taken), every=0.05)
        took = time.monotonic() - begun
        self.assertLess(abs(int(taint["value"]) - said - 60), 2)
        event, = wait.until("and has the Event", lambda: self.notices(taken))
        self.assertEqual((event["reason"], event["involvedObject"]["uid"]),
                         ("SpotInterrupted", self.cluster.get("node", taken.name)["metadata"]["uid"]))
        last = wait.until("the job is interrupted", lambda: self.job()["status"].get("lastInterruption"))
        self.assertEqual((last["reason"], last["node"]), ("SpotInterrupted", taken.name))
        record = self.last_record(1, 0)
        self.assertTrue(record["asked"] and record["saved"] and record["durable"], record)
        # A new one finds what the former one wrote.
        before = self.node_agents()[taken.name]["metadata"]
        self.cluster.kubectl("delete", "pod", before["name"], "-n", PLACE)
        wait.until("another one watches", lambda: self.watches(taken, before["uid"]))
        self.assertEqual(len(self.notices(taken)), 1)
        cloud.withdraw()
        wait.until("the taint goes", lambda: not self.taint(taken))
        job = self.wait_until_complete()  # the Event is still there, and is no news to the second attempt
        self.assertEqual((job["status"]["attempt"], job["status"].get("failures", 0)), (2, 0))
        self.assertGreaterEqual(volume.resume_point(2)["step"], record["step"])
        self.assert_uninterrupted_weights(volume)
        self.assert_one_writer_at_a_time(volume)
        print(f"notice to taint {took:.2f} s", flush=True)

    def watches(self, machine, former):
        pod = self.node_agents().get(machine.name)
        return pod and pod["metadata"]["uid"] != former and "watches" in self.cluster.kubectl(
            "logs", pod["metadata"]["name"], "-n", PLACE, check=False)  # a container that is being made has none

    def test_its_token_is_good_for_its_own_node_alone(self):
        one, other = self.tier.nodes
        pod = wait.until("it runs", lambda: self.node_agents().get(one.name))["metadata"]
        token = self.cluster.kubectl("create", "token", "reprise-node-agent", "-n", PLACE, "--bound-object-kind=Pod",
                                     f"--bound-object-name={pod['name']}", f"--bound-object-uid={pod['uid']}").strip()

        def patch(machine, value):
            patch = [{"op": "add", "path": "/spec/taints", "value": value}]
            return self.cluster.run("kubectl", "--kubeconfig=/dev/null", f"--server={self.tier.api_server}", "--insecure-skip-tls-verify",
                                    f"--token={token}", "patch", "node", machine.name, "--type=json", "--dry-run=server", "-p",
                                    json.dumps(patch), check=False)
        own = [{"key": SPOT, "effect": "NoSchedule"}]
        self.assertEqual(patch(one, own).stderr, "")
        self.assertIn("only the Node on which it runs", patch(other, own).stderr)
        self.assertIn("taints of others", patch(one, [{"key": "a", "effect": "NoSchedule"}]).stderr)


if __name__ == "__main__":
    unittest.main()
