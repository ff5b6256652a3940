"""Materials, collision groups and filtered pairs as facts, and what of them points nowhere.

Prims whose contacts PhysX reports are facts, with the thresholds that it works with.
"""

from __future__ import annotations

import pytest
from support.stages.robots import base, described, joint, link, opened, prim, robot

from physx_schema.description import CollisionGroup, Description, FilteredPair, PhysicsMaterial, describe
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.model import ContactReport

CUBE = prim("Cube", "shape", ("PhysicsCollisionAPI",))


def read(*outside: str) -> Description:
    return describe(opened(robot(base(), link("a", children=CUBE), link("b", children=CUBE), outside="".join(outside))))


def group(name: str, includes: str = "", **more: object) -> str:
    own = {key.replace("__", " ").replace("_", ":", 1): value for key, value in more.items()}
    members = {"rel collection:colliders:includes": includes} if includes else {}
    return prim("PhysicsCollisionGroup", name, ("CollectionAPI:colliders",), {**members, **own})


def codes(description: Description) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in description.problems]


def test_group_holds_the_colliders_below_its_targets() -> None:
    found = read(group("hands", "</Robot/a>"), group("feet", "</Robot/b>", rel__physics_filteredGroups="</hands>"))
    assert found.collision_groups == (
        CollisionGroup("/feet", ("/Robot/b/shape",), ("/hands",), False, ""),
        CollisionGroup("/hands", ("/Robot/a/shape",), (), False, ""),
    )


def test_collider_names_its_group() -> None:
    found = read(group("hands", "</Robot/a>"))
    colliders = [collider for body in found.bodies for collider in body.colliders]
    assert {collider.path: collider.group for collider in colliders} == {
        "/Robot/a/shape": "/hands", "/Robot/b/shape": ""}


def test_excluded_colliders_are_no_members() -> None:
    text = group("all", "</Robot>", rel__collection_colliders="").replace("collection:colliders = \"\"", "")
    text = text.replace("rel collection:colliders:includes", "rel collection:colliders:excludes = </Robot/b>\n"
                        "rel collection:colliders:includes").replace("rel \n", "")
    assert read(text).collision_groups[0].colliders == ("/Robot/a/shape",)


def test_collider_in_two_groups_stays_in_the_first() -> None:
    found = read(group("one", "</Robot/a>"), group("two", "</Robot/a>"))
    assert found.bodies[0].colliders[0].group == "/one"
    assert codes(found) == [("group/several", "/Robot/a/shape")]


def test_filter_of_a_missing_group_is_a_problem() -> None:
    found = read(group("one", "</Robot/a>", rel__physics_filteredGroups="</none>"))
    assert found.collision_groups[0].filtered_groups == ()
    assert codes(found) == [("group/missing-group", "/one")]


def test_missing_member_is_a_problem() -> None:
    assert codes(read(group("one", "</Robot/none>"))) == [("group/missing-member", "/one")]


def test_what_physx_does_not_read_of_a_group_is_unused() -> None:
    found = read(group("one", "</Robot/a>", string__physics_mergeGroup="x", bool__physics_invertFilteredGroups=True))
    assert (found.collision_groups[0].merge_group, found.collision_groups[0].invert) == ("x", True)
    assert {(item.path, item.property) for item in found.unused} == {
        ("/one", "physics:mergeGroup"), ("/one", "physics:invertFilteredGroups")}


def pairs(target: str) -> str:
    return prim("Cube", "ground", ("PhysicsCollisionAPI", "PhysicsFilteredPairsAPI"),
                {"rel physics:filteredPairs": target})


def test_filtered_pairs_are_facts() -> None:
    assert read(pairs("</Robot/a>")).filtered_pairs == (FilteredPair("/ground", "/Robot/a"),)


def test_filtered_pair_with_nothing_is_a_problem() -> None:
    found = read(pairs("</Robot/none>"))
    assert found.filtered_pairs == ()
    assert codes(found) == [("pair/missing-target", "/ground")]


