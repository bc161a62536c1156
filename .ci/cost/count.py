"""Counts the instructions of single operations, and fails if one takes over 3 % more than `figures.json` says.

    count.py                            builds, counts and compares
    count.py --build                    builds only
    count.py --update NAME "why"        writes what a figure is now, and why; NAME may be `all`

A figure is the difference between a run of some operations and one of twice as many, so that the start drops out. Valgrind counts,
and shows the program the same processor on every computer that has AVX2. Another compiler or another C library has other figures.
Needs Swift, Python 3 and Valgrind, on Linux.
"""

import concurrent.futures
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILT = ROOT / ".build" / "cost"
FIGURES = HERE / "figures.json"
COUNT = 2000
LIMIT = 0.03
# Hashing with a seed of its own would have other collisions in each run.
ENVIRONMENT = {"PATH": os.environ["PATH"], "LANG": "C", "SWIFT_DETERMINISTIC_HASHING": "1"}


def build():
    if ROOT.name.lower() == HERE.name:
        sys.exit(f"Swift names a package after its folder, so that the repository's must not be called {ROOT.name}.")
    command = ["swift", "build", "-c", "release", "--package-path", HERE, "--scratch-path", BUILT, "--product", "cost"]
    command += ["-Xswiftc", "-gnone", "-Xswiftc", "-no-emit-module-separately-wmo"]
    subprocess.run(command, check=True)


def run(*command):
    done = subprocess.run(command, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def instructions(name, count):
    program = BUILT / "release" / "cost"
    counter = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    return int(re.search(r"I +refs: +([\d,]+)", run(*counter, program, name, str(count)).stderr)[1].replace(",", ""))


def counted(names):
    """The instructions of one operation of each name."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        runs = [[threads.submit(instructions, name, count) for count in (COUNT, 2 * COUNT)] for name in names]
        return {name: round((twice.result() - once.result()) / COUNT) for name, (once, twice) in zip(names, runs)}


def update(figures, names, why):
    for name, now in counted(names).items():
        figures[name] = {"instructions": now, "why": why}
    text = json.dumps(figures, indent=4, ensure_ascii=False)
    FIGURES.write_text(text + "\n", encoding="utf-8")


def compare(figures, names):
    """Prints all figures, and returns what is wrong with them."""
    problems = [f"{name} is no figure of the program." for name in figures if name not in names]
    print(f"{'instructions of one operation':<30}{'agreed':>10}{'now':>10}")
    for name, now in counted(names).items():
        agreed = figures.get(name, {}).get("instructions")
        growth = now / agreed - 1 if agreed else None
        print(f"{name:<30}{agreed or '':>10}{now:>10}" + (f"{growth:>+9.1%}" if agreed else ""))
        command = f'python3 .ci/cost/count.py --update {name} "why"'
        if growth is None:
            problems.append(f"{name} has no agreed number: {command}")
        elif name.startswith("foundation-"):
            continue  # Not ours: a measure for the figures beside it, which differs from build to build.
        elif growth > LIMIT:
            problems.append(f"{name} takes more than was agreed. If it has to: {command}")
        elif growth < -LIMIT:
            print(f"  It takes less than was agreed, which should not be lost: {command}")
        if agreed and not figures[name].get("why", "").strip():
            problems.append(f"{name} has no reason.")
    return problems


if platform.machine() != "x86_64":
    sys.exit("The figures are those of x86_64.")
build()
if sys.argv[1:] == ["--build"]:
    sys.exit()
figures = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
names = run(BUILT / "release" / "cost").stdout.split()
match sys.argv[1:]:
    case []:
        problems = compare(figures, names)
        print("\n".join(problems) or "No figure has grown.")
        sys.exit(bool(problems))
    case ["--update", name, why] if name in [*names, "all"] and why.strip():
        update(figures, names if name == "all" else [name], why.strip())
    case _:
        sys.exit(__doc__)
