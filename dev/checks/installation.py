"""Charts can be installed, tokens made, writes counted."""

import json
import subprocess
import tempfile
from pathlib import Path

from clusterlib.kubectl import Kubectl

from .context import expect

_DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: probe}
spec:
  replicas: 2
  selector: {matchLabels: {app: probe}}
  template:
    metadata: {labels: {app: probe}}
    spec: {containers: [{name: main, image: none}]}
"""


def helm_installs_and_waits(context):
    with tempfile.TemporaryDirectory() as home:
        chart = Path(home) / "probe"
        (chart / "templates").mkdir(parents=True)
        (chart / "Chart.yaml").write_text("apiVersion: v2\nname: probe\nversion: 0.1.0\n")
        (chart / "templates" / "deployment.yaml").write_text(_DEPLOYMENT)
        _helm(context, home, "install", "probe", str(chart), "--wait", "--timeout=60s")
        releases = json.loads(_helm(context, home, "list", "-o", "json"))
        expect("releases", [(one["name"], one["status"]) for one in releases], [("probe", "deployed")])
        _helm(context, home, "uninstall", "probe", "--wait")


def _helm(context, home, *arguments):
    result = subprocess.run([str(context.tools / "bin" / "helm"), *arguments], capture_output=True, text=True,
                            env={"HOME": home, "PATH": "/usr/bin:/bin", "KUBECONFIG": str(context.state.kubeconfig)})
    if result.returncode != 0:
        raise AssertionError(f"helm {' '.join(arguments)} failed:\n{result.stderr}")
    return result.stdout


def tokens_work(context):
    """Asked without the admin's client certificate, which would win over the token."""
    token = context.kubectl.run("create", "token", "default").strip()
    server = context.kubectl.run("config", "view", "-o", "jsonpath={.clusters[0].cluster.server}")
    bare = Kubectl(context.tools / "bin" / "kubectl", "/dev/null")
    answer = bare.run("auth", "whoami", f"--server={server}", f"--token={token}", "-o", "json",
                      f"--certificate-authority={context.state.pki / 'ca.crt'}")
    expect("user of the token", json.loads(answer)["status"]["userInfo"]["username"],
           "system:serviceaccount:default:default")


def writes_are_audited_by_user(context):
    events = [json.loads(line) for line in context.state.audit_log.read_text().splitlines()]
    writers = {event["user"]["username"] for event in events if event["verb"] in ("create", "update", "patch", "delete")}
    missing = {"admin", "reprise:kwok", "reprise:karpenter", "system:kube-scheduler"} - writers
    expect("users missing among those who wrote", missing, set())
    expect("stages left out", [event for event in events if event["stage"] == "RequestReceived"], [])


ALL = (helm_installs_and_waits, tokens_work, writes_are_audited_by_user)
