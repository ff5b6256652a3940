"""What verification says of numbers that another object's iteration counts alter."""

from __future__ import annotations

import pytest
from physx_runtime.verification import verify
from physx_runtime.verification.report import Row, Verification
from physx_runtime.verification.text import verification_lines
from support.stages.iteration_stages import ASLEEP, KINEMATIC, free, prim, slider, stage
from support.stages.iteration_stages import opened as opened_scene

STIFFNESS, FASTEST = "physxTendon:t:stiffness", "physxJointAxis:linear:maxJointVelocity"
TENDON = {f"float {STIFFNESS}": "1", "float[] physxTendon:t:gearing": "[1]",
          "float[] physxTendon:t:forceCoefficient": "[1]"}
CLAIM = "solved at 16/1 iterations instead of its own 16/0, because of /other"
# of a force that PhysX repeats in V velocity iterations after N others: (N + V) / N, measured (docs/physx_semantics.md)
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
    assert "/B: solved at 16/1 iterations instead of its own 8/1, because of /other" in lines


def test_sentences_name_the_counts_of_their_own_articulation() -> None:
    first, second = (slider(name, counts, x, of_joint=TENDON, joint_schemas="PhysxTendonAxisRootAPI:t",
                            of_links={"rel physics:simulationOwner": f"</{scene}>"})
                     for name, counts, x, scene in (("A", (16, 1), 0.0, "scene"), ("Z", (4, 2), 9.0, "two")))
    lines = verification_lines(verify(opened_scene(stage(first, second, prim("PhysicsScene", "two", "", {})))))
    sentences = {line.partition(":")[0]: line for line in lines if " effective in PhysX at " in line}
    assert "at 16/1 iterations" in sentences["/A/slide"]
    assert "at 4/2 iterations" in sentences["/Z/slide"]
