"""A robot that cannot move gives its iteration counts to others until it falls asleep, as in real PhysX."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from physx_runtime import Session
from support.stages.parts import scene
from support.stages.robots import HEAD, base, link, placed
from support.stages.robots import opened as opened_robot
from support.stages.robots import prim as robot_prim

ROBOT_DT, STEPS = 1 / 60, 60
# s; what stands still for so long sleeps in the next step
AWAKE = 0.4
PLACE = 2e-6        # of a fall of 5 m in float32; two counts part by 1e-4 and more
COUNTS: dict[str, object] = {"int physxArticulation:solverPositionIterationCount": 32}


def beside_a_welded_robot() -> str:
    """A free body of 16/1 beside a base and a link welded to it, at 32."""
    weld = robot_prim("PhysicsFixedJoint", "weld", (), {"rel physics:body0": "</Robot/base>",
                                                        "rel physics:body1": "</Robot/arm>"})
    ball = robot_prim("Xform", "Ball", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"),
                      {**placed((3, 0, 2)), "float physics:mass": 1.0})
    joined = robot_prim("Xform", "Robot", ("PhysicsArticulationRootAPI", "PhysxArticulationAPI"), COUNTS,
                        base() + link("arm") + weld)
    return HEAD.format(meters=1.0, kilograms=1.0) + joined + scene(9.81) + ball


def test_robot_that_cannot_move_gives_its_counts_until_it_sleeps() -> None:
    counts = []
    with Session(opened_robot(beside_a_welded_robot())) as session:
        for _ in range(STEPS):
            session.step(ROBOT_DT)
            counts.append(session.simulation("/Ball").iterations.position)
    assert counts[:int(AWAKE / ROBOT_DT)] == [32] * int(AWAKE / ROBOT_DT)
    assert counts[-1] == 16


def test_body_beside_a_robot_that_cannot_move_falls_as_in_physx(oracle_folder: Path) -> None:
    from scene_recorder import record

    real = record([{"usd": beside_a_welded_robot(), "dt": ROBOT_DT, "steps": STEPS}])[0]
    place = real["paths"].index("/Ball")
    stage = opened_robot(beside_a_welded_robot())
    with Session(stage) as session:
        for step in range(1, STEPS + 1):
            session.step(ROBOT_DT)
            mine = session.simulation("/Ball").link_pose[0, 0, :3]
            assert np.abs(mine - real["pos"][step, place]).max() < PLACE, step
