"""Take the fingerprint of all results and say what of it has changed.

    PYTHONPATH=tests python -m support.fingerprint [--write] [GROUP ...]

Groups are programs, motions, sessions and texts. Ends with 1 where something has changed; with --write it is kept.
"""

from __future__ import annotations

import sys

from support.fingerprint.groups import GROUPS
from support.fingerprint.recorded import changes, libraries, recorded, taken, write


def main(arguments: list[str]) -> int:
    """Take the groups that are named, or all."""
    found_any = False
    for group in [one for one in arguments if one in GROUPS] or GROUPS:
        digests = dict(taken(group))
        known = recorded(group)
        wrong = list(changes(known[1] if known else {}, digests.items()))
        if known and known[0] != libraries():
            print(f"{group}: recorded with {known[0][2:]}")
        print(f"{group}: {len(digests)} results, {len(wrong)} changed")
        print(*wrong, sep="\n", end="\n" if wrong else "")
        if "--write" in arguments:
            write(group, digests)
        found_any |= bool(wrong)
    return int(found_any and "--write" not in arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
