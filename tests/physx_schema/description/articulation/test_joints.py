"""Joints of every kind: the facts and problems beside what `test_reader` holds to PhysX."""

from __future__ import annotations

import math

import pytest
from support.recorded import joint_stages, tree_stages
from support.recorded.joint_stages import generic, locked, one
from support.recorded.scene_stages import still
from support.recorded.tree_stages import anchor, chain, hinge, links
from support.stages.robots import described, joint, link, prim

from physx_schema.description import Description, MaximalJoint

DEGREE = math.pi / 180.0


def free(kind: str, schemas: tuple[str, ...] = (), **values: float) -> MaximalJoint:
    """A joint between two free bodies."""
    more: dict[str, object] = {f"float {name.replace('__', ':')}": value for name, value in values.items()}
    return described(still(link("a"), link("b"), joint(kind, "j", "a", "b", schemas, more), schemas=())).joints[0]


def codes(text: str) -> list[str]:
    return [problem.code for problem in described(text).problems]


def test_cone_angles_bound_the_swings() -> None:
    twist, first, second = described(joint_stages.STAGES["a cone of two angles"]).articulations[0].dofs
    assert (twist.lower, twist.upper) == (-math.inf, math.inf)
    assert (first.lower, first.upper) == pytest.approx((-20 * DEGREE, 20 * DEGREE))
    assert (second.lower, second.upper) == pytest.approx((-30 * DEGREE, 30 * DEGREE))


@pytest.mark.parametrize(("along", "axes"), [
    ("X", ((1, 0, 0), (0, 1, 0), (0, 0, 1))), ("Y", ((0, 1, 0), (0, 0, 1), (1, 0, 0))),
    ("Z", ((0, 0, 1), (-1, 0, 0), (0, -1, 0))),
])
def test_ball_turns_about_its_axis_and_then_swings(along: str, axes: tuple[tuple[float, ...], ...]) -> None:
    found = described(one("Spherical", (), {"uniform token physics:axis": along})).articulations[0].dofs
    assert tuple(dof.axis for dof in found) == axes


def test_generic_joint_names_its_free_rotations() -> None:
    found = described(generic(locked("rotX", "rotZ"))).articulations[0].dofs
    assert [(dof.name, dof.axis) for dof in found] == [("/Robot/j:rotX", (1, 0, 0)), ("/Robot/j:rotZ", (0, 0, 1))]


def test_generic_joint_outside_articulations_slides_as_well() -> None:
    found = free("", ("PhysicsLimitAPI:transX", "PhysicsLimitAPI:rotX", "PhysicsDriveAPI:transY"),
                 limit__transX__physics__low=1.0, limit__transX__physics__high=-1.0,
                 limit__rotX__physics__low=-200.0, limit__rotX__physics__high=10.0,
                 drive__transY__physics__stiffness=5.0)
    assert [axis.axis for axis in found.axes] == ["transY", "transZ", "rotX", "rotY", "rotZ"]
    assert found.axes[0].drive is not None
    assert not found.axes[0].angular
    assert found.axes[2].lower == pytest.approx(-200 * DEGREE)


def test_joint_names_its_bodies_in_authored_order() -> None:
    found = free("Fixed")
    assert (found.body0, found.body1) == ("/Robot/a", "/Robot/b")
    base = described(still(links("a"), anchor("w", "a"))).articulations[0].base_joint
    assert base is not None
    assert (base.body0, base.body1) == ("", "/Robot/a")


def test_breaking_and_contacts_count_outside_articulations() -> None:
    found = free("Fixed", physics__breakForce=5.0)
    assert (found.break_force, found.break_torque, found.collision_enabled) == (5.0, math.inf, False)


def test_breaking_is_unused_inside_an_articulation() -> None:
    text = still(link("a"), link("b"), joint("Revolute", "j", "a", "b", (), {
        "float physics:breakForce": 5.0, "float physics:breakTorque": math.inf,
        "bool physics:collisionEnabled": False}))
    unused = described(text).unused
    assert [(item.property, item.code) for item in unused] == [("physics:breakForce", "idle")]


def test_distance_joint_has_a_range() -> None:
    found = free("Distance", physics__minDistance=-1.0, physics__maxDistance=2.0).distance
    assert found is not None
    assert (found.minimum, found.maximum, found.spring) == (-math.inf, 2.0, False)


