"""Take the fingerprint of all results and say what of it has changed.

    PYTHONPATH=tests python -m support.fingerprint [--write] [GROUP ...]

Groups are programs, motions, sessions and texts. Ends with 1 where something has changed; with --write it is kept.
"""

from __future__ import annotations

import argparse
import sys

from support.fingerprint.groups import GROUPS
from support.fingerprint.recorded import changes, file_of, libraries, recorded, taken, write


def main() -> int:
    """Take the groups that are named, or all."""
    parser = argparse.ArgumentParser(prog="support.fingerprint", description="Which results have changed.")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(GROUPS)}; all where none is named")
    parser.add_argument("--write", action="store_true", help="keep what is found")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.groups if name not in GROUPS]:
        parser.error(f"no group {', '.join(map(repr, unknown))}; choose from {', '.join(GROUPS)}")
    return max(_compare(group, arguments.write) for group in arguments.groups or GROUPS)


def _compare(group: str, keep: bool) -> int:
    """Print what of a group has changed; 1 where something has, unless it is kept."""
    known, digests = recorded(group), dict(taken(group))
    if known is None:
        print(f"{group}: {file_of(group).name} is not there: nothing was recorded for this class of processors")
    elif known[0] != libraries():
        print(f"{group}: recorded with {known[0][2:]}; here are {libraries()[2:]}")
    wrong = list(changes(known[1] if known else {}, digests.items()))
    print(f"{group}: {len(digests)} results, {len(wrong)} changed", *wrong, sep="\n")
    if keep:
        write(group, digests)
    return int(bool(wrong) and not keep)


if __name__ == "__main__":
    sys.exit(main())
