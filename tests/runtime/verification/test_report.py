"""Every measured row says how far it may be off, and what is known of its truth lies within.

What verification says of numbers that another object's iteration counts alter.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
from physx_runtime.verification import Row, verify
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Verification, agree
from physx_runtime.verification.text import measured, verification_json, verification_lines
from support.stages.iteration_stages import ASLEEP, KINEMATIC, free, prim, slider, stage
from support.stages.iteration_stages import opened as opened_scene
from support.stages.robots import opened
from support.stages.verified_robots import axis, both, chain, drive, limits, mimic, part, row_of, verified

from physx_schema.description import describe

STIFFNESS = "physxTendon:t:stiffness"
DT = 1 / 60
HINGE = both(limits(-40.0, 50.0), drive("angular", stiffness=0.5, damping=0.1, maxForce=5.0, targetPosition=20.0),
             part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", armature=0.3, staticFrictionEffort=0.5,
                  dynamicFrictionEffort=0.3, maxJointVelocity=200.0))


def off(row: Row, truth: float) -> float:
    """How far a row is from the truth."""
    assert isinstance(row.effective, float)
    return abs(row.effective - truth)


@pytest.mark.parametrize("iterations", [1, 4, 32])
def test_a_tendon_is_within_its_uncertainty_of_the_rest_state_formula(iterations: int) -> None:
    found = verified(chain(axis(2.0, 1.0, root=True, stiffness=1000.0, damping=60.0), iterations=(iterations, 0)),
                     STIFFNESS)
    h = DT / iterations
    assert found.uncertainty is not None
    assert found.uncertainty < 1e-5 * 1000.0
    assert off(found, 1000.0 / (1.0 - h * (h * 1000.0 + 60.0))) <= found.uncertainty


def test_what_a_held_joint_authors_is_within_the_uncertainty_of_its_rows() -> None:
    rows = [found for found in verify(describe(chain(HINGE, kind="Revolute", iterations=(4, 0)))).rows
            if found.path == "/Robot/j0" and isinstance(found.effective, float)]
    assert len(rows) == 10
    for found in rows:
        assert found.uncertainty is not None
        assert isinstance(found.authored, float)
        # the stage's floats and the turn from degrees
        assert off(found, found.authored) <= found.uncertainty + 1e-7 * abs(found.authored), found.property


def test_a_swept_gearing_is_within_the_uncertainty_of_its_line() -> None:
    stage = chain(limits(-90.0, 90.0), both(limits(-90.0, 90.0), mimic(gearing=-0.5, offset=5.0)), kind="Revolute",
                  serial=False, iterations=(64, 0))
    for name, truth in (("gearing", -0.5), ("offset", 5.0)):
        found = verified(stage, f"physxMimicJoint:rotX:{name}", "/Robot/j1")
        assert found.uncertainty is not None
        assert off(found, truth) <= found.uncertainty


def test_no_verdict_hangs_on_less_than_the_uncertainty() -> None:
    assert not agree(0.6, 0.58, 0.0)
    assert agree(0.6, 0.58, 0.021)
    assert not agree(0.6, 0.57, 0.021)
    assert agree(1.0, 1.0 + 0.9 * AS_AUTHORED_TOLERANCE, 0.0)


def test_the_text_tells_an_uncertainty_that_the_digits_hide() -> None:
    known = Row("/m", "physics:staticFriction", 0.6, 0.35123, 0.35123, "altered", "", uncertainty=0.002)
    assert measured(known) == "0.351 +- 0.002"
    assert measured(replace(known, uncertainty=1e-6)) == "0.3512"
    assert measured(replace(known, effective=35123.0, uncertainty=200.0)) == "3.512e+04 +- 2e+02"


def test_every_measured_row_of_the_json_has_an_uncertainty() -> None:
    verification = verify(describe(chain(HINGE, kind="Revolute", iterations=(4, 0))))
    assert row_of(verification, "physics:lowerLimit").uncertainty is not None
    for entry in json.loads(verification_json(verification))["rows"]:
        assert (entry["effective"] is None) == (entry["uncertainty"] is None), entry["property"]
        assert entry["uncertainty"] is None or math.isfinite(entry["uncertainty"])


def test_a_break_force_is_within_the_width_of_its_last_bracket() -> None:
    stage = opened("""#usda 1.0
