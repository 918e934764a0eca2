"""The ways in which a cloud takes back the machine under a pod."""

import datetime
import json

from . import wait
from .cluster import condition
from .nodes import claim_of

SPOT_TAINT = "aws-node-termination-handler/spot-itn"


class Loss:
    def __init__(self, cluster, victim):
        self.cluster = cluster
        self.victim = victim
        self.node = victim["spec"]["nodeName"]
        self.node_claim = claim_of(cluster, victim)

    def deleted(self, *others):
        """Karpenter got the notice and drains the machine; those of other losses at the same moment."""
        self.cluster.kubectl("delete", "nodeclaim", *(loss.node_claim["metadata"]["name"] for loss in (self, *others)), "--wait=false")

    def tainted(self, *others):
        """A termination handler on the node read the cloud's notice; those of other losses at the same moment."""
        self.cluster.kubectl("taint", "node", *(loss.node for loss in (self, *others)), f"{SPOT_TAINT}=now:NoSchedule")

    def announced(self):
        """An Event first, which asks for a checkpoint and ends nothing; then Karpenter acts on it."""
        meta = self.node_claim["metadata"]
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")
        event = {"apiVersion": "v1", "kind": "Event", "type": "Warning", "reason": "SpotInterrupted",
                 "message": "Spot interruption warning was triggered",
                 "metadata": {"generateName": "spot-", "namespace": "default"}, "source": {"component": "karpenter"},
                 "involvedObject": {"apiVersion": "karpenter.sh/v1", "kind": "NodeClaim", "name": meta["name"], "uid": meta["uid"]},
                 "firstTimestamp": now, "lastTimestamp": now, "count": 1}
        self.cluster.kubectl("create", "-f", "-", input=json.dumps(event))
        pod = wait.until("the agent is asked for a checkpoint", self._asked)
        assert "deletionTimestamp" not in pod["metadata"], "an Event alone ended a pod"
        self.deleted()

    def _asked(self):
        pod = self.cluster.get("pod", self.victim["metadata"]["name"], self.victim["metadata"]["namespace"])
        return pod if pod["metadata"].get("annotations", {}).get("reprise.dev/checkpoint-request") else None

    def vanished(self):
        """No notice: the machine falls silent, and the cloud's controller removes the Node of a machine that is gone."""
        self.cluster.kubectl("label", "node", self.node, "reprise.test/node-silent=true")
        wait.until("the silence is noticed",
                   lambda: condition(self.cluster.get("node", self.node), "Ready")["status"] == "Unknown", every=0.3)
        self.cluster.kubectl("patch", "node", self.node, "--type=merge", "-p", '{"metadata":{"finalizers":null}}')
        self.cluster.kubectl("delete", "node", self.node, "--wait=false")
