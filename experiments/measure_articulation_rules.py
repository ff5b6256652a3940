"""Measure in real PhysX which articulations it makes of doubtful roots, joints and bodies.

Needs the environment that `oracle.py` describes. Printed are the objects that PhysX makes and where they are
after a second under gravity 10.
"""

from __future__ import annotations

from typing import Any

from rule_stages import (
    DISABLED,
    KINEMATIC,
    ROOT,
    Attributes,
    Fact,
    at,
    body,
    collider,
    instanced,
    joint,
    made,
    made_and_placed,
    physics_scene,
    prim,
    print_facts,
    robot,
    world,
)


def link(name: str, more: Attributes | None = None, *schemas: str, x: float = 0.0) -> str:
    """A link at the height of the origin."""
    return body(name, more, *schemas, place=at(0.0, x))


def hinge(name: str, first: str, second: str, more: Attributes | None = None, *schemas: str) -> str:
    """A hinge about y between two links."""
    return joint("Revolute", name, f"/robot/{first}", f"/robot/{second}",
                 {"uniform token physics:axis": '"Y"', **(more or {})}, *schemas)


def made_of(*prims: str, schemas: tuple[str, ...] = (ROOT,), outside: str = "", scenes: str | None = None) -> Fact:
    """Prims under a root or under a plain prim."""
    return Fact(world(robot(*prims, schemas=schemas), outside, scenes=scenes), made_and_placed)


PAIR = link("a") + link("b") + hinge("j", "a", "b")
ANCHOR = joint("Fixed", "anchor", "", "/robot/a")


def anchored(path: str, more: Attributes | None = None, *prims: str) -> Fact:
    """The root API on a joint from a prim to the link a."""
    return made_of(PAIR, *prims, joint("Fixed", "anchor", path, "/robot/a", more, ROOT), schemas=())


def roots() -> dict[str, Fact]:
    """Where the root API is."""
    inner = prim("Xform", "in", {}, ROOT, children=link("c") + link("d"))
    inner += joint("Revolute", "k", "/robot/in/c", "/robot/in/d")
    chain = link("b") + link("c") + hinge("j", "a", "b") + hinge("k", "b", "c")
    return {
        "root above the links, anchor": made_of(PAIR, ANCHOR),
        "no root": made_of(PAIR, ANCHOR, schemas=()),
        "two trees below one root": made_of(PAIR, link("c"), link("d"), hinge("k", "c", "d")),
        "a root in a root, around c and d": made_of(PAIR, inner),
        "a root in a root, on the link a": made_of(link("a", {}, ROOT), link("b"), hinge("j", "a", "b")),
        "no bodies": made_of(prim("Xform", "x", {})),
        "disabled bodies": made_of(link("a", DISABLED), link("b", DISABLED), hinge("j", "a", "b")),
        "kinematic bodies": made_of(link("a", KINEMATIC), link("b", KINEMATIC), hinge("j", "a", "b")),
        "root on a disabled body": made_of(link("a", DISABLED, ROOT), chain, schemas=()),
        "root on a kinematic body": made_of(link("a", KINEMATIC, ROOT), chain, schemas=()),
        "root above a kinematic body": made_of(link("a", KINEMATIC), chain),
        "root on b, which a hinge holds to the kinematic a": made_of(
            link("a", KINEMATIC), link("b", {}, ROOT), link("c"), hinge("j", "a", "b"), hinge("k", "b", "c"),
            schemas=()),
        "root on the joint of a to the world, which was kinematic": anchored(""),
        "root on the body a, anchor": made_of(link("a", {}, ROOT), link("b"), hinge("j", "a", "b"), ANCHOR, schemas=()),
        "roots /robot and on the joint /z": made_of(PAIR, outside=joint("Fixed", "z", "", "/robot/a", {}, ROOT)),
        "roots /robot and on the joint /A": made_of(PAIR, outside=joint("Fixed", "A", "", "/robot/a", {}, ROOT)),
    }


