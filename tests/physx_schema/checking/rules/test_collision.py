"""Corner cases that PhysX was measured on: what the reader makes of them and what the checker says.

The numbers are from experiments/measure_articulation_rules.py, measure_mass_rules.py, measure_scene_rules.py,
measure_contact_rules.py and measure_value_rules.py.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime import Simulation
from support.stages.robots import base, described, finger, joint, link, opened, placed, prim, robot

from physx_schema.checking import check
from physx_schema.description import describe
from physx_schema.errors import UnsupportedError

ROOT = ("PhysicsArticulationRootAPI",)
HALF = math.sqrt(0.5)
PAIR = (link("a"), link("b"), joint("Revolute", "j", "a", "b"))
CUBE = {"double size": 1.0}
TILTED = prim("Cube", "shape", ("PhysicsCollisionAPI",), {
    **CUBE, **placed((0, 0, 0), (1, 2, 3), (0.9659258, 0.0, 0.0, 0.2588190))})


def found(text: str) -> dict[str, str]:
    """Severities by code and path."""
    return {f"{item.code} {item.path}": item.severity for item in check(opened(text)).findings}


def test_root_on_a_joint_to_a_static_collider_makes_no_articulation() -> None:
    anchor = joint("Fixed", "anchor", "wall", "a", ROOT)
    for schemas, count in (((), 1), (("PhysicsCollisionAPI",), 0)):
        text = robot(*PAIR, prim("Xform", "wall", schemas, {}, prim("Cube", "shape", (), CUBE)), anchor, schemas=())
        description = described(text)
        assert len(description.articulations) == count
        assert ("articulation/root-joint /Robot/anchor" in found(text)) == (count == 0)
        assert {item.path for item in description.joints} == (set() if count else {"/Robot/anchor", "/Robot/j"})


def owned(*owners: str, scenes: tuple[str, ...]) -> str:
    links = [link(name, more={"rel physics:simulationOwner": f"<{owner}>"} if owner else {})
             for name, owner in zip("ab", owners, strict=True)]
    return robot(*links, joint("Revolute", "j", "a", "b"), outside="".join(prim("PhysicsScene", name)
                                                                          for name in scenes))


@pytest.mark.parametrize(("owners", "scenes", "count"), [
    (("/one", ""), ("one",), 1), (("/one", ""), ("one", "two"), 0), (("", ""), ("one", "two"), 1),
    (("/one", "/one"), ("one", "two"), 1), (("/two", ""), ("one", "two"), 0),
])
def test_body_without_owner_is_not_one_of_the_first_scene_where_there_are_several(
    owners: tuple[str, str], scenes: tuple[str, ...], count: int,
) -> None:
    text = owned(*owners, scenes=scenes)
    assert len(described(text).articulations) == count
    assert ("articulation/several-scenes /Robot" in found(text)) == (count == 0)
    assert ("joint/several-scenes /Robot/j" in found(text)) == (count == 0)


def weighed(more: dict[str, object], children: str = "") -> str:
    own = {"float physics:mass": 12.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0), **more}
    tip = prim("Xform", "tip", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), own, children)
    return robot(base(), tip, joint("Revolute", "j", "base", "tip"))


@pytest.mark.parametrize(("length", "severity"), [(1.0, ""), (1.009, "warning"), (1.011, "error"), (2.0, "error")])
def test_principal_axes_of_another_length_take_the_centre_of_mass_along(length: float, severity: str) -> None:
    text = weighed({"quatf physics:principalAxes": (length * HALF, 0.0, 0.0, length * HALF),
                    "point3f physics:centerOfMass": (1.0, 0.0, 0.0)})
    tip = described(text).articulations[0].links[1]
    taken = severity != "error"
    assert tip.center_of_mass == ((1.0, 0.0, 0.0) if taken else (0.0, 0.0, 0.0))
    np.testing.assert_allclose(np.diag(tip.inertia), (2.0, 1.0, 3.0) if taken else (1.0, 2.0, 3.0), rtol=1e-6)
    assert found(text).get("value/not-unit /Robot/tip", "") == severity


@pytest.mark.parametrize(("more", "warned"), [
    ({}, True), ({"quatf physics:principalAxes": (0.0, 0.0, 0.0, 0.0)}, True),
    ({"quatf physics:principalAxes": (1.0, 0.0, 0.0, 0.0)}, False),
    ({"point3f physics:centerOfMass": (0.0, 0.0, 0.0)}, False),
])
def test_moments_alone_are_about_the_axes_of_tilted_colliders(more: dict[str, object], warned: bool) -> None:
    text = weighed(more, TILTED)
    inertia = np.array(described(text).articulations[0].links[1].inertia)
    tilted = [[1.25, -0.4330127, 0.0], [-0.4330127, 1.75, 0.0], [0.0, 0.0, 3.0]]
    np.testing.assert_allclose(inertia, tilted if warned else np.diag((1.0, 2.0, 3.0)), atol=1e-6)
    assert ("body/inertia-incomplete /Robot/tip" in found(text)) == warned


def test_infinite_moment_leaves_those_square_to_its_axis() -> None:
    turned = {"float3 physics:diagonalInertia": (0.0, 2.0, 3.0),
              "quatf physics:principalAxes": (0.9238795, 0, 0, 0.3826834)}
    body = described(robot(link("a", more=turned), schemas=())).bodies[0]
    inf = math.inf
    assert np.array(body.inertia).tolist() == [[inf, inf, 0.0], [inf, inf, 0.0], [0.0, 0.0, pytest.approx(3.0)]]


def test_moment_of_zero_is_infinite_outside_articulations_and_not_stepped() -> None:
    text = robot(link("a", more={"float3 physics:diagonalInertia": (2.0, 0.0, 3.0)}), schemas=())
    body = described(text).bodies[0]
    assert np.diag(body.inertia).tolist() == [2.0, math.inf, 3.0]
    assert found(text)["body/zero-inertia /Robot/a"] == "warning"
    with pytest.raises(UnsupportedError, match=r"/Robot/a: physics:diagonalInertia has a moment of 0"):
        Simulation(opened(text))


@pytest.mark.parametrize("moment", [math.nan, math.inf])
def test_moments_that_are_not_finite_are_one(moment: float) -> None:
    stage = opened(finger())
    stage.GetPrimAtPath("/Robot/tip").GetAttribute("physics:diagonalInertia").Set((moment, 2.0, 3.0))
    assert np.diag(describe(stage).articulations[0].links[1].inertia).tolist() == [1.0, 1.0, 1.0]


NUMBER_TYPES = ("bool", "uchar", "int", "uint", "int64", "uint64", "half", "double")


@pytest.mark.parametrize(("type_name", "code"), [
    *((name, "value/type") for name in NUMBER_TYPES),
    *((name, "value/wrong-type") for name in ("string", "token", "float[]", "timecode")),
])
def test_numbers_of_every_type_are_read_and_nothing_else(type_name: str, code: str) -> None:
    value: object = {"string": "1", "token": "1", "float[]": [1]}.get(type_name, 1)
    text = finger({f"{type_name} drive:angular:physics:stiffness": value}, ("PhysicsDriveAPI:angular",))
    drive = described(text).articulations[0].dofs[0].drive
    assert drive is not None
    assert (drive.stiffness != 0.0) == (code == "value/type")
    assert f"{code} /Robot/j" in found(text)


@pytest.mark.parametrize(("name", "value", "read_as"), [
    ("double3 physics:diagonalInertia", (1.0, 2.0, 3.0), True), ("half3 physics:diagonalInertia", (1, 2, 3), True),
    ("int3 physics:diagonalInertia", (1, 2, 3), True), ("float[] physics:diagonalInertia", [1.0, 2.0, 3.0], False),
    ("float4 physics:diagonalInertia", (1, 2, 3, 4), False),
])
def test_vectors_of_three_are_read_and_arrays_are_not(name: str, value: object, read_as: bool) -> None:
    tip = prim("Xform", "tip", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {"float physics:mass": 1.0, name: value})
    text = robot(base(), tip, joint("Revolute", "j", "base", "tip"))
    inertia = np.diag(described(text).articulations[0].links[1].inertia)
    np.testing.assert_allclose(inertia, (1.0, 2.0, 3.0) if read_as else (0.004, 0.004, 0.004))
    assert f"value/{'type' if read_as else 'wrong-type'} /Robot/tip" in found(text)


@pytest.mark.parametrize("type_name", ["quatd", "quath"])
def test_quaternions_are_read_as_quatf_alone(type_name: str) -> None:
    text = finger({f"{type_name} physics:localRot0": (HALF, 0.0, 0.0, HALF)})
    inbound = described(text).articulations[0].links[1].joint
    assert inbound is not None
    assert inbound.parent_frame[1] == (0.0, 0.0, 0.0, 1.0)
    assert found(text)["value/wrong-type /Robot/j"] == "error"


def test_text_of_type_string_is_no_token() -> None:
    for type_name, count in (("token", 0), ("string", 1)):
        text = finger({f"{type_name} drive:angular:physics:type": "acceleration"}, ("PhysicsDriveAPI:angular",))
        drive = described(text).articulations[0].dofs[0].drive
        assert drive is not None
        assert drive.acceleration == (count == 0)
        assert ("value/wrong-type /Robot/j" in found(text)) == bool(count)


def test_cone_angle_of_a_wrong_type_counts_as_0() -> None:
    angles = {"string physics:coneAngle0Limit": "wide", "float physics:coneAngle1Limit": 30.0}
    dofs = described(finger(angles, kind="Spherical")).articulations[0].dofs
    assert [dof.upper for dof in dofs] == pytest.approx([math.inf, 0.0, math.radians(30.0)])


def falling(line: str) -> tuple[float, float, float]:
    """Gravity of a scene with one line of its own; unauthored magnitude is Earth's."""
    return described(robot(link("a"), outside=f'def PhysicsScene "scene" {{\n{line}\n}}\n')).scene.gravity


