"""Compiler passes over traced code: fused multiply-add, loop-invariant code motion, rare branches and splitting into
spans. `fused_products` picks the products that a sum absorbs in one rounding, the same on every target.
`find_equal_rows` finds rows that equal another one. `hoist` moves what no round of a repeated pass changes into the
start. `group_rare_branches` collects what only a rare condition needs, so that a target can skip it. `split_spans` cuts
code into spans that registers can hold; each loads what it reads and stores what it computes.

A selection under `rarely(condition)` takes its first value in few worlds. Where no world of a vector meets the
condition, nodes that only this value needs are skipped. A lane without the condition takes the other value either way,
so a world's bits do not depend on other lanes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from physx_runtime.compiling.code import Code, Node
from physx_runtime.language.symbols import COMMUTATIVE, CONDITIONS


def fused_products(code: Code) -> dict[int, int]:
    """Sum -> the product that it absorbs: one that no other node needs, or that all its users absorb."""
    users = _users(code)
    fused: dict[int, int] = {}
    absorbers: dict[int, int] = {}         # product -> sums that could absorb it and nothing else
    for n in code.order:
        if code.nodes[n][0] in ("add", "sub"):
            products = [a for a in reversed(code.arguments(n)) if code.nodes[a][0] == "mul"]
            unshared = [a for a in products if users[a] == 1]
            if unshared:
                fused[n] = unshared[0]
            for a in [] if unshared else products[:1]:
                absorbers[a] = absorbers.get(a, 0) + 1
                fused[n] = a
    return {n: a for n, a in fused.items() if users[a] in (1, absorbers.get(a))}


def _users(code: Code) -> dict[int, int]:
    """Node -> number of nodes and outputs that use it."""
    users: dict[int, int] = {}
    for n in code.order:
        for a in code.arguments(n):
            users[a] = users.get(a, 0) + 1
    for _, n in code.outputs:
        users[n] = users.get(n, 0) + 1
    return users


def find_equal_rows(start: Code, changed: Collection[str]) -> dict[str, str]:
    """Rows of the start that hold another row's value throughout -> that row; `changed` rows are left out.

    The other half of a symmetric matrix is the commonest case.
    """
    holders: dict[int, str] = {n: str(args[0]) for n, (op, args) in enumerate(start.nodes)
                               if op == "input" and args[0] not in changed}
    outputs = dict(start.outputs)
    for row in [row for row in outputs if row in holders.values() and start.nodes[outputs[row]] != ("input", (row,))]:
        holders = {n: name for n, name in holders.items() if name != row}      # an input that the start overwrites
    equal_rows: dict[str, str] = {}
    for row, n in start.outputs:
        if row not in changed and start.nodes[n][0] != "const":
            holder = holders.setdefault(n, row)
            if holder != row:
                equal_rows[row] = holder
    return equal_rows


def hoist(start: Code, code: Code, changed: Collection[str], prefix: str = "") -> tuple[Code, Code]:
    """(start, code) with loop-invariant nodes moved from the code of a repeated pass to the start.

    changed: rows that some repeated pass changes. The code loads rows of the start that hold such values already; the
    start gets rows `prefix`_0, ... for the others, unless `prefix` is empty.
    """
    invariant = _invariant_nodes(code, changed)
    # conditions have no rows; every round decides them again
    computed = {n for n in code.order if not invariant[n] or code.nodes[n][0] in CONDITIONS}
    used = {a for n in computed for a in code.arguments(n)} | {n for _, n in code.outputs}
    hoisted = _HoistedNodes(start, code)
    outputs, nodes = list(start.outputs), list(code.nodes)
    row_of_node = {n: row for row, n in start.outputs if row not in changed}
    for n in sorted(used - computed):
        if code.nodes[n][0] not in ("input", "const"):
            hoisted_node = hoisted.node(n)
            if prefix and hoisted_node not in row_of_node:
                row_of_node[hoisted_node] = f"{prefix}_{len(outputs) - len(start.outputs)}"
                outputs.append((row_of_node[hoisted_node], hoisted_node))
            if hoisted_node in row_of_node:
                nodes[n] = ("input", (row_of_node[hoisted_node],))
    new_start = Code(tuple(hoisted.nodes), tuple(hoisted.origins), tuple(range(len(hoisted.nodes))), tuple(outputs))
    new_code = Code(tuple(nodes), code.origins, code.order, code.outputs)
    return new_start, new_code.pruned([row for row, _ in code.outputs])


def _invariant_nodes(code: Code, changed: Collection[str]) -> dict[int, bool]:
    """Whether each node has the same value in every round."""
    invariant: dict[int, bool] = {}
    for n in code.order:
        op, args = code.nodes[n]
        invariant[n] = args[0] not in changed if op == "input" else all(invariant[a] for a in code.arguments(n))
    return invariant


class _HoistedNodes:
    """The start's nodes, with translated nodes of another pass appended."""

    def __init__(self, start: Code, code: Code) -> None:
        self.code, self.nodes, self.origins = code, list(start.nodes), list(start.origins)
        self.node_numbers: dict[Node, int] = {node: n for n, node in enumerate(start.nodes)}
        self.rows: Mapping[str, int] = dict(start.outputs)
        self.start_numbers: dict[int, int] = {}

    def node(self, n: int) -> int:
        """The index in the start of the code's node `n`."""
        if n not in self.start_numbers:
            op, args = self.code.nodes[n]
            if op == "input" and args[0] in self.rows:
                self.start_numbers[n] = self.rows[str(args[0])]
            elif op in ("input", "const"):
                self.start_numbers[n] = self._append((op, args), n)
            else:
                numbers = [self.node(a) for a in self.code.arguments(n)]
                self.start_numbers[n] = self._append((op, tuple(sorted(numbers) if op in COMMUTATIVE else numbers)), n)
        return self.start_numbers[n]

    def _append(self, node: Node, n: int) -> int:
        if node not in self.node_numbers:
            self.node_numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self.origins.append(self.code.origins[n])
        return self.node_numbers[node]


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
        """All its nodes, in the order of the code."""
        return (*self.nodes, *self.selections)


