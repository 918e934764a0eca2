"""Karpenter's instance types from the table dev/instance-types.csv."""

import csv
import json

from .paths import DEV

_TABLE = DEV / "instance-types.csv"
# Spot prices differ a little from zone to zone, as they do in life.
_SPOT_FACTOR = {"test-zone-a": 1.00, "test-zone-b": 1.03, "test-zone-c": 0.98}
_GPU = "karpenter.k8s.aws/instance-gpu-"


def write(path):
    with open(_TABLE, newline="") as table:
        types = [_instance_type(row) for row in csv.DictReader(table)]
    path.write_text(json.dumps(types, indent=1))


def _instance_type(row):
    on_demand = float(row["onDemandPerHour"])
    offerings = []
    for zone, factor in _SPOT_FACTOR.items():
        spot = round(on_demand * float(row["spotRatio"]) * factor, 5)
        for capacity_type, price in (("spot", spot), ("on-demand", on_demand)):
            offerings.append({"Price": price, "Available": True, "Requirements": [
                _in("karpenter.sh/capacity-type", capacity_type),
                _in("topology.kubernetes.io/zone", zone), *_gpu_requirements(row)]})
    resources = {"cpu": row["cpu"], "memory": f'{row["memoryGiB"]}Gi', "ephemeral-storage": "100Gi", "pods": "110"}
    if int(row["gpuCount"]) > 0:
        resources["nvidia.com/gpu"] = row["gpuCount"]
    return {"name": row["name"], "architecture": "amd64", "operatingSystems": ["linux"],
            "resources": resources, "offerings": offerings}


def _gpu_requirements(row):
    if not row["gpu"]:
        # A type that lacks a key would match any requirement on it, so that a pod that asks
        # for no GPU could start a CPU machine in a GPU pool.
        return [{"key": f"{_GPU}{key}", "operator": "DoesNotExist"} for key in ("name", "count", "memory", "manufacturer")]
    return [_in(f"{_GPU}name", row["gpu"]), _in(f"{_GPU}count", row["gpuCount"]),
            _in(f"{_GPU}memory", row["gpuMemoryMiB"]), _in(f"{_GPU}manufacturer", "nvidia")]


def _in(key, value):
    return {"key": key, "operator": "In", "values": [value]}
