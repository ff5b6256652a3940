"""Authored stages about trees: roots, order, branches, tendons, mimic joints, several articulations, disabled parts."""

from __future__ import annotations

from typing import Any

from support.stages.parts import (
    ANGULAR,
    LINEAR,
    ROOT_API,
    TILT,
    TURN,
    Attributes,
    axis_values,
    chain,
    drive,
    envelope,
    frames,
    scene,
    stage,
    state,
)
from support.stages.robots import HEAD, base, joint, link, placed, prim, robot
from support.stages.tendon_stages import Part, Tree, attachment, axis, both, mimic

HINGE = frames((1, 0, 0), axis="Z")
EXCLUDED: Attributes = {"bool physics:excludeFromArticulation": True}
OFF: Attributes = {"bool physics:jointEnabled": False}


def hinge(name: str, body0: str, body1: str, **more: Any) -> str:
    return joint("Revolute", name, body0, body1, more.pop("schemas", ()), {**HINGE, **more.pop("own", {})})


def many_siblings() -> str:
    kinds = [("Revolute", "zz", "a1"), ("Revolute", "aa", "z1"), ("Prismatic", "b10", "q10"), ("Prismatic", "b2", "q2"),
             ("Prismatic", "B3", "q3"), ("Spherical", "sp", "sp1"), ("Fixed", "fx", "f1"), ("Revolute", "_u", "u1")]
    return stage(base(), *(link(child, (i, 0, 0)) + joint(kind, name, "base", child, (), frames((i, 0, 0)))
                           for i, (kind, name, child) in enumerate(kinds)))


def nested_bodies() -> str:
    inner = link("inner", (1, 0, 0), children=link("innermost", (1, 0, 0)))
    return stage(link("outer", children=inner), hinge("j1", "outer", "outer/inner"),
                 hinge("j2", "outer/inner", "outer/inner/innermost"))


def hand() -> str:
    """Three fingers of different lengths on a palm, with welded tips."""
    parts = [base()]
    for i, length in enumerate((3, 2, 4)):
        above = "base"
        for k in range(length):
            name = f"f{i}{k}"
            parts += [link(name, (k, i, 0)), joint("Fixed" if k == length - 1 else "Revolute", f"j{i}{k}", above, name,
                                                   (), frames((1, i * (k == 0), 0), axis="Z"))]
            above = name
    return stage(*parts)


def binary_tree(depth: int) -> str:
    names = [""]
    parts = [link("t", (0, 0, 0))]
    for _ in range(depth):
        names = [name + side for name in names for side in "lr"]
        parts += [link(f"t{name}") + hinge(f"j{name}", f"t{name[:-1]}", f"t{name}") for name in names]
    return stage(*parts)


def scoped(root: str = "") -> str:
    """Links and joints in folders whose order differs from that of their names; the root API where asked."""
    def api(name: str) -> tuple[str, ...]:
        return (ROOT_API,) if name == root else ()
    links = prim("Scope", "links", (), {}, "".join(link(name, schemas=api(name)) for name in ("c", "a", "B", "_d")))
    joints = prim("Scope", "a_joints", (), {}, "".join(
        joint("Revolute", name, f"links/{body0}", f"links/{body1}", api(name), HINGE)
        for name, body0, body1 in (("z", "a", "B"), ("y", "c", "B"), ("x", "_d", "B"))))
    return stage(links, joints, schemas=() if root else (ROOT_API,))


def two_robots(nested: bool) -> str:
    """Robots with leaf names in common; one of them below a moved prim."""
    def arm(name: str, fixed: bool, shift: float) -> str:
        here = f"/{'World/' if nested else ''}{name}"
        def ref(link_name: str) -> str:
            return f"<{here}/{link_name}>"
        hold = prim("PhysicsFixedJoint", "anchor", (), {
            "rel physics:body1": ref("a"), "point3f physics:localPos0": (shift, 0, 0)}) if fixed else ""
        own = {"rel physics:body0": ref("a"), "rel physics:body1": ref("b"), **frames((1, 0, 0), axis="Y"),
               **state("angular", 10.0 + shift)}
        return prim("Xform", name, (ROOT_API,), placed((shift, 0, 0)), link("a") + link("b", (1, 0, 0)) + hold + prim(
            "PhysicsRevoluteJoint", "j", ("PhysicsJointStateAPI:angular",), own))
    arms = arm("arm1", True, 3.0) + arm("arm10", False, 0.0) + arm("arm2", False, 5.0)
    return HEAD.format(meters=1.0, kilograms=1.0) + scene() + (prim("Xform", "World", (), {}, arms) if nested else arms)