@pytest.mark.parametrize(("line", "gravity"), [
    ("float physics:gravityMagnitude = 3", (0.0, 0.0, -3.0)),
    ('string physics:gravityMagnitude = "3"', (0.0, 0.0, -9.81)),
    ('string physics:gravityDirection = "x"', (0.0, 0.0, -9.81)),
    ("float physics:gravityMagnitude.timeSamples = { 0: 3 }", (0.0, 0.0, math.inf)),
    ("vector3f physics:gravityDirection.timeSamples = { 0: (0, -1, 0) }", (0.0, 0.0, 0.0)),
])
def test_gravity_of_time_samples_alone_is_no_default(line: str, gravity: tuple[float, float, float]) -> None:
    np.testing.assert_allclose(np.nan_to_num(falling(line), nan=0.0, posinf=math.inf), gravity, atol=1e-6)


def boxed(more: dict[str, object], schemas: tuple[str, ...] = ()) -> str:
    """A body with a cube that has attributes of its own."""
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI", *schemas), {**CUBE, **more})
    return robot(link("a", children=shape), prim("Xform", "empty"), schemas=())


@pytest.mark.parametrize(("contact", "rest", "kept"), [
    (0.05, 0.049, 0.049), (0.05, 0.05, 0.0), (0.05, 0.1, 0.0), (0.0, 0.0, 0.0),
])
def test_rest_offset_has_to_be_below_the_contact_offset(contact: float, rest: float, kept: float) -> None:
    text = boxed({"float physxCollision:contactOffset": contact, "float physxCollision:restOffset": rest},
                 ("PhysxCollisionAPI",))
    assert described(text).bodies[0].colliders[0].rest_offset == pytest.approx(kept)
    assert ("collider/offsets /Robot/a/shape" in found(text)) == (kept != rest)


