"""Measure in real PhysX which links of an articulation collide with each other and with what stands around.

Needs the environment that `oracle.py` describes. Without gravity cubes of size 1 overlap by 0.4 along x, where
sliders let the links move; what collides is pushed apart, what does not stays where it is.
"""

from __future__ import annotations

from rule_stages import ROOT, Attributes, Fact, at, body, collider, joint, places, prim, print_facts, world

SIDE = 0.6
X = {"uniform token physics:axis": '"X"'}
CUBE = collider()


def chain(of_root: Attributes | None = None, *schemas: str, of_base: str = "", of_first: str = "", of_second: str = "",
          around: str = "", fixed: bool = True) -> Fact:
    """A base and two links on sliders along x, the first 5 to the side, with colliders below them."""
    links = (body("base", place=at(), children=of_base) + body("one", place=at(x=5.0), children=of_first)
             + body("two", place=at(x=SIDE), children=of_second))
    joints = (joint("Prismatic", "j1", "/robot/base", "/robot/one", X | {"point3f physics:localPos0": "(5, 0, 0)"})
              + joint("Prismatic", "j2", "/robot/one", "/robot/two",
                      X | {"point3f physics:localPos0": f"({SIDE - 5.0}, 0, 0)"}))
    held = joint("Fixed", "anchor", "", "/robot/base") if fixed else ""
    robot = prim("Xform", "robot", of_root or {}, ROOT, *schemas, children=links + joints + held)
    return Fact(world(robot, around, gravity="0"), places, 20)


def itself() -> dict[str, Fact]:
    """Links of one articulation."""
    own = "PhysxArticulationAPI"
    switch = "bool physxArticulation:enabledSelfCollisions"
    newton = "bool newton:selfCollisionEnabled"
    pair = {"of_base": CUBE, "of_second": CUBE}
    return {
        "base and second link, no PhysxArticulationAPI": chain(**pair),
        "PhysxArticulationAPI": chain({}, own, **pair),
        "enabledSelfCollisions true": chain({switch: "1"}, own, **pair),
        "enabledSelfCollisions false": chain({switch: "0"}, own, **pair),
        "enabledSelfCollisions false without the schema": chain({switch: "0"}, **pair),
        "newton:selfCollisionEnabled false": chain({newton: "0"}, "NewtonArticulationRootAPI", **pair),
        "newton:selfCollisionEnabled false, PhysxArticulationAPI": chain(
            {newton: "0"}, "NewtonArticulationRootAPI", own, **pair),
        "base and first link, its neighbour": chain(of_base=CUBE, of_first=collider("Cube", "shape", at(x=-4.4))),
    }


def others() -> dict[str, Fact]:
    """Links and what does not belong to the articulation."""
    static = collider("Cube", "static", at(x=0.0))
    near = body("near", {}, place=at(), children=CUBE)

    def held(enabled: str) -> Fact:
        bond = joint("Revolute", "bond", "/near", "/robot/two",
                     {"uniform token physics:axis": '"X"', "bool physics:excludeFromArticulation": "1",
                      "bool physics:collisionEnabled": enabled, "point3f physics:localPos0": "(0.6, 0, 0)"})
        return chain(of_second=CUBE, around=near + bond)

    return {
        "second link and a static collider": chain(of_second=CUBE, around=static),
        "second link and a body": chain(of_second=CUBE, around=near),
        "the same, joined outside": held("0"),
        "the same, joined outside, collisionEnabled": held("1"),
    }


if __name__ == "__main__":
    print_facts("links of one articulation", itself())
    print_facts("links and others", others())