def test_generic_joint_takes_an_upper_distance() -> None:
    found = free("", ("PhysicsLimitAPI:distance",), limit__distance__physics__high=2.0).distance
    assert found is not None
    assert (found.minimum, found.maximum) == (-math.inf, 2.0)


def test_distance_joint_has_a_spring_where_it_is_enabled() -> None:
    values = {"float physxPhysicsDistanceJoint:springStiffness": 3.0,
              "float physxPhysicsDistanceJoint:springDamping": 4.0}
    for enabled in (True, False):
        text = still(link("a"), link("b"), joint("Distance", "j", "a", "b", ("PhysxPhysicsDistanceJointAPI",), {
            **values, "bool physxPhysicsDistanceJoint:springEnabled": enabled}), schemas=())
        found = described(text).joints[0].distance
        assert found is not None
        assert (found.stiffness, found.damping) == ((3.0, 4.0) if enabled else (0.0, 0.0))


@pytest.mark.parametrize(("name", "second"), [("a gear joint", "/Robot/j2"), ("a rack joint", "/Robot/j2")])
def test_gear_and_rack_joints_couple_two_joints(name: str, second: str) -> None:
    found = next(item for item in described(joint_stages.STAGES[name]).joints if item.path == "/Robot/g")
    assert found.coupling is not None
    assert (found.coupling.first, found.coupling.second) == ("/Robot/j1", second)


def test_gear_joint_needs_two_revolute_joints() -> None:
    text = joint_stages.STAGES["a gear joint"].replace('PhysicsRevoluteJoint "j2"', 'PhysicsPrismaticJoint "j2"')
    assert codes(text) == ["joint/no-hinge"]


@pytest.mark.parametrize(("name", "code"), [
    ("a cone of one angle", "joint/half-cone"), ("a cone beyond 180", "joint/limit-range"),
    ("a generic joint with limits beyond 180", "joint/limit-range"),
    ("a generic joint with nothing authored", "joint/free-translation"),
    ("a target of 500.0", "joint/target-changed"), ("a state of three turns", "joint/state-refused"),
    ("a state of NaN", "joint/state-refused"), ("a parent's rotation refused", "joint/frame-refused"),
    ("a free joint of one body", "joint/same-body"), ("a free joint of no body", "joint/no-bodies"),
    ("a free joint of kinematic bodies", "joint/static"), ("two targets", "joint/several-bodies"),
])
def test_what_is_wrong_with_a_joint_is_named(name: str, code: str) -> None:
    assert code in codes(joint_stages.STAGES[name])


@pytest.mark.parametrize(("name", "code"), [
    ("a kinematic body at the anchored link", "articulation/kinematic-body"),
    ("a kinematic body at the end of an anchored chain", "articulation/kinematic-link"),
    ("a distance joint in the middle", "articulation/joint-kind"),
    ("the root API on a and c", "articulation/shared-bodies"),
    ("the root API on an inner joint", "articulation/root-joint"),
    ("the root API on a disabled anchor", "articulation/root-joint"), ("a root in a root", "articulation/nested-root"),
    ("the root API on a kinematic body", "articulation/static-root"), ("a second joint", "DJ.011/loop"),
])
def test_what_is_wrong_with_an_articulation_is_named(name: str, code: str) -> None:
    assert code in codes(tree_stages.STAGES[name])


def test_smallest_loop_is_named_with_the_joint_that_physx_drops() -> None:
    text = still(chain("abcdef"), anchor("w", "a"), hinge("k", "b", "d"))
    found = next(problem for problem in described(text).problems if problem.code == "DJ.011/loop")
    assert found.path == "/Robot/k"
    assert "/Robot/j1, /Robot/j2, /Robot/k form a loop" in found.message
    assert "/Robot/k" in found.fix


def test_second_joint_between_two_bodies_names_the_first() -> None:
    found = next(problem for problem in described(tree_stages.STAGES["a second joint"]).problems)
    assert found.message == "the joint connects /Robot/a and /Robot/b, which /Robot/j already connects"


def test_drive_of_a_ball_is_unused() -> None:
    found = described(joint_stages.STAGES["drives of a ball"])
    assert all(dof.drive is None for dof in found.articulations[0].dofs)
    assert {item.property for item in found.unused} == {
        "apiSchemas", "drive:rotX:physics:stiffness", "drive:rotY:physics:stiffness"}


