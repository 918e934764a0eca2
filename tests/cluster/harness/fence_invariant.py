"""The invariant of the fence, read off a watch log: no pod of attempt N+1 exists before a proof for each rank of attempt N.

What counts as a proof (nothing else does; a pod object that is gone is none):
  KubeletReport    every container `terminated` in the pod's last seen status
  NeverBound       the pod went without ever having had a node
  MachineGone      the NodeClaim that stood behind the node at binding is gone from the API, or the node booted anew
  PersonConfirmed  the job's annotation reprise.dev/confirm-ended names the node and the attempt, or the node is tainted out-of-service
The log must hold pods, nodes, nodeclaims and resumablejobs, in the order in which the API server committed them.
"""

import re
from dataclasses import dataclass

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service"
CONFIRM_ENDED = "reprise.dev/confirm-ended"


class FenceBroken(AssertionError):
    """A pod of the next attempt was there before the last attempt was proven to have ended."""


@dataclass
class Rank:
    job_uid: str
    attempt: int
    pod: dict
    gone: bool = False
    node_name: str = ""
    node_uid: str = ""
    boot_id: str = ""
    standing_claims: tuple = ()  # uids of the NodeClaims that stood when it was bound
    claim_uid: str = ""
    rebooted: bool = False

    @property
    def name(self):
        return self.pod["metadata"]["name"]


def _boot_id(node):
    return node.get("status", {}).get("nodeInfo", {}).get("bootID", "")


class _World:
    """What the API server had said up to one entry of the log."""

    def __init__(self):
        self.ranks = {}  # by pod uid
        self.nodes = {}  # by name; a node that is gone is not there
        self.claims = {}  # by uid
        self.gone_claims = set()
        self.confirmed = {}  # job uid -> uids

    def take(self, kind, type_, thing):
        meta = thing["metadata"]
        if kind == "resumablejobs":
            text = meta.get("annotations", {}).get(CONFIRM_ENDED, "")
            self.confirmed[meta["uid"]] = set(re.split("[, ]+", text)) - {""}
        elif kind == "nodeclaims":
            self.claims[meta["uid"]] = thing
            if type_ == "DELETED":
                self.gone_claims.add(meta["uid"])
            for rank in self.ranks.values():
                self._find_claim(rank)
        elif kind == "nodes":
            self.nodes.pop(meta["name"], None)
            if type_ != "DELETED":
                self.nodes[meta["name"]] = thing
                for rank in self.ranks.values():
                    if rank.node_name == meta["name"] and rank.boot_id and _boot_id(thing) not in ("", rank.boot_id):
                        rank.rebooted = True
        elif kind == "pods" and "reprise.dev/attempt" in meta.get("labels", {}):
            rank = self.ranks.setdefault(
                meta["uid"], Rank(meta["labels"]["reprise.dev/job-uid"], int(meta["labels"]["reprise.dev/attempt"]), thing))
            rank.pod, rank.gone = thing, type_ == "DELETED"
            self._bind(rank)

    def _bind(self, rank):
        name = rank.pod["spec"].get("nodeName", "")
        if not name or rank.node_name:
            return
        rank.node_name = name
        node = self.nodes.get(name, {"metadata": {}})
        rank.node_uid = node["metadata"].get("uid", "")
        rank.boot_id = _boot_id(node)
        rank.standing_claims = tuple(uid for uid in self.claims if uid not in self.gone_claims)
        self._find_claim(rank)

    def _find_claim(self, rank):
        """The scheduler may bind a pod a moment before Karpenter writes the node's name into the NodeClaim."""
        if not rank.node_name or rank.claim_uid:
            return
        for uid in rank.standing_claims:
            if self.claims[uid].get("status", {}).get("nodeName") == rank.node_name:
                rank.claim_uid = uid

    def proof(self, rank):
        spec, status = rank.pod["spec"], rank.pod.get("status", {})
        states = {one["name"]: one["state"] for one in status.get("containerStatuses", []) + status.get("initContainerStatuses", [])}
        if all("terminated" in states.get(one["name"], {}) for one in spec["containers"] + spec.get("initContainers", [])):
            return "KubeletReport"
        if not rank.node_name:
            return "NeverBound" if rank.gone else None
        if rank.claim_uid in self.gone_claims or rank.rebooted:
            return "MachineGone"
        node = self.nodes.get(rank.node_name, {})
        if any(taint["key"] == OUT_OF_SERVICE for taint in node.get("spec", {}).get("taints", [])):
            return "PersonConfirmed"
        confirmed = self.confirmed.get(rank.job_uid, set())
        if {f"{rank.node_uid}/{rank.attempt}", rank.pod["metadata"]["uid"]} & confirmed:
            return "PersonConfirmed"
        return None


def check(entries):
    """Replays WatchLog.in_order(); returns {(pod name, attempt): proof} of all ranks that a later attempt relied on.

    Raises FenceBroken at the first pod that came too early."""
    world = _World()
    relied_on = {}
    for kind, type_, thing in entries:
        known = thing["metadata"]["uid"] in world.ranks
        world.take(kind, type_, thing)
        newcomer = world.ranks.get(thing["metadata"]["uid"]) if kind == "pods" and not known else None
        if newcomer is None:
            continue
        for rank in world.ranks.values():
            if rank is newcomer or rank.job_uid != newcomer.job_uid:
                continue
            if rank.attempt > newcomer.attempt:
                raise FenceBroken(f"pod {newcomer.name} of attempt {newcomer.attempt} came after {rank.name}")
            if rank.attempt == newcomer.attempt and rank.name != newcomer.name:
                continue  # another rank of the gang
            proof = world.proof(rank)
            if proof is None:
                raise FenceBroken(
                    f"pod {newcomer.name} of attempt {newcomer.attempt} was there before any proof that {rank.name} had "
                    f"ended: pod object {'gone' if rank.gone else 'there'}, node {rank.node_name or 'none'}, NodeClaim "
                    f"{rank.claim_uid or 'none'} still stands")
            relied_on.setdefault((rank.name, rank.attempt), proof)
    return relied_on
