"""Stages of bodies in one another with filtered pairs, and which of them meet all the same, as measured in PhysX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from support.stages.robots import joint, link, prim, robot

ROOT, PAIRS = "PhysicsArticulationRootAPI", "PhysicsFilteredPairsAPI"
CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",))
TREE = ("base", "base/a", "base/a/b", "base/a/b/c")        # each body in the one before
ROW = ("base", "a", "b", "c")


class Filtered(NamedTuple):
    """Bodies under /Robot, by their names the pairs that touch."""

    text: str
    meeting: frozenset[str]


def body(name: str, inside: str = "", pairs: str = "", schemas: Iterable[str] = (),
         more: Mapping[str, object] | None = None) -> str:
    """A cube that moves; pairs: the prim under /Robot with which it is filtered."""
    more = {**(more or {}), **({"rel physics:filteredPairs": f"</Robot{pairs}>"} if pairs else {})}
    return link(name, (0.1, 0, 0), (*schemas, *((PAIRS,) if pairs else ())), children=CUBE + inside, more=more)


def tree(base: str = "", a: str = "", c: str = "", schemas: Iterable[str] = (ROOT,)) -> str:
    """Bodies in one another, filtered with these."""
    return body("base", body("a", body("b", body("c", pairs=c)), a), base, schemas)


def joints(names: tuple[str, ...]) -> str:
    """From each body to the next."""
    return "".join(joint("Revolute", f"j{i}", *names[i:i + 2]) for i in range(len(names) - 1))


def row(within: str = "", of_c: str = "") -> str:
    """Links beside one another."""
    return "".join(body(name, pairs=of_c if name == "c" else "") for name in ROW) + joints(ROW) + within


def group(name: str, inside: str) -> str:
    """A prim above others that PhysX makes nothing of."""
    return prim("Xform", name, (), {}, inside)


def made(text: str, meeting: str, root: bool = False, outside: str = "") -> Filtered:
    """A stage; meeting: names of bodies, such as "a-c b-c"."""
    return Filtered(robot(text, schemas=(ROOT,) if root else (), outside=outside), frozenset(meeting.split()))


FREE_OF_ROW = "a-c b-base base-c"
_OTHERS = "a-free b-free base-free c-free"
FILTERED = {
    "a root link and its child": made(tree(base="/base/a") + joints(TREE), "b-base base-c"),
    "a link and the root link above it": made(tree(a="/base") + joints(TREE), "b-base base-c"),
    "a link and one above it": made(tree(c="/base/a") + joints(TREE), "b-base base-c"),
    "a body and one in it": made(tree(base="/base/a", schemas=()), "a-b a-c b-base b-c base-c"),
    "a body and one around it": made(tree(c="/base", schemas=()), "a-b a-c a-base b-base b-c"),
    "a body and a robot": made(row() + body("free", pairs="/base", schemas=()), "a-free b-free c-free " + FREE_OF_ROW,
                               root=True),
    "a body and a prim with a robot of nested links": made(
        group("over", tree().replace("</Robot", "</Robot/over"))
        + joints(TREE).replace("</Robot", "</Robot/over") + body("free", pairs="/over"), "a-c b-base base-c"),
    "a body and a prim with bodies in one another": made(
        group("over", body("p") + body("q", body("r"))) + body("free", pairs="/over"), "free-r p-q p-r q-r"),
    "a body and a prim with a body without colliders": made(
        group("over", link("p", children=body("q"))) + body("free", pairs="/over"), "free-q"),
    "a body and one without colliders": made(link("p", children=body("q")) + body("free", pairs="/p"), "free-q"),
    "a body and a collider in a collider": made(
        link("p", children=prim("Cube", "shape", ("PhysicsCollisionAPI",), {}, CUBE))
        + body("free", pairs="/p/shape"), "free-p"),
    "a body and a disabled body": made(
        body("p", body("q"), more={"bool physics:rigidBodyEnabled": False}) + body("free", pairs="/p"),
        "free-q p-q"),
    "a body and a joint": made(row() + body("free", pairs="/j0"), f"{FREE_OF_ROW} {_OTHERS}", root=True),
    "a body and a collision group": made(
        row(prim("PhysicsCollisionGroup", "all", ("CollectionAPI:colliders",),
                 {"rel collection:colliders:includes": "</Robot>"})) + body("free", pairs="/all"),
        f"{FREE_OF_ROW} {_OTHERS}", root=True),
}