@pytest.mark.parametrize(("owner", "code"), [("/nowhere", "collider/no-scene"), ("/scene", "")])
def test_collider_of_no_scene_is_reported(owner: str, code: str) -> None:
    text = boxed({"rel physics:simulationOwner": f"<{owner}>"}) + prim("PhysicsScene", "scene")
    assert [item for item in found(text) if item.endswith("/shape")] == ([f"{code} /Robot/a/shape"] if code else [])


@pytest.mark.parametrize(("restitution", "severity"), [(-0.5, "warning"), (0.0, ""), (1.0, "")])
def test_restitution_below_0_is_a_spring(restitution: float, severity: str) -> None:
    material = prim("Material", "rubber", ("PhysicsMaterialAPI",), {"float physics:restitution": restitution})
    assert found(robot(material)).get("material/soft /Robot/rubber", "") == severity


def test_value_that_the_reader_judges_is_reported_once() -> None:
    material = prim("Material", "rubber", ("PhysicsMaterialAPI", "PhysxMaterialAPI"), {
        "token physxMaterial:frictionCombineMode": "maximum", "float physics:staticFriction": math.nan})
    said = [item for item in check(opened(robot(material))).findings if item.path == "/Robot/rubber"]
    assert sorted(item.code for item in said) == ["material/combine-mode", "material/refused"]
    assert all(item.repair for item in said if item.code == "material/combine-mode")


