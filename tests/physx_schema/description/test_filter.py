"""Which colliders a filtered pair keeps apart: of exactly the prims that it names, as in PhysX."""

from __future__ import annotations

from pathlib import Path

import pytest
from pxr import Sdf, Usd, UsdPhysics
from support.stages.collider_settings import FILTERED
from support.stages.robots import described, opened

from physx_schema.description.filter import CollisionFilter

REPORT = "PhysxContactReportAPI"


def pair(first: str, second: str) -> str:
    """By the names of two bodies."""
    return "-".join(sorted(path.rpartition("/")[2] for path in (first, second)))


def body_of(collider: str) -> str:
    """A collider's name follows its body's."""
    return collider.partition("/shape")[0]


@pytest.mark.parametrize("name", FILTERED)
def test_what_a_filtered_pair_names_does_not_meet(name: str) -> None:
    found = CollisionFilter(described(FILTERED[name].text))
    ways = [body_of(side.collider.path) for side in found.shapes]
    assert {pair(ways[i], ways[j]) for i in range(len(ways)) for j in range(i) if found.can_collide(i, j)} == (
        FILTERED[name].meeting)


def test_what_a_filtered_pair_names_does_not_meet_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    stages = {name: reporting(case.text) for name, case in FILTERED.items()}
    found = record([{"usd": stage.ExportToString(), "dt": 1 / 60, "steps": 1, "contacts": moving(stage)}
                    for stage in stages.values()])
    touching = {name: {pair(*row[:2]) for row in recorded["contacts"][0]}
                for name, recorded in zip(stages, found, strict=True)}
    assert touching == {name: case.meeting for name, case in FILTERED.items()}


def reporting(text: str) -> Usd.Stage:
    """The stage with bodies that report their contacts."""
    stage = opened(text)
    for path in moving(stage):
        prim = stage.GetPrimAtPath(path)
        prim.AddAppliedSchema(REPORT)
        prim.CreateAttribute("physxContactReport:threshold", Sdf.ValueTypeNames.Float).Set(0.0)
    return stage


def moving(stage: Usd.Stage) -> list[str]:
    """Its bodies that are not disabled."""
    return [str(prim.GetPath()) for prim in stage.Traverse()
            if prim.HasAPI(UsdPhysics.RigidBodyAPI) and UsdPhysics.RigidBodyAPI(prim).GetRigidBodyEnabledAttr().Get()]