def two_trees_under_one_root() -> str:
    return stage(link("a"), link("b"), link("c", (0, 3, 0)), link("d", (1, 3, 0)), link("e", (2, 3, 0)),
                 hinge("jab", "a", "b"), hinge("jcd", "c", "d"), hinge("jde", "d", "e"))


def nested_roots() -> str:
    inner = prim("Xform", "inner", (ROOT_API,), {}, link("c") + link("d"))
    return stage(link("a"), link("b"), inner, hinge("jab", "a", "b"), hinge("jcd", "inner/c", "inner/d"))


def coupled(*, kinds: dict[str, str] | None = None, parents: dict[str, str] | None = None, **options: Any) -> str:
    """The stage of a tree of sliders, or of other joints."""
    return Tree(parents or {"a": "", "b": "a", "c": "b"}, kinds=kinds or {}, **options).text()


def branched_tendon() -> str:
    """A fixed tendon over a fork, one branch of it over an axis without a gearing of its own."""
    return coupled(parents={"a": "", "b": "a", "c": "b", "d": "a", "e": "d"}, joints={
        "a": axis(root=True, gearing=[1.0], force=[1.0], stiffness=30.0, damping=2.0, offset=0.2, restLength=0.1,
                  limitStiffness=15.0, lowerLimit=-0.4, upperLimit=0.6),
        "b": axis(gearing=[0.5], force=[0.7]), "c": axis(gearing=[-1.2], force=[-0.9]), "d": axis(gearing=[0.8]),
        "e": axis(force=[1.1])})


def two_tendons() -> str:
    """Tendons of hinges that share their joints."""
    turns = dict.fromkeys("abc", "Revolute")
    return coupled(kinds=turns, joints={
        "a": both(axis("t", True, [0.01], [1.0], stiffness=20.0, damping=1.0),
                  axis("u", True, [0.02], [0.5], stiffness=5.0, restLength=0.3)),
        "b": both(axis("t", gearing=[0.03], force=[0.4]), axis("u", gearing=[-0.01], force=[-0.3])),
        "c": axis("u", gearing=[0.01], force=[1.0])})


def branched_cable() -> str:
    """A spatial tendon with a via point and two leaves; one leaf has a rest length and limits of its own."""
    return coupled(links={
        "": attachment("r", -2.0, stiffness=8.0, damping=0.5, limitStiffness=3.0, offset=0.1),
        "a": attachment("via", 0.1, ("base", "r"), z=0.5, gearing=0.8),
        "b": attachment("left", 0.3, ("a", "via"), True, gearing=1.1, restLength=2.5, lowerLimit=1.0, upperLimit=2.0),
        "c": attachment("right", 0.6, ("a", "via"), True, z=-0.4, gearing=0.9)})


def two_cables() -> str:
    return coupled(parents={"a": "", "b": ""}, links={
        "": both(attachment("r", -1.0, stiffness=8.0, damping=0.5), attachment("s", -2.0, z=1.0, stiffness=4.0)),
        "a": attachment("l", 0.5, ("base", "r"), True, restLength=1.0),
        "b": attachment("l", 0.5, ("base", "s"), True, z=0.3, restLength=3.0)})


def mimicking(kind: str, **values: float) -> str:
    """Two followers of one joint, side by side and below it."""
    kinds = dict.fromkeys("abc", kind)
    unit = 57.29578 if kind == "Revolute" else 1.0
    wide: Part = ((), {"float physics:lowerLimit": -300.0, "float physics:upperLimit": 300.0})
    return coupled(kinds=kinds, parents={"a": "", "b": "a", "c": ""}, joints={
        "a": wide, "b": mimic("ja", gearing=-0.7, offset=0.05 * unit, **values),
        "c": mimic("ja", gearing=1.5, **values)})


def mixed_mimic() -> str:
    """A slider that follows a hinge."""
    wide: Part = ((), {"float physics:lowerLimit": -300.0, "float physics:upperLimit": 300.0})
    return coupled(kinds={"a": "Revolute"}, parents={"a": "", "b": ""},
                   joints={"a": wide, "b": mimic("ja", gearing=0.02, naturalFrequency=20.0, dampingRatio=0.7)})


