"""Many cases of every kind, counted: `python -m support.fuzzing.campaign` with `tests` on the path, or `make fuzz`.

Each thousand cases are a seed, and run in a process of their own, which may crash or hang. How each
ended is printed; the table is what docs/evidence/security.md shows.
"""

from __future__ import annotations

import argparse
import faulthandler
import math
import subprocess
import sys
from collections import Counter

from support.fuzzing.targets import TARGETS, run

AT_ONCE = 1000          # cases of a process
HANG = 300              # seconds, of a case that takes less than one on an idle machine


def main() -> int:
    """Run what the command line asks for; 1 where anything was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="KIND", help=f"of {', '.join(TARGETS)}; all of them")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual number of cases")
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        name, number, count = given.child
        run(name, int(number), int(count), lambda case: faulthandler.dump_traceback_later(HANG, exit=True))
        faulthandler.cancel_dump_traceback_later()
        return 0
    print("| kind | seeds | cases | crashes | hangs | tracebacks |\n|---|---|---|---|---|---|", flush=True)
    wrong = [name for name in given.names or TARGETS
             if not counted(name, given.first_seed, math.ceil(given.share * TARGETS[name].campaign))]
    return 1 if wrong else 0


def counted(name: str, first: int, count: int) -> bool:
    """Run cases of a kind and print its line of the table; whether nothing was wrong."""
    sizes = [min(AT_ONCE, count - start) for start in range(0, count, AT_ONCE)]
    found = Counter(outcome(name, first + i, size) for i, size in enumerate(sizes))
    print(f"| {name} | {first} to {first + len(sizes) - 1} | {count} | {found['crash']} | {found['hang']} | "
          f"{found['traceback']} |", flush=True)
    return found[""] == len(sizes)


def outcome(name: str, number: int, count: int) -> str:
    """How the process of a seed ended, "" for well."""
    command = [sys.executable, "-m", "support.fuzzing.campaign", "--child", name, str(number), str(count)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if not done.returncode:
        print(f"{name}, seed {number}: {count} cases", file=sys.stderr, flush=True)
        return ""
    kind = "crash" if done.returncode < 0 else "hang" if "Timeout (" in done.stderr else "traceback"
    start = max(done.stderr.rfind("Traceback (most"), done.stderr.rfind("Timeout ("), 0)
    print(f"{name}, seed {number}: {kind}, exit code {done.returncode}\n{done.stderr[start:]}", file=sys.stderr,
          flush=True)
    return kind


if __name__ == "__main__":
    sys.exit(main())
