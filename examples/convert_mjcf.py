"""Convert an MJCF model with closed chains to a stage, and see whether its loops stay closed.

    python examples/convert_mjcf.py MODEL.xml STAGE.usda

Needs mujoco. Bodies, inertias, joints with limits, springs, dampers, armature and friction, position actuators
(towards the first keyframe's controls) and the equality constraints are converted; geometry is left out. connect
becomes a ball and weld a fixed joint that close loops, joint a mimic joint. Of a body's several hinges all but the last
are given light links. Bodies start where the model's reference pose has them.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from linkages import ball, gap, joint, new_stage, turned_body
from physx_runtime import simulate
from pxr import Gf, Tf, Usd, UsdPhysics

from physx_schema import authoring

LIGHT = 0.01            # of a body's mass and inertia for each hinge but its last
SCHEMAS = {mujoco.mjtJoint.mjJNT_HINGE: UsdPhysics.RevoluteJoint,
           mujoco.mjtJoint.mjJNT_SLIDE: UsdPhysics.PrismaticJoint,
           mujoco.mjtJoint.mjJNT_BALL: UsdPhysics.SphericalJoint}
JOINTS = "/Robot/joints/"


class Converter:
    """A model on its way onto a stage."""

    def __init__(self, model: Any, stage: Usd.Stage) -> None:
        self.model, self.stage = model, stage
        self.data = mujoco.MjData(model)
        mujoco.mj_kinematics(model, self.data)
        self.bodies: dict[int, Usd.Prim | None] = {0: None}
        self.joints: dict[int, Usd.Prim] = {}

    def convert(self) -> list[str]:
        """Write everything; the paths of the joints that close loops."""
        for index in range(1, self.model.nbody):
            self._body(index)
        authoring.articulation_root(self._root(), position_iterations=32, velocity_iterations=1)
        for index in range(self.model.nu):
            self._actuator(index)
        loops = [found for index in range(self.model.neq) for found in self._equality(index)]
        self.stage.Save()
        return loops

    def _root(self) -> Usd.Prim:
        floats = self.model.njnt > 0 and self.model.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
        return self.bodies[1] if floats else self.stage.GetDefaultPrim()

    def _name(self, kind: str, index: int) -> str:
        return Tf.MakeValidIdentifier(getattr(self.model, kind)(index).name or f"{kind}{index}")

    def _body(self, index: int) -> None:
        body, parent = self.model.body(index), self.bodies[int(self.model.body_parentid[index])]
        own = [int(body.jntadr[0]) + i for i in range(int(body.jntnum[0]))]
        if not own and body.mass[0] == 0.0:
            self.bodies[index] = parent             # a place on another body
            return
        name = self._name("body", index)
        above = parent
        for i in own[:-1]:
            between = self._link(f"{name}_{self._name('joint', i)}", index, LIGHT)
            self._joint(i, above, between)
            above = between
        self.bodies[index] = self._link(name, index)
        if not own:
            joint(UsdPhysics.FixedJoint, f"{JOINTS}{name}_fixed", above, self.bodies[index], self.data.xpos[index])
        elif self.model.jnt_type[own[-1]] != mujoco.mjtJoint.mjJNT_FREE:
            self._joint(own[-1], above, self.bodies[index])

    def _link(self, name: str, index: int, share: float = 1.0) -> Usd.Prim:
        body = self.model.body(index)
        return turned_body(
            self.stage, f"/Robot/{name}", self.data.xpos[index], Gf.Rotation(_quaternion(self.data.xquat[index])),
            mass=max(float(body.mass[0]), 1e-4) * share, inertia=np.maximum(body.inertia, 1e-7) * share,
            center=body.ipos, axes=Gf.Quatf(_quaternion(body.iquat)))

    def _joint(self, index: int, parent: Usd.Prim | None, child: Usd.Prim) -> None:
        own, kind = self.model.joint(index), mujoco.mjtJoint(self.model.jnt_type[index])
        found = joint(SCHEMAS[kind], JOINTS + self._name("joint", index), parent, child, self.data.xanchor[index],
                      self.data.xaxis[index])
        self.joints[index] = found
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            return
        unit = _unit(kind)
        start = float(self.model.qpos0[own.qposadr[0]])     # the reference pose is 0 on the stage
        if own.limited[0]:
            limits = [(float(x) - start) * unit for x in own.range]
            SCHEMAS[kind](found).CreateLowerLimitAttr(limits[0])
            SCHEMAS[kind](found).CreateUpperLimitAttr(limits[1])
        authoring.joint_axis(found, armature=float(own.armature[0]), static_friction=float(own.frictionloss[0]),
                             dynamic_friction=float(own.frictionloss[0]))
        stiffness, damping = float(np.ravel(own.stiffness)[0]), float(np.ravel(own.damping)[0])
        if stiffness or damping:
            rest = float(self.model.qpos_spring[own.qposadr[0]]) - start
            authoring.drive(found, stiffness=stiffness / unit, damping=damping / unit, target=rest * unit)

    def _actuator(self, index: int) -> None:
        """A position actuator; what springs and dampers the joint has by itself is left to it."""
        kp, kv = float(self.model.actuator_gainprm[index, 0]), -float(self.model.actuator_biasprm[index, 2])
        target = int(self.model.actuator_trnid[index, 0])
        if self.model.actuator_biastype[index] != mujoco.mjtBias.mjBIAS_AFFINE or target not in self.joints:
            return
        unit, own = _unit(mujoco.mjtJoint(self.model.jnt_type[target])), self.model.joint(target)
        control = float(self.model.key_ctrl[0, index]) if self.model.nkey else 0.0
        force = float(self.model.actuator_forcerange[index, 1]) if self.model.actuator_forcelimited[index] else math.inf
        damping = kv + float(np.ravel(own.damping)[0])
        authoring.drive(self.joints[target], stiffness=kp / unit, damping=damping / unit, max_force=force,
                        target=(control - float(self.model.qpos0[own.qposadr[0]])) * unit)

    def _equality(self, index: int) -> Iterator[str]:
        kind, data = mujoco.mjtEq(self.model.eq_type[index]), self.model.eq_data[index]
        first, second = int(self.model.eq_obj1id[index]), int(self.model.eq_obj2id[index])
        path = f"{JOINTS}{self._name('equality', index)}"
        if kind == mujoco.mjtEq.mjEQ_JOINT:
            factor = _unit(mujoco.mjtJoint(self.model.jnt_type[first])) / _unit(
                mujoco.mjtJoint(self.model.jnt_type[second]))
            authoring.mimic(self.joints[first], self.joints[second], gearing=-float(data[1]) * factor)
        elif kind in (mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD):
            at = self.data.xpos[first] + self.data.xmat[first].reshape(3, 3) @ data[:3]
            ends = (self.bodies[second], self.bodies[first]) if self.bodies[first] else (None, self.bodies[second])
            if kind == mujoco.mjtEq.mjEQ_CONNECT:
                yield str(ball(path, *ends, at, closes_loop=True).GetPath())
            else:
                yield str(joint(UsdPhysics.FixedJoint, path, *ends, at, closes_loop=True).GetPath())


def _quaternion(values: Any) -> Gf.Quatd:
    w, x, y, z = map(float, values)
    return Gf.Quatd(w, x, y, z).GetNormalized()


def _unit(kind: Any) -> float:
    """What a radian or a metre is on the stage."""
    return 1.0 if kind == mujoco.mjtJoint.mjJNT_SLIDE else math.degrees(1.0)


def convert(model: Path | str, path: Path | str) -> tuple[Usd.Stage, list[str]]:
    """(stage, joints that close loops) of an MJCF file."""
    stage = new_stage(path, "/Robot")
    spec = mujoco.MjSpec.from_file(str(model))
    return stage, Converter(spec.compile(), stage).convert()


if __name__ == "__main__":
    built, closing = convert(*sys.argv[1:3])
    motion = simulate(sys.argv[2], dt=1 / 240, steps=240)
    widest = max((gap(built, motion.body_names, poses, loop) for poses in motion.body_pose[:, 0] for loop in closing),
                 default=0.0)
    print(f"{sys.argv[2]}: {len(motion.body_names)} bodies, {len(motion.joint_names)} degrees of freedom")
    print(f"widest gap of {len(closing)} loops: {1e6 * widest:.1f} micrometres")
