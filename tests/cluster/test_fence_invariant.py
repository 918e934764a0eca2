"""The checker of the fence on logs made by hand: what it must let pass, and what it must catch."""

import unittest

from harness import fence_invariant

OUT_OF_SERVICE = [{"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}]


def pod(attempt, type_="ADDED", node="", ended=False, index=0, uid=None):
    name = f"finetune-{attempt}-{index}"
    state = {"terminated": {"exitCode": 143}} if ended else {"running": {}}
    return ("pods", type_, {
        "metadata": {"name": name, "uid": uid or f"uid-{name}",
                     "labels": {"reprise.dev/job-uid": "uid-finetune", "reprise.dev/attempt": str(attempt)}},
        "spec": {"containers": [{"name": "trainer"}], "initContainers": [{"name": "agent"}]} | ({"nodeName": node} if node else {}),
        "status": {"initContainerStatuses": [{"name": "agent", "state": {"terminated": {"exitCode": 0}}}],
                   "containerStatuses": [{"name": "trainer", "state": state}]} if node else {}})


def node(type_="ADDED", boot_id="boot-1", taints=()):
    return ("nodes", type_, {"metadata": {"name": "machine", "uid": "uid-machine"}, "spec": {"taints": list(taints)},
                             "status": {"nodeInfo": {"bootID": boot_id}}})


def claim(type_="ADDED", uid="uid-claim", node_name="machine"):
    return ("nodeclaims", type_, {"metadata": {"name": "spot-abc", "uid": uid}, "status": {"nodeName": node_name}})


def job(confirmed):
    return ("resumablejobs", "MODIFIED", {"metadata": {"name": "finetune", "uid": "uid-finetune",
                                                       "annotations": {"reprise.dev/confirm-ended": confirmed}}})


RUNNING = [claim(), node(), pod(1), pod(1, "MODIFIED", node="machine")]


class FenceInvariant(unittest.TestCase):
    def assert_caught(self, *entries):
        with self.assertRaises(fence_invariant.FenceBroken):
            fence_invariant.check(entries)

    def assert_proven(self, proof, *entries):
        self.assertEqual(fence_invariant.check(entries), {("finetune-1-0", 1): proof})

    def test_a_next_attempt_beside_a_running_one_is_caught(self):
        self.assert_caught(*RUNNING, pod(2))

    def test_a_pod_object_that_is_gone_while_its_machine_stands_is_no_proof(self):
        self.assert_caught(*RUNNING, pod(1, "DELETED", node="machine"), pod(2))

    def test_a_node_object_that_is_gone_while_its_machine_stands_is_no_proof(self):
        self.assert_caught(*RUNNING, pod(1, "DELETED", node="machine"), node("DELETED"), pod(2))

    def test_a_machine_that_goes_after_the_next_attempt_began_comes_too_late(self):
        self.assert_caught(*RUNNING, pod(2), claim("DELETED"))

    def test_another_machine_that_goes_is_no_proof(self):
        self.assert_caught(*RUNNING, claim("DELETED", uid="uid-other"), pod(2))

    def test_a_machine_that_came_under_the_same_name_later_is_another(self):
        self.assert_caught(node(), pod(1), pod(1, "MODIFIED", node="machine"), claim(), claim("DELETED"), pod(2))

    def test_one_rank_that_still_runs_is_caught_though_the_other_has_ended(self):
        self.assert_caught(*RUNNING, pod(1, index=1), pod(1, "MODIFIED", node="machine", index=1),
                           pod(1, "MODIFIED", node="machine", ended=True), pod(2))

    def test_an_attempt_before_the_last_must_be_proven_too(self):
        self.assert_caught(*RUNNING, pod(3))

    def test_a_pod_made_again_under_its_name_is_a_second_writer(self):
        self.assert_caught(*RUNNING, pod(1, "DELETED", node="machine"), pod(1, uid="uid-again"))

    def test_a_pod_of_an_older_attempt_must_not_come_late(self):
        self.assert_caught(*RUNNING, pod(1, "MODIFIED", node="machine", ended=True), pod(2), pod(1, index=1))

    def test_a_pod_that_waits_for_a_node_may_still_start(self):
        self.assert_caught(pod(1), pod(2))

    def test_a_boot_seen_before_the_binding_is_no_proof(self):
        self.assert_caught(claim(), node(boot_id="boot-0"), *RUNNING, pod(2))

    def test_other_containers_of_the_pod_count(self):
        with_sidecar = pod(1, "MODIFIED", node="machine", ended=True)
        with_sidecar[2]["spec"]["containers"].append({"name": "sidecar"})
        self.assert_caught(*RUNNING, with_sidecar, pod(2))

    def test_the_kubelets_report_is_a_proof(self):
        self.assert_proven("KubeletReport", *RUNNING, pod(1, "MODIFIED", node="machine", ended=True), pod(2))

    def test_the_kubelets_last_report_may_come_with_the_removal(self):
        self.assert_proven("KubeletReport", *RUNNING, pod(1, "DELETED", node="machine", ended=True), pod(2))

    def test_a_pod_that_went_without_a_node_never_ran(self):
        self.assert_proven("NeverBound", pod(1), pod(1, "DELETED"), pod(2))

    def test_a_machine_that_is_gone_is_a_proof(self):
        self.assert_proven("MachineGone", *RUNNING, claim("DELETED"), pod(2))

    def test_a_machine_may_be_named_by_its_claim_after_the_binding(self):
        self.assert_proven("MachineGone", claim(node_name=""), *RUNNING[1:], claim("MODIFIED"), claim("DELETED"), pod(2))

    def test_a_machine_that_booted_anew_is_a_proof(self):
        self.assert_proven("MachineGone", *RUNNING, node("MODIFIED", boot_id="boot-2"), pod(2))

    def test_a_persons_confirmation_is_a_proof(self):
        self.assert_proven("PersonConfirmed", *RUNNING, job("uid-other/1, uid-machine/1"), pod(2))
        self.assert_proven("PersonConfirmed", *RUNNING, node("MODIFIED", taints=OUT_OF_SERVICE), pod(2))
        self.assert_caught(*RUNNING, job("uid-machine/7"), pod(2))


if __name__ == "__main__":
    unittest.main()
