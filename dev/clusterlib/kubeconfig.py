"""Kubeconfig files: the admin's with a client certificate, the components' with tokens."""

import base64

import yaml

from . import pki


def write_all(state, port):
    certificate = {"client-certificate-data": _encoded(state.pki / "admin.crt"),
                   "client-key-data": _encoded(state.pki / "admin.key")}
    _write(state, state.kubeconfig, port, "admin", certificate)
    for component in pki.TOKEN_USERS:
        _write(state, component_path(state, component), port, component, {"token": pki.token(state, component)})


def component_path(state, component):
    return state.kubeconfigs / component


def _write(state, path, port, user, credentials):
    context = f"reprise-{state.name}"
    content = {
        "apiVersion": "v1", "kind": "Config", "current-context": context,
        "clusters": [{"name": context, "cluster": {
            "server": f"https://127.0.0.1:{port}",
            "certificate-authority-data": _encoded(state.pki / "ca.crt")}}],
        "users": [{"name": user, "user": credentials}],
        "contexts": [{"name": context, "context": {"cluster": context, "user": user}}],
    }
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(content, sort_keys=False))


def _encoded(path):
    return base64.b64encode(path.read_bytes()).decode()
