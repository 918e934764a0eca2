"""Jobs that train examples/trainer on a directory of the host, which all machines see: a volume that can be shared."""

import yaml

from harness.cluster import ROOT

from . import images
from .tier import NAMESPACE

MOUNT = "/checkpoints"


def volume(name, directory):
    """A persistent volume on `directory`, and the claim of the same name that is bound to it."""
    size = {"storage": "1Gi"}
    return ({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
             "spec": {"accessModes": ["ReadWriteMany"], "capacity": size, "storageClassName": "",
                      "claimRef": {"namespace": NAMESPACE, "name": name},
                      "hostPath": {"path": str(directory), "type": "Directory"}}},
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name, "namespace": NAMESPACE},
             "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": size}, "storageClassName": "",
                      "volumeName": name}})


def job(name, steps, step_milliseconds, save_every, on_notice=None, parallelism=2, progress_timeout=None, pool=None):
    """Ranks on machines of their own; the claim `name` holds the checkpoints. save_every 0: only when asked."""
    checkpoint = {"path": MOUNT, "graceSeconds": 10, "keep": 2, "volume": {"access": "Shared", "claimName": name}}
    if on_notice:
        checkpoint["onNotice"] = on_notice
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"reprise.dev/job": name}}}
    spec = {"parallelism": parallelism, "checkpoint": checkpoint, "template": {"spec": {
        "affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}},
        "containers": [_trainer(steps, step_milliseconds, save_every)]}}}
    if pool:  # a unit of it for each rank
        spec["poolName"] = pool
        spec["template"]["spec"]["containers"][0]["resources"]["limits"] = {"reprise.dev/gpu": 1}
    if progress_timeout:
        spec["progressTimeoutSeconds"] = progress_timeout
        checkpoint["periodSeconds"] = progress_timeout // 2
    return {"apiVersion": "reprise.dev/v1alpha1", "kind": "ResumableJob",
            "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def volumes_each(name, directories):
    """A persistent volume on each of `directories`, for the claim of the rank of that index."""
    return [{"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": f"{name}-{index}"},
             "spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "storageClassName": "",
                      "claimRef": {"namespace": NAMESPACE, "name": f"{name}-checkpoints-{index}"},
                      "hostPath": {"path": str(directory), "type": "Directory"}}}
            for index, directory in enumerate(directories)]


def job_with_volumes_each(name, **settings):
    """The same with a claim for each rank."""
    job_ = job(name, **settings)
    job_["spec"]["checkpoint"]["volume"] = {"access": "PerIndex", "claimTemplate": {"spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "storageClassName": ""}}}
    return job_


def quickstart(name, directory, steps, step_milliseconds, save_every):
    """examples/quickstart/job.yaml with examples/trainer. The ranks prefer machines of their own and get on with one."""
    volume_, job_ = _example("quickstart", name, directory)
    apart = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"reprise.dev/job": name}}}
    job_["spec"]["template"]["spec"] = {
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 100, "podAffinityTerm": apart}]}},
        "containers": [_trainer(steps, step_milliseconds, save_every)]}
    return volume_, job_


def framework(folder, name, directory, mounts):
    """examples/<folder>/job.yaml with its own trainer. `mounts`: {path in the pod: claim that is mounted there to be read}."""
    volume_, job_ = _example(folder, name, directory)
    pod = job_["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": claim, "persistentVolumeClaim": {"claimName": claim}} for claim in mounts.values()]
    trainer, = pod["containers"]
    trainer["volumeMounts"] = [{"name": claim, "mountPath": path, "readOnly": True} for path, claim in mounts.items()]
    del trainer["resources"]["limits"]
    return volume_, job_


def _example(folder, name, directory):
    """The job of an example where there is no GPU to rent and no storage to order: without a pool, and a volume that is there."""
    job_ = yaml.safe_load((ROOT / "examples" / folder / "job.yaml").read_text())
    job_["metadata"]["name"], spec = name, job_["spec"]
    del spec["poolName"]
    claim = spec["checkpoint"]["volume"]["claimTemplate"]["spec"]
    claim["storageClassName"] = ""
    volume_ = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": {
        "accessModes": claim["accessModes"], "capacity": claim["resources"]["requests"], "storageClassName": "",
        "claimRef": {"namespace": NAMESPACE, "name": f"{name}-checkpoints"},
        "hostPath": {"path": str(directory), "type": "Directory"}}}
    return volume_, job_


def _trainer(steps, step_milliseconds, save_every):
    return {
        "name": "trainer", "image": images.TRAINER, "imagePullPolicy": "Never",
        "command": ["/trainer", "--data", "/data/points.csv", "--dir", MOUNT, "--steps", str(steps),
                    "--step-milliseconds", str(step_milliseconds), "--save-every", str(save_every)],
        "resources": {"requests": {"cpu": "10m"}},
    }
