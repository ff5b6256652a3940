"""Prims whose contacts PhysX reports are facts, with the thresholds that it works with."""

from __future__ import annotations

from support.stages.robots import described, joint, link, prim, robot

from physx_schema.description.model import ContactReport

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
