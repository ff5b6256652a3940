"""Masses and colliders as PhysX reported them for the stages of collision_stages (recorded in tests/data/collision).

Colliders and masses against real PhysX: the recorded numbers, and meshes by chance (run by `make sweep`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.physx.bodies import Measured, measured_bodies
from support.physx.recorded_quantities import RECORDED, agrees
from support.stages.collision_stages import STAGES, stage
from support.stages.meshes import Mesh, mesh_prim, single
from support.stages.robots import base, joint, opened, placed, prim, robot

from physx_schema.description import Collider, Description, Link, PhysicsMaterial, describe

RELATIVE = 1e-6         # single floats inside PhysX
BOX = 5e-6              # of boxes around meshes: sides from rotated corners, three of them multiplied
CUT = 1e-4              # hulls of more than 64 corners: between equal planes rounding decides which cuts first
CUT_HULLS = ("cylinder48", "cylinder64", "turned_cylinder", "cone64", "turned_torus")
DEFAULT = PhysicsMaterial("", 0.5, 0.5, 0.0, 0.0, "average", "average", "average", 0.0, 0.0, False)


@cache
def described(stage: str) -> Description:
    return describe(opened(STAGES[stage]))


def bodies(stage: str) -> dict[str, Link]:
    return {body.path.rpartition("/")[2]: body for body in described(stage).bodies}


def cases() -> list[tuple[str, str]]:
    return [(stage, path.rpartition("/")[2]) for stage, found in RECORDED.items() for path in found]


@pytest.mark.parametrize(("stage", "name"), cases())
def test_mass_properties_are_those_that_physx_reported(stage: str, name: str) -> None:
    tolerance = CUT if name in CUT_HULLS else BOX if stage == "bounds" else RELATIVE
    agrees(bodies(stage)[name], RECORDED[stage][f"/World/{name}"], tolerance)


def materials(stage: str, colliders: tuple[Collider, ...]) -> list[PhysicsMaterial]:
    known = {material.path: material for material in described(stage).materials}
    return [known.get(collider.material, DEFAULT) for collider in colliders]


@pytest.mark.parametrize(("stage", "name"), cases())
def test_shapes_are_as_many_as_physx_made(stage: str, name: str) -> None:
    assert len(bodies(stage)[name].colliders) == RECORDED[stage][f"/World/{name}"]["shapeCount"][0]


@pytest.mark.parametrize(("stage", "name"), cases())
def test_friction_and_restitution_are_those_of_physx(stage: str, name: str) -> None:
    found = RECORDED[stage][f"/World/{name}"]
    made = materials(stage, bodies(stage)[name].colliders)
    for column, values in (
        ("staticFriction", [item.static_friction for item in made]),
        ("dynamicFriction", [item.dynamic_friction for item in made]),
        ("restitution", [-item.compliant_stiffness or item.restitution for item in made]),
    ):
        np.testing.assert_allclose(sorted(values), sorted(found[column][:len(made)]), RELATIVE, err_msg=column)


@pytest.mark.parametrize(("stage", "name"), cases())
def test_contact_and_rest_offsets_are_those_of_physx(stage: str, name: str) -> None:
    found, made = RECORDED[stage][f"/World/{name}"], bodies(stage)[name].colliders
    rests = sorted(item.rest_offset for item in made)
    np.testing.assert_allclose(rests, sorted(found["restOffset"][:len(made)]), RELATIVE)
    contacts = [item.contact_offset for item in made]
    if None not in contacts:
        np.testing.assert_allclose(sorted(contacts), sorted(found["contactOffset"][:len(made)]), 2e-6)


def test_bodies_with_mesh_colliders_have_a_mass() -> None:
    unweighed = {problem.path for problem in described("meshes").problems if problem.code == "body/no-mass"}
    assert unweighed == {"/World/without_faces"}


def shape(kind: str, *schemas: str, **more: object) -> str:
    return prim(kind, "shape", ("PhysicsCollisionAPI", *schemas), more.get("values", {}))      # type: ignore[arg-type]


def collider(text: str, **transform: object) -> Collider:
    """The collider of a link made of one shape."""
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), transform.get("at", {}), text)     # type: ignore[arg-type]
    found = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a")))).articulations[0].links[1]
    return found.colliders[0]


def test_sizes_hold_the_world_scale() -> None:
    found = collider(shape("Cylinder", values={"double radius": 0.5, "double height": 1.0, "uniform token axis": "X",
                                               **placed((1, 0, 0), (2, 1, 3))}), at=placed((5, 0, 0), (2, 2, 2)))
    assert (found.kind, found.axis, found.radius, found.half_height) == ("cylinder", 0, 3.0, 2.0)
    assert found.pose[0] == (2.0, 0.0, 0.0)


def test_box_has_half_extents() -> None:
    found = collider(shape("Cube", values={"double size": 1.0, **placed((0, 0, 0), (1, -2, 3))}))
    assert (found.kind, found.half_extents) == ("box", (0.5, 1.0, 1.5))


def test_mesh_that_moves_by_forces_falls_back_to_its_hull() -> None:
    mesh = shape("Mesh", values={"point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
                                 "int[] faceVertexCounts": [3], "int[] faceVertexIndices": [0, 1, 2]})
    assert collider(mesh).kind == "convex-hull"
    ground = describe(opened(robot(base(), outside=mesh.replace('"shape"', '"ground"'))))
    assert [(item.path, item.body, item.kind) for item in ground.static_colliders] == [("/ground", "", "triangle-mesh")]


def test_collider_of_a_disabled_body_is_static() -> None:
    body = prim("Xform", "wall", ("PhysicsRigidBodyAPI",), {"bool physics:rigidBodyEnabled": False,
                                                            **placed((1, 2, 3))}, shape("Cube"))
    found = describe(opened(robot(base(), body))).static_colliders
    assert [(item.path, item.body, item.pose[0]) for item in found] == [("/Robot/wall/shape", "", (1.0, 2.0, 3.0))]


def test_collider_inside_an_instance_belongs_to_the_body_above() -> None:
    prototype = 'class Xform "proto"\n{\n' + shape("Cube", values=placed((1, 0, 0), (1, 2, 3))) + "}\n"
    instance = 'def Xform "copy" (\n    instanceable = true\n    references = </proto>\n)\n{\n' \
               '    float3 xformOp:scale = (2, 2, 2)\n    uniform token[] xformOpOrder = ["xformOp:scale"]\n}\n'
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, instance)
    link = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"), outside=prototype)))
    found = link.articulations[0].links[1]
    assert [(item.path, item.half_extents) for item in found.colliders] == [("/Robot/a/copy/shape", (2.0, 4.0, 6.0))]
    assert (found.mass, found.center_of_mass) == (pytest.approx(8 * 8 * 6000), (2.0, 0.0, 0.0))


def test_meshes_that_physx_takes_apart_are_estimated_with_a_problem() -> None:
    mesh = prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3, 3, 3, 3],
        "int[] faceVertexIndices": [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3],
        "uniform token physics:approximation": "convexDecomposition"})
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, mesh)
    description = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"))))
    assert [(problem.code, problem.path) for problem in description.problems] == [
        ("body/collider-mass", "/Robot/a/shape")]
    assert description.articulations[0].links[1].mass == pytest.approx(1000 / 6)


def test_mass_inertia_and_centre_leave_nothing_to_the_colliders() -> None:
    mesh = prim("Mesh", "shape", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"), {
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3],
        "int[] faceVertexIndices": [0, 1, 2], "uniform token physics:approximation": "sphereFill"})
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {
        "float physics:mass": 2.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0),
        "point3f physics:centerOfMass": (0, 0, 0.5)}, mesh)
    description = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"))))
    assert description.problems == ()
    assert description.articulations[0].links[1].inertia == ((1.0, 0, 0), (0, 2.0, 0), (0, 0, 3.0))


MALFORMED = {
    "size_of_text": shape("Cube", values={"string size": "big"}),
    "blocked_size": 'def Cube "shape" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n{\ndouble size = None\n}\n',
    "axis_of_nothing": shape("Cylinder", values={"uniform token axis": "W"}),
    "points_of_text": shape("Mesh", values={"string[] points": ["a"], "int[] faceVertexCounts": [3],
                                            "int[] faceVertexIndices": [0, 1, 2]}),
    "points_alone": shape("Mesh", values={"point3f[] points": [(0, 0, 0)]}),
    "negative_count": shape("Mesh", values={"point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
                                            "int[] faceVertexCounts": [-3, 3], "int[] faceVertexIndices": [0, 1, 2]}),
    "negative_index": shape("Mesh", values={"point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
                                            "int[] faceVertexCounts": [3], "int[] faceVertexIndices": [0, -1, 2]}),
    "points_in_one_place": shape("Mesh", values={"point3f[] points": [(1, 1, 1)] * 4, "int[] faceVertexCounts": [4],
                                                 "int[] faceVertexIndices": [0, 1, 2, 3]}),
    "points_without_end": shape("Mesh", values={"point3f[] points": [(1e30, 0, 0), (-1e30, 0, 0), (0, 1e30, 0)],
                                                "int[] faceVertexCounts": [3], "int[] faceVertexIndices": [0, 1, 2]}),
    "scale_of_zero": shape("Cone", values=placed((0, 0, 0), (0, 0, 0))),
    "mesh_scale_of_zero": shape("Mesh", values={
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3],
        "int[] faceVertexIndices": [0, 1, 2], **placed((0, 0, 0), (0, 1, 1))}),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_colliders_are_read_without_an_exception(name: str) -> None:
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, MALFORMED[name])
    description = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"))))
    assert [link.path for link in description.articulations[0].links] == ["/Robot/base", "/Robot/a"]


def unused(text: str) -> set[tuple[str, str]]:
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, text)
    found = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a"))))
    return {(item.property, item.reason) for item in found.unused}


def test_approximation_of_a_cube_is_unused() -> None:
    text = shape("Cube", "PhysicsMeshCollisionAPI", values={"uniform token physics:approximation": "convexHull"})
    why = "the prim is not a Mesh with PhysicsCollisionAPI"
    assert unused(text) == {("apiSchemas", f"PhysicsMeshCollisionAPI: {why}"), ("physics:approximation", why)}


def test_hull_settings_of_a_mesh_that_becomes_no_hull_are_unused() -> None:
    text = shape("Mesh", "PhysicsMeshCollisionAPI", "PhysxConvexHullCollisionAPI", values={
        "uniform token physics:approximation": "sdf", "int physxConvexHullCollision:hullVertexLimit": 16,
        "point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "int[] faceVertexCounts": [3],
        "int[] faceVertexIndices": [0, 1, 2]})
    why = "the prim is not a mesh with a convex hull"
    assert unused(text) == {("apiSchemas", f"PhysxConvexHullCollisionAPI: {why}"),
                            ("physxConvexHullCollision:hullVertexLimit", why)}


def test_merged_meshes_are_reported() -> None:
    mesh = prim("Mesh", "m", (), {"point3f[] points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
                                  "int[] faceVertexCounts": [3], "int[] faceVertexIndices": [0, 1, 2]})
    merged = prim("Xform", "shape", ("PhysicsCollisionAPI", "PhysxMeshMergeCollisionAPI"), {}, mesh)
    body = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, merged)
    problems = describe(opened(robot(base(), body, joint("Revolute", "j", "base", "a")))).problems
    assert [(problem.code, problem.path) for problem in problems] == [("collider/merged", "/Robot/a/shape")]


# --- colliders in PhysX ----------------------------------------------------------------------------------------------

COUNT = 120


@pytest.fixture(scope="module")
def measured(oracle_folder: Path) -> dict[str, Measured]:
    """What PhysX reports now about the recorded stages."""
    return dict(zip(STAGES, measured_bodies(list(STAGES.values())), strict=True))


@pytest.mark.sweep
@pytest.mark.parametrize("name", STAGES)
def test_recorded_numbers_are_what_physx_reports(measured: dict[str, Measured], name: str) -> None:
    assert measured[name].keys() == RECORDED[name].keys()
    for path, columns in RECORDED[name].items():
        for column, values in columns.items():
            now = measured[name][path][column][:len(values)]         # padded to the body with most shapes
            np.testing.assert_allclose(now, values, 1e-6, 1e-6, err_msg=f"{path} {column}")


def by_chance(seed: int) -> Mesh:
    """Points in a box, on a sphere or around a point, of any size and place, with faces that mean nothing."""
    random = np.random.default_rng(seed)
    count = int(random.integers(5, 300))
    points = random.uniform(-1, 1, (count, 3)) if seed % 3 == 0 else random.normal(size=(count, 3))
    if seed % 3 == 1:
        points /= np.linalg.norm(points, axis=1, keepdims=True)
    size = 10.0 ** random.uniform(-1, 1.5)
    points = points * size * random.uniform(0.1, 1, 3) + size * random.uniform(-1, 1, 3)
    return single(points), [(0, i, i + 1) for i in range(1, count - 1)]


@pytest.mark.sweep
def test_hulls_of_points_by_chance_weigh_as_in_physx(oracle_folder: Path) -> None:
    text = stage({f"mesh{seed}": mesh_prim(by_chance(seed)) for seed in range(COUNT)})
    found = measured_bodies([text])[0]
    bodies = {body.path: body for body in describe(opened(text)).bodies}
    assert bodies.keys() == found.keys()
    for path, columns in found.items():
        agrees(bodies[path], columns, 1e-6)
