"""Rare branches (rare_branches.py) as LLVM IR: jumped over where no world of a vector asks for them."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.compiling.code import Code
from physx_runtime.compiling.pieces import operands
from physx_runtime.compiling.rare_branches import RareBranch, branched
from physx_runtime.compiling.vector_ir import Arithmetic, Vectors


class Branching(Arithmetic):
    """Lines as of `Arithmetic`, with jumps; a row is loaded once, in a branch where nothing else needs it."""

    def __init__(self, vectors: Vectors, code: Code) -> None:
        super().__init__(vectors, code, [])
        absorbed = set(self.fused.values())
        self._read = {n: operands(code, self.fused, n) for n in code.order
                      if code.nodes[n][0] not in ("input", "const") and n not in absorbed}
        self._loaded: set[int] = set()

    def lines(self) -> list[str]:
        order, branches = branched(self.code, self._read)
        first, passed, lines = {one.group[0]: one for one in branches}, 0, list[str]()
        for i, n in enumerate(order):
            if i < passed:
                continue
            if n in first:
                lines += self._branch(first[n], order[i + len(first[n].group):])
                passed = i + len(first[n].group)
            else:
                lines += self._instruction(n)
        return [*lines, *self._loads([n for _, n in self.code.outputs])]

    def _instruction(self, n: int) -> list[str]:
        return [*self._loads(self._read[n]), *self._operation(n, self.code.nodes[n][0], list(self.code.arguments(n)))]

    def _loads(self, nodes: Sequence[int]) -> list[str]:
        """Of those of the nodes that are rows not loaded yet."""
        lines = []
        for n in nodes:
            if self.code.nodes[n][0] == "input" and n not in self._loaded:
                self._loaded.add(n)
                lines += self._load(n, str(self.code.nodes[n][1][0]))
        return lines

    def _branch(self, branch: RareBranch, behind: Sequence[int]) -> list[str]:
        """A branch's selections, and what they need where a lane asks for it; behind: the instructions after it."""
        code, kind, at = self.code, self.vectors.type, branch.selections[0]
        others = [code.arguments(n)[2] for n in branch.selections]
        later = {a for n in behind for a in self._read[n]} | {n for _, n in code.outputs}
        lines = self._loads([*others, *(a for n in branch.group for a in self._read[n] if a in later)])
        lines += [*bits(self, f"%any{at}", branch.condition),
                  f"  %some{at} = icmp ne i{self.vectors.lanes} %any{at}, 0",
                  f"  br label %near{at}", f"near{at}:",
                  f"  br i1 %some{at}, label %rare{at}, label %after{at}", f"rare{at}:"]
        for n in branch.nodes:
            lines += self._instruction(n)
        for n, other in zip(branch.selections, others, strict=True):
            value = code.arguments(n)[1]
            lines += [*self._loads([value]), *self._select(f"%c{n}", branch.condition, self.operand(value),
                                                           self.operand(other))]
        return [*lines, f"  br label %after{at}", f"after{at}:",
                *(f"  {self.result(n)} = phi {kind} [ {self.operand(other)}, %near{at} ], [ %c{n}, %rare{at} ]"
                  for n, other in zip(branch.selections, others, strict=True))]


def bits(emitter: Arithmetic, name: str, condition: int) -> list[str]:
    """A bit for each lane; AVX2 has those of a comparison at once, but combines comparisons in another width."""
    op, parts = emitter.code.nodes[condition][0], emitter.code.arguments(condition)
    kind = f"i{emitter.vectors.lanes}"
    if op == "rarely":
        return bits(emitter, name, parts[0])
    if op == "not":
        return [*bits(emitter, f"{name}.0", parts[0]), f"  {name} = xor {kind} {name}.0, -1"]
    if op in ("and", "or"):
        return [*(line for i, part in enumerate(parts) for line in bits(emitter, f"{name}.{i}", part)),
                f"  {name} = {op} {kind} {name}.0, {name}.1"]
    return [f"  {name} = bitcast <{emitter.vectors.lanes} x i1> {emitter.operand(condition)} to {kind}"]
