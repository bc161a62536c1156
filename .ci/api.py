"""Checks that each change of a public declaration since the last release has a line in the changelog.

The declarations of the last release are in `api`, a file a module, as `swift symbolgraph-extract` finds them. What was added, changed
or removed since has to be named, between backticks, in the changelog under Unreleased: the declaration, or the new or removed type
that it belongs to. Run it after `swift build`; with `--update`, at a release, it writes the declarations that there are now.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile

# `HeraclitusJSON` is no product: users see its declarations in `Heraclitus`, which exports them.
MODULES = [
    "Heraclitus", "HeraclitusFoundation", "HeraclitusInspecting", "HeraclitusStores", "HeraclitusTables", "HeraclitusTesting",
]
ROOT = pathlib.Path(__file__).parent.parent
BASELINE = ROOT / ".ci" / "api"
# What the compiler infers by itself, and not each version of it alike.
INFERRED = {"Swift.Copyable", "Swift.Escapable", "Swift.SendableMetatype", "Swift.BitwiseCopyable"}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def graphs(module, modules, target):
    """What the module declares, and what it adds to types of other modules."""
    with tempfile.TemporaryDirectory() as folder:
        output(
            *("swift", "symbolgraph-extract", "-module-name", module, "-I", modules, "-target", target),
            *("-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder),
            "-experimental-allowed-reexported-modules=HeraclitusJSON",
        )
        return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(pathlib.Path(folder).iterdir())]


def declarations(module, modules, target):
    """A line for each declaration, which begins with its name, and for each conformance."""
    lines = set()
    for graph in graphs(module, modules, target):
        names = {}
        for symbol in graph["symbols"]:
            name = names[symbol["identifier"]["precise"]] = ".".join(symbol["pathComponents"])
            text = "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])
            limits = [
                f"{limit['lhs']} {limit['kind']} {limit['rhs']}"
                for limit in symbol.get("swiftExtension", {}).get("constraints", [])
            ]
            lines.add(f"{name}: {' '.join(text.split())}" + (f" [{', '.join(sorted(limits))}]" if limits else ""))
        for relation in graph["relationships"]:
            source, target_name = names.get(relation["source"]), relation.get("targetFallback")
            if relation["kind"] != "conformsTo" or not source:
                continue
            target_name = names.get(relation["target"]) or target_name or relation["target"]
            if target_name not in INFERRED:
                lines.add(f"{source}: conforms to {target_name}")
    return sorted(lines)


def words(name):
    """The words of a name without the labels of its arguments: `Fire.callAsFunction(_:)` has two."""
    return [part.split("(")[0] for part in re.split(r"\.(?![^(]*\))", name) if part]


def unnamed(changed, changelog):
    """The changes that the changelog does not name."""
    section = re.search(r"^## \[Unreleased\]\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    named = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section.group(1) if section else ""))))
    own = {line.split(": ")[0] for line in changed if ": conforms to " not in line}
    for line in changed:
        name = line.split(": ")[0]
        parts = words(name)
        accepted = {parts[-1]}
        if ": conforms to " in line:
            accepted.add(line.rsplit(".", 1)[-1])
        # These have no name of their own, or one that is no word: `Fire(…)`, `==`.
        nameless = parts[-1] in ("init", "callAsFunction", "subscript") or not re.match(r"\w", parts[-1])
        if nameless and len(parts) > 1:
            accepted.add(parts[-2])
        # A type that is new or gone speaks for its members.
        accepted |= {parts[end - 1] for end in range(1, len(parts)) if ".".join(parts[:end]) in own}
        if not accepted & named:
            yield line


def main():
    modules = output("swift", "build", "--show-bin-path") + "/Modules"
    target = json.loads(output("swift", "-print-target-info"))["target"]["unversionedTriple"]
    now = {module: declarations(module, modules, target) for module in MODULES}
    if "--update" in sys.argv[1:]:
        BASELINE.mkdir(exist_ok=True)
        for module, lines in now.items():
            (BASELINE / f"{module}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    count, missing = 0, []
    for module, lines in now.items():
        before = set((BASELINE / f"{module}.txt").read_text(encoding="utf-8").splitlines())
        added, removed = set(lines) - before, before - set(lines)
        count += len(added | removed)
        for line in sorted(unnamed(added | removed, changelog)):
            missing.append(f"{'+' if line in added else '-'} {line}")
    print(*missing, f"{count} public declarations changed since the last release, {len(missing)} of them in silence.", sep="\n")
    if missing:
        print("Name them between backticks in CHANGELOG.md, under Unreleased.")
    return 1 if missing else 0


sys.exit(main())
