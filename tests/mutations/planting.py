"""Plants one bug: compiles the changed file with the very command of the build and links it ahead of the libraries."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / os.environ.get("PRESET", "dev")
PROGRAM = "tests/simulate"
# A clone elsewhere, and the next run, find what was compiled before.
ENVIRONMENT = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", **os.environ}


class CannotPlant(Exception):
    pass


def run(command, what):
    ran = subprocess.run(command, cwd=BUILD, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", check=False)
    if ran.returncode != 0:
        raise CannotPlant(f"{what}:\n" + "\n".join(ran.stdout.splitlines()[:15]))
    return ran.stdout


class Workshop:
    def __init__(self):
        run(["ninja", "--quiet", PROGRAM], "the program without a bug cannot be built")
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        self.commands = {each["file"]: shlex.split(each["command"]) for each in commands}
        last = run(["ninja", "-t", "commands", PROGRAM], "ninja does not tell how it links").splitlines()[-1]
        self.link = [word for word in shlex.split(last) if word not in (":", "&&")]

    def plant(self, bug):
        """The program with that bug in it."""
        folder = BUILD / "mutations" / re.sub(r"[^a-z0-9]+", "-", bug.name.lower()).strip("-")
        shutil.rmtree(folder, ignore_errors=True)
        for file, text in bug.changed():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        objects = []
        for unit in bug.to_compile():
            objects.append(folder / (unit.replace("/", "_") + ".o"))
            self.compile(unit, folder, objects[-1])
        words = list(self.link)
        words[words.index("-o") + 1] = str(folder / "simulate")
        # Whoever comes first on the line defines a symbol; without debug information linking takes a third of the time.
        at = words.index("-o") + 2
        run([*words[:at], *map(str, objects), "-Wl,-S", *words[at:]], "does not link")
        return folder / "simulate"

    def compile(self, unit, folder, into):
        original = str(ROOT / unit)
        if original not in self.commands:
            raise CannotPlant(f"{unit} is not compiled in this build")
        words = list(self.commands[original])
        words[words.index("-o") + 1] = str(into)
        if (folder / unit).exists():
            words[words.index(original)] = str(folder / unit)
        at = next(i for i, word in enumerate(words) if word.startswith("-I"))
        # A bug may leave something unused. A changed header is found before the right one.
        words = [*words[:at], f"-I{folder}", *words[at:], "-w"]
        if "ccache" not in words[0] and shutil.which("ccache"):
            words.insert(0, "ccache")
        run(words, f"{unit} does not compile")
