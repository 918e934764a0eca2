"""Pages that show commands with what they print: blocks of ```console, a command behind `$ `, then its output.

In the output `…` stands for anything, a number of seconds or minutes for any, and how wide a column is does not matter.
"""

import re

AGE = re.compile(r"^\d+[smh](\d+s)?$")


def commands(text):
    """(command, lines that it prints) of all console blocks of a page."""
    for block in re.findall(r"^```console\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, [line for line in shown if line.strip()]


def _pattern(line):
    words = [r"\S+" if AGE.match(word) else re.escape(word).replace("…", ".*") for word in line.split()]
    return re.compile(r"\s+".join(words))


def difference(shown, printed):
    """What of `printed` is not as shown, for people; None when all is. A line of `…` alone stands for any lines."""
    lines = [line for line in printed.splitlines() if line.strip()]
    at = 0
    for number, line in enumerate(shown):
        if line.strip() == "…":
            if number + 1 == len(shown):
                return None
            following = _pattern(shown[number + 1])
            at = next((place for place in range(at, len(lines)) if following.fullmatch(lines[place].strip())), len(lines))
            continue
        if at == len(lines):
            return f"it prints nothing like: {line}"
        if not _pattern(line).fullmatch(lines[at].strip()):
            return f"shown: {line}\nprinted: {lines[at]}"
        at += 1
    return f"printed beyond what is shown: {lines[at]}" if at < len(lines) else None
