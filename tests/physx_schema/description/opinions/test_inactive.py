"""A description calls those properties of bodies unused that PhysX was measured not to read, and no others."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.places import ROOT
from support.stages.robots import base, joint, link, opened, prim, robot

from physx_schema.description import describe

TABLE = ROOT / "docs" / "reference" / "body_properties.md"
# What moving bodies read, on what does not move: it counts once the body does.
RESTING = ("kinematic body", "fixed root")
# What the table cannot tell: nothing on its stages lets it show.
UNKNOWN = {("`physxRigidBody:retainAccelerations`", "body"), ("`physxRigidBody:retainAccelerations`", "floating root"),
           ("`physxRigidBody:retainAccelerations`", "inner link")}


def measured() -> Iterator[tuple[str, str, bool]]:
    """Property, role and whether PhysX reads it, as the documentation has it."""
    lines = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in TABLE.read_text().splitlines()
             if line.startswith("|")]
    for title, *cells in lines[2:]:
        for role, cell in zip(lines[0][1:], cells, strict=True):
            if cell != "?":
                yield title, role, cell == "yes"


FACTS = list(measured())


@pytest.fixture(scope="module")
def script() -> Any:
    """The script that measured the table, for its stages."""
    sys.path.insert(0, str(ROOT / "experiments"))
    try:
        return importlib.import_module("measure_body_properties")
    finally:
        sys.path.remove(str(ROOT / "experiments"))


@pytest.mark.parametrize(("title", "role", "acts"), FACTS, ids=[f"{title} on {role}" for title, role, _ in FACTS])
def test_what_a_description_calls_unused_is_what_physx_does_not_read(
        script: Any, title: str, role: str, acts: bool) -> None:
    trial = next(trial for trial in script.TRIALS if trial.title == title)
    name = trial.attribute.partition(" ")[2]
    found = describe(opened(script.stage(trial, role, True)))
    unused = [item.code for item in found.unused if item.path.endswith("/thing") and item.property == name]
    if acts:
        assert unused == []
    elif role in RESTING:
        assert unused in ([], ["on-link"], ["on-body"], ["beside-mass"])
    elif (title, role) not in UNKNOWN:
        assert len(unused) == 1


# Of the table, what costs little time to ask PhysX again.
AGAIN = [fact for fact in FACTS if fact[1] in ("body", "inner link") and fact[0] in (
    "`physics:velocity`", "`physics:startsAsleep`", "`physics:density` if mass is authored",
    "`physxRigidBody:cfmScale`", "`physxRigidBody:lockedPosAxis`", "`physxRigidBody:enableGyroscopicForces`",
    "`physxRigidBody:linearDamping`")]


def test_physx_moves_as_the_table_says(oracle_folder: Path, script: Any) -> None:
    from scene_recorder import record

    trials = {trial.title: trial for trial in script.TRIALS}
    stages = [script.stage(trials[title], role, active) for title, role, _ in AGAIN for active in (False, True)]
    runs = record([{"usd": stage, "dt": script.STEP, "steps": script.STEPS, "every": script.STEPS} for stage in stages])
    parted = [float(np.abs(before["pos"][-1] - after["pos"][-1]).max()) for before, after in zip(
        runs[::2], runs[1::2], strict=True)]
    assert [apart > script.SEEN for apart in parted] == [acts for _, _, acts in AGAIN]


def test_the_table_has_every_trial(script: Any) -> None:
    assert {title for title, _, _ in FACTS} == {trial.title for trial in script.TRIALS}


def codes(more: dict[str, object], *schemas: str, inner: bool = True) -> list[tuple[str, str]]:
    """Codes and properties of what is unused on a link, or on the root of a fixed base."""
    root, tip = ({}, more) if inner else (more, {})
    text = robot(link("base", schemas=schemas, more=root), joint("Fixed", "anchor", "", "base"),
                 link("tip", (0, 0, 0), schemas, more=tip), joint("Revolute", "j", "base", "tip"))
    return [(item.code, item.property) for item in describe(opened(text)).unused if item.property != "apiSchemas"]


@pytest.mark.parametrize("usual", [
    {"bool physics:startsAsleep": False}, {"vector3f physics:velocity": (0, 0, 0)},
    {"int physxRigidBody:lockedPosAxis": 0}, {"int physxRigidBody:solverPositionIterationCount": 32},
    {"float physxRigidBody:sleepThreshold": 5e-5}, {"bool physxRigidBody:enableGyroscopicForces": True},
    {"float physics:density": 0.0}])
def test_a_value_that_physx_works_with_anyway_is_not_reported(usual: dict[str, object]) -> None:
    assert codes(usual, "PhysxRigidBodyAPI") == []


def test_counts_of_a_link_are_said_to_belong_to_its_articulation() -> None:
    tip = link("tip", (0, 0, 0), ("PhysxRigidBodyAPI",), more={"int physxRigidBody:solverPositionIterationCount": 16})
    found = describe(opened(robot(base(), tip, joint("Revolute", "j", "base", "tip")))).unused
    assert [item.suggestion for item in found] == ["author physxArticulation:solverPositionIterationCount on /Robot"]


@pytest.mark.parametrize("inner", [True, False])
@pytest.mark.parametrize("name", ["velocity", "angularVelocity"])
def test_a_velocity_on_a_link_that_is_no_floating_root_is_unused(name: str, inner: bool) -> None:
    assert codes({f"vector3f physics:{name}": (0, 0, 1)}, inner=inner) == [("on-link", f"physics:{name}")]


CUBE = prim("Cube", "one", ("PhysicsCollisionAPI",))
DENSE = prim("Cube", "two", ("PhysicsCollisionAPI", "PhysicsMassAPI"), {"float physics:density": 100.0})
WOOD = prim("Material", "wood", ("PhysicsMaterialAPI",), {"float physics:density": 50.0})
BOUND = prim("Cube", "three", ("PhysicsCollisionAPI", "MaterialBindingAPI"), {
    "rel material:binding:physics": "</wood>"})


@pytest.mark.parametrize(("children", "unused"), [
    ("", True), (CUBE, True), (DENSE, True), (CUBE + CUBE.replace("one", "two"), True), (CUBE + DENSE, False),
    (CUBE + BOUND, False)])
def test_a_density_beside_a_mass_is_unused_unless_colliders_differ(children: str, unused: bool) -> None:
    body = prim("Xform", "body", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), {
        "float physics:mass": 2.0, "float physics:density": 500.0}, children)
    found = describe(opened(robot(body, schemas=(), outside=WOOD))).unused
    assert [(item.code, item.path) for item in found] == ([("beside-mass", "/Robot/body")] if unused else [])


def test_a_density_beside_mass_moments_and_center_is_unused_however_colliders_differ() -> None:
    body = link("body", children=CUBE + DENSE, more={"float physics:density": 500.0})
    found = describe(opened(robot(body, schemas=()))).unused
    assert ("beside-mass", "/Robot/body") in [(item.code, item.path) for item in found]


def test_a_density_beside_the_mass_of_a_collider_is_unused() -> None:
    both = DENSE.replace("float physics:density", "float physics:mass = 3\nfloat physics:density")
    body = prim("Xform", "body", ("PhysicsRigidBodyAPI",), {}, CUBE + both)
    found = describe(opened(robot(body, schemas=())))
    assert [(item.code, item.path) for item in found.unused] == [("beside-mass", "/Robot/body/two")]
