"""Mass properties: closed forms of solids and PhysX's rules for what is authored (numbers measured in PhysX)."""

from __future__ import annotations

import numpy as np
import pytest
from support.stages.robots import HEAD, base, joint, opened, placed, prim, robot

from physx_schema.description import Description, Link, describe

TILT = (0.9238795, 0.0, 0.3826834, 0.0)         # 45 degrees about y
SLIGHT = (0.9659258, 0.0, 0.2588190, 0.0)       # 30 degrees about y
MASS_API = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")


def read(attributes: dict[str, object], children: str = "", schemas: tuple[str, ...] = MASS_API, kind: str = "Xform",
         **units: float) -> Description:
    body = prim(kind, "a", schemas, attributes, children)
    return describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"), **units)))  # type: ignore[arg-type]


def body(attributes: dict[str, object], children: str = "", **options: object) -> Link:
    return read(attributes, children, **options).articulations[0].links[1]      # type: ignore[arg-type]


def collider(kind: str, name: str = "shape", schemas: tuple[str, ...] = (), **attributes: object) -> str:
    own = {key.replace("_", " ", 1).replace("__", ":"): value for key, value in attributes.items() if key != "at"}
    at = attributes.get("at", {})
    return prim(kind, name, ("PhysicsCollisionAPI", *schemas), {**own, **at})      # type: ignore[dict-item]


def cube(**options: object) -> str:
    return collider("Cube", double_size=1.0, **options)


def diagonal(link: Link) -> list[float]:
    return [link.inertia[i][i] for i in range(3)]


def test_box_has_the_density_of_water() -> None:
    found = body({}, cube(at=placed((0.1, 0.2, 0.3), (1, 2, 3))))
    assert found.mass == pytest.approx(6000)
    assert found.center_of_mass == pytest.approx((0.1, 0.2, 0.3))
    assert diagonal(found) == pytest.approx([6000 * 13 / 12, 6000 * 10 / 12, 6000 * 5 / 12])


@pytest.mark.parametrize(("kind", "mass", "across", "along"), [
    ("Cylinder", 785.398, 114.537, 98.175), ("Capsule", 1308.997, 395.97, 150.53),
])
def test_solids_of_revolution_are_exact(kind: str, mass: float, across: float, along: float) -> None:
    found = body({}, collider(kind, double_radius=0.5, double_height=1.0))
    assert found.mass == pytest.approx(mass, rel=1e-5)
    assert diagonal(found) == pytest.approx([across, across, along], rel=1e-4)


def test_cone_is_physx_cone_within_its_hull() -> None:
    found = body({}, collider("Cone", double_radius=0.5, double_height=1.0, at=placed((0.1, 0.2, 0.3))))
    assert found.mass == pytest.approx(261.73544, rel=1e-3)
    assert found.center_of_mass == pytest.approx((0.1, 0.2, 0.05018311), abs=1e-3)
    assert diagonal(found) == pytest.approx([35.962814, 35.962822, 19.618973], rel=2e-3)


def test_sphere_takes_its_largest_scale() -> None:
    shape = collider("Sphere", double_radius=0.5, at=placed((0, 0, 0), (1, 2, 3)))
    assert body({}, shape).mass == pytest.approx(14137.167)


def test_mass_of_the_body_scales_the_inertia_of_its_colliders() -> None:
    alone, heavy = body({}, cube()), body({"float physics:mass": 500.0}, cube())
    np.testing.assert_allclose(heavy.inertia, np.array(alone.inertia) / 2)


def test_densities_of_body_and_collider_add_up() -> None:
    small = collider("Sphere", "s", ("PhysicsMassAPI",), double_radius=0.3, float_physics__density=100.0)
    assert body({"float physics:density": 500.0}, cube() + small).mass == pytest.approx(511.30972)


def test_mass_of_a_collider_replaces_its_density() -> None:
    box = cube(schemas=("PhysicsMassAPI",), float_physics__mass=3.0)
    assert body({}, box + collider("Sphere", "s", double_radius=0.3)).mass == pytest.approx(116.09735)


def test_density_of_a_bound_material_counts() -> None:
    material = prim("Material", "steel", ("PhysicsMaterialAPI",), {"float physics:density": 7800.0})
    bound = prim("Cube", "shape", ("PhysicsCollisionAPI", "MaterialBindingAPI"),
                 {"double size": 1.0, "rel material:binding:physics": "</Robot/steel>"})
    text = robot(base(), material, prim("Xform", "a", MASS_API, {}, bound), joint("Revolute", "j", "base", "a"))
    assert describe(opened(text)).articulations[0].links[1].mass == pytest.approx(7800)


def test_collider_with_collisions_off_weighs_the_same() -> None:
    assert body({}, cube(bool_physics__collisionEnabled=False)).mass == pytest.approx(1000)


def test_moved_centre_of_mass_grows_the_inertia() -> None:
    found = body({"point3f physics:centerOfMass": (0.5, 0.1, 0)}, cube())
    own = 1000 / 6
    assert diagonal(found) == pytest.approx([own + 10, own + 250, own + 260])


def test_mass_without_collider_is_a_sphere_of_ten_centimetres() -> None:
    assert diagonal(body({"float physics:mass": 2.0})) == pytest.approx([0.008] * 3)
    assert diagonal(body({"float physics:mass": 2.0}, meters=0.01)) == pytest.approx([80.0] * 3)


def test_neither_mass_nor_collider_weighs_one_with_a_warning() -> None:
    description = read({})
    assert description.articulations[0].links[1].mass == 1.0
    assert [(problem.code, problem.path) for problem in description.problems] == [("body/no-mass", "/Robot/a")]


