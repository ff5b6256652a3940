"""Findings about contact settings come where PhysX was seen to heed nothing, and nowhere else.

The numbers are from experiments/measure_contact_settings.py and record_contact_answers.py.
"""

from __future__ import annotations

import pytest
from support.recorded.link_poses import CASES
from support.stages.robots import opened, prim, robot

from physx_schema.checking import check
from physx_schema.description import describe

MATERIAL = ("PhysicsMaterialAPI", "PhysxMaterialAPI")
BINDING = {"rel material:binding:physics": "</rubber>"}
HEAD = "#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = \"Z\"\n)\n"


def codes(text: str) -> set[str]:
    """Of contact settings alone."""
    found = {item.code for item in check(opened(text)).findings}
    return {code for code in found if code.startswith(("material/", "report/", "collider/"))}


def rubber(attributes: dict[str, object], *, bound: bool = True) -> str:
    """A material, and a static cube that may have it."""
    return HEAD + prim("Material", "rubber", MATERIAL, attributes) + prim(
        "Cube", "ground", ("PhysicsCollisionAPI", "MaterialBindingAPI"), BINDING if bound else {})


@pytest.mark.parametrize(("static", "dynamic", "told"), [
    (0.1, 0.3, True), (0.3, 0.3, False), (0.3, 0.1, False), (None, 0.3, False)])
def test_static_friction_below_the_dynamic_one_is_told_where_it_is_authored(
    static: float | None, dynamic: float, told: bool,
) -> None:
    authored = {} if static is None else {"float physics:staticFriction": static}
    found = codes(rubber({**authored, "float physics:dynamicFriction": dynamic}))
    assert found == ({"material/static-friction"} if told else set())


@pytest.mark.parametrize(("stiffness", "damping", "restitution", "expected"), [
    (0.0, 100.0, 0.0, {"material/idle-damping"}), (1000.0, 100.0, 0.0, set()), (1000.0, 0.0, 0.0, set()),
    (1000.0, 0.0, 0.9, {"material/idle-restitution"}), (0.0, 0.0, 0.9, set())])
def test_springs_of_contacts_heed_damping_and_rigid_contacts_restitution(
    stiffness: float, damping: float, restitution: float, expected: set[str],
) -> None:
    assert codes(rubber({"float physxMaterial:compliantContactStiffness": stiffness,
                         "float physxMaterial:compliantContactDamping": damping,
                         "float physics:restitution": restitution})) == expected


def test_a_material_is_unbound_where_colliders_have_others_or_none() -> None:
    assert codes(rubber({}, bound=False)) == {"material/unbound"}
    assert codes(rubber({})) == set()
    assert codes(HEAD + prim("Material", "rubber", MATERIAL)) == set()      # a library of materials
    of_scene = prim("PhysicsScene", "scene", ("MaterialBindingAPI",), BINDING)
    assert codes(rubber({}, bound=False) + of_scene) == set()


def test_a_material_of_a_link_s_collider_is_bound() -> None:
    link = prim("Xform", "a", ("PhysicsRigidBodyAPI",), {}, prim(
        "Cube", "shape", ("PhysicsCollisionAPI", "MaterialBindingAPI"), BINDING))
    assert "material/unbound" not in codes(robot(link, outside=prim("Material", "rubber", MATERIAL)))


def test_a_material_on_a_collider_or_a_body_is_reported_where_nothing_is_bound_to_it() -> None:
    slick: dict[str, object] = {"float physics:dynamicFriction": 0.1}
    on_collider = HEAD + prim("Cube", "ground", ("PhysicsCollisionAPI", "PhysicsMaterialAPI"), slick)
    assert codes(on_collider) == {"material/on-collider"}
    assert codes(on_collider.replace("float", "rel material:binding:physics = </ground>\nfloat")) == set()
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI",))
    on_body = prim("Xform", "body", ("PhysicsRigidBodyAPI", "PhysicsMaterialAPI"), slick, shape)
    assert codes(HEAD + on_body) == {"material/on-collider"}


