"""The corpus files: a checkpoint as its library wrote it, and what that library said of each damaged variant of it."""

import base64
import json
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "corpus"


def write(name, made_of, fmt, files, variants, named=False):
    """`variants`: [file, change, "same" | "lossy" | "fails"]: what loading gave. `named`: a format that Auto does not recognise by itself."""
    packed = {path: base64.b64encode(zlib.compress(content, 9)).decode() for path, content in sorted(files.items())}
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({"generated": f"by tests/formats/write-corpus with {made_of}", "format": fmt, **({"named": True} if named else {}),
                       "variants": variants, "files": packed}, indent=0)
    (FOLDER / f"{name}.json").write_text(text + "\n")


def read(file):
    corpus = json.loads(file.read_text())
    corpus["files"] = {path: zlib.decompress(base64.b64decode(packed)) for path, packed in corpus["files"].items()}
    return corpus


def all_of_them():
    return {file.stem: read(file) for file in sorted(FOLDER.glob("*.json"))}
