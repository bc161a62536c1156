"""What dpkg-replay does, by hand: a dictionary of packages, line by line.

Follows every package through its states, checks the pairs of states and the versions, keeps what dpkg has announced, and counts.
The tests measure the program against this.
"""

import sys

PAIRS = {
    "not-installed": {"not-installed", "half-installed"},
    "config-files": {"config-files", "half-installed", "half-configured", "installed", "not-installed"},
    "half-installed": {
        "half-installed", "unpacked", "config-files", "not-installed", "half-configured", "installed", "triggers-awaited",
    },
    "unpacked": {"unpacked", "half-installed", "half-configured", "not-installed", "installed", "triggers-awaited"},
    "half-configured": {
        "half-configured", "installed", "triggers-awaited", "unpacked", "half-installed", "not-installed",
    },
    "triggers-awaited": {"triggers-awaited", "half-configured", "triggers-pending", "installed", "not-installed"},
    "triggers-pending": {"triggers-pending", "half-configured", "triggers-awaited", "not-installed"},
    "installed": {"installed", "half-configured", "triggers-pending", "triggers-awaited", "not-installed"},
}
ACTIONS = {"install", "upgrade", "configure", "trigproc", "remove", "purge", "disappear"}


class Package:
    __slots__ = ("state", "version", "since", "line", "run", "came_from", "changes", "repeats", "action")

    def __init__(self, state, version, since, line, run):
        self.state = state
        self.version = version
        self.since = since
        self.line = line
        self.run = run
        self.came_from = None
        self.changes = 0
        self.repeats = 0
        self.action = None


def replay(file):
    packages = {}
    run = number = transitions = repeats = rejections = not_understood = 0
    for number, line in enumerate(file, 1):
        fields = line.rstrip("\n").split(" ")
        word = fields[2] if len(fields) > 2 else ""
        if word == "status" and len(fields) == 6 and fields[3] in PAIRS:
            state, name, version = fields[3], fields[4], fields[5]
            package = packages.get(name)
            if package is None:
                packages[name] = Package(state, version, fields[0] + " " + fields[1], number, run)
            elif package.state == state:
                package.repeats += 1
                repeats += 1
                if package.version != version:
                    rejections += 1
                    package.version = version
            else:
                if state not in PAIRS[package.state]:
                    rejections += 1
                package.came_from = package.state
                package.state = state
                package.version = version
                package.since = fields[0] + " " + fields[1]
                package.line = number
                package.run = run
                package.changes += 1
                transitions += 1
        elif word in ACTIONS and len(fields) == 6:
            package = packages.get(fields[3])
            if package is None and word == "install" and fields[4] == "<none>":
                package = packages[fields[3]] = Package("not-installed", "<none>", fields[0] + " " + fields[1], number, run)
            if package is not None:
                if package.version != fields[4]:
                    rejections += 1
                package.action = (word, fields[4], fields[5], number, run)
        elif word == "startup":
            run += 1
        elif word != "conffile":
            not_understood += 1
    print(number, "lines,", len(packages), "packages,", transitions, "transitions,", repeats, "repeated,", not_understood,
          "not understood,", rejections, "rejected")


with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
    replay(log)