@pytest.mark.parametrize("schemas", [(), ("PhysxMaterialAPI",)])
def test_friction_on_a_collider_is_to_be_authored_on_a_bound_material(schemas: tuple[str, ...]) -> None:
    name = "float physxMaterial:compliantContactStiffness" if schemas else "float physics:dynamicFriction"
    text = HEAD + prim("Cube", "ground", ("PhysicsCollisionAPI", *schemas), {name: 0.1})
    found = [item for item in check(opened(text)).findings if item.code.startswith("unused/")]
    bind = "bind the colliders to that Material with material:binding:physics"
    assert found and all(bind in item.fix for item in found)
    assert all(item.severity == "warning" and item.repair is None for item in found)


@pytest.mark.parametrize(("approximation", "kind"), [("none", "triangle-mesh"), ("convexHull", "convex-hull")])
def test_a_trigger_of_triangles_is_a_collider(approximation: str, kind: str) -> None:
    text = HEAD + prim("Mesh", "pit", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxTriggerAPI"), {
        "uniform token physics:approximation": approximation}).replace("\n{\n", """
{
    point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    int[] faceVertexCounts = [3, 3, 3, 3]
    int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]
""", 1)
    (pit,) = describe(opened(text)).static_colliders
    assert (pit.kind, pit.trigger) == (kind, kind == "convex-hull")
    assert codes(text) == ({"collider/trigger-mesh"} if kind == "triangle-mesh" else set())


@pytest.mark.parametrize("name", CASES)
def test_who_reports_with_nobody_is_told_where_physx_reported_nothing(name: str) -> None:
    told = codes(CASES[name]["stage"])
    assert ("report/partner" in told) == (name in ("pairs: nothing there", "pairs: a collider", "a cube on a link"))
    assert ("report/threshold" in told) == (name == "weighs 50, threshold 1, centimetres")


@pytest.mark.parametrize("lines", [{"bool physics:collisionEnabled": False}, {"float physxTrigger:x": 0}])
def test_a_material_of_what_does_not_collide_acts_nowhere(lines: dict[str, object]) -> None:
    schemas = ("PhysicsCollisionAPI", "MaterialBindingAPI", *(() if "bool physics:collisionEnabled" in lines
                                                            else ("PhysxTriggerAPI",)))
    text = HEAD + prim("Material", "rubber", MATERIAL, {}) + prim("Cube", "zone", schemas, {**BINDING, **lines})
    assert "material/unbound" in codes(text)


@pytest.mark.parametrize(("threshold", "told"), [(0.2, False), (0.9, False), (1.1, True), (3.0, True)])
def test_a_bounce_threshold_is_told_where_a_drop_of_five_centimetres_does_not_reach_it(threshold: float,
                                                                                       told: bool) -> None:
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"float physxScene:bounceThreshold": threshold})
    for restitution in (0.5, 0.0):
        text = rubber({"float physics:restitution": restitution}) + scene
        found = {item.code for item in check(opened(text)).findings}
        assert ("scene/bounce-threshold" in found) == (told and restitution > 0.0)


@pytest.mark.parametrize(("speed", "of_body", "of_scene", "told"), [
    (6.0, None, None, False), (8.0, None, None, True), (33.0, True, None, True), (33.0, True, False, True),
    (33.0, None, True, True), (33.0, True, True, False)])
def test_a_body_is_told_that_goes_further_in_a_step_than_it_is_thick_and_is_not_swept(
    speed: float, of_body: bool | None, of_scene: bool | None, told: bool,
) -> None:
    ball = prim("Sphere", "ball", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxRigidBodyAPI"), {
        "double radius": 0.05, "vector3f physics:velocity": (speed, 0.0, 0.0),
        **({} if of_body is None else {"bool physxRigidBody:enableCCD": of_body})})
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",),
                 {} if of_scene is None else {"bool physxScene:enableCCD": of_scene})
    assert ("body/tunnelling" in {item.code for item in check(opened(HEAD + ball + scene)).findings}) == told


def test_a_body_is_swept_by_the_scene_that_owns_it() -> None:
    ball = prim("Sphere", "ball", ("PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysxRigidBodyAPI"), {
        "double radius": 0.05, "vector3f physics:velocity": (33.0, 0.0, 0.0), "rel physics:simulationOwner": "</still>",
        "bool physxRigidBody:enableCCD": True})
    scenes = "".join(prim("PhysicsScene", name, ("PhysxSceneAPI",), {"bool physxScene:enableCCD": on})
                     for name, on in (("sweeping", True), ("still", False)))
    assert "body/tunnelling" in {item.code for item in check(opened(HEAD + ball + scenes)).findings}
