"""The law of the fence, read off a watch log: no pod of attempt N+1 exists before a proof for each member of attempt N.

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
class Member:
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
        self.members = {}  # by pod uid
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
            for member in self.members.values():
                self._find_claim(member)
        elif kind == "nodes":
            self.nodes.pop(meta["name"], None)
            if type_ != "DELETED":
                self.nodes[meta["name"]] = thing
                for member in self.members.values():
                    if member.node_name == meta["name"] and member.boot_id and _boot_id(thing) not in ("", member.boot_id):
                        member.rebooted = True
        elif kind == "pods" and "reprise.dev/attempt" in meta.get("labels", {}):
            member = self.members.setdefault(
                meta["uid"], Member(meta["labels"]["reprise.dev/job-uid"], int(meta["labels"]["reprise.dev/attempt"]), thing))
            member.pod, member.gone = thing, type_ == "DELETED"
            self._bind(member)

    def _bind(self, member):
        name = member.pod["spec"].get("nodeName", "")
        if not name or member.node_name:
            return
        member.node_name = name
        node = self.nodes.get(name, {"metadata": {}})
        member.node_uid = node["metadata"].get("uid", "")
        member.boot_id = _boot_id(node)
        member.standing_claims = tuple(uid for uid in self.claims if uid not in self.gone_claims)
        self._find_claim(member)

    def _find_claim(self, member):
        """The scheduler may bind a pod a moment before Karpenter writes the node's name into the NodeClaim."""
        if not member.node_name or member.claim_uid:
            return
        for uid in member.standing_claims:
            if self.claims[uid].get("status", {}).get("nodeName") == member.node_name:
                member.claim_uid = uid

    def proof(self, member):
        spec, status = member.pod["spec"], member.pod.get("status", {})
        told = {one["name"]: one["state"] for one in status.get("containerStatuses", []) + status.get("initContainerStatuses", [])}
        if all("terminated" in told.get(one["name"], {}) for one in spec["containers"] + spec.get("initContainers", [])):
            return "KubeletReport"
        if not member.node_name:
            return "NeverBound" if member.gone else None
        if member.claim_uid in self.gone_claims or member.rebooted:
            return "MachineGone"
        node = self.nodes.get(member.node_name, {})
        if any(taint["key"] == OUT_OF_SERVICE for taint in node.get("spec", {}).get("taints", [])):
            return "PersonConfirmed"
        confirmed = self.confirmed.get(member.job_uid, set())
        if {f"{member.node_uid}/{member.attempt}", member.pod["metadata"]["uid"]} & confirmed:
            return "PersonConfirmed"
        return None


def check(entries):
    """Replays WatchLog.in_order(); returns {(pod name, attempt): proof} of all members that a later attempt relied on.

    Raises FenceBroken at the first pod that came too early."""
    world = _World()
    relied_on = {}
    for kind, type_, thing in entries:
        known = thing["metadata"]["uid"] in world.members
        world.take(kind, type_, thing)
        newcomer = world.members.get(thing["metadata"]["uid"]) if kind == "pods" and not known else None
        if newcomer is None:
            continue
        for member in world.members.values():
            if member is newcomer or member.job_uid != newcomer.job_uid:
                continue
            if member.attempt > newcomer.attempt:
                raise FenceBroken(f"pod {newcomer.name} of attempt {newcomer.attempt} came after {member.name}")
            if member.attempt == newcomer.attempt and member.name != newcomer.name:
                continue  # another rank of the gang
            proof = world.proof(member)
            if proof is None:
                raise FenceBroken(
                    f"pod {newcomer.name} of attempt {newcomer.attempt} was there before any proof that {member.name} had "
                    f"ended: pod object {'gone' if member.gone else 'there'}, node {member.node_name or 'none'}, NodeClaim "
                    f"{member.claim_uid or 'none'} still stands")
            relied_on.setdefault((member.name, member.attempt), proof)
    return relied_on
