"""Moments of inertia against what mass and colliders allow, in several units, and moments that PhysX makes up.

Moments of solid boxes are m / 12 (b^2 + c^2); what PhysX makes up is from experiments/measure_plausibility.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.stages.robots import base, joint, opened, placed, prim, robot

from physx_schema.checking import Finding, check

MOMENTS = "float3 physics:diagonalInertia"
ROD = (0.2, 0.04, 0.04)     # m


def solid(mass: float, sizes: tuple[float, float, float]) -> tuple[float, float, float]:
    """The moments of a solid box."""
    x, y, z = sizes
    return mass / 12 * (y * y + z * z), mass / 12 * (z * z + x * x), mass / 12 * (x * x + y * y)


def times(factor: float, values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(factor * value for value in values)


def box(sizes: tuple[float, ...], *schemas: str) -> str:
    return prim("Cube", "shape", ("PhysicsCollisionAPI", *schemas), {"double size": 1.0, **placed((0, 0, 0), sizes)})


def body(moments: tuple[float, ...] | None, children: str, mass: float = 1.0, name: str = "rod") -> str:
    own: dict[str, object] = {"float physics:mass": mass}
    if moments is not None:
        own[MOMENTS] = moments
    return prim("Xform", name, ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), own, children)


def found(text: str, code: str) -> dict[str, Finding]:
    return {item.path.rpartition("/")[2]: item for item in check(opened(text)).findings if item.code == code}


def sized(text: str) -> dict[str, Finding]:
    return found(text, "body/inertia-size")


@pytest.mark.parametrize(("factor", "is_found"), [
    (1.0, False), (0.02, False), (0.1, False), (20.0, False), (1e-3, True), (1e3, True), (1e6, True), (1e-6, True)])
@pytest.mark.parametrize("joined", [False, True])
def test_moments_far_from_those_of_the_colliders_are_reported(factor: float, is_found: bool, joined: bool) -> None:
    rod = body(times(factor, solid(1.0, ROD)), box(ROD))
    text = robot(base(), rod, joint("Revolute", "j", "base", "rod")) if joined else robot(rod, schemas=())
    assert (set(sized(text)) == {"rod"}) == is_found


@pytest.mark.parametrize(("factor", "is_found"), [(1.0, False), (0.02, False), (0.005, True), (1e-6, True)])
def test_one_moment_that_is_far_too_small_is_reported(factor: float, is_found: bool) -> None:
    axial, across, _ = solid(1.0, ROD)
    assert bool(sized(robot(body((factor * axial, across, across), box(ROD)), schemas=()))) == is_found


@pytest.mark.parametrize(("unit", "factor", "meters", "kilograms", "per_unit"), [
    ("kg mm^2", 1e6, 1.0, 1.0, "1e-06"), ("kg cm^2", 1e4, 1.0, 1.0, "0.0001"), ("g cm^2", 1e7, 1.0, 1.0, "1e-07"),
    ("g mm^2", 1e9, 1.0, 1.0, "1e-09"), ("kg m^2", 1e-4, 0.01, 1.0, "10000"), ("kg m^2", 1e-6, 0.001, 1.0, "1e+06"),
    ("kg m^2", 1e-3, 1.0, 0.001, "1000"),
])
def test_the_unit_that_moments_may_be_in_is_named(
    unit: str, factor: float, meters: float, kilograms: float, per_unit: str,
) -> None:
    lengths = 0.2 / meters, 0.04 / meters, 0.04 / meters
    mass = 1.0 / kilograms
    own = solid(mass, lengths)
    finding = sized(robot(body(times(factor, own), box(lengths), mass), schemas=(), meters=meters,
                          kilograms=kilograms))["rod"]
    assert f"if the moments are in {unit}, multiply them by {per_unit}" in finding.fix
    assert not sized(robot(body(own, box(lengths), mass), schemas=(), meters=meters, kilograms=kilograms))


def test_no_unit_is_named_where_none_fits() -> None:
    found = sized(robot(body(times(300.0, solid(1.0, ROD)), box(ROD)), schemas=()))
    assert "if the moments are in" not in found["rod"].fix


@pytest.mark.parametrize("shape", [
    prim("Capsule", "shape", ("PhysicsCollisionAPI",), {"double radius": 0.02, "double height": 0.16}),
    prim("Cylinder", "shape", ("PhysicsCollisionAPI",), {"double radius": 0.02, "double height": 0.2,
                                                         "uniform token axis": "X"}),
    prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "point3f[] points": [(-0.1, -0.02, -0.02), (0.1, -0.02, -0.02), (0, 0.02, -0.02), (0, 0, 0.02)],
        "int[] faceVertexCounts": [3, 3, 3, 3], "int[] faceVertexIndices": [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2],
        "uniform token physics:approximation": "convexDecomposition"}),
])
def test_every_shape_with_an_end_is_compared(shape: str) -> None:
    assert set(sized(robot(body((0.5, 0.5, 0.5), shape), schemas=()))) == {"rod"}
    assert not sized(robot(body(solid(1.0, ROD), shape), schemas=()))


def test_colliders_that_cannot_stand_for_the_body_are_no_measure() -> None:
    speck = box((0.002, 0.002, 0.002))      # 1 kg in 8 mm^3
    assert not sized(robot(body(solid(1.0, ROD), speck), schemas=()))
    assert not sized(robot(body(solid(1.0, ROD), ""), schemas=()))
    assert not sized(robot(body(solid(1.0, ROD), box((1e-4, 1e-4, 1e-4), "PhysxTriggerAPI")), schemas=()))


def test_moments_that_hardly_count_are_not_judged() -> None:
    wrong, welded = body((5.0, 5.0, 5.0), box(ROD)), joint("Fixed", "j", "base", "rod")
    assert not sized(robot(base(), wrong, welded))
    fixed_base = body((5.0, 5.0, 5.0), box(ROD), name="base") + joint("Fixed", "anchor", "", "base")
    assert not sized(robot(fixed_base, body(solid(1.0, ROD), box(ROD)), joint("Revolute", "j", "base", "rod")))
    kinematic = wrong.replace("float physics:mass", "bool physics:kinematicEnabled = 1\nfloat physics:mass")
    assert not sized(robot(kinematic, schemas=()))


# --- moments that PhysX makes up -------------------------------------------------------------------------------------

@pytest.mark.parametrize(("meters", "moment", "radius"), [
    (1.0, "4e-05", "0.1 m"), (0.01, "0.4", "10 length units"), (0.001, "40", "100 length units")])
def test_a_mass_without_moments_and_collider_has_those_of_a_small_sphere(
    meters: float, moment: str, radius: str,
) -> None:
    text = robot(body(None, "", 0.01), schemas=(), meters=meters)
    why = found(text, "body/point-inertia")["rod"].why
    assert why.endswith(f"{radius}, {moment}")


def test_a_body_of_triggers_has_moments_of_one() -> None:
    text = robot(body(None, box(ROD, "PhysxTriggerAPI"), 0.01), schemas=())
    item = found(text, "body/point-inertia")["rod"]
    assert "only trigger colliders" in item.message and item.why.endswith("the body's size: 1")


def test_a_collider_that_is_switched_off_still_gives_moments() -> None:
    off = box(ROD).replace("double size", "bool physics:collisionEnabled = 0\ndouble size")
    assert not found(robot(body(None, off), schemas=()), "body/point-inertia")
    assert not found(robot(body(solid(1.0, ROD), ""), schemas=()), "body/point-inertia")


def test_links_without_moments_are_reported_but_for_a_fixed_base(shared_cases: Path) -> None:
    (stage,) = shared_cases.glob("*/*_mass_without_inertia.usda")
    report = check(stage)
    reasons = {item.path: item.why for item in report.findings if item.code == "body/point-inertia"}
    assert set(reasons) == {"/World/art/l0"}
    assert "sphere of radius 0.1 m, 4e-05" in reasons["/World/art/l0"]


# --- centres of mass -------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("center", "is_far"), [
    ((0.0, 0.0, 0.0), False), ((0.3, 0.0, 0.0), False), ((0.35, 0.0, 0.0), True), ((0.0, -0.3, 0.0), True),
    ((0.0, 0.0, 20.0), True)])
@pytest.mark.parametrize("kind", ["Cube", "Mesh"])
def test_a_centre_outside_the_colliders_by_more_than_their_size_is_far(
    center: tuple[float, ...], is_far: bool, kind: str,
) -> None:
    corners: list[object] = [(x, y, z) for x in (-0.1, 0.1) for y in (-0.02, 0.02) for z in (-0.02, 0.02)]
    faces = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    mesh = prim("Mesh", "shape", ("PhysicsCollisionAPI",), {
        "point3f[] points": corners, "int[] faceVertexCounts": [4] * 6, "int[] faceVertexIndices": faces})
    shape = box(ROD) if kind == "Cube" else mesh
    rod = body(solid(1.0, ROD), shape).replace(
        "float physics:mass", f"point3f physics:centerOfMass = {center}\nfloat physics:mass")
    assert bool(found(robot(rod, schemas=()), "body/center-far")) == is_far