@pytest.mark.parametrize(("target", "code"), [
    ("/Robot/a", ""), ("/Robot/a/shape", ""), ("/Robot", ""), ("/Robot/empty", "pair/no-object"),
    ("/Robot/nowhere", "pair/missing-target"),
])
def test_target_of_a_filtered_pair_is_something_that_collides_or_above_it(target: str, code: str) -> None:
    text = boxed({"rel physics:filteredPairs": f"<{target}>"}, ("PhysicsFilteredPairsAPI",))
    assert [item for item in found(text) if item.startswith("pair/")] == ([f"{code} /Robot/a/shape"] if code else [])


def test_filtered_pairs_of_a_prim_that_does_not_collide_are_none() -> None:
    text = robot(prim("Xform", "up", ("PhysicsFilteredPairsAPI",), {"rel physics:filteredPairs": "</Robot/up/a>"},
                      link("a")), schemas=())
    assert "pair/no-object /Robot/up" in found(text)
    assert not described(text).filtered_pairs


@pytest.mark.parametrize(("axis", "severity"), [("Y", ""), ("Z", ""), ("X", "error"), ("W", "error")])
def test_up_axis_other_than_y_and_z_is_z_to_physx(axis: str, severity: str) -> None:
    text = robot(link("a"), outside=prim("PhysicsScene", "scene")).replace('upAxis = "Z"', f'upAxis = "{axis}"')
    assert described(text).scene.gravity[1 if axis == "Y" else 2] == pytest.approx(-9.81)
    assert found(text).get("stage/up-axis /", "") == severity


@pytest.mark.parametrize(("lines", "severity"), [
    ({"uniform token[] xformOpOrder": ["xformOp:translate"]}, "error"),
    ({"double3 xformOp:translate": (1, 2, 3)}, "warning"),
    ({"double3 xformOp:translate": (1, 2, 3), "double xformOp:rotateX": 30.0, "uniform token[] xformOpOrder": [
        "xformOp:translate"]}, "info"),
    ({"double3 xformOp:translate": (1, 2, 3), "uniform token[] xformOpOrder": ["xformOp:translate"]}, ""),
    ({"double3 xformOp:translate": (1, 2, 3), "uniform token[] xformOpOrder": [
        "!resetXformStack!", "!invert!xformOp:translate"]}, ""),
])
def test_operations_and_their_order_name_each_other(lines: dict[str, object], severity: str) -> None:
    text = robot(prim("Xform", "a", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), lines), schemas=())
    assert found(text).get("body/transform-operation /Robot/a", "") == severity


@pytest.mark.parametrize(("length", "severity"), [(1.0, ""), (1.02, "warning"), (2.0, "warning")])
def test_orientation_of_another_length_is_reported(length: float, severity: str) -> None:
    text = robot(link("a", more=placed((0, 0, 0), (1, 1, 1), (length * HALF, 0.0, 0.0, length * HALF))), schemas=())
    assert found(text).get("value/not-unit /Robot/a", "") == severity


@pytest.mark.parametrize(("line", "code"), [
    ("double size.timeSamples = { 0: 3 }", "value/only-samples"),
    ("double size = 1\ndouble size.timeSamples = { 0: 3 }", "value/time-samples"), ("double size = 1", ""),
])
def test_shape_of_a_collider_that_changes_is_reported(line: str, code: str) -> None:
    text = boxed({}).replace("double size = 1.0", line)
    assert [item for item in found(text) if item.startswith("value/")] == ([f"{code} /Robot/a/shape"] if code else [])