def group_rare_branches(code: Code, read: Reads) -> tuple[list[int], list[RareBranch]]:
    """The order of a code's instructions with every branch's nodes together, and the branches.

    Branches do not overlap: a selection within another branch is not one itself.
    """
    conditions = [n for n in read if code.nodes[n][0] == "rarely"]
    if not conditions:
        return list(read), []
    users: dict[int, set[int]] = {n: {STORED} for _, n in code.outputs}
    for n, nodes in read.items():
        for a in nodes:
            users.setdefault(a, set()).add(n)
    order, used, branches = list(read), set[int](), []
    for condition in conditions:
        selections = sorted(n for n in users.get(condition, ()) if n != STORED and code.nodes[n][0] == "select"
                            and code.arguments(n)[0] == condition)
        for run in _adjacent_runs(code, order, _exclusive_nodes(code, read, users, selections), selections):
            branch = RareBranch(condition, tuple(_exclusive_nodes(code, read, users, run)), tuple(run))
            if branch.nodes and not used & {condition, *branch.group} and not _depends_on_selections(read, branch):
                used |= set(branch.group)
                branches.append(branch)
                order = _move_together(order, read, branch)
    return order, branches


def find_branch_stores(code: Code, read: Reads, order: Sequence[int], branches: Iterable[RareBranch]) -> dict[int, str]:
    """Selection -> its output row, where only lanes under the condition change the row: stored in the branch.

    Such a row is neither loaded nor stored where no lane takes the branch. Readers of the old value come before the
    branch's end.
    """
    position = {n: i for i, n in enumerate(order)}
    users: dict[int, int] = {}
    last: dict[str, int] = {}           # row -> where it is read last
    for n in order:
        for a in read[n]:
            users[a] = users.get(a, 0) + 1
            if code.nodes[a][0] == "input":
                last[str(code.nodes[a][1][0])] = position[n]
    target_rows: dict[int, list[str]] = {}
    for row, n in code.outputs:
        target_rows.setdefault(n, []).append(row)
    copied = {str(code.nodes[n][1][0]) for n in target_rows if code.nodes[n][0] == "input"}
    result = {}
    for branch in branches:
        end = max(position[n] for n in branch.group)
        for n in branch.selections:
            op, args = code.nodes[code.arguments(n)[2]]
            row = str(args[0])
            if (op == "input" and target_rows.get(n) == [row] and n not in users and last[row] <= end
                    and row not in copied):
                result[n] = row
    return result