def moving_parts() -> str:
    """Everything about a joint that only its motion shows: envelopes, damping, caps, friction."""
    rows = [{**drive("angular", stiffness=50.0, damping=1.0, maxForce=30.0), **envelope(
                "angular", maxActuatorVelocity=200.0, velocityDependentResistance=0.01, speedEffortGradient=0.5)},
            axis_values("angular", armature=0.5, staticFrictionEffort=0.3, dynamicFrictionEffort=0.2,
                        viscousFrictionCoefficient=0.01), axis_values("angular", maxJointVelocity=20.0)]
    schemas = (*ANGULAR, "PhysxDrivePerformanceEnvelopeAPI:angular")
    slow: Attributes = {"float physxRigidBody:linearDamping": 0.7, "float physxRigidBody:angularDamping": 0.9}
    parts = [base()]
    for i, row in enumerate(rows):
        above = f"l{i - 1}" if i else "base"
        own = {**frames((0.5, 0, 0), (-0.5, 0, 0), axis="Y"), **row, **state("angular", 10.0 + 5 * i, 40.0)}
        parts += [link(f"l{i}", (1 + i, 0, 0), ("PhysxRigidBodyAPI",), more=slow),
                  joint("Revolute", f"j{i}", above, f"l{i}", schemas, own)]
    return stage(*parts, gravity=5.0)


def capped_links() -> str:
    """Velocity caps and compliance of links, and limits that use it."""
    own: Attributes = {"float physxRigidBody:maxAngularVelocity": 45.0, "float physxRigidBody:maxLinearVelocity": 0.5,
                       "float physxRigidBody:cfmScale": 0.2}
    slow: Attributes = {"float physxRigidBody:cfmScale": 0.5, "bool physxRigidBody:disableGravity": True}
    hinges = {**frames((0.5, 0, 0), (-0.5, 0, 0), axis="Y"), **state("angular", 0.0, 90.0)}
    sliders = {**frames(axis="Z", lowerLimit=-0.2, upperLimit=0.105), **state("linear", 0.0, 2.0)}
    return stage(base(), link("l1", (1, 0, 0), ("PhysxRigidBodyAPI",), more=own),
                 link("l2", (1, 0, 0), ("PhysxRigidBodyAPI",), more=slow),
                 joint("Revolute", "j1", "base", "l1", ("PhysicsJointStateAPI:angular",), hinges),
                 joint("Prismatic", "j2", "l1", "l2", ("PhysicsJointStateAPI:linear",), sliders), gravity=5.0)


def parallel_sliders() -> str:
    own = {**frames(axis="Y"), **drive("linear", stiffness=5.0, damping=0.5, targetPosition=0.3)}
    return stage(base(), *(link(f"l{i}") + joint("Prismatic", f"j{i}", "base", f"l{i}", LINEAR, own) for i in range(3)))


