"""One cause, one finding: what goes away with another finding is counted with it.

What a finding is said to explain is held against the stage without the cause: there it must not be found.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest
from pxr import Sdf, Usd
from support.stages.robots import base, finger, joint, link, opened, prim, robot

from physx_schema.checking import Finding, Report, check
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import Cause

DRIVE = {"float drive:angular:physics:stiffness": 5.0, "float drive:angular:physics:damping": 1.0}
SLIDE = {"float drive:linear:physics:stiffness": 5.0, "float drive:linear:physics:damping": 1.0}
AXIS = {"float physxJointAxis:angular:armature": 0.1, "float physxJointAxis:angular:maxJointVelocity": 90.0}


def report(stage: str | Usd.Stage) -> Report:
    return check(opened(stage) if isinstance(stage, str) else stage, "physx")


def causes(stage: str | Usd.Stage, code: str) -> list[CauseGroup]:
    return [cause for cause in report(stage).causes if cause.root.code == code]


def places(findings: Iterable[Finding]) -> Counter[tuple[str, str, str]]:
    return Counter((item.code, item.path, item.property) for item in findings)


def require_gone(cause: CauseGroup, repaired: str | Usd.Stage) -> None:
    """Require that what a cause explains is not found where it is repaired."""
    left = places(report(repaired).findings)
    assert not [place for place in places(cause.findings) if place in left]


# --- instances ---


def hand(name: str, instanceable: bool, fingers: int = 4, up: str = "Z") -> str:
    """Two hands that inherit one class: a palm held to the world, and driven fingers."""
    palm = prim("Xform", "palm", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {"float physics:mass": 1.0})
    anchor = prim("PhysicsFixedJoint", "anchor", (), {"rel physics:body1": f"</{name}/palm>"})
    parts = "".join(
        prim("Xform", f"link{i}", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {"float physics:mass": 0.1})
        + prim("PhysicsRevoluteJoint", f"bend{i}", ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"), {
            "rel physics:body0": f"</{name}/palm>", "rel physics:body1": f"</{name}/link{i}>", **DRIVE, **AXIS})
        for i in range(fingers))
    kind = prim("Xform", name, ("PhysicsArticulationRootAPI",), {}, palm + anchor + parts)
    kind = kind.replace("def Xform", "class Xform", 1)
    flag = "true" if instanceable else "false"
    copies = "".join(f'def Xform "{side}" (\n    instanceable = {flag}\n    prepend inherits = </{name}>\n)\n{{\n}}\n'
                     for side in ("left", "right"))
    return f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "{up}"\n)\n{kind}{copies}'


@pytest.mark.parametrize(("name", "up"), [("Hand", "Z"), ("Gripper", "Y")])
def test_bodies_inside_instances_are_one_cause_with_all_that_follows(name: str, up: str) -> None:
    found = report(hand(name, instanceable=True, up=up))
    (cause,) = (item for item in found.causes if item.severity != "info")
    assert cause.root.code == "body/in-instance" and len(cause.copies) == 9
    assert {item.code for item in cause.effects} >= {"joint/no-body", "unused/idle", "articulation/no-bodies"}
    assert len(cause.findings) == len([item for item in found.findings if item.severity != "info"])


def test_what_an_instance_explains_is_gone_without_it() -> None:
    cause, = causes(hand("Hand", instanceable=True), "body/in-instance")
    require_gone(cause, hand("Hand", instanceable=False))


def test_values_that_are_wrong_by_themselves_are_not_explained_by_the_instance() -> None:
    text = hand("Hand", instanceable=True).replace("float physics:mass = 0.1", "float physics:mass = -0.1")
    cause, = causes(text, "value/range")
    assert len(cause.copies) == 7       # four links of two instances


# --- copies ---


def environments(count: int, text: str, name: str = "env") -> Usd.Stage:
    """A stage with so many copies of a robot."""
    stage = Usd.Stage.CreateInMemory()
    source = opened(text).GetRootLayer()
    for index in range(count):
        path = f"/envs/{name}_{index}"
        stage.DefinePrim(path, "Xform")
        Sdf.CopySpec(source, "/Robot", stage.GetRootLayer(), f"{path}/Robot")
        relocate(stage, path)
    return stage


def relocate(stage: Usd.Stage, path: str) -> None:
    """Let relationships that were copied lead into the copy."""
    for item in Usd.PrimRange(stage.GetPrimAtPath(path)):
        for relationship in item.GetRelationships():
            relationship.SetTargets([Sdf.Path(str(target).replace("/Robot", f"{path}/Robot", 1))
                                     if not str(target).startswith(path) else target
                                     for target in relationship.GetTargets()])


@pytest.mark.parametrize("name", ["env", "cell"])
def test_equal_findings_on_numbered_copies_count_once(name: str) -> None:
    broken = finger({"float drive:angular:physics:stifness": 5.0}, ("PhysicsDriveAPI:angular",))
    one = [item.root.code for item in report(environments(1, broken, name)).causes]
    many = report(environments(25, broken, name))
    assert [item.root.code for item in many.causes] == one
    assert all(len(item.copies) == 24 for item in many.causes if item.severity == "error")


@pytest.mark.parametrize("arc", ["references", "payload", "inherits", "specializes"])
def test_equal_findings_of_one_definition_count_once(tmp_path: Path, arc: str) -> None:
    """Chairs of any name that are one asset: what is wrong in it is wrong once."""
    chair = prim("Xform", "chair", (), {}, prim("Xform", "seat", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {
        "float physics:mass": -1.0}))
    source = "" if arc in ("inherits", "specializes") else "@./chair.usda@"
    (tmp_path / "chair.usda").write_text(f"#usda 1.0\n{chair}")
    uses = "".join(f'def Xform "{name}" (\n    prepend {arc} = {source}</chair>\n)\n{{\n}}\n'
                   for name in ("throne", "stool", "bench"))
    own = "" if source else chair.replace("def Xform", "class Xform", 1)
    (tmp_path / "hall.usda").write_text(f"#usda 1.0\n{own}{uses}")
    found = [item for item in check(tmp_path / "hall.usda", "physx").causes if item.root.code == "value/range"]
    assert [len(item.copies) for item in found] == [2]


def test_findings_that_say_something_else_are_no_copies() -> None:
    masses = robot(base(), link("a0", mass=-1.0), link("a1", mass=-2.0))
    assert len(causes(masses, "value/range")) == 2


def test_findings_on_prims_of_other_names_are_no_copies() -> None:
    masses = robot(base(), link("left", mass=-1.0), link("right", mass=-1.0))
    assert len(causes(masses, "value/range")) == 2


# --- schemas ---


@pytest.mark.parametrize(("text", "code", "repaired"), [
    (finger(DRIVE, ("PhysicsDriverAPI:angular",)), "unused/misspelt-schema",
     finger(DRIVE, ("PhysicsDriveAPI:angular",))),
    (finger(AXIS, ("PhysxJointAxesAPI:angular",)), "unused/misspelt-schema",
     finger(AXIS, ("PhysxJointAxisAPI:angular",))),
    (finger(DRIVE, ("PhysicsDriveAPI",)), "unused/no-instance", finger(DRIVE, ("PhysicsDriveAPI:angular",))),
    (finger(SLIDE, ("PhysicsDriveAPI:linear",)), "unused/wrong-instance", finger(DRIVE, ("PhysicsDriveAPI:angular",))),
    (finger(DRIVE, ()), "unused/not-applied", finger(DRIVE, ("PhysicsDriveAPI:angular",))),
    (finger({**DRIVE, "bool physics:jointEnabled": False}, ("PhysicsDriveAPI:angular",)), "joint/disabled",
     finger(DRIVE, ("PhysicsDriveAPI:angular",))),
])
def test_a_schema_or_joint_explains_its_properties(text: str, code: str, repaired: str) -> None:
    cause, = causes(text, code)
    assert {item.code.partition("/")[0] for item in cause.effects} == {"unused"}
    assert not [item for item in report(text).causes if item.root != cause.root and item.root.code.startswith("unused/")
                and item.root.path == cause.root.path]
    require_gone(cause, repaired)


def test_a_retired_schema_explains_what_migrates_with_it() -> None:
    values = {"float physxJoint:armature": 1.0, "float physxJoint:maxJointVelocity": 2.0,
              "float physxJoint:jointFriction": 3.0}
    found = {item.root.property: [effect.property for effect in item.effects]
             for item in causes(finger(values, ("PhysxJointAPI",)), "unused/retired")}
    assert found == {"apiSchemas": ["physxJoint:armature", "physxJoint:maxJointVelocity"],
                     "physxJoint:jointFriction": []}


def test_a_missing_root_explains_what_only_articulations_read() -> None:
    def arm(schemas: tuple[str, ...]) -> str:
        return robot(link("a"), link("b"), joint("Revolute", "j", "a", "b", ("PhysxJointAxisAPI:angular",), AXIS),
                     schemas=schemas)
    cause, = causes(arm(()), "articulation/no-root")
    assert {item.property for item in cause.effects} >= {item.partition(" ")[2] for item in AXIS}
    require_gone(cause, arm(("PhysicsArticulationRootAPI",)))


def test_what_a_joint_that_fixes_the_base_has_in_vain_is_one_finding() -> None:
    stage = opened(finger({}, ()))
    anchor = stage.GetPrimAtPath("/Robot/anchor")
    for name in ("low", "high"):
        anchor.CreateAttribute(f"limit:rotX:physics:{name}", Sdf.ValueTypeNames.Float).Set(1.0)
    anchor.AddAppliedSchema("PhysicsLimitAPI:rotX")
    found = [item for item in report(stage).causes if item.root.path == "/Robot/anchor"]
    assert [len(item.findings) for item in found] == [3]


def test_what_a_converter_left_out_everywhere_is_one_finding() -> None:
    """Springs of other numbers, of which PhysX has none; a damping that is another is found by itself."""
    springs = [joint("Revolute", f"j{name}", "base", name, ("MjcJointAPI",), {"double mjc:stiffness": value})
               for name, value in (("left", 1.0), ("right", 2.0), ("top", 3.0))]
    damped = joint("Revolute", "jend", "base", "end", ("MjcJointAPI",), {"double mjc:damping": 1.0})
    found = causes(robot(base(), *map(link, ("left", "right", "top", "end")), *springs, damped), "engine/disagree")
    assert sorted(len(item.copies) for item in found) == [0, 2]


# --- layers ---


@pytest.mark.parametrize("arc", ["references", "payload"])
def test_an_unresolved_arc_explains_what_is_missing_below_it(tmp_path: Path, arc: str) -> None:
    mesh = prim("Mesh", "part", ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"),
                {"uniform token physics:approximation": "convexHull"}).replace("def Mesh", "over", 1)
    text = f"""#usda 1.0
