"""Tendons that exist and do not do what their values suggest."""

from __future__ import annotations

import pytest
from support.stages.faulty_robots import pulled
from support.stages.robots import HEAD, base, joint, link, opened, placed, prim, robot

from physx_schema.checking import check


def findings(*parts: str) -> set[tuple[str, str, str, str]]:
    report = check(opened(robot(base(), *parts)))
    return {(item.code, item.severity, item.path, item.property) for item in report.findings}


def fixed(gearing: float = 0.5, force: float = 0.5, **values: float) -> str:
    own = {f"float physxTendon:t:{key}": value for key, value in values.items()}
    arrays = {"float[] physxTendon:t:gearing": [gearing], "float[] physxTendon:t:forceCoefficient": [force]}
    return link("tip") + joint("Prismatic", "j", "base", "tip", ("PhysxTendonAxisRootAPI:t",), {**arrays, **own})


def test_sound_fixed_tendon_has_no_findings() -> None:
    assert findings(fixed(stiffness=10.0)) == set()


def test_opposite_signs_on_every_axis_are_an_error() -> None:
    assert findings(fixed(0.5, -0.5, stiffness=10.0)) == {
        ("tendon/sign", "error", "/Robot/j", "physxTendon:t:forceCoefficient")}


def test_signs_do_not_matter_to_damping_alone() -> None:
    assert findings(fixed(0.5, -0.5, damping=10.0)) == set()


def test_limit_stiffness_without_limits_is_a_warning() -> None:
    assert findings(fixed(limitStiffness=10.0)) == {
        ("tendon/limits-missing", "warning", "/Robot/j", "physxTendon:t:limitStiffness")}


def test_limits_without_limit_stiffness_are_a_warning() -> None:
    assert findings(fixed(stiffness=10.0, upperLimit=2.0)) == {
        ("tendon/limit-stiffness-missing", "warning", "/Robot/j", "physxTendon:t:limitStiffness")}


def test_tendon_without_gains_is_a_warning() -> None:
    assert findings(fixed()) == {("tendon/no-gains", "warning", "/Robot/j", "physxTendon:t:stiffness")}


def test_disabled_tendon_is_an_info() -> None:
    part = fixed(stiffness=10.0).replace("float physxTendon:t:stiffness", "bool physxTendon:t:tendonEnabled = 0\n"
                                         "float physxTendon:t:stiffness")
    assert findings(part) == {("tendon/disabled", "info", "/Robot/j", "physxTendon:t:tendonEnabled")}


def solver_findings(solver: str, counts: tuple[int, int], *values: float) -> set[tuple[str, str]]:
    """Codes and severities of a tendon on a slider: gearing, force coefficient, stiffness, damping."""
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"uniform token physxScene:solverType": solver})
    authored = {"int physxArticulation:solverPositionIterationCount": counts[0],
                "int physxArticulation:solverVelocityIterationCount": counts[1]}
    gearing, force, stiffness, damping = values
    body = base() + fixed(gearing, force, stiffness=stiffness, damping=damping)
    articulation = prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), authored, body)
    report = check(opened(HEAD.format(meters=1.0, kilograms=1.0) + articulation + scene))
    return {(item.code, item.severity) for item in report.findings}


def test_velocity_iterations_repeat_no_pgs_tendon() -> None:
    assert solver_findings("TGS", (4, 4), 1.0, 1.0, 10.0, 1.0) == {("tendon/velocity-iterations", "warning")}
    assert solver_findings("PGS", (4, 4), 1.0, 1.0, 10.0, 1.0) == set()


@pytest.mark.parametrize(("force", "iterations", "found"), [
    (1.0, 32, set()), (2.6, 32, set()), (2.6, 4, {("tendon/rest-bias", "warning")}),
    (2.9, 32, {("tendon/rest-bias", "error")}),
])
def test_pgs_tendon_that_its_iterations_do_not_settle(force: float, iterations: int,
                                                      found: set[tuple[str, str]]) -> None:
    """As measured: 2.6 rests where it should at 32/1 and twice as far at 4/0, 2.9 becomes NaN."""
    assert solver_findings("PGS", (iterations, 1), 1.0, force, 1000.0, 60.0) == found


