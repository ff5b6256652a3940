"""Contact is named by every door where it is left out and colliders can meet, by the filters that PhysX goes by.

The filters are as measured by experiments/measure_meeting.py.
"""

from __future__ import annotations

import warnings

import pytest
from physx_runtime import NotSimulatedWarning, Scene, Session, Simulation, simulate
from support.stages.meshes import box, mesh_prim
from support.stages.robots import joint, link, opened, prim, robot
from support.stages.sliding_robots import BOND, CRATE, CUBE, GROUND, PATH, TWO_LINKS, said, sliding

ROOT = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
CALM = "bool physxArticulation:enabledSelfCollisions"


def with_root(schemas: tuple[str, ...], attributes: dict[str, object]) -> str:
    """A robot with cubes on its base and end, which are no neighbours, and opinions at its root."""
    text = robot(link("base", children=CUBE), joint("Fixed", "anchor", "", "base"), link("tip", (1, 0, 0)),
                 link("end", (2, 0, 0), children=CUBE), *TWO_LINKS, schemas=schemas)
    own = "".join(f"{name} = {int(bool(value))}\n" for name, value in attributes.items())
    return text.replace('def Xform "base"', own + 'def Xform "base"', 1)


@pytest.mark.parametrize(("schemas", "attributes", "touches"), [
    (ROOT[:1], {}, True), (ROOT, {}, True), (ROOT, {CALM: True}, True), (ROOT, {CALM: False}, False),
    (ROOT[:1], {CALM: False}, True),
    ((ROOT[0], "NewtonArticulationRootAPI"), {"bool newton:selfCollisionEnabled": False}, False),
    ((*ROOT, "NewtonArticulationRootAPI"), {"bool newton:selfCollisionEnabled": False}, True),
])
def test_links_that_are_no_neighbours_touch_unless_self_collision_is_off(
        schemas: tuple[str, ...], attributes: dict[str, object], touches: bool) -> None:
    assert said(with_root(schemas, attributes)) == ([("contact", "/Robot/base/shape")] if touches else [])


@pytest.mark.parametrize(("stage", "touches"), [
    (sliding(of_tip=CUBE, of_end=CUBE), False),
    (sliding(of_tip=CUBE), False),
    (sliding(of_tip=CUBE, outside=GROUND), True),
    (sliding(outside=GROUND), False),
    (sliding(base_link=link("base", children=CUBE) + joint("Fixed", "anchor", "", "base"), outside=GROUND), False),
    (sliding(of_tip=CUBE, outside=GROUND.replace("{\n", "{\nbool physics:collisionEnabled = 0\n", 1)), False),
    (sliding(of_tip=CUBE, outside=CRATE), True),
    (sliding(of_tip=CUBE, outside=CRATE + BOND), False),
], ids=["neighbours", "alone", "ground", "no-collider", "fixed-base", "disabled", "body", "joined"])
def test_contact_is_named_where_colliders_can_meet(stage: str, touches: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        sim = Simulation(opened(stage), articulation="/Robot", **PATH)
    assert any(item.code == "contact" for item in sim.not_simulated) == touches


@pytest.mark.parametrize("target", ["</Robot/tip>", "</Robot/tip/shape>", "</Robot>"])
def test_filtered_pairs_do_not_meet(target: str) -> None:
    ground = prim("Plane", "ground", ("PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"), {
        "uniform token axis": "Z", "rel physics:filteredPairs": target})
    assert said(sliding(of_tip=CUBE, outside=ground)) == []


@pytest.mark.parametrize(("filtered", "inverted", "touches"), [
    ("", False, True), ("</others>", False, False), ("", True, False), ("</others>", True, True)])
def test_collision_groups_that_are_filtered_do_not_meet(filtered: str, inverted: bool, touches: bool) -> None:
    def group(name: str, member: str, more: dict[str, object]) -> str:
        return prim("PhysicsCollisionGroup", name, ("CollectionAPI:colliders",), {
            "rel collection:colliders:includes": member, **more})

    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"bool physxScene:invertCollisionGroupFilter": inverted})
    groups = group("own", "</Robot>", {"rel physics:filteredGroups": filtered} if filtered else {}) + group(
        "others", "</ground>", {})
    assert bool(said(sliding(of_tip=CUBE, outside=GROUND + scene + groups))) == touches


def test_contact_of_many_colliders_is_one_line() -> None:
    cubes = "".join(prim("Cube", f"cube{i}", ("PhysicsCollisionAPI",), {"double size": 0.1}) for i in range(20))
    assert said(sliding(of_tip=cubes, outside=GROUND)) == [("contact", "/Robot/tip/cube0")]
    fields = "".join(mesh_prim(box(0.1, 0.1, 0.1), "sdf", name=f"field{i}") for i in range(20))
    with Session(opened(sliding(of_tip=fields, of_end=fields, outside=GROUND))) as session:
        assert sum(m.code == "session/contact" for m in session.messages) == 1


LAST = "bool physxScene:solveArticulationContactLast"


@pytest.mark.parametrize(("outside", "value", "fastest", "named"), [
    ("", True, 1.0, True), ("", False, 1.0, False), ("", True, None, False), (GROUND, True, 1.0, False)],
    ids=["asked", "not-asked", "without-a-limit", "stepped-with-contacts"])
def test_speeds_that_are_to_be_limited_last_are_named_of_a_robot_alone(
        outside: str, value: bool, fastest: float | None, named: bool) -> None:
    name = LAST.partition(" ")[2]
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {LAST: value})
    limit = () if fastest is None else (joint("Revolute", "slow", "end", "last", ("PhysxJointAxisAPI:angular",), {
        "float physxJointAxis:angular:maxJointVelocity": fastest}), link("last", (2, 0, 0)))
    stage = opened(sliding(*limit, of_tip=CUBE, outside=outside + scene))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotSimulatedWarning)
        found = Scene(stage).not_simulated
    assert [(item.path, item.property) for item in found] == ([("/scene", name)] if named else [])
    with Session(stage) as session:
        assert sum(m.property == name and m.kind == "not-simulated" for m in session.messages) == named


def test_of_links_that_touch_nothing_is_left_out() -> None:
    stage = opened(sliding(of_tip=CUBE, outside=GROUND))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Scene(stage).not_simulated == ()
    with Session(stage) as session:
        assert [m for m in session.messages if m.kind == "not-simulated"] == []


def test_a_free_body_alone_is_said_to_touch_nothing() -> None:
    ball = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), {}, CUBE)
    with pytest.warns(NotSimulatedWarning, match=r"/ball/shape\.physics:collisionEnabled: not simulated: contact, as "
                                                 "with /ground; colliders pass through each other"):
        simulate(opened("#usda 1.0\n" + ball + GROUND), steps=1, articulation="/ball")


def test_of_bodies_that_touch_nothing_is_left_out() -> None:
    ball = prim("Xform", "ball", ("PhysicsRigidBodyAPI",), {}, CUBE)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Scene(opened("#usda 1.0\n" + ball + GROUND)).not_simulated == ()
