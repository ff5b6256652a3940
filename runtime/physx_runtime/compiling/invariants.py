"""What no round of a repeated pass changes: rows that are alike, and work that every round would do again."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from physx_runtime.compiling.code import Code, Node
from physx_runtime.language.symbols import COMMUTATIVE, CONDITIONS


def alike(start: Code, changed: Collection[str]) -> dict[str, str]:
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


def hoist(start: Code, code: Code, changed: Collection[str], prefix: str = "") -> tuple[Code, Code]:
    """(start, code) with what no round changes moved from the code of a repeated pass to the start.

    changed: rows that some repeated pass changes. The code loads rows of the start that hold such values already; the
    start gets rows `prefix`_0, ... for the others, unless `prefix` is empty.
    """
    fixed = _fixed(code, changed)
    # conditions have no rows; every round decides them again
    computed = {n for n in code.order if not fixed[n] or code.nodes[n][0] in CONDITIONS}
    used = {a for n in computed for a in code.arguments(n)} | {n for _, n in code.outputs}
    moved = _Moved(start, code)
    outputs, nodes = list(start.outputs), list(code.nodes)
    held = {n: row for row, n in start.outputs if row not in changed}
    for n in sorted(used - computed):
        if code.nodes[n][0] not in ("input", "const"):
            made = moved.node(n)
            if prefix and made not in held:
                held[made] = f"{prefix}_{len(outputs) - len(start.outputs)}"
                outputs.append((held[made], made))
            if made in held:
                nodes[n] = ("input", (held[made],))
    longer = Code(tuple(moved.nodes), tuple(moved.origins), tuple(range(len(moved.nodes))), tuple(outputs))
    kept = Code(tuple(nodes), code.origins, code.order, code.outputs)
    return longer, kept.pruned([row for row, _ in code.outputs])


def _fixed(code: Code, changed: Collection[str]) -> dict[int, bool]:
    """Whether each node has the same value in every round."""
    fixed: dict[int, bool] = {}
    for n in code.order:
        op, args = code.nodes[n]
        fixed[n] = args[0] not in changed if op == "input" else all(fixed[a] for a in code.arguments(n))
    return fixed


class _Moved:
    """The start's nodes, with nodes of another pass appended in its terms."""

    def __init__(self, start: Code, code: Code) -> None:
        self.code, self.nodes, self.origins = code, list(start.nodes), list(start.origins)
        self.known: dict[Node, int] = {node: n for n, node in enumerate(start.nodes)}
        self.rows: Mapping[str, int] = dict(start.outputs)
        self.moved: dict[int, int] = {}

    def node(self, n: int) -> int:
        """The number in the start of the code's node `n`."""
        if n not in self.moved:
            op, args = self.code.nodes[n]
            if op == "input" and args[0] in self.rows:
                self.moved[n] = self.rows[str(args[0])]
            elif op in ("input", "const"):
                self.moved[n] = self._append((op, args), n)
            else:
                numbers = [self.node(a) for a in self.code.arguments(n)]
                self.moved[n] = self._append((op, tuple(sorted(numbers) if op in COMMUTATIVE else numbers)), n)
        return self.moved[n]

    def _append(self, node: Node, n: int) -> int:
        if node not in self.known:
            self.known[node] = len(self.nodes)
            self.nodes.append(node)
            self.origins.append(self.code.origins[n])
        return self.known[node]
