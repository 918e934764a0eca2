"""The base of cluster tests: one cluster per class, one operator, namespace `vision`, pool `t4`."""

import os
import sys
import unittest

from . import manifests
from .cluster import Cluster
from .operator import Operator


class ClusterCase(unittest.TestCase):
    cluster_settings = ()  # for dev/cluster up --set
    pools = (manifests.pool(),)
    with_operator = True

    @classmethod
    def setUpClass(cls):
        name = cls.__name__.lower() + f"-{os.getpid()}"
        cls.cluster = cls.enterClassContext(Cluster(name, *cls.cluster_settings))
        cls.cluster.apply(manifests.namespace("vision", team="vision"), *cls.pools)
        cls.operator = cls.enterClassContext(Operator(cls.cluster)) if cls.with_operator else None
        cls.addClassCleanup(cls.tell_why_it_did_not_begin)

    @classmethod
    def tell_why_it_did_not_begin(cls):
        """What is known when setUpClass of a test has failed, before its cluster goes."""
        if not cls._classSetupFailed or not cls.operator:
            return
        print(f"--- Events:\n{cls.cluster.kubectl('get', 'events', '-A', '--sort-by=.lastTimestamp')}\n--- operator's log:\n"
              f"{cls.operator.tail(200)}\n---", file=sys.stderr)

    def run(self, result=None):
        failures = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > failures and self.operator:
            print(f"--- operator's log after {self.id()}:\n{self.operator.tail(60)}\n---", file=sys.stderr)

    def history(self, job_name, namespace="vision"):
        """What happened to a job, for the message of a failed assertion."""
        job = self.cluster.job(job_name, namespace)
        return self.cluster.kubectl("describe", "resumablejob", job_name, "-n", namespace) if job else "no such job"