def Xform "thing" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    prepend {arc} = @./gone.usda@
)
{{
{mesh}}}
def PhysicsFixedJoint "weld"
{{
    rel physics:body0 = </thing/grip>
}}
"""
    (tmp_path / "stage.usda").write_text(text)
    found = check(tmp_path / "stage.usda", "physx")
    cause, = (item for item in found.causes if item.root.code == "stage/composition")
    assert {"collider/no-shape", "joint/missing-body"} <= {item.code for item in cause.effects}


# --- what a report makes of it ---


def finding(code: str, path: str, severity: str = "warning", cause: Cause | None = None) -> Finding:
    return Finding(code, severity, path, "", "message", "why", "fix", cause=cause)


def test_an_error_that_an_info_explains_still_fails() -> None:
    root = finding("joint/disabled", "/j", "info")
    found = Report("s.usda", "physx", (root, finding("unused/disabled", "/j", "error", Cause("joint/disabled", "/j"))))
    assert (found.exit_code(), found.count_causes("error"), found.count_causes("info")) == (1, 1, 0)


def test_an_effect_whose_cause_is_waived_stands_by_itself() -> None:
    alone = finding("b/b", "/p", cause=Cause("a/a", "/p"))
    assert [item.root for item in grouped([alone])] == [alone]


def test_chains_of_causes_end_at_the_first() -> None:
    first = finding("a/a", "/p")
    second = finding("b/b", "/p", cause=Cause("a/a", "/p"))
    third = finding("c/c", "/p", cause=Cause("b/b", "/p"))
    assert [(item.root, item.effects) for item in grouped([third, second, first])] == [(first, (third, second))]


def test_circles_of_causes_end() -> None:
    first, second = finding("a/a", "/p", cause=Cause("b/b", "/p")), finding("b/b", "/p", cause=Cause("a/a", "/p"))
    assert len(grouped([first, second])) == 2


def test_the_most_findings_count_causes() -> None:
    effects = [finding("b/b", f"/p/x{index}", cause=Cause("a/a", "/p")) for index in range(9)]
    others = [finding("c/c", name) for name in ("/q", "/r")]
    found = Report("s.usda", "physx", (finding("a/a", "/p"), *effects, *others))
    shown, hidden = found.first(2)
    assert (len(shown), hidden) == (11, 1)


def test_thousands_of_findings_are_few_causes(shared_cases: Path) -> None:
    found = check(shared_cases / "said" / "many_findings.usda")
    assert len(found.findings) >= 9000 and len(found.causes) <= 10
    assert found.exit_code() == 1


