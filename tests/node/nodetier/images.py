"""Container images from files of the build, without a registry or an engine: the archive format that `docker save` writes."""

import hashlib
import io
import json
import re
import subprocess
import tarfile

AGENT = "reprise-agent:test"  # the name the harness gives to the operator
PAUSE = "reprise-pause:test"
TRAINER = "example-trainer:test"


def make_all(directory, binaries, data):
    """Writes the archives of all images: agent, the sandboxes' pause, trainer with its libraries and data."""
    directory.mkdir()
    agent = {"reprise-agent": binaries / "reprise-agent"}
    _write(directory / "agent.tar", AGENT, agent, {"Entrypoint": ["/reprise-agent"], "User": "65532:65532"})
    _write(directory / "pause.tar", PAUSE, agent, {"Entrypoint": ["/reprise-agent", "pause"]})
    trainer = {"trainer": binaries / "trainer", "data/points.csv": data}
    trainer.update({path.lstrip("/"): path for path in _libraries(binaries / "trainer")})
    _write(directory / "trainer.tar", TRAINER, trainer, {"Entrypoint": ["/trainer"]})


def make_example(archive, name, folder, environment):
    """An image with a folder of examples/ and nothing else: where its pod mounts a system's /usr, the links lead into it."""
    files = {f"examples/{folder.name}/{path.name}": path for path in folder.glob("*.py")}
    _write(archive, name, files, {"Env": [f"{key}={value}" for key, value in environment.items()]},
           {directory: f"usr/{directory}" for directory in ("bin", "lib", "lib64")})


def make_programs(archive, name, programs, more):
    """An image with programs on its PATH, with the libraries that they are linked with and with `more` files, whose user is nobody."""
    files = {f"bin/{program.name}": program for program in programs}
    for program in programs:
        files.update({path.lstrip("/"): path for path in _libraries(program)})
    _write(archive, name, files | more, {"Env": ["PATH=/bin"], "User": "65534:65534"})


def _libraries(program):
    """The absolute paths at which a program looks for its shared libraries and its loader."""
    libraries = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", libraries)))


def _write(archive, name, files, config, links=None):
    layer = _layer(files, links or {})
    image = json.dumps({
        "architecture": "amd64", "os": "linux", "created": "1970-01-01T00:00:00Z",
        "config": {"WorkingDir": "/", "Env": ["PATH=/"], **config},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
        "history": [{"created": "1970-01-01T00:00:00Z", "created_by": "tests/node"}]}, sort_keys=True).encode()
    image_name = hashlib.sha256(image).hexdigest() + ".json"
    manifest = json.dumps([{"Config": image_name, "RepoTags": [name], "Layers": ["layer.tar"]}]).encode()
    with tarfile.open(archive, "w") as out:
        for member, content in (("layer.tar", layer), (image_name, image), ("manifest.json", manifest)):
            _add(out, member, content, 0o644)


def _layer(files, links):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as out:
        for inside, outside in sorted(files.items()):
            with open(outside, "rb") as file:
                _add(out, inside, file.read(), 0o755)
        for inside, target in sorted(links.items()):
            link = tarfile.TarInfo(inside)
            link.type, link.linkname = tarfile.SYMTYPE, target
            out.addfile(link)
    return buffer.getvalue()


def _add(out, name, content, mode):
    member = tarfile.TarInfo(name)
    member.size = len(content)
    member.mode = mode
    out.addfile(member, io.BytesIO(content))