@pytest.mark.parametrize(("token", "wrong"), [("convexHull", False), ("convexhull", True), ("", True)])
def test_approximation_that_does_not_exist_is_reported(token: str, wrong: bool) -> None:
    mesh = prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "uniform token physics:approximation": token})
    assert ("value/token /Robot/shape" in found(robot(mesh))) == wrong


@pytest.mark.parametrize(("value", "reported"), [("", True), (" = 5", False)])
def test_connection_without_a_value_is_not_followed(value: str, reported: bool) -> None:
    name = "float drive:angular:physics:stiffness"
    lines = [f"{name}{value}"] if value else []
    lines += [f"{name}.connect = </Robot/j.given>", "float given"]
    text = finger({"float given": 9.0}, ("PhysicsDriveAPI:angular",)).replace("float given", "\n".join(lines))
    drive = described(text).articulations[0].dofs[0].drive
    assert drive is not None
    assert (drive.stiffness == 0.0) == reported
    assert ("value/connected /Robot/j" in found(text)) == reported


@pytest.mark.parametrize(("kind", "sizes", "made"), [
    ("Cube", {"double size": 0.0}, False), ("Cube", {"double size": math.nan}, False),
    ("Cube", {"double size": -1.0}, True),
    ("Sphere", {"double radius": 0.0}, False), ("Capsule", {"double radius": 1.0, "double height": 0.0}, True),
    ("Cylinder", {"double radius": 1.0, "double height": 0.0}, False),
])
def test_shape_without_a_size_is_none(kind: str, sizes: dict[str, object], made: bool) -> None:
    shape = prim(kind, "shape", ("PhysicsCollisionAPI",), sizes)
    text = robot(prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, shape), schemas=())
    body = described(text).bodies[0]
    assert (len(body.colliders), body.mass > 1.0) == (made, made)
    assert ("collider/no-shape /Robot/a/shape" in found(text)) == (not made)


def test_collider_of_no_scene_weighs_nothing() -> None:
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI",), {**CUBE, "rel physics:simulationOwner": "</nowhere>"})
    body = described(robot(prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, shape), schemas=())).bodies[0]
    assert (body.mass, body.colliders) == (1.0, ())


@pytest.mark.parametrize(("density", "code"), [(-1.0, "value/range"), (math.nan, "value/not-finite"), (0.0, "")])
def test_density_that_is_none_is_that_of_water(density: float, code: str) -> None:
    lead = prim("Material", "lead", ("PhysicsMaterialAPI",), {"float physics:density": density})
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI", "MaterialBindingAPI"), {
        **CUBE, "rel material:binding:physics": "</Robot/lead>"})
    text = robot(lead, prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, shape), schemas=())
    assert described(text).bodies[0].mass == pytest.approx(1000.0)
    assert [item for item in found(text) if item.endswith("/lead")] == ([f"{code} /Robot/lead"] if code else [])


@pytest.mark.parametrize(("name", "value", "code", "made"), [
    ("int[] faceVertexIndices", [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], "", True),
    ("int[] faceVertexIndices", [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, -1], "collider/mesh", True),
    ("int[] faceVertexIndices", [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 4], "collider/mesh", True),
    ("int[] faceVertexCounts", [3, 3, 3, -3], "collider/mesh", True),
    ("int[] faceVertexCounts", [3, 3, 3, 3, 3], "collider/mesh", True),
    ("point3f[] points", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, math.nan)], "collider/mesh", True),
])
def test_malformed_mesh_is_reported(name: str, value: list[object], code: str, made: bool) -> None:
    arrays: dict[str, object] = {
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3, 3, 3, 3],
        "int[] faceVertexIndices": [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2], name: value}
    shape = prim("Mesh", "shape", ("PhysicsCollisionAPI",), arrays)
    text = robot(prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, shape), schemas=())
    assert len(described(text).bodies[0].colliders) == made
    assert [item for item in found(text) if item.endswith("/shape")] == ([f"{code} /Robot/a/shape"] if code else [])
