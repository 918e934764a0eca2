"""kubectl reprise, called by the real kubectl, beside a running operator."""

import json
import os
import re
import subprocess
import tarfile
import tempfile
import unittest
from pathlib import Path

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import ROOT, condition
from harness.nodes import claim_of, held
from harness.screen import Screen

PROGRAMS = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin"
PLANTED = "planted-5f0c1d"
JOBS = ("shown", "drilled", "parked", "cut")


class KubectlReprise(ClusterCase):
    pools = (manifests.pool(sharing={"mode": "Exclusive"}, capacity=[{"type": "Spot", "maxGpus": 40, "noticeSeconds": 15}]),)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        jobs = [manifests.job(name, parallelism=2 if name == "drilled" else 1) for name in JOBS]
        trainer = jobs[0]["spec"]["template"]["spec"]["containers"][0]
        trainer["env"] = [{"name": "PLAIN", "value": PLANTED}]
        trainer["command"] = ["train", "--token", PLANTED, f"--password={PLANTED}"]
        cls.cluster.apply(*jobs)
        # Not always attempt 1: the taint manager may end that while its node registers (dev/README.md, Traps).
        cls.begun = {name: cls.cluster.wait_until_running(name)["status"] for name in JOBS}

    @property
    def state(self):
        """Of the job that is left alone."""
        return "Started" if self.begun["shown"]["attempt"] == 1 else "Recovered"

    def reprise(self, *arguments, code=0, cwd=None):
        """What `kubectl reprise` prints; it must end with `code`."""
        done = self.kubectl("reprise", *arguments, cwd=cwd)
        self.assertEqual(done.returncode, code, f"kubectl reprise {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def kubectl(self, *arguments, cwd=None):
        environment = dict(os.environ, KUBECONFIG=self.cluster.kubeconfig,
                           PATH=f"{PROGRAMS}:{self.cluster.tools}:{os.environ['PATH']}")
        return subprocess.run(["kubectl", *arguments], env=environment, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=180)

    def test_status_shows_pools_and_jobs_on_one_screen(self):
        screen = wait.until("the pool counts its jobs", lambda: re.search(
            r"^t4 +True +\d+/\d+ .* Exclusive .* 4 +\S+$", self.reprise("status", "-A"), re.MULTILINE)).string
        self.assertRegex(screen, r"^1 pool, 4 jobs: ")
        self.assertRegex(screen, rf"(?m)^vision +shown +{self.state} +1/1 ")
        self.assertEqual(self.reprise("status", "shown", "-n", "vision", "-o", "name"), "resumablejob.reprise.dev/shown\n")
        self.assertIn('"kind": "ResumableJob"', self.reprise("status", "shown", "-n", "vision", "-o", "json"))
        self.reprise("status", "other", "-n", "vision", code=3)
        self.reprise("status", "-o", "xml", code=2)

    def test_who_has_no_rights_is_told_so(self):
        self.reprise("status", "-n", "vision", "--as", "nobody", code=4)

    def test_a_drill_tells_what_was_lost(self):
        attempt, before = self.begun["drilled"]["attempt"], self.begun["drilled"].get("interruptionCount", 0)
        self.reprise("interrupt", "drilled", "-n", "vision", code=6)
        said = self.reprise("interrupt", "drilled", "-n", "vision", "--yes", "--timeout=90s")
        self.assertIn(f"Attempt {attempt} was interrupted; attempt {attempt + 1} runs with all its pods after", said)
        self.assertRegex(said, r"work lost +\d+[smh]")
        job = self.cluster.job("drilled")["status"]
        self.assertEqual((job["interruptionCount"], job["lastInterruption"]["reason"]), (before + 1, "PodDeleted"))
        self.assertIn("No complete checkpoint" if "checkpoint" not in job else "Newest complete checkpoint",
                      self.reprise("checkpoints", "drilled", "-n", "vision"))

    def test_a_suspended_job_stops_and_a_resumed_one_goes_on(self):
        self.assertEqual(self.reprise("suspend", "parked", "-n", "vision"), "resumablejob.reprise.dev/parked suspended\n")
        self.cluster.wait_for_state("parked", "Suspended")
        self.assertEqual(self.reprise("resume", "parked", "-n", "vision"), "resumablejob.reprise.dev/parked resumed\n")
        self.cluster.wait_for_attempt("parked", self.begun["parked"]["attempt"] + 1)

    def test_a_confirmation_releases_a_job_whose_writer_is_not_fenced(self):
        self.reprise("confirm-ended", "cut", "-n", "vision", "--yes", code=6)
        attempt = self.begun["cut"]["attempt"]
        pod, = self.cluster.pods_of("cut", attempt)
        with held(self.cluster, claim_of(self.cluster, pod)):
            self.cluster.kubectl("delete", "pod", pod["metadata"]["name"], "-n", "vision", "--force", "--grace-period=0")
            message = condition(self.cluster.wait_for_state("cut", "WriterNotFenced"), "PodsReady")["message"]
            self.assertIn("job vision/cut: WriterNotFenced: ", self.reprise("status", "cut", "-n", "vision"))
            self.reprise("confirm-ended", "cut", "-n", "vision", code=6)
            said = self.reprise("confirm-ended", "cut", "-n", "vision", "--yes")
            self.assertEqual(said.split(" ")[1].strip(), message.split(" ")[-1], "as the operator's own message has it")
            self.cluster.wait_for_attempt("cut", attempt + 1)

    def test_a_report_has_everything_but_what_is_secret(self):
        with tempfile.TemporaryDirectory() as folder:
            name = self.reprise("report", "-A", cwd=folder).strip()
            with tarfile.open(Path(folder) / name) as bundle:
                files = {each.name.split("/", 1)[1]: bundle.extractfile(each).read().decode() for each in bundle}
        self.assertLessEqual({"INDEX.txt", "status.txt", "versions.txt", "resumablejobs.json", "gpupools.json", "pods.json", "nodes.json",
                              "nodepools.json", "nodeclaims.json", "events.json"}, set(files))
        self.assertIn(f'"name": "shown-{self.begun["shown"]["attempt"]}-0"', files["pods.json"])
        for each, text in files.items():
            self.assertNotIn(PLANTED, text, each)

    def test_costs_are_shown_and_called_estimates(self):
        said = self.reprise("cost", "-A")
        self.assertRegex(said, r"(?m)^POOL .*\nt4 +\d")
        self.assertIn("estimates", said)

    def test_a_job_knows_what_it_has_spent_and_what_that_had_been_on_demand(self):
        def costs():
            row, = json.loads(self.reprise("cost", "shown", "-n", "vision", "--by=job", "-o", "json"))
            spent, on_demand = float(row.get("spent", 0)), float(row.get("onDemandEquivalent", 0))
            return 0 < spent < on_demand and (spent, on_demand)
        wait.until("the job has cost a cent", costs, 180)
        status = self.cluster.job("shown")["status"]["cost"]
        self.assertLess(0, float(status["perHour"]))
        self.assertLess(float(status["perHour"]), float(status["onDemandPerHour"]))

    def test_top_prints_one_picture_for_a_script(self):
        self.assertRegex(self.reprise("top", "--once", "-n", "vision"), rf"(?m)^shown +{self.state} ")

    def test_top_at_a_terminal_follows_keys_and_leaves_the_screen_as_it_was(self):
        with Screen(self.top("xterm")) as top:
            top.until("pools, jobs and keys", lambda frame: all(re.search(each, frame) for each in (
                r"POOL +READY", rf"\bshown +{self.state} ", r"s sorted by name")))
            top.press("s")
            top.until("another order", lambda frame: "s sorted by state" in frame)
            top.press("p")
            top.until("jobs alone", lambda frame: "shown" in frame and not re.search(r"POOL +READY", frame))
            top.press("q")
            self.assertEqual(top.ended(), 0)
            self.assertIn("\x1b[1m", top.seen)
            self.assertTrue(top.seen.endswith("\x1b[?25h\x1b[?1049l"), top.seen[-80:])

    def test_top_at_a_terminal_shows_no_colours_where_they_are_not_wanted(self):
        with Screen(self.top("xterm", NO_COLOR="1")) as top:
            top.until("jobs", lambda frame: re.search(rf"\bshown +{self.state} ", frame))
            top.press("q")
            self.assertEqual(top.ended(), 0)
            self.assertNotRegex(top.seen, r"\x1b\[\d*m")

    def top(self, terminal, **more):
        environment = dict(os.environ, KUBECONFIG=self.cluster.kubeconfig, TERM=terminal,
                           PATH=f"{PROGRAMS}:{self.cluster.tools}:{os.environ['PATH']}", **more)
        return ["kubectl", "reprise", "top", "-n", "vision", "--interval=500ms"], environment

    def test_kubectl_completes_names_of_jobs(self):
        found = self.kubectl("__complete", "reprise", "suspend", "-n", "vision", "sh").stdout
        self.assertEqual(found, "shown\n:4\n")


if __name__ == "__main__":
    unittest.main()
