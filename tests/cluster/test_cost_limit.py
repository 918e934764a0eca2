"""What a pool may cost per hour: Karpenter rents no more than the money pays for, and goes to the next capacity where one has nothing."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import yaml

from harness import manifests, wait
from harness.case import ClusterCase
from harness.cluster import ROOT, condition

PLUGIN = ROOT / "build" / os.environ.get("PRESET", "dev") / "bin" / "kubectl-reprise"
PRICES = [{"instanceType": "g4dn.xlarge", "capacityType": type_, "perHour": price}
          for type_, price in (("Spot", "0.40"), ("OnDemand", "1.00"), ("Reserved", "0.50"))]


def frugal(name, most, *capacity):
    return manifests.pool(name, sharing={"mode": "Exclusive"}, instanceTypes=["g4dn.xlarge"], prices=PRICES, maxCostPerHour=most,
                          capacity=[{"type": type_, **({"noticeSeconds": 20} if type_ == "Spot" else {})} for type_ in capacity])


class CostLimit(ClusterCase):
    pools = (frugal("frugal", "1.00", "Spot", "OnDemand"), frugal("drought", "1.00", "Reserved", "Spot"))

    def running(self, *jobs):
        found = [job for job in jobs if condition(self.cluster.job(job), "PodsReady")["status"] == "True"]
        return len(found)

    def cost(self, pool):
        return self.cluster.get("gpupool", pool)["status"]["cost"]["perHour"]

    def said(self, pool, reason):
        found = condition(self.cluster.get("gpupool", pool), "CapacityAvailable")
        if found["reason"] != reason:
            raise LookupError(f"{found['reason']}: {found['message']}")
        return found["message"]

    def explained(self, job, cause):
        done = subprocess.run([PLUGIN, "why", f"job/{job}", "-n", "vision", "-o", "json"], capture_output=True, text=True, check=False,
                              env=dict(os.environ, KUBECONFIG=self.cluster.kubeconfig), timeout=60)
        if not done.stdout or json.loads(done.stdout)["cause"] != cause:
            raise LookupError(done.stdout or done.stderr)
        return True

    def test_no_more_is_rented_than_the_money_pays_for_until_there_is_more(self):
        cluster = self.cluster
        jobs = ("one", "two", "three")
        cluster.apply(*[manifests.job(name, pool="frugal") for name in jobs])
        wait.until("two of three run", lambda: self.running(*jobs) == 2)
        message = wait.until("the pool says so", lambda: self.said("frugal", "MaxCostReached"))
        self.assertIn("the pool costs 0.80 per hour by estimate, of at most 1.00 (spec.maxCostPerHour)", message)
        limits = {pool: cluster.get("nodepool", f"frugal-{pool}")["spec"]["limits"]["nvidia.com/gpu"] for pool in ("spot", "on-demand")}
        self.assertEqual(limits, {"spot": "2", "on-demand": "0"})
        waits, = [job for job in jobs if condition(cluster.job(job), "PodsReady")["status"] != "True"]
        wait.until("why says so", lambda: self.explained(waits, "PoolMaxCostReached"))
        # Karpenter goes on looking for a machine for it, and is let.
        cluster.kubectl("patch", "gpupool", "frugal", "--type=merge", "-p", '{"spec":{"maxCostPerHour":"1.20"}}')
        wait.until("all run", lambda: self.running(*jobs) == 3)
        wait.until("the pool counts all three", lambda: self.cost("frugal") == "1.20")

    def test_a_capacity_that_the_cloud_does_not_have_leaves_the_money_to_the_next(self):
        cluster = self.cluster
        cluster.apply(manifests.job("patient", pool="drought"))
        limits = lambda: [cluster.get("nodepool", f"drought-{pool}")["spec"]["limits"]["nvidia.com/gpu"] for pool in ("reserved", "spot")]
        wait.until("the first has the money", lambda: limits() == ["2", "0"])
        wait.until("it runs on the second", lambda: self.running("patient") == 1, seconds=180)
        wait.until("the pool counts it", lambda: self.cost("drought") == "0.40")

    def test_the_prices_of_the_chart_hold_for_a_pool_that_says_none(self):
        cluster = self.cluster
        cluster.apply(manifests.pool("silent", sharing={"mode": "Exclusive"}, instanceTypes=["g4dn.xlarge"], maxCostPerHour="1.00",
                                     capacity=[{"type": "OnDemand"}, {"type": "Spot", "noticeSeconds": 20}]))
        limits = lambda: [cluster.get("nodepool", f"silent-{pool}")["spec"]["limits"]["nvidia.com/gpu"] for pool in ("on-demand", "spot")]
        wait.until("0.526 each by the catalogue", lambda: limits() == ["1", "2"])
        table = self.price_table({"instanceType": "g4dn.xlarge", "capacityType": "Spot", "perHour": "0.20"},
                                 {"instanceType": "g4dn.xlarge", "capacityType": "OnDemand", "perHour": "0.30"})
        self.operator.kill()
        self.operator.start(f"--price-table={table}")
        wait.until("0.30 each by the table", lambda: limits() == ["3", "0"])

    def price_table(self, *prices):
        """What the chart makes of them, with its own below."""
        rendered = self.cluster.run("helm", "template", "reprise", str(ROOT / "charts/reprise"), "--show-only", "templates/price-table.yaml",
                                    "--set-json", f"priceTable.prices={json.dumps(prices)}")
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "prices.yaml"
        path.write_text(yaml.safe_load(rendered.stdout)["data"]["prices.yaml"])
        return path


if __name__ == "__main__":
    unittest.main()
