"""Processor time of commands as a first use, from an empty kernel cache, and again with what is kept then.

    python benchmarks/first_use.py before=venv-a/bin/physx-schema now=venv-b/bin/physx-schema \\
        --panda panda.usda --quadruped go2.usda [--demo]

Programs are measured in turns, command by command. The robots come from ``physx-schema convert``: a Panda with
``--drives position --base fixed``, a Go2 with ``--drives position --base floating --ground``. Times are user and system
time of a process and of all that it starts, in seconds.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILT = {"cart-pole": "cart_pole.py", "boxes": "stack_of_boxes.py"}      # stages that examples author


def commands(folder: Path, panda: Path | None, quadruped: Path | None, demo: bool) -> dict[str, list[str]]:
    """The commands by what they are called in the table."""
    listed = {f"`simulate`, {name}": ["simulate", str(folder / f"{name}.usda")] for name in BUILT}
    if quadruped:
        listed["`simulate`, Go2 on the ground"] = ["simulate", str(quadruped)]
    if panda:
        listed |= {"`simulate`, Panda": ["simulate", str(panda)], "`verify`, Panda": ["verify", str(panda)],
                   "`report`, Panda": ["report", str(panda), "-o", str(folder / "report.html"), "--force"]}
    return listed | ({"`demo`": ["demo", "--out", str(folder / "demo"), "--force"]} if demo else {})


def spent(program: str, arguments: list[str], cache: str) -> float:
    """Processor time of a command with this kernel cache."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program, *arguments], env=os.environ | {"PHYSX_RUNTIME_CACHE": cache}, check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="+", metavar="NAME=PROGRAM", help="an installed physx-schema")
    parser.add_argument("--panda", type=Path, help="stage of a Panda")
    parser.add_argument("--quadruped", type=Path, help="stage of a Go2 on the ground")
    parser.add_argument("--demo", action="store_true", help="also measure the demo")
    arguments = parser.parse_args()
    programs = dict(text.split("=", 1) for text in arguments.programs)
    print(f"{platform.machine()}, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}, {date.today()}\n")
    print("| command | " + " | ".join(f"{name}, first | {name}, again" for name in programs) + " |")
    print("|---" * (1 + 2 * len(programs)) + "|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for stage, example in BUILT.items():
            author = [sys.executable, str(ROOT / "examples" / example), str(folder / f"{stage}.usda")]
            subprocess.run(author, check=True, stdout=subprocess.DEVNULL)
        for title, command in commands(folder, arguments.panda, arguments.quadruped, arguments.demo).items():
            times = []
            for program in programs.values():
                with tempfile.TemporaryDirectory() as cache:
                    times += [spent(program, command, cache) for _ in range(2)]
            print(f"| {title} | " + " | ".join(f"{time:.1f} s" for time in times) + " |", flush=True)


if __name__ == "__main__":
    main()
