"""What a release says about itself: sums of its files, and where they come from."""

import hashlib
import json

from imagelib import source

SUMS = "SHA256SUMS"


def write_sums(out):
    """{name: sha256} of all files that are there."""
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(out.iterdir())}
    (out / SUMS).write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    return sums


def write_provenance(out, sums, version):
    """Without times: they would differ from build to build, and that of the commit is not when it was built."""
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in sums.items()],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:reprise:build:make-release:v1",
                "externalParameters": {"version": version, "command": "make release"},
                "resolvedDependencies": [{"name": "reprise", "digest": {"gitCommit": source.revision()}}]},
            # Who runs `make release` by hand vouches for no more than that; a signature says who it was.
            "runDetails": {"builder": {"id": "urn:reprise:build:by-hand"}}}}
    (out / "provenance.intoto.json").write_text(json.dumps(statement, indent=1) + "\n")
