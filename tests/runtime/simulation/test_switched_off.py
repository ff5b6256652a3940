"""An articulation that is switched off moves as bodies on joints, as recorded of PhysX."""

from __future__ import annotations

import numpy as np
from physx_runtime import simulate
from support.stages.robots import base, joint, link, opened, robot

# Positions of two links after 20 and 40 steps of 1/60 s, ovphysx on the CPU, and what was recorded of them.
RECORDED = {20: ((0.9511, 0.0, -0.3092), (1.9264, 0.0, -0.4802)), 40: ((0.3906, 0.0, -0.9208), (1.0642, 0.0, -1.5272))}
DIGITS = 1e-4


def test_a_switched_off_articulation_moves_as_in_physx() -> None:
    hinge = {"uniform token physics:axis": "Y", "point3f physics:localPos1": (-1, 0, 0)}
    text = robot(
        base(), link("a", (1, 0, 0)), link("b", (2, 0, 0)), joint("Revolute", "j", "base", "a", (), hinge),
        joint("Revolute", "k", "a", "b", ("PhysicsJointStateAPI:angular", "PhysxJointAxisAPI:angular"), {
            "uniform token physics:axis": "Y", "point3f physics:localPos0": (0.5, 0, 0),
            "point3f physics:localPos1": (-0.5, 0, 0), "float state:angular:physics:position": 30.0,
            "float physxJointAxis:angular:armature": 5.0}),
        schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI"))
    text = text.replace('def Xform "base"', 'bool physxArticulation:articulationEnabled = 0\ndef Xform "base"', 1)
    found = simulate(opened(text), dt=1 / 60, steps=40)
    assert found.link_names == ("/Robot/base", "/Robot/a", "/Robot/b")
    for step, places in RECORDED.items():
        np.testing.assert_allclose(found.link_pose[step, 0, 1:, :3], places, atol=DIGITS)