def test_linear_drive_of_a_generic_joint_is_unused_with_a_reason() -> None:
    found = described(joint_stages.STAGES["a generic joint with drives"]).unused
    assert {item.reason for item in found if item.property.startswith("drive:transX")} == {
        "PhysX locks the translations of a generic joint in an articulation"}


def test_limits_of_an_anchor_are_unused() -> None:
    more: dict[str, object] = {"float physics:lowerLimit": -1.0}
    text = still(link("a"), link("b"), hinge("j", "a", "b"), joint("Revolute", "w", "", "a", (), more))
    assert [(item.path, item.property) for item in described(text).unused] == [("/Robot/w", "physics:lowerLimit")]


def test_values_of_a_joint_that_closes_a_loop_are_dropped_with_it() -> None:
    text = still(link("a"), link("b"), hinge("j", "a", "b"), joint("Revolute", "k", "a", "b", (), {
        "float physics:lowerLimit": -1.0}))
    found = described(text).unused
    assert [(item.path, item.code) for item in found] == [("/Robot/k", "dropped")]
    assert "which /Robot/j already connects" in found[0].reason


LIMITS = {      # kind of joint to the instance name of its soft limit, and the limits that it softens
    "Revolute": ("angular", {"float physics:lowerLimit": -10.0, "float physics:upperLimit": 20.0}),
    "Prismatic": ("linear", {"float physics:lowerLimit": -10.0, "float physics:upperLimit": 20.0}),
    "": ("rotX", {"float limit:rotX:physics:low": -10.0, "float limit:rotX:physics:high": 20.0}),
    "Spherical": ("cone", {"float physics:coneAngle0Limit": 20.0, "float physics:coneAngle1Limit": 30.0}),
}


def softened(kind: str, limited: bool = True, **values: float) -> Description:
    """A joint between two free bodies with PhysxLimitAPI."""
    instance, limits = LIMITS[kind]
    schemas = (f"PhysxLimitAPI:{instance}", *(("PhysicsLimitAPI:rotX",) if not kind else ()))
    soft = {f"float physxLimit:{instance}:{name}": value for name, value in values.items()}
    return described(still(link("a"), link("b"), joint(kind, "j", "a", "b", schemas, {
        **soft, **(limits if limited else {})}), schemas=()))


@pytest.mark.parametrize("kind", LIMITS)
def test_soft_limits_outside_articulations_count_as_authored(kind: str) -> None:
    found = softened(kind, stiffness=3.0, damping=0.5)
    assert found.unused == ()
    made = found.joints[0]
    if made.cone is not None:
        assert (made.cone.stiffness, made.cone.damping) == (3.0, 0.5)
    else:
        soft = {axis.instance: (axis.limit_stiffness, axis.limit_damping) for axis in made.axes}
        assert soft.pop(LIMITS[kind][0]) == (3.0, 0.5)
        assert set(soft.values()) <= {(0.0, 0.0)}


@pytest.mark.parametrize("kind", LIMITS)
def test_softness_without_limits_and_bouncing_are_unused(kind: str) -> None:
    for found, reason in ((softened(kind, False, stiffness=3.0), "no limits that PhysxLimitAPI could soften"),
                          (softened(kind, True, restitution=0.5, stiffness=1.0), "only for hard limits")):
        assert [item.code for item in found.unused if item.property != "apiSchemas"] == ["idle"]
        assert reason in next(item.reason for item in found.unused if item.property != "apiSchemas")


def test_axis_properties_outside_articulations_are_unused() -> None:
    text = still(link("a"), link("b"), joint("Revolute", "j", "a", "b", ("PhysxJointAxisAPI:angular",), {
        "float physxJointAxis:angular:armature": 1.0}), schemas=())
    found = described(text)
    assert {item.reason for item in found.unused if item.property != "apiSchemas"} == {
        "PhysX reads PhysxJointAxisAPI only on joints of an articulation"}


def test_frame_in_a_prim_without_body_is_brought_into_the_world() -> None:
    mount = prim("Xform", "m", (), {"double3 xformOp:translate": (5, 0, 0), "float3 xformOp:scale": (2, 2, 2),
                                    "uniform token[] xformOpOrder": ["xformOp:translate", "xformOp:scale"]})
    anchored = joint("Fixed", "j", "m", "b", (), {"point3f physics:localPos0": (1, 0, 0)})
    text = still(mount, link("b"), anchored, schemas=())
    assert described(text).joints[0].frame0[0] == pytest.approx((7.0, 0.0, 0.0))
