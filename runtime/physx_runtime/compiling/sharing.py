"""Work and memory that the bodies of a step share: rows that are alike, and what an iteration would compute again."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from physx_runtime.compiling.code import Body, Node
from physx_runtime.language.symbols import COMMUTATIVE, CONDITIONS


def alike(start: Body, changed: Collection[str]) -> dict[str, str]:
    """Rows of the start that hold another row's value throughout -> that row; `changed` rows are left out.

    The other half of a symmetric matrix is the commonest case.
    """
    first: dict[int, str] = {n: str(args[0]) for n, (op, args) in enumerate(start.nodes)
                             if op == "input" and args[0] not in changed}
    made = dict(start.outputs)
    for row in [row for row in made if row in first.values() and start.nodes[made[row]] != ("input", (row,))]:
        first = {n: name for n, name in first.items() if name != row}      # an input that the start overwrites
    same: dict[str, str] = {}
    for row, n in start.outputs:
        if row not in changed and start.nodes[n][0] != "const":
            holder = first.setdefault(n, row)
            if holder != row:
                same[row] = holder
    return same


def hoist(start: Body, body: Body, changed: Collection[str], prefix: str = "") -> tuple[Body, Body]:
    """(start, body) with what no iteration changes moved from a repeated body to the start.

    changed: rows that some repeated body changes. The body loads rows of the start that hold such values already; the
    start gets rows `prefix`_0, ... for the others, unless `prefix` is empty.
    """
    fixed = _fixed(body, changed)
    # conditions have no rows; an iteration decides them again
    computed = {n for n in body.order if not fixed[n] or body.nodes[n][0] in CONDITIONS}
    used = {a for n in computed for a in body.arguments(n)} | {n for _, n in body.outputs}
    moved = _Moved(start, body)
    outputs, nodes = list(start.outputs), list(body.nodes)
    held = {n: row for row, n in start.outputs if row not in changed}
    for n in sorted(used - computed):
        if body.nodes[n][0] not in ("input", "const"):
            made = moved.node(n)
            if prefix and made not in held:
                held[made] = f"{prefix}_{len(outputs) - len(start.outputs)}"
                outputs.append((held[made], made))
            if made in held:
                nodes[n] = ("input", (held[made],))
    longer = Body(tuple(moved.nodes), tuple(moved.origins), tuple(range(len(moved.nodes))), tuple(outputs))
    kept = Body(tuple(nodes), body.origins, body.order, body.outputs)
    return longer, kept.pruned([row for row, _ in body.outputs])


def _fixed(body: Body, changed: Collection[str]) -> dict[int, bool]:
    """Whether each node has the same value in every iteration."""
    fixed: dict[int, bool] = {}
    for n in body.order:
        op, args = body.nodes[n]
        fixed[n] = args[0] not in changed if op == "input" else all(fixed[a] for a in body.arguments(n))
    return fixed


class _Moved:
    """The start's nodes, with nodes of another body appended in its terms."""

    def __init__(self, start: Body, body: Body) -> None:
        self.body, self.nodes, self.origins = body, list(start.nodes), list(start.origins)
        self.known: dict[Node, int] = {node: n for n, node in enumerate(start.nodes)}
        self.rows: Mapping[str, int] = dict(start.outputs)
        self.moved: dict[int, int] = {}

    def node(self, n: int) -> int:
        """The number in the start of the body's node `n`."""
        if n not in self.moved:
            op, args = self.body.nodes[n]
            if op == "input" and args[0] in self.rows:
                self.moved[n] = self.rows[str(args[0])]
            elif op in ("input", "const"):
                self.moved[n] = self._append((op, args), n)
            else:
                numbers = [self.node(a) for a in self.body.arguments(n)]
                self.moved[n] = self._append((op, tuple(sorted(numbers) if op in COMMUTATIVE else numbers)), n)
        return self.moved[n]

    def _append(self, node: Node, n: int) -> int:
        if node not in self.known:
            self.known[node] = len(self.nodes)
            self.nodes.append(node)
            self.origins.append(self.body.origins[n])
        return self.known[node]
