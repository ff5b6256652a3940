"""What kinematic bodies hold moves as in real PhysX, where time samples or edits of the running stage move these."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Scene, Session
from physx_runtime.worlds.store import SCHEDULED
from pxr import Gf, Usd
from support.physx.live import STAGE, TIME, Recorded, Write, record_live
from support.stages.iteration_stages import KINEMATIC, free, opened, prim, stage

Array = NDArray[np.float64]
PHYSX_DT, PHYSX_STEPS, START, RATE = 1 / 60, 150, 5, 24
PLACE, TURN = "double3 xformOp:translate", "float xformOp:rotateY"
# The way of what hangs there: m, rad/s. float32, and a limit that is seen by a cosine in float32.
PHYSX_ROUNDING = 3e-5
SAMPLES = {PLACE: "(0, 0, 0)", f"{PLACE}.timeSamples": "{ 5: (0, 0, 0), 20: (0.4, 0, 0.2), 41: (0.1, 0, 0) }",
           TURN: "0", f"{TURN}.timeSamples": "{ 5: 0, 30: 60, 41: 20 }",
           "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:rotateY"]'}
LAZY = {"float physxRigidBody:linearDamping": "1", "float physxRigidBody:angularDamping": "1"}


def pendulum(*of_body: str, limits: Mapping[str, str], schemas: str = "") -> str:
    """A body on a hinge at a kinematic one."""
    return stage(*of_body, free("B", (8, 1), 0.5, LAZY), prim("PhysicsRevoluteJoint", "hinge", schemas, {
        "rel physics:body0": "</K>", "rel physics:body1": "</B>", "uniform token physics:axis": '"Y"',
        "point3f physics:localPos1": "(-0.5, 0, 0)", **limits}))


LIMITS = {"float physics:lowerLimit": "-20", "float physics:upperLimit": "30"}
HARD = ({**LIMITS, "float physxLimit:angular:restitution": "0.6", "float physxLimit:angular:bounceThreshold": "0.05"},
        "PhysxLimitAPI:angular")
SOFT = ({**LIMITS, "float physxLimit:angular:stiffness": "50", "float physxLimit:angular:damping": "2"},
        "PhysxLimitAPI:angular")
KINDS: dict[str, tuple[Mapping[str, str], str]] = {
    "free": ({}, ""), "hard limits": (LIMITS, ""), "bouncing limits": HARD, "soft limits": SOFT}
SAMPLED = {name: pendulum(free("K", None, 0.0, {**KINEMATIC, **SAMPLES}), limits=limits, schemas=schemas).replace(
    "(\n", f"(\n    startTimeCode = {START}\n    timeCodesPerSecond = {RATE}\n", 1)
    for name, (limits, schemas) in KINDS.items()}
EDITED = {name: pendulum(free("K", None, 0.0, KINEMATIC), limits=limits, schemas=schemas)
          for name, (limits, schemas) in KINDS.items()}
# step -> where the body is put on the stage before it; before the first step an edit would move the start of a session
EDITS = {**{step: (0.004 * step, 0.0, 0.001 * step) for step in range(2, 40)}, 60: (0.2, 0.0, 0.3), 90: (0.2, 0.0, 0.0)}


def matrix(place: tuple[float, ...]) -> list[float]:
    return [float(x) for row in Gf.Matrix4d().SetTranslate(Gf.Vec3d(*place)) for x in row]


def edit(place: tuple[float, ...]) -> list[Write]:
    """An edit of the transform, as ovphysx's own users write it."""
    return [(STAGE, "/K", name, matrix(place)) for name in ("omni:xform", "omni:fabric:worldMatrix")]


@pytest.fixture(scope="module")
def recorded(oracle_folder: Path) -> Mapping[tuple[str, str], Recorded]:
    played = {step: [(TIME, "", "", START / RATE + step * PHYSX_DT)] for step in range(1, PHYSX_STEPS + 1)}
    jobs = [(text, PHYSX_DT, 1, PHYSX_STEPS, played) for text in SAMPLED.values()]
    jobs += [(text, PHYSX_DT, 1, PHYSX_STEPS, {step: edit(place) for step, place in EDITS.items()})
             for text in EDITED.values()]
    keys = [(how, name) for how in ("sampled", "edited") for name in KINDS]
    return dict(zip(keys, record_live(jobs), strict=True))


def compare(theirs: Recorded, step: int, path: str, position: Any, velocity: Any) -> None:
    for what, ours in (("position", position), ("linearVelocity", velocity[:3]), ("angularVelocity", velocity[3:])):
        bar = PHYSX_ROUNDING * (1 if what == "position" else 30)
        assert np.abs(ours - theirs.of(what, path)[step - 1]).max() < bar, (
            what, step, ours, theirs.of(what, path)[step - 1])


@pytest.mark.parametrize("name", KINDS)
def test_what_a_sampled_body_holds_moves_as_in_physx(name: str,
                                                     recorded: Mapping[tuple[str, str], Recorded]) -> None:
    scene = Scene(opened(SAMPLED[name]), dt=PHYSX_DT, path=SCHEDULED)
    for step in range(1, PHYSX_STEPS + 1):
        scene.step()
        for path in ("/B", "/K"):
            at = scene.body_names.index(path)
            compare(recorded["sampled", name], step, path, scene.body_pose[0, at, :3], scene.body_velocity[0, at])


@pytest.mark.parametrize("name", KINDS)
def test_what_an_edited_kinematic_body_holds_moves_as_in_physx(name: str,
                                                               recorded: Mapping[tuple[str, str], Recorded]) -> None:
    live: Usd.Stage = opened(EDITED[name])
    place = live.GetPrimAtPath("/K").GetAttribute("xformOp:translate")
    with Session(live) as session:
        for step in range(1, PHYSX_STEPS + 1):
            if step in EDITS:
                place.Set(Gf.Vec3d(*EDITS[step]))
            session.step(PHYSX_DT)
            body = session.simulation("/B")
            compare(recorded["edited", name], step, "/B", body.link_pose[0, 0, :3], body.link_velocity[0, 0])
