"""What straight-line code computes for rare conditions alone, so that a target can pass it over where none holds.

A selection under `rarely(condition)` takes its first value in few worlds. Where no world of a vector asks for it, what
that value alone is made of need not run; a lane without the condition takes the other value either way, so a world's
bits do not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code

# Instruction -> the nodes it reads.
Reads = Mapping[int, Iterable[int]]
STORED = -1     # the user of a value that goes to a row

@dataclass(frozen=True, slots=True)
class RareBranch:
    """Selections under one rare condition, and the nodes that only their first values need, in order."""

    condition: int
    nodes: tuple[int, ...]
    selections: tuple[int, ...]

    @property
    def group(self) -> tuple[int, ...]:
        """All its nodes as they stand in the order of the code."""
        return (*self.nodes, *self.selections)


def branched(code: Code, read: Reads) -> tuple[list[int], list[RareBranch]]:
    """The order of a code's instructions with every branch's nodes together, and the branches.

    Branches do not overlap: what lies within another is selected as usual.
    """
    conditions = [n for n in read if code.nodes[n][0] == "rarely"]
    if not conditions:
        return list(read), []
    users: dict[int, set[int]] = {n: {STORED} for _, n in code.outputs}
    for n, nodes in read.items():
        for a in nodes:
            users.setdefault(a, set()).add(n)
    order, taken, branches = list(read), set[int](), []
    for condition in conditions:
        selections = sorted(n for n in users.get(condition, ()) if n != STORED and code.nodes[n][0] == "select"
                            and code.arguments(n)[0] == condition)
        for run in _runs(code, order, _only_for(code, read, users, selections), selections):
            branch = RareBranch(condition, tuple(_only_for(code, read, users, run)), tuple(run))
            if branch.nodes and not taken & {condition, *branch.group} and not _made_of_another(read, branch):
                taken |= set(branch.group)
                branches.append(branch)
                order = _together(order, read, branch)
    return order, branches


def stored_within(code: Code, read: Reads, order: Sequence[int], branches: Iterable[RareBranch]) -> dict[int, str]:
    """Selection -> the row that it goes to, where only lanes under the condition change it: stored in the branch.

    A row that keeps its value elsewhere need be neither loaded nor stored where no lane asks for the branch. What reads
    the old value stands before the branch's end.
    """
    place = {n: i for i, n in enumerate(order)}
    users: dict[int, int] = {}
    last: dict[str, int] = {}           # row -> where it is read last
    for n in order:
        for a in read[n]:
            users[a] = users.get(a, 0) + 1
            if code.nodes[a][0] == "input":
                last[str(code.nodes[a][1][0])] = place[n]
    goes_to: dict[int, list[str]] = {}
    for row, n in code.outputs:
        goes_to.setdefault(n, []).append(row)
    copied = {str(code.nodes[n][1][0]) for n in goes_to if code.nodes[n][0] == "input"}
    found = {}
    for branch in branches:
        end = max(place[n] for n in branch.group)
        for n in branch.selections:
            op, args = code.nodes[code.arguments(n)[2]]
            row = str(args[0])
            if (op == "input" and goes_to.get(n) == [row] and n not in users and last[row] <= end
                    and row not in copied):
                found[n] = row
    return found


def _runs(code: Code, order: Sequence[int], own: Collection[int], selections: Sequence[int]) -> Iterator[list[int]]:
    """Selections that stand side by side, but for what only they need."""
    run: list[int] = []
    first, last = (order.index(selections[i]) for i in (0, -1)) if selections else (0, -1)
    for n in order[first:last + 1]:
        if n in selections:
            run.append(n)
        elif n not in own and run:
            yield run
            run = []
    if run:
        yield run


def _only_for(code: Code, read: Reads, users: Mapping[int, set[int]], selections: Sequence[int]) -> list[int]:
    """The instructions that nothing but the first values of these selections needs, in order."""
    found: set[int] = set()
    waiting = [code.arguments(n)[1] for n in selections]
    while waiting:
        n = waiting.pop()
        if n in read and n not in found and n not in selections and all(
                user in found or (user in selections and n not in (code.arguments(user)[0], code.arguments(user)[2]))
                for user in users[n]):
            found.add(n)
            waiting += read[n]
    return sorted(found)


def _made_of_another(read: Reads, branch: RareBranch) -> bool:
    """Whether what a branch needs is made of one of its selections."""
    seen: set[int] = set()
    waiting = [a for n in branch.group for a in read[n]]
    while waiting:
        n = waiting.pop()
        if n in branch.selections:
            return True
        if n in read and n > branch.selections[0] and n not in seen:       # nodes are made of earlier ones
            seen.add(n)
            waiting += read[n]
    return False


def _together(order: list[int], read: Reads, branch: RareBranch) -> list[int]:
    """The order with a branch in one piece where its last selection stood, and what needs it behind."""
    made, group, behind = set(branch.selections), set(branch.group), list[int]()
    before: list[int] = []
    for i, n in enumerate(order):
        if n == branch.selections[-1]:
            return [*before, *branch.group, *behind, *order[i + 1:]]
        if n not in group:
            waits = any(a in made for a in read[n])
            (behind if waits else before).append(n)
            made |= {n} if waits else set()
    raise ValueError("a branch's selections are not among the instructions")