def test_dropped_axis_is_reported_once() -> None:
    orphan = link("tip") + joint("Revolute", "j", "base", "tip", ("PhysxTendonAxisAPI:flexor",),
                                 {"float[] physxTendon:flexor:gearing": [0.01]})
    assert findings(orphan) == {("tendon/no-root", "error", "/Robot/j", "physxTendon:flexor:gearing")}


def spatial(distance: float, parent: str = "r") -> str:
    root = {"point3f physxTendon:r:localPos": (0, 0, 0), "float physxTendon:r:stiffness": 5.0}
    leaf = {"point3f physxTendon:f:localPos": (distance, 0, 0), "rel physxTendon:f:parentLink": "</Robot/a>",
            "token physxTendon:f:parentAttachment": parent}
    return "".join((
        link("a", schemas=("PhysxTendonAttachmentRootAPI:r",), more={**placed((1, 0, 0)), **root}),
        link("b", schemas=("PhysxTendonAttachmentLeafAPI:f",), more={**placed((1, 0, 0)), **leaf}),
        joint("Revolute", "ja", "base", "a", (), {"point3f physics:localPos0": (1, 0, 0)}),
        joint("Revolute", "jb", "a", "b"),
    ))


@pytest.mark.parametrize(("distance", "found"), [(0.0005, True), (0.002, False)])
def test_segment_of_a_thousandth_or_less_is_a_warning(distance: float, found: bool) -> None:
    expected = {("tendon/zero-length", "warning", "/Robot/b", "physxTendon:f:localPos")} if found else set()
    assert findings(spatial(distance)) == expected


@pytest.mark.parametrize(("posed", "state", "found"), [
    (0.0, 0.0, True), (0.5, 0.0, True), (0.0, 0.5, False), (0.5, 0.5, False)])
def test_segment_is_measured_where_joints_put_the_links(posed: float, state: float, found: bool) -> None:
    """As PhysX was measured to pull: by the joint state, wherever the link is posed."""
    assert ("tendon/zero-length" in {code for code, *_ in findings(pulled(posed, state))}) == found


def test_segment_is_measured_through_turned_and_reversed_joints() -> None:
    """An arm posed 30 degrees on, whose joint frame is turned by 60 on it and whose joint starts 30 further back.

    Its tip points down then, -90 degrees, where the stand holds the root attachment.
    """
    root = {"point3f physxTendon:r:localPos": (0, -2, 0), "float physxTendon:r:stiffness": 5.0}
    leaf = {"point3f physxTendon:f:localPos": (2, 0, 0), "rel physxTendon:f:parentLink": "</Robot/stand>",
            "token physxTendon:f:parentAttachment": "r"}
    turned = placed((0, 0, 0), orient=(0.9659258, 0, 0, 0.2588190))
    for ends, side, position in ((("stand", "arm"), 1, -30.0), (("arm", "stand"), 0, 30.0)):
        found = findings(
            link("stand", schemas=("PhysxTendonAttachmentRootAPI:r",), more=root),
            joint("Fixed", "weld", "base", "stand"),
            link("arm", schemas=("PhysxTendonAttachmentLeafAPI:f",), more={**turned, **leaf}),
            joint("Revolute", "j", *ends, ("PhysicsJointStateAPI:angular",), {
                "uniform token physics:axis": "Z", "float state:angular:physics:position": position,
                f"quatf physics:localRot{side}": (0.8660254, 0, 0, 0.5)}))
        assert "tendon/zero-length" in {code for code, *_ in found}


@pytest.mark.parametrize(("center", "local", "found"), [
    (0.0, 0.5, set()), (0.5, 0.0, {"tendon/mass-frame", "tendon/rest-from-pose"}),
    (0.5, -0.5, {"tendon/mass-frame", "tendon/rest-from-pose", "tendon/zero-length"})])
