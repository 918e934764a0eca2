"""The API server itself goes away, comes back, forgets, or stands still."""

import os
import signal

from clusterlib import processes
from harness import wait
from play.case import FaultCase


class ServerDies(FaultCase):
    own_server = True  # not one that other tests use
    long = 40

    def test_a_server_killed_and_started_again_finds_the_operator_where_it_was(self):
        operator = self.start_operator()
        for name in "abc":
            self.add_source(name)
        self.settle()
        since = self.proxy.log()[-1]["id"]
        self.server.kill()
        wait.until("the operator noticed", lambda: operator.total("reprise_watch_failures_total") >= 6)
        self.assertEqual(operator.answer("/healthz")[0], 200)
        self.server.start("kube-apiserver")
        self.add_source("d")
        self.remove_source("a")
        self.settle(60)
        self.assert_wrote(operator, 4, 0, 1)
        self.assert_calm(since)
        for kind in ("configmaps", "services"):
            self.assertLessEqual(len(self.proxy.lists(kind, since)), 2, f"lists of {kind}")

    def test_what_changed_before_etcd_was_compacted_is_not_missed(self):
        operator = self.start_operator()
        for name in "abc":
            self.add_source(name)
        self.settle()
        since = self.proxy.log()[-1]["id"]
        self.proxy.listener("closed")
        self.proxy.connections("reset")
        self.add_source("d")
        self.change_source("a", "two")
        self.remove_source("b")
        self.server.kill()
        self.server.compact()
        self.server.start("kube-apiserver")
        self.proxy.listener("open")
        self.settle(60)
        self.assert_wrote(operator, 4, 1, 1)
        self.assert_calm(since)
        for kind in ("configmaps", "services"):
            self.assertIn(len(self.proxy.lists(kind, since)), (1, 2), f"lists of {kind}")

    def test_a_server_killed_in_the_midst_of_writes_leaves_no_second_copy(self):
        operator = self.start_operator(copy_names="fixed")
        for number in range(30):
            self.add_source(f"s{number}")
        with self.proxy.fault("slow", {"method": "POST|PATCH", "path": "/services"}, do="delay", milliseconds=50,
                              when="after"):
            for number in range(30):
                self.change_source(f"s{number}", "two")
            self.server.kill()
        self.server.start("kube-apiserver")
        self.settle(60)
        self.assertTrue(operator.alive())
        self.assert_calm(most=40)  # thirty creations are one burst of work

    def test_a_server_that_stands_still_is_noticed_and_found_again(self):
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        since = self.proxy.log()[-1]["id"]
        process = processes.running(self.server.state)["kube-apiserver"]
        os.kill(process, signal.SIGSTOP)
        self.addCleanup(os.kill, process, signal.SIGCONT)
        wait.until("the operator noticed", lambda: operator.total("reprise_watch_failures_total") >= 4)
        self.assertEqual(operator.answer("/healthz")[0], 200)
        os.kill(process, signal.SIGCONT)
        self.add_source("b")
        self.settle(60)
        self.assert_wrote(operator, 2, 0, 0)
        self.assert_calm(since)

    def test_etcd_killed_and_started_again_costs_nothing(self):
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        self.server.kill("etcd")
        self.server.start("etcd")
        wait.until("the server takes writes again",
                   lambda: self.client.call("PATCH", self.path("configmaps", "a"), {"data": {"text": "two"}},
                                            "application/merge-patch+json")[0] == 200, 60)
        self.settle(60)
        self.assert_wrote(operator, 1, 1, 0)
        self.assert_calm()
