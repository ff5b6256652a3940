"""Which products of straight-line code become part of a sum, in one rounding: the same on every target."""

from __future__ import annotations

from physx_runtime.compiling.code import Code


def fused_products(code: Code) -> dict[int, int]:
    """Sum -> the product that it absorbs: one that no other node needs, or that all its users absorb."""
    users = _users(code)
    fused: dict[int, int] = {}
    wanted: dict[int, int] = {}         # product -> sums that could absorb it and nothing else
    for n in code.order:
        if code.nodes[n][0] in ("add", "sub"):
            products = [a for a in reversed(code.arguments(n)) if code.nodes[a][0] == "mul"]
            single = [a for a in products if users[a] == 1]
            if single:
                fused[n] = single[0]
            for a in [] if single else products[:1]:
                wanted[a] = wanted.get(a, 0) + 1
                fused[n] = a
    return {n: a for n, a in fused.items() if users[a] in (1, wanted.get(a))}


def _users(code: Code) -> dict[int, int]:
    """Node -> how many nodes and outputs need it."""
    users: dict[int, int] = {}
    for n in code.order:
        for a in code.arguments(n):
            users[a] = users.get(a, 0) + 1
    for _, n in code.outputs:
        users[n] = users.get(n, 0) + 1
    return users
