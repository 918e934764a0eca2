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
INCLUDED = re.compile(r'^#include "(.*)"$', re.MULTILINE)
# A clone elsewhere, and the next run, find what was compiled before.
ENVIRONMENT = {"CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1", **os.environ}


# A bug that is planted alone comes beside the object that its neighbours are in too: the linker takes the first definition of
# each function. A caller among the neighbours may have the right one inlined, so that a survivor is planted once more with them.
ALONE, WITH_NEIGHBOURS = "alone", "with its neighbours"


class CannotPlant(Exception):
    pass


def joins(file):
    """Is it one of CMake's, that includes several sources?"""
    return Path(file).match("Unity/unity_*.cxx")


def run(command, what):
    ran = subprocess.run(command, cwd=BUILD, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, errors="replace", check=False)
    if ran.returncode != 0:
        raise CannotPlant(f"{what}:\n" + "\n".join(ran.stdout.splitlines()[:15]))
    return ran.stdout


class Workshop:
    def __init__(self, programs=(PROGRAM,)):
        run(["ninja", "--quiet", *programs], "the programs without a bug cannot be built")
        commands = json.loads((BUILD / "compile_commands.json").read_text())
        self.commands = {each["file"]: shlex.split(each["command"]) for each in commands}
        # Where several sources are compiled as one, each is planted together with its neighbours.
        self.joined = {}
        for file in self.commands:
            if joins(file):
                for source in INCLUDED.findall(Path(file).read_text()):
                    self.joined.setdefault(source, file)
        self.links = {program: self.link_of(program) for program in programs}

    @staticmethod
    def link_of(program):
        commands = run(["ninja", "-t", "commands", program], "ninja does not tell how it links").splitlines()
        # What a build does with the program once it is linked is none of a bug's.
        words = shlex.split(next(line for line in reversed(commands) if f"-o {program} " in line))
        words = words[words.index("&&") + 1:] if words[0] == ":" else words
        return words[:words.index("&&")] if "&&" in words else words

    def ways(self, bug):
        """How that bug may be planted, the cheapest first: alone, or compiled as the build does it, together with its neighbours."""
        joined = any(str(ROOT / unit) in self.joined for unit in bug.to_compile())
        return (ALONE, WITH_NEIGHBOURS) if joined else (WITH_NEIGHBOURS,)

    def plant(self, bug, way):
        """The program with that bug in it."""
        folder = BUILD / "mutations" / re.sub(r"[^a-z0-9]+", "-", bug.name.lower()).strip("-")
        shutil.rmtree(folder, ignore_errors=True)
        for file, text in bug.changed():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        objects = []
        sources = [str(ROOT / unit) if way == ALONE else self.source_of(unit) for unit in bug.to_compile()]
        for source in dict.fromkeys(sources):
            objects.append(folder / (os.path.relpath(source, ROOT).replace("/", "_") + ".o"))
            self.compile(source, folder, objects[-1], way)
        arguments = list(self.links[bug.program])
        planted = folder / Path(bug.program).name
        arguments[arguments.index("-o") + 1] = str(planted)
        # Whoever comes first on the line defines a symbol; without debug information linking takes a third of the time.
        at = arguments.index("-o") + 2
        first = ["-Wl,-z,muldefs"] if way == ALONE else []
        run([*arguments[:at], *first, *map(str, objects), "-Wl,-S", *arguments[at:]], "does not link")
        return planted

    def source_of(self, unit):
        """What the compiler is called with for that file of the tree."""
        original = str(ROOT / unit)
        source = self.joined.get(original, original)
        if source not in self.commands:
            raise CannotPlant(f"{unit} is not compiled in this build")
        return source

    def changed(self, source, folder):
        """That source with the bug in it."""
        if joins(source):
            into = folder / Path(source).relative_to(BUILD)
            into.parent.mkdir(parents=True, exist_ok=True)
            into.write_text(INCLUDED.sub(lambda line: f'#include "{self.changed(line[1], folder)}"', Path(source).read_text()))
            return str(into)
        planted = folder / Path(source).relative_to(ROOT)
        return str(planted) if planted.exists() else source

    def compile(self, source, folder, into, way):
        called = self.source_of(os.path.relpath(source, ROOT)) if way == ALONE else source
        arguments = list(self.commands[called])
        arguments[arguments.index("-o") + 1] = str(into)
        arguments[arguments.index(called)] = self.changed(source, folder)
        at = next(i for i, argument in enumerate(arguments) if argument.startswith("-I"))
        # A bug may leave something unused. A changed header is found before the right one.
        arguments = [*arguments[:at], f"-I{folder}", *arguments[at:], "-w"]
        if "ccache" not in arguments[0] and shutil.which("ccache"):
            arguments.insert(0, "ccache")
        run(arguments, f"{os.path.relpath(source, ROOT)} does not compile")
