"""The rules on iteration counts name what PhysX makes of them, and are silent where it takes what is authored."""

from __future__ import annotations

import pytest
from support.stages.iteration_stages import ASLEEP, KINEMATIC, free, opened, slider, stage

from physx_schema import check
from physx_schema.checking import Finding
from physx_schema.description import describe

POSITION, VELOCITY = "solverPositionIterationCount", "solverVelocityIterationCount"


def found(*prims: str, scene: dict[str, str] | None = None) -> list[Finding]:
    """Findings of the family."""
    report = check(opened(stage(*prims, scene=scene)))
    return [item for item in report.findings if item.code.startswith("iterations/")]


def test_raised_counts_of_an_articulation_are_warnings_that_name_the_other() -> None:
    items = found(slider("A", (1, 0)), free("B"))
    assert [(item.code, item.severity, item.path, item.property) for item in items] == [
        ("iterations/raised", "warning", "/A", f"physxArticulation:{POSITION}"),
        ("iterations/raised", "warning", "/A", f"physxArticulation:{VELOCITY}")]
    assert all(item.message.endswith(" because of /B") for item in items)


@pytest.mark.parametrize("beside", [
    (), (free("B", (1, 0)),), (free("B", (60, 3), more=KINEMATIC),), (free("B", (60, 3), more=ASLEEP),),
    (slider("B", (1, 0), 9.0),), (free("B", (60, 3), more={"bool physics:rigidBodyEnabled": "0"}),),
], ids=["alone", "equal body", "kinematic", "asleep", "equal robot", "disabled"])
def test_what_imposes_no_count_gives_no_finding(beside: tuple[str, ...]) -> None:
    assert found(slider("A", (1, 0)), *beside) == []


def test_robots_of_default_counts_beside_bodies_give_no_finding() -> None:
    assert found(slider("A"), slider("C", x=9.0), free("B")) == []


def test_counts_that_nobody_authored_are_an_info() -> None:
    assert [(item.code, item.severity) for item in found(slider("A"), free("B", (60, 1)))] == [
        ("iterations/raised-default", "info")]


def test_a_bodys_own_count_that_a_robot_raises_is_an_info() -> None:
    items = found(slider("A"), free("B", (8, 1)))
    assert [(item.severity, item.path, item.property) for item in items] == [
        ("info", "/B", f"physxRigidBody:{POSITION}")]


def test_links_of_a_disabled_articulation_impose_the_counts_of_bodies() -> None:
    disabled = slider("B", (60, 3), 9.0, {f"int physxRigidBody:{POSITION}": "50"},
                      more={"bool physxArticulation:articulationEnabled": "0"})
    # measured: 50/1, the links' own and the default of bodies
    assert [item.message.partition(" because")[0] for item in found(slider("A", (1, 0)), disabled)] == [
        "the authored position iteration count 1 becomes 50", "the authored velocity iteration count 0 becomes 1"]


@pytest.mark.parametrize(("counts", "bounds", "message"), [
    ((60, 0), {"uint physxScene:maxPositionIterationCount": "8"}, "60 becomes 8 because of physxScene:maxP"),
    ((2, 0), {"uint physxScene:minPositionIterationCount": "8"}, "2 becomes 8 because of physxScene:minP"),
    ((2, 0), {"uint physxScene:minVelocityIterationCount": "1"}, "0 becomes 1 because of physxScene:minV"),
    ((2, 9), {"uint physxScene:maxVelocityIterationCount": "4"}, "9 becomes 4 because of physxScene:maxV"),
])
def test_counts_beyond_the_bounds_of_the_scene_are_named(counts: tuple[int, int], bounds: dict[str, str],
                                                         message: str) -> None:
    items = found(slider("A", counts), scene=bounds)
    assert [item.code for item in items] == ["iterations/out-of-bounds"]
    assert items[0].message.startswith(f"the authored iteration count {message}")


def test_counts_at_the_bounds_give_no_finding() -> None:
    assert found(slider("A", (8, 1)), scene={"uint physxScene:maxPositionIterationCount": "8",
                                             "uint physxScene:minVelocityIterationCount": "1"}) == []


def test_a_minimum_above_the_maximum_is_named() -> None:
    items = found(slider("A", (3, 0)), scene={"uint physxScene:minPositionIterationCount": "9",
                                              "uint physxScene:maxPositionIterationCount": "3"})
    assert [(item.code, item.path) for item in items] == [("iterations/bounds-crossed", "/scene")]


def test_counts_of_links_are_unused_and_lead_to_the_articulation() -> None:
    described = describe(opened(stage(slider("A", (1, 0), of_links={f"int physxRigidBody:{POSITION}": "60",
                                                                    f"int physxRigidBody:{VELOCITY}": "3"}))))
    unused = {(item.path, item.property): item for item in described.unused}
    assert unused["/A/tip", f"physxRigidBody:{VELOCITY}"].suggestion == f"author physxArticulation:{VELOCITY} on /A"
    assert len(unused) == 4 and not [item for item in described.not_evaluated if "Iteration" in item.property]
