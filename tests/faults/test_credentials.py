"""Tokens and certificates that end while the operator lives."""

import os
import subprocess

from harness import wait
from play.case import FaultCase
from play.server import token


class Tokens(FaultCase):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "token"
        self.file.write_text(token("operator"))
        self.user = {"tokenFile": str(self.file)}

    def reject(self, user):
        """From now on the server does not know this token any more; running watches end, as they do when it expires."""
        last = token(user)[-8:]
        self.proxy.add(f"no {user}", {"token": f"{last}$"}, do="answer", status=401, reason="Unauthorized")

    def test_a_token_that_was_rotated_in_time_is_taken_up_without_a_failed_write(self):
        operator = self.start_operator(user=self.user)
        self.add_source("a")
        self.settle()
        self.file.write_text(token("rotated"))
        self.reject("operator")
        self.proxy.connections("reset")
        self.add_source("b")
        self.settle()
        self.assert_wrote(operator, 2, 0, 0)
        self.assertEqual(operator.total("controller_runtime_reconcile_errors_total"), 0,
                         "a 401 is answered by reading the file again")
        self.assert_calm()

    def test_a_token_that_is_rotated_late_is_waited_for(self):
        operator = self.start_operator(user=self.user)
        self.add_source("a")
        self.settle()
        self.reject("operator")
        self.proxy.connections("reset")
        self.add_source("b")
        self.proxy.until_hit("no operator", 8)
        self.assertEqual(operator.answer("/healthz")[0], 200)
        self.file.write_text(token("rotated"))
        self.settle()
        self.assert_wrote(operator, 2, 0, 0)
        self.assert_calm()

    def test_a_token_file_that_cannot_be_read_leaves_the_old_token_in_use(self):
        operator = self.start_operator(user=self.user)
        self.file.unlink()
        with self.proxy.fault("once", {"token": ".", "times": 2}, do="answer", status=401):
            self.proxy.connections("reset")
            self.add_source("a")
            self.proxy.until_hit("once", 2)
        self.settle()
        self.assert_wrote(operator, 1, 0, 0)

    def test_a_running_watch_is_not_disturbed_by_a_new_token(self):
        self.start_operator(user=self.user)
        self.settle()
        since = self.proxy.log()[-1]["id"]
        self.file.write_text(token("rotated"))
        self.add_source("a")
        self.settle()
        self.assertEqual(self.proxy.watches("configmaps", since), [])


class Certificates(FaultCase):
    def test_a_server_whose_certificate_has_ended_is_tried_until_it_is_renewed(self):
        """Nothing may be given up for good: the writes that failed meanwhile are made afterwards."""
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        with self.proxy.fault("late", {"method": "POST", "path": "/services$", "times": 1}, do="drop", what="connection"):
            self.proxy.certificate(-3600)
            self.add_source("b")
            self.proxy.until_hit("late")
        self.proxy.connections("reset")
        knocks = len(self.proxy.knocks())
        wait.until("several attempts", lambda: len(self.proxy.knocks()) >= knocks + 8)
        self.proxy.certificate(3600)
        self.settle()
        self.assert_wrote(operator, 2, 0, 0)
        # Two watches, the write and the read that follows a lost answer each begin with short, jittered pauses, and every
        # try is a connection of its own here; without pauses there would be hundreds.
        self.assert_calm(most=24)

    def test_a_client_certificate_that_was_rotated_is_taken_up(self):
        pki = self.server.state.pki
        first, second = (self.certificate(name) for name in ("first", "second"))
        proxy = self.make_proxy(f"--client-ca={pki / 'ca.crt'}", f"--client-token={token('operator')}")
        self.proxy = proxy
        files = self.folder / "tls.crt", self.folder / "tls.key"
        self.install(first, files)
        operator = self.start_operator(user={"client-certificate": str(files[0]), "client-key": str(files[1])})
        self.add_source("a")
        self.settle()
        self.install(second, files)
        proxy.connections("reset")  # the files are looked at again when an answer is missing
        wait.until("a connection with the new certificate", lambda: "second" in self.names(), 90)
        self.add_source("b")
        self.settle()
        self.assert_wrote(operator, 2, 0, 0)

    def test_an_authority_that_was_rotated_is_taken_up(self):
        operator = self.start_operator()
        self.add_source("a")
        self.settle()
        new = self.proxy.renew_authority()
        self.proxy.connections("reset")
        self.add_source("b")
        knocks = len(self.proxy.knocks())
        wait.until("the new certificate was rejected", lambda: len(self.proxy.knocks()) >= knocks + 4)
        self.proxy.authority_file.write_text(new)
        self.settle(90)
        self.assert_wrote(operator, 2, 0, 0)
        self.assert_calm()

    def names(self):
        return {connection["client"] for connection in self.proxy.control("GET", "/connections")["connections"]}

    def install(self, pair, files):
        for source, target in zip(pair, files):
            new = target.with_suffix(".new")
            new.write_bytes(source.read_bytes())
            os.replace(new, target)

    def certificate(self, name):
        pki, key = self.server.state.pki, self.folder / f"{name}.key"
        certificate = self.folder / f"{name}.crt"
        for command in (
                ("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
                 "-subj", f"/CN={name}", "-out", self.folder / "request"),
                ("x509", "-req", "-in", self.folder / "request", "-CA", pki / "ca.crt", "-CAkey", pki / "ca.key",
                 "-set_serial", str(abs(hash(name))), "-days", "1", "-out", certificate)):
            subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)
        return certificate, key


PLUGIN = """#!/bin/sh
echo run >>{folder}/runs
while [ -e {folder}/hang ]; do sleep 0.1; done
echo '{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": "'$(cat {folder}/token)'"}}}}'
"""


class Plugins(Tokens):
    """A command of the user's makes the tokens; the invariants of token files hold for it as well."""

    def setUp(self):
        super().setUp()
        plugin = self.folder / "plugin"
        plugin.write_text(PLUGIN.format(folder=self.folder))
        plugin.chmod(0o755)
        self.user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin),
                              "interactiveMode": "Never"}}

    def runs(self):
        return len((self.folder / "runs").read_text().splitlines())

    def test_a_plugin_is_run_once_for_many_requests(self):
        self.start_operator(user=self.user)
        for number in range(20):
            self.add_source(f"s{number}")
        self.settle()
        self.assertEqual(self.runs(), 1)

    def test_a_plugin_that_hangs_stops_nothing_else(self):
        operator = self.start_operator(user=self.user)
        self.add_source("a")
        self.settle()
        (self.folder / "hang").touch()
        self.file.write_text(token("rotated"))
        self.reject("operator")
        self.proxy.connections("reset")
        wait.until("the plugin was run again", lambda: self.runs() >= 2)
        for _ in range(10):
            self.assertEqual(operator.answer("/healthz")[0], 200)
            self.assertGreaterEqual(operator.total("mirror_writes_total"), 1)
        (self.folder / "hang").unlink()
        self.add_source("b")
        self.settle(60)
        self.assert_wrote(operator, 2, 0, 0)