def test_attachments_count_from_the_centre_of_mass(center: float, local: float, found: set[str]) -> None:
    """As PhysX was measured to push: with a centre of mass at 0.5 an attachment at -0.5 lies on the root's."""
    part = pulled(0.0, 0.0, {"point3f physics:centerOfMass": (center, 0, 0),
                             "point3f physxTendon:f:localPos": (local, 0, 0)})
    assert {code for code, *_ in findings(part)} == found


def test_attachments_count_along_the_principal_axes() -> None:
    part = pulled(0.0, 0.0, {"quatf physics:principalAxes": (0.70710678, 0, 0, 0.70710678),
                             "point3f physxTendon:f:localPos": (1, 0, 0)})
    assert {code for code, *_ in findings(part)} == {"tendon/mass-frame"}       # as far from the root as authored


@pytest.mark.parametrize(("posed", "state", "found"), [(0.5, 0.5, False), (0.5, 1.0, True)])
def test_rest_length_of_other_poses_than_the_start_is_a_warning(posed: float, state: float, found: bool) -> None:
    """As PhysX was measured to pull: -0.04995 at a joint state of 1 and a pose of 0.5, nothing where both are 0.5."""
    assert ("tendon/rest-from-pose" in {code for code, *_ in findings(pulled(posed, state))}) == found


@pytest.mark.parametrize(("gearing", "found"), [
    (1.0, set()), (-1.0, {("tendon/sign", "error")}), (0.0, {("tendon/no-gearing", "warning")})])
def test_gearing_of_a_leaf_is_above_0(gearing: float, found: set[tuple[str, str]]) -> None:
    """As measured: a leaf geared -1 is pushed away for good, one geared 0 with the same force everywhere."""
    part = pulled(0.5, 0.5, {"float physxTendon:f:gearing": gearing})
    assert {(code, severity) for code, severity, *_ in findings(part)} == found


@pytest.mark.parametrize(("between", "last", "found"), [
    (1.0, 1.0, set()), (0.0, 1.0, set()), (-1.0, 1.0, {("b", "warning")}), (-1.0, 0.0, {("b", "error")}),
    (-1.0, -1.0, {("b", "error"), ("c", "error")}), (2.0, -1.0, {("c", "warning")})])
def test_gearing_below_0_diverges_where_no_other_holds_against_it(
    between: float, last: float, found: set[tuple[str, str]],
) -> None:
    def place(name: str, distance: float, kind: str, own: str, parent: str, gearing: float) -> str:
        values = {f"float physxTendon:{own}:gearing": gearing,
                  f"rel physxTendon:{own}:parentLink": f"</Robot/{parent}>",
                  f"token physxTendon:{own}:parentAttachment": {"a": "r", "b": "m"}[parent]}
        return link(name, schemas=(f"PhysxTendonAttachment{kind}API:{own}",),
                    more={**placed((distance, 0, 0)), **values})

    root = {"float physxTendon:r:stiffness": 5.0}
    found_here = findings(
        link("a", schemas=("PhysxTendonAttachmentRootAPI:r",), more=root), place("b", 1.0, "", "m", "a", between),
        place("c", 2.0, "Leaf", "f", "b", last), joint("Fixed", "ja", "base", "a"),
        *(joint("Prismatic", f"j{name}", "base", name, (), {"point3f physics:localPos0": (distance, 0, 0)})
          for name, distance in (("b", 1.0), ("c", 2.0))))
    assert {(path[-1], severity) for code, severity, path, _ in found_here if code == "tendon/sign"} == found


@pytest.mark.parametrize(("gearing", "force", "code"), [(1.0, 0.0, "tendon/no-gains"), (0.0, 1.0, "tendon/no-gearing")])
def test_fixed_tendon_whose_arrays_are_0_is_a_warning(gearing: float, force: float, code: str) -> None:
    assert {(found, severity) for found, severity, *_ in findings(fixed(gearing, force, stiffness=10.0))} == {
        (code, "warning")}


def test_attachment_without_parent_is_reported_once_with_its_root() -> None:
    assert findings(spatial(1.0, "rr")) == {
        ("tendon/no-parent", "error", "/Robot/b", "physxTendon:f:parentAttachment"),
        ("tendon/no-leaf", "error", "/Robot/a", "physxTendon:r:parentAttachment"),
    }