def test_material_holds_combine_modes_and_compliance() -> None:
    text = prim("Material", "rubber", ("PhysicsMaterialAPI", "PhysxMaterialAPI"), {
        "float physics:staticFriction": 0.75, "float physics:density": 3.0,
        "uniform token physxMaterial:frictionCombineMode": "max",
        "uniform token physxMaterial:restitutionCombineMode": "multiply",
        "float physxMaterial:compliantContactStiffness": 100.0, "float physxMaterial:compliantContactDamping": 2.0,
        "bool physxMaterial:compliantContactAccelerationSpring": True})
    assert read(text).materials == (
        PhysicsMaterial("/rubber", 0.75, 0.0, 0.0, 3.0, "max", "multiply", "average", 100.0, 2.0, True),)


def test_unknown_combine_mode_counts_as_average() -> None:
    text = prim("Material", "rubber", ("PhysicsMaterialAPI", "PhysxMaterialAPI"),
                {"uniform token physxMaterial:frictionCombineMode": "most"})
    found = read(text)
    assert found.materials[0].friction_combine == "average"
    assert codes(found) == [("material/combine-mode", "/rubber")]


def test_material_that_physx_refuses_becomes_its_default() -> None:
    text = prim("Material", "ice", ("PhysicsMaterialAPI",), {"float physics:staticFriction": -1.0,
                                                             "float physics:restitution": 0.5})
    found = read(text)
    assert (found.materials[0].static_friction, found.materials[0].restitution) == (0.5, 0.0)
    assert codes(found) == [("material/refused", "/ice")]


STILL = prim("Xform", "still", (), {}, CUBE)


@pytest.mark.parametrize(("named", "met"), [("", True), ("</still>", True), ("</still/shape>", False)])
def test_a_body_held_by_a_joint_never_meets_the_static_collider_that_the_joint_names(named: str, met: bool) -> None:
    ends = {"rel physics:body1": "</free>", **({"rel physics:body0": named} if named else {})}
    found = read(prim("Xform", "free", ("PhysicsRigidBodyAPI",), {}, CUBE), STILL,
                 prim("PhysicsPrismaticJoint", "slide", (), ends))
    sides = CollisionFilter(found)
    own, other = ([side.collider.path for side in sides.shapes].index(path) for path in ("/free/shape", "/still/shape"))
    assert sides.can_collide(own, other) == met


# --- contact reports -------------------------------------------------------------------------------------------------

REPORT = ("PhysxContactReportAPI",)
BODY = ("PhysicsRigidBodyAPI", *REPORT)
FORCE = "float physxContactReport:threshold"
PAIRS = "rel physxContactReport:reportPairs"


def test_an_articulation_a_body_and_a_static_collider_report() -> None:
    stage = described(robot(
        link("a"), link("b"), joint("Revolute", "j", "a", "b"), schemas=("PhysicsArticulationRootAPI", *REPORT),
        outside=prim("Cube", "ground", ("PhysicsCollisionAPI", *REPORT), {FORCE: 2.5})
        + prim("Xform", "box", BODY, {FORCE: 0.0, PAIRS: "</ground>"}, prim("Cube", "shape"))))
    assert set(stage.contact_reports) == {
        ContactReport("/Robot", 1.0, None), ContactReport("/ground", 2.5, None),
        ContactReport("/box", 0.0, ("/ground",))}
    assert not [item for item in stage.unused if "ontactReport" in item.property + item.schema]


def test_a_relationship_without_targets_reports_nothing_and_none_reports_everything() -> None:
    stage = described("#usda 1.0\n" + prim("Xform", "box", BODY, {PAIRS: "</a>"}).replace("</a>", "[]"))
    assert stage.contact_reports == (ContactReport("/box", 100.0, ()),)


def test_on_a_collider_of_a_body_it_counts_where_the_body_reports() -> None:
    for schemas, unused in ((BODY, False), (BODY[:1], True)):
        shape = prim("Cube", "shape", ("PhysicsCollisionAPI", *REPORT))
        stage = described("#usda 1.0\n" + prim("Xform", "box", schemas, {}, shape))
        assert [report.path for report in stage.contact_reports] == ([] if unused else ["/box"])
        assert ("/box/shape" in {item.path for item in stage.unused}) == unused