def test_mass_without_its_api_is_not_read() -> None:
    assert body({"float physics:mass": 5.0}, schemas=("PhysicsRigidBodyAPI",)).mass == 1.0


def test_principal_axes_turn_the_inertia() -> None:
    found = body({"float physics:mass": 2.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0),
                  "quatf physics:principalAxes": TILT})
    np.testing.assert_allclose(found.inertia, [[2, 0, 1], [0, 2, 0], [1, 0, 2]], atol=1e-6)


def test_authored_moments_take_the_axes_of_the_colliders() -> None:
    shape = cube(at=placed((0, 0, 0), (1, 2, 3), SLIGHT))
    found = body({"float3 physics:diagonalInertia": (1.0, 2.0, 3.0)}, shape).inertia
    off = np.sqrt(3) / 2        # R diag(1, 2, 3) R^T for 30 degrees about y
    np.testing.assert_allclose(found, [[1.5, 0, off], [0, 2, 0], [off, 0, 2.5]], atol=1e-6)


def test_moment_of_zero_makes_all_moments_one() -> None:
    description = read({"float physics:mass": 2.0, "float3 physics:diagonalInertia": (0.0, 2.0, 3.0)})
    assert diagonal(description.articulations[0].links[1]) == [1.0, 1.0, 1.0]
    assert [problem.code for problem in description.problems] == ["body/zero-inertia"]


def test_scale_of_the_body_moves_its_colliders_and_its_centre() -> None:
    found = body({"float physics:mass": 2.0, **placed((0, 0, 0), (2, 2, 2))}, cube(at=placed((0.1, 0.2, 0.3))))
    assert found.center_of_mass == pytest.approx((0.2, 0.4, 0.6))


def test_body_may_be_its_own_collider() -> None:
    attributes = {"double size": 1.0, **placed((0, 0, 0), (1, 2, 3))}
    found = body(attributes, schemas=(*MASS_API, "PhysicsCollisionAPI"), kind="Cube")
    assert found.mass == pytest.approx(6000)


@pytest.mark.parametrize(("meters", "kilograms", "mass"), [(0.01, 1.0, 1e-3), (0.01, 0.001, 1.0)])
def test_density_of_water_follows_the_units(meters: float, kilograms: float, mass: float) -> None:
    assert body({}, cube(), meters=meters, kilograms=kilograms).mass == pytest.approx(mass)


def test_mesh_without_points_is_reported_as_no_shape() -> None:
    description = read({"float physics:mass": 1.0}, collider("Mesh"))
    found = [(problem.code, problem.path) for problem in description.problems]
    assert found == [("collider/no-shape", "/Robot/a/shape")]


@pytest.mark.parametrize(("kind", "axis", "center"), [
    ("Cube", "X", (0.1, 0.4, 0.9)), ("Capsule", "X", (0.1, 0.4, 0.9)), ("Capsule", "Y", (-0.4, -0.1, -0.9)),
    ("Capsule", "Z", (-0.9, -0.4, -0.1)), ("Cylinder", "Y", (-0.4, 0.1, 0.9)), ("Cylinder", "Z", (-0.9, 0.4, 0.1)),
    ("Cone", "Y", (-0.4, 0.1, 0.9)), ("Cone", "Z", (-0.9, 0.4, 0.1))])
def test_centre_of_mass_of_a_collider_counts_along_the_axes_of_physx_shape(
        kind: str, axis: str, center: tuple[float, float, float]) -> None:
    """As PhysX reports it; scales are those of the prim's own axes."""
    values = {**placed((0, 0, 0), (1, 2, 3)), "point3f physics:centerOfMass": (0.1, 0.2, 0.3)}
    if kind != "Cube":
        values["uniform token axis"] = axis
    shape = prim(kind, "s", ("PhysicsCollisionAPI", "PhysicsMassAPI"), values)
    (found,) = describe(opened(HEAD.format(meters=1.0, kilograms=1.0) + prim(
        "Xform", "b", ("PhysicsRigidBodyAPI",), {}, shape))).bodies
    assert found.center_of_mass == pytest.approx(center, rel=1e-6)


def test_moments_of_a_collider_count_along_the_axes_of_physx_shape() -> None:
    """PhysX: moments of 1, 2, 3 on a capsule along its Z, the default, are 3, 2, 1 of the body."""
    shape = prim("Capsule", "s", ("PhysicsCollisionAPI", "PhysicsMassAPI"), {
        "float physics:mass": 1.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0)})
    (found,) = describe(opened(HEAD.format(meters=1.0, kilograms=1.0) + prim(
        "Xform", "b", ("PhysicsRigidBodyAPI",), {}, shape))).bodies
    assert [row[i] for i, row in enumerate(found.inertia)] == [3.0, 2.0, 1.0]


def test_centre_of_mass_of_a_sheared_body_takes_the_lengths_of_its_axes_made_orthogonal() -> None:
    """PhysX: 1, 1, 1 below scales of 1, 1, 4 above a turn of 45 degrees about x is at 1, 2.9154763, 1.3719885."""
    body = prim("Xform", "b", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {
        **placed((0, 0, 0), (1, 1, 1), (0.9238795, 0.3826834, 0, 0)), "float physics:mass": 1.0,
        "point3f physics:centerOfMass": (1, 1, 1)})
    (found,) = describe(opened(HEAD.format(meters=1.0, kilograms=1.0) + prim(
        "Xform", "f", (), placed((0, 0, 0), (1, 1, 4)), body))).bodies
    assert found.center_of_mass == pytest.approx((1.0, 2.9154763, 1.3719885), rel=1e-6)
