"""The image in both forms: a layout as the Open Container Initiative has it, and the archive that `docker load` reads."""

import hashlib
import io
import json
import shutil
import tarfile
from dataclasses import dataclass

from .tree import compressed

_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
_INDEX = "application/vnd.oci.image.index.v1+json"


@dataclass
class Image:
    architecture: str
    layers: list  # (what it is, uncompressed tar), lowest first
    settings: dict  # User, Entrypoint and the like
    labels: dict
    created: str

    def config(self):
        return _json({
            "architecture": self.architecture, "os": "linux", "created": self.created,
            "config": {**self.settings, "Labels": self.labels},
            "rootfs": {"type": "layers", "diff_ids": [digest(tar) for _, tar in self.layers]},
            "history": [{"created": self.created, "created_by": "packaging/image/build", "comment": what}
                        for what, _ in self.layers]})


def digest(content):
    return "sha256:" + hashlib.sha256(content).hexdigest()


def write_layout(directory, image, name):
    """Writes the layout anew and returns the manifest's digest, by which the image is pinned. `name` is its tag."""
    shutil.rmtree(directory, ignore_errors=True)
    blobs = directory / "blobs/sha256"
    blobs.mkdir(parents=True)

    def blob(media_type, content, **more):
        (blobs / digest(content).removeprefix("sha256:")).write_bytes(content)
        return {"mediaType": media_type, "digest": digest(content), "size": len(content), **more}

    manifest = blob(_MANIFEST, _json({
        "schemaVersion": 2, "mediaType": _MANIFEST, "config": blob(_CONFIG, image.config()),
        "layers": [blob(_LAYER, compressed(tar)) for _, tar in image.layers], "annotations": image.labels}),
        platform={"architecture": image.architecture, "os": "linux"},
        annotations={"org.opencontainers.image.ref.name": name})
    (directory / "oci-layout").write_bytes(_json({"imageLayoutVersion": "1.0.0"}))
    (directory / "index.json").write_bytes(_json({"schemaVersion": 2, "mediaType": _INDEX, "manifests": [manifest]}))
    return manifest["digest"]


def write_archive(file, image, reference):
    """`reference` is the image's name after `docker load` or `ctr images import`."""
    config = image.config()
    members = {digest(tar).removeprefix("sha256:") + ".tar": tar for _, tar in image.layers}
    layers = list(members)
    members[digest(config).removeprefix("sha256:") + ".json"] = config
    members["manifest.json"] = _json([{"Config": list(members)[-1], "RepoTags": [reference], "Layers": layers}])
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