STAGES = {
    "many_siblings": many_siblings(),
    "nested_bodies": nested_bodies(),
    "hand": hand(),
    "binary_tree": binary_tree(3),
    "scoped": scoped(),
    "scoped_root_on_a_leaf": scoped("c"),
    "scoped_root_on_a_joint": scoped("y"),
    "branched_floating": stage(*chain(4), link("e", (2, 1, 0)), joint("Revolute", "jce", "c", "e", (), frames(
        (0, 1, 0), axis="X"))),
    "floating_chain": stage(*chain(5)),
    "floating_chain_of_six": stage(*chain(6)),
    "long_chain": stage(*chain(26, "Prismatic")),
    "one_body": stage(link("a", schemas=(ROOT_API,)), schemas=()),
    "one_anchored_body": stage(base()),
    "root_api_on_a_body": stage(*chain(3, c=(ROOT_API,)), schemas=()),
    "root_api_on_an_anchored_body": stage(*chain(3, b=(ROOT_API,)), joint("Fixed", "anchor", "", "b"), schemas=()),
    "root_api_on_the_anchor": stage(*chain(2), joint("Fixed", "anchor", "", "a", (ROOT_API,)), schemas=()),
    "root_api_on_a_hinge_to_the_world": stage(*chain(3), hinge("anchor", "", "b", schemas=(ROOT_API,)), schemas=()),
    "anchored_in_the_middle": stage(*chain(3), joint("Revolute", "anchor", "", "b")),
    "anchored_as_body0": stage(*chain(3), joint(
        "Fixed", "anchor", "a", "", (), frames((0, 0, 1), (0, 0, 1), TURN, TURN))),
    "anchored_away_from_the_origin": stage(link("a", (2, 0, 1)), link("b", (3, 0, 1)), hinge("jab", "a", "b"), joint(
        "Fixed", "anchor", "", "a", (), frames((2, 0, 1.5), (0, 0, 0.5)))),
    "anchored_elsewhere_than_placed": stage(*chain(3), joint(
        "Fixed", "anchor", "", "a", (), frames((4, 0, 0), rot0=TILT))),
    "anchored_to_a_static_prim": stage(prim("Xform", "wall", (), placed((0, 0, 2), (1, 1, 1), TILT)), *chain(2), joint(
        "Fixed", "anchor", "wall", "a", (), frames((0.5, 0, 0)))),
    "two_anchors": stage(*chain(3), joint("Fixed", "w1", "", "a"), joint(
        "Fixed", "w2", "", "c", (), frames((2, 0, 0)))),
    "excluded_loop": stage(*chain(4), joint(
        "Revolute", "jda", "d", "a", (), {**frames((-3, 0, 0), axis="Z"), **EXCLUDED})),
    "open_loop": stage(*chain(4), hinge("jda", "d", "a")),
    "excluded_anchor": stage(*chain(3), joint("Fixed", "anchor", "", "a", (), EXCLUDED)),
    "excluded_tail": stage(base(), link("l1"), link("l2"), hinge("j1", "base", "l1"),
                           hinge("j2", "l1", "l2", own=EXCLUDED)),
    "excluded_between": stage(*chain(2), link("y"), link("z"), hinge("jbz", "b", "z", own=EXCLUDED),
                              hinge("jzy", "z", "y")),
    "disabled_joint": stage(*chain(3), link("z"), hinge("jcz", "c", "z", own=OFF)),
    "disabled_body": stage(link("wall", more={"bool physics:rigidBodyEnabled": False}), *chain(2), joint(
        "Revolute", "hinge", "wall", "a")),
    "disabled_body_in_the_middle": stage(*chain(2), link("c", more={"bool physics:rigidBodyEnabled": False}), link("d"),
                                         hinge("jbc", "b", "c"), hinge("jcd", "c", "d")),
    "disabled_articulation": robot(*chain(3), outside=scene(), schemas=(ROOT_API, "PhysxArticulationAPI")).replace(
        'def Xform "a"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "a"', 1),
    "kinematic_body": stage(*chain(2), link("k", more={"bool physics:kinematicEnabled": True}),
                            hinge("jbk", "b", "k")),
    "kinematic_body_beside_a_later_anchor": stage(
        *chain(2), link("k", more={"bool physics:kinematicEnabled": True}), hinge("jak", "a", "k"),
        hinge("jz", "", "a")),
    "kinematic_body_beside_an_earlier_anchor": stage(
        *chain(2), link("k", more={"bool physics:kinematicEnabled": True}), hinge("jz", "a", "k"),
        hinge("ja", "", "a")),
    "kinematic_body_in_a_loop": stage(
        *(link(name, schemas=(ROOT_API,) * (name == "a"), more={"bool physics:kinematicEnabled": name == "k"})
          for name in "aBkcz"), hinge("j1", "a", "B"), hinge("j2", "B", "k"), hinge("j3", "k", "c"),
        hinge("j4", "a", "c"), hinge("j5", "k", "z"), schemas=()),
    "two_robots": two_robots(False),
    "two_robots_in_a_world": two_robots(True),
    "two_trees_under_one_root": two_trees_under_one_root(),
    "nested_roots": nested_roots(),
    "branched_tendon": branched_tendon(),
    "two_tendons": two_tendons(),
    "tendon_without_an_axis_between": coupled(joints={
        "a": axis(root=True, gearing=[1.0], stiffness=9.0), "c": axis(gearing=[1.0])}),
    "tendon_switched_off": coupled(joints={"a": both(
        axis(root=True, gearing=[1.0], stiffness=9.0, damping=2.0, limitStiffness=3.0, lowerLimit=1.0, upperLimit=2.0,
             offset=0.3, restLength=0.7),
        ((), {"bool physxTendon:t:tendonEnabled": False})), "b": axis(gearing=[1.0])}),
    "cable_switched_off": coupled(links={"": both(
        attachment("r", -1.0, stiffness=8.0, damping=0.5, limitStiffness=3.0, offset=0.2),
        ((), {"bool physxTendon:r:tendonEnabled": False})),
        "a": attachment("l", 0.5, ("base", "r"), True, restLength=1.0)}),
    "branched_cable": branched_cable(),
    "two_cables": two_cables(),
    "mimic_hinges": mimicking("Revolute"),
    "mimic_sliders": mimicking("Prismatic"),
    "mimic_springs": mimicking("Revolute", naturalFrequency=15.0, dampingRatio=0.5),
    "mimic_slider_of_a_hinge": mixed_mimic(),
    "moving_parts": moving_parts(),
    "capped_links": capped_links(),
    "parallel_sliders": parallel_sliders(),
}

# Stages whose motion is compared as well: it shows what PhysX has no reading for.
MOVING = (
    "branched_tendon", "tendon_switched_off", "two_tendons", "tendon_without_an_axis_between", "branched_cable",
    "cable_switched_off", "two_cables", "mimic_hinges", "mimic_sliders", "mimic_springs", "mimic_slider_of_a_hinge",
    "moving_parts", "capped_links", "parallel_sliders",
)