def joints() -> dict[str, Fact]:
    """The root API on joints, and joints that articulations do not have."""
    cube = prim("Cube", "wall", {}, "PhysicsCollisionAPI")
    return {
        "root on the anchor": anchored(""),
        "root on a disabled anchor": anchored("", {"bool physics:jointEnabled": "0"}),
        "root on the joint between a and b": made_of(
            link("a"), link("b"), hinge("j", "a", "b", {}, ROOT), schemas=()),
        "root on a joint to an Xform": anchored("/robot/wall", {}, prim("Xform", "wall", {})),
        "root on a joint to a prim that does not exist": anchored("/robot/wall"),
        "root on a joint to a static collider": anchored("/robot/wall", {}, cube),
        "root on a joint to a collider that is switched off": anchored("/robot/wall", {}, collider(
            "Cube", "wall", {"bool physics:collisionEnabled": "0"})),
        "root on a joint to a prim below a collider": anchored("/robot/wall/x", {}, prim(
            "Cube", "wall", {}, "PhysicsCollisionAPI", children=prim("Xform", "x", {}))),
        "root on a joint to a prim above a collider": anchored("/robot/wall", {}, prim(
            "Xform", "wall", {}, children=collider())),
        "root above the links, joint to a static collider": made_of(PAIR, cube, joint(
            "Fixed", "anchor", "/robot/wall", "/robot/a")),
        "distance joint from b to c": made_of(PAIR, ANCHOR, link("c"), joint(
            "Distance", "d", "/robot/b", "/robot/c", {"float physics:maxDistance": "1"})),
    }


def kinematic(flag: str) -> Fact:
    """A slider down to k, which may be kinematic, and z beyond it."""
    slider = joint("Prismatic", "slider", "/robot/a", "/robot/k", {"uniform token physics:axis": '"Z"'})
    held = joint("Fixed", "held", "/robot/k", "/robot/z")
    return made_of(link("a"), joint("Prismatic", "w", "", "/robot/a", {"uniform token physics:axis": '"X"'}),
                   link("k", {"bool physics:kinematicEnabled": flag}), link("z"), slider, held)


def bodies() -> dict[str, Fact]:
    """Kinematic bodies, bodies of several scenes, instances."""
    def owned(first: str, second: str, scenes: str) -> Fact:
        owners = [{"rel physics:simulationOwner": f"<{owner}>"} if owner else {} for owner in (first, second)]
        return made_of(link("a", owners[0]), link("b", owners[1]), hinge("j", "a", "b"), scenes=scenes)

    one = physics_scene("10", "one")
    two = one + physics_scene("1", "two")
    tree = link("a") + link("b") + joint("Revolute", "j", "/kind/art/a", "/kind/art/b")
    art = prim("Xform", "art", {}, ROOT, children=tree)
    return {
        "base held by a kinematic body": made_of(link("k", KINEMATIC), PAIR, joint(
            "Fixed", "anchor", "/robot/k", "/robot/a")),
        "base held by a body that is kinematic no more": made_of(link("k"), PAIR, joint(
            "Fixed", "anchor", "/robot/k", "/robot/a")),
        "base held by a body that a fixed joint holds": made_of(link("k"), PAIR, joint(
            "Fixed", "anchor", "/robot/k", "/robot/a"), joint("Fixed", "hold", "", "/robot/k")),
        "slider to k, z beyond it": kinematic("0"),
        "slider to the kinematic k, z beyond it": kinematic("1"),
        "a owned by /one, b by /two": owned("/one", "/two", two),
        "a owned by /one, b by none, two scenes": owned("/one", "", two),
        "a owned by /one, b by none, one scene": owned("/one", "", one),
        "articulation inside an instance": Fact(world(instanced(art)), made),
        "the same, not instanceable": Fact(world(instanced(art, instanceable=False)), made),
        "articulation in a point instancer": Fact(world(prim("PointInstancer", "many", {
            "rel prototypes": "</many/art>", "int[] protoIndices": "[0, 0]",
            "point3f[] positions": "[(0, 0, 0), (3, 0, 0)]"}, children=art.replace("/kind/", "/many/"))), made),
    }


def cantilever(*schemas: str, of_first: tuple[str, ...] = ()) -> Fact:
    """Four bodies in a row, each welded to the one before, the first to the world."""
    parts = [link(f"l{i}", {}, *(of_first if i == 0 else ()), x=i) for i in range(4)]
    parts += [joint("Fixed", f"f{i}", f"/robot/l{i}", f"/robot/l{i + 1}", {"point3f physics:localPos0": "(1, 0, 0)"})
              for i in range(3)]
    anchor = joint("Fixed", "anchor", "", "/robot/l0")
    return Fact(world(robot(*parts, anchor, schemas=schemas)), _sag, 120)


def _sag(result: Any) -> str:
    kind = "link" if "link_pose" in result else "rigid"
    last = [str(path) for path in result[f"{kind}_paths"]].index("/robot/l3")
    return f"{1e3 * float(result[f'{kind}_pose'][-1][last][2]):.4f} mm"


def main() -> None:
    """Print the tables."""
    print_facts("roots", roots())
    print_facts("joints", joints())
    print_facts("bodies", bodies())
    print_facts("how far the end of four welded links sags, 3 from the world", {
        "fixed base": cantilever(ROOT), "no articulation": cantilever(),
        "root API on the first body": cantilever(of_first=(ROOT,)),
    })


if __name__ == "__main__":
    main()
