"""Checks that each folder of the module Heraclitus names only what stands left of it.

Types are found by their declarations, and uses by their names outside comments and texts. So a type that is erased, such as a
machine kept as AnyObject, is found where it is named again.
"""

import pathlib
import re
import sys

ORDER = [
    ["Platform"],
    ["Concurrency"],
    ["Memory"],
    ["Scheduling"],
    ["Definition"],
    ["Engine"],
    ["Machine"],
    ["Archiving", "Observing"],
]
ROOT = pathlib.Path("Sources/Heraclitus")
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:public |package |open |final |indirect |nonisolated )*"
    r"(?:struct|class|enum|protocol|actor|typealias) (\w+)",
    re.M,
)


def code(path):
    text = path.read_text(encoding="utf-8")
    text = re.sub(r'"""(?:.|\n)*?"""', '""', text)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


rank = {folder: number for number, folders in enumerate(ORDER) for folder in folders}
known = {path.name for path in ROOT.iterdir() if path.is_dir() and path.suffix != ".docc"}
problems = [f"The folder {name} has no place in the order." for name in sorted(known - rank.keys())]
sources = {path: code(path) for path in sorted(ROOT.rglob("*.swift"))}
declared = {}
for path, text in sources.items():
    for name in DECLARATION.findall(text):
        declared.setdefault(name, set()).add(path.relative_to(ROOT).parts[0])
for path, text in sources.items():
    folder = path.relative_to(ROOT).parts[0]
    for name, folders in sorted(declared.items()):
        right = [other for other in folders if other != folder and rank.get(other, 0) >= rank.get(folder, 0)]
        if folder in folders or not right:
            continue
        if re.search(rf"(?<![\w.]){name}\b", text):
            problems.append(f"{path}: {name} is declared in {', '.join(sorted(right))}, which stands right of {folder}.")
print("\n".join(problems) or f"{len(sources)} files name only what stands left of them.")
sys.exit(bool(problems))