(metersPerUnit = 1)
def PhysicsScene "scene" {}
def Xform "a" (apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
    float physics:mass = 1
    float3 physics:diagonalInertia = (1, 1, 1)
}
def PhysicsRevoluteJoint "j" {
    rel physics:body1 = </a>
    uniform token physics:axis = "X"
    float physics:breakForce = 50
}
""")
    found = row_of(verify(describe(stage)), "physics:breakForce", "/j")
    assert found.uncertainty is not None
    assert 0.0 < found.uncertainty < 0.01 * 50.0
    assert off(found, 50.0) <= found.uncertainty


# --- iterations ------------------------------------------------------------------------------------------------------

FASTEST = "physxJointAxis:linear:maxJointVelocity"
TENDON = {f"float {STIFFNESS}": "1", "float[] physxTendon:t:gearing": "[1]",
          "float[] physxTendon:t:forceCoefficient": "[1]"}
CLAIM = "solved with 16/1 position/velocity iterations instead of the requested 16/0, because of /other"
# of a force that PhysX repeats in V velocity iterations after N others: (N + V) / N, measured
# (docs/reference/physx/tendons.md)
REPEATED = 17 / 16


def pulled(*beside: str) -> Verification:
    """A slider of 16/0 with a tendon, beside other objects."""
    joint = slider("A", (16, 0), of_joint=TENDON, joint_schemas="PhysxTendonAxisRootAPI:t")
    return verify(opened_scene(stage(joint, *beside)))


def row(verification: Verification, name: str) -> Row:
    return next(row for row in verification.rows if row.property == name)


def test_tendon_stiffness_is_altered_by_the_velocity_iterations_of_another_object() -> None:
    found = row(pulled(free("other")), STIFFNESS)
    assert (found.verdict, found.effective) == ("altered", pytest.approx(REPEATED, rel=1e-3))
    assert CLAIM in found.reason


@pytest.mark.parametrize("beside", [(), (free("other", more=KINEMATIC),), (free("other", more=ASLEEP),),
                                    (free("other", (16, 0)),)], ids=["alone", "kinematic", "asleep", "equal"])
def test_tendon_stiffness_is_as_authored_beside_what_imposes_nothing(beside: tuple[str, ...]) -> None:
    found = pulled(*beside)
    assert (row(found, STIFFNESS).verdict, [counts.raised for counts in found.counts]) == ("as authored", [""])


def test_maximum_joint_velocity_is_altered_by_the_position_iterations_of_another_object() -> None:
    limited = {f"float {FASTEST}": "1"}
    joint = slider("A", (1, 0), of_joint=limited, joint_schemas="PhysxJointAxisAPI:linear")
    alone, beside = (row(verify(opened_scene(stage(joint, *others))), FASTEST) for others in ((), (free("other"),)))
    assert (alone.verdict, beside.verdict) == ("altered", "as authored")
    assert alone.effective != beside.effective


def test_every_articulation_is_named_whose_counts_are_raised() -> None:
    lines = list(verification_lines(pulled(free("other"), slider("B", (8, 1), 9.0))))
    assert f"/A: {CLAIM}" in lines
    assert "/B: solved with 16/1 position/velocity iterations instead of the requested 8/1, because of /other" in lines


def test_sentences_name_the_counts_of_their_own_articulation() -> None:
    first, second = (slider(name, counts, x, of_joint=TENDON, joint_schemas="PhysxTendonAxisRootAPI:t",
                            of_links={"rel physics:simulationOwner": f"</{scene}>"})
                     for name, counts, x, scene in (("A", (16, 1), 0.0, "scene"), ("Z", (4, 2), 9.0, "two")))
    lines = verification_lines(verify(opened_scene(stage(first, second, prim("PhysicsScene", "two", "", {})))))
    sentences = {line.partition(":")[0]: line for line in lines if " effective in PhysX at " in line}
    assert "at 16/1 iterations" in sentences["/A/slide"]
    assert "at 4/2 iterations" in sentences["/Z/slide"]
