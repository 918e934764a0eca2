"""A kubelet's kubeconfig, signed with the control plane's own CA."""

import base64

import yaml

from .host import run


def write_kubeconfig(path, name, server, pki):
    """`server` is the API server's URL as seen from the machine. Its certificate knows other names than that."""
    key, request, certificate = (path.with_name(f"client.{end}") for end in ("key", "csr", "crt"))
    extensions = path.with_name("client.ext")
    extensions.write_text("extendedKeyUsage=clientAuth\nkeyUsage=digitalSignature\n")
    run("openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key,
        "-subj", f"/O=system:nodes/CN=system:node:{name}", "-out", request)
    run("openssl", "x509", "-req", "-in", request, "-CA", pki / "ca.crt", "-CAkey", pki / "ca.key", "-CAcreateserial",
        "-days", "30", "-extfile", extensions, "-out", certificate)
    content = {
        "apiVersion": "v1", "kind": "Config", "current-context": "machine",
        "clusters": [{"name": "cluster", "cluster": {"server": server, "tls-server-name": "kubernetes.default.svc",
                                                     "certificate-authority-data": _encoded(pki / "ca.crt")}}],
        "users": [{"name": name, "user": {"client-certificate-data": _encoded(certificate),
                                          "client-key-data": _encoded(key)}}],
        "contexts": [{"name": "machine", "context": {"cluster": "cluster", "user": name}}],
    }
    path.touch(mode=0o600)
    path.write_text(yaml.safe_dump(content))


def _encoded(path):
    return base64.b64encode(path.read_bytes()).decode()