def _adjacent_runs(code: Code, order: Sequence[int], branch_nodes: Collection[int],
                   selections: Sequence[int]) -> Iterator[list[int]]:
    """Runs of adjacent selections, apart from nodes that only they need."""
    run: list[int] = []
    first, last = (order.index(selections[i]) for i in (0, -1)) if selections else (0, -1)
    for n in order[first:last + 1]:
        if n in selections:
            run.append(n)
        elif n not in branch_nodes and run:
            yield run
            run = []
    if run:
        yield run


def _exclusive_nodes(code: Code, read: Reads, users: Mapping[int, set[int]], selections: Sequence[int]) -> list[int]:
    """The instructions that nothing but the first values of these selections needs, in order."""
    exclusive: set[int] = set()
    pending = [code.arguments(n)[1] for n in selections]
    while pending:
        n = pending.pop()
        if n in read and n not in exclusive and n not in selections and all(
                user in exclusive or (user in selections
                                      and n not in (code.arguments(user)[0], code.arguments(user)[2]))
                for user in users[n]):
            exclusive.add(n)
            pending += read[n]
    return sorted(exclusive)


def _depends_on_selections(read: Reads, branch: RareBranch) -> bool:
    """Whether a node of a branch depends on one of its selections."""
    visited: set[int] = set()
    pending = [a for n in branch.group for a in read[n]]
    while pending:
        n = pending.pop()
        if n in branch.selections:
            return True
        if n in read and n > branch.selections[0] and n not in visited:       # nodes are made of earlier ones
            visited.add(n)
            pending += read[n]
    return False


def _move_together(order: list[int], read: Reads, branch: RareBranch) -> list[int]:
    """The order with a branch contiguous at its last selection, and its users after it."""
    dependents, group, after = set(branch.selections), set(branch.group), list[int]()
    before: list[int] = []
    for i, n in enumerate(order):
        if n == branch.selections[-1]:
            return [*before, *branch.group, *after, *order[i + 1:]]
        if n not in group:
            waits = any(a in dependents for a in read[n])
            (after if waits else before).append(n)
            dependents |= {n} if waits else set()
    raise ValueError("the order of instructions does not contain the last selection of a branch")


InstructionSpans = Sequence[Sequence[int]]


def split_spans(code: Code, fused: Mapping[int, int], size: int) -> list[list[int]]:
    """The nodes that become instructions, `size` of them in a span; fused: sum -> the product that it absorbs."""
    absorbed = set(fused.values())
    nodes = [n for n in code.order if code.nodes[n][0] not in ("input", "const") and n not in absorbed]
    return [nodes[i:i + size] for i in range(0, len(nodes), size)] or [[]]


def operands(code: Code, fused: Mapping[int, int], n: int) -> list[int]:
    """The operands of a node's instruction, with the factors of an absorbed product."""
    nodes: list[int] = []
    for a in code.arguments(n):
        nodes += code.arguments(a) if fused.get(n) == a else (a,)
    return nodes


def last_readers(code: Code, fused: Mapping[int, int], spans: InstructionSpans) -> dict[str, int]:
    """Row scalar -> the last span that loads it."""
    readers: dict[str, int] = {}
    for i, span in enumerate(spans):
        for n in span:
            for a in operands(code, fused, n):
                if code.nodes[a][0] == "input":
                    readers[str(code.nodes[a][1][0])] = i
    return readers


def stores_by_span(code: Code, fused: Mapping[int, int], spans: InstructionSpans) -> Mapping[int,
                                                                                             list[tuple[str, int]]]:
    """Span -> rows to store at its end, as soon as the new value exists and the old one is no longer read."""
    span_of_node = {n: i for i, span in enumerate(spans) for n in span}
    last_read = last_readers(code, fused, spans)
    copies = [(row, str(code.nodes[n][1][0])) for row, n in code.outputs if code.nodes[n][0] == "input"]
    for _ in copies:                    # a copy loads its source when it is stored; a chain of them settles
        for row, source in copies:
            last_read[source] = max(last_read.get(source, 0), last_read.get(row, 0))
    due: dict[int, list[tuple[str, int]]] = {}
    for row, n in code.outputs:
        due.setdefault(max(span_of_node.get(n, 0), last_read.get(row, 0)), []).append((row, n))
    return due
