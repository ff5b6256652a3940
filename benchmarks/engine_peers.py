"""The engines that `engine_speed.py` times, each stepping worlds of one robot; `run` returns seconds for its steps.

Every engine checks after each round that all worlds moved and are finite.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from engine_models import replicate
from numpy.typing import NDArray
from physx_process import PhysXProcess

DT = 1 / 60
EFFORT = 0.05       # force or torque
GROUND = [0.5, 0.005, 0.0001]       # friction, as PhysX's of unbound materials
CHANGES = 8         # random efforts that are written in turns


# Processor time of the whole process, which other work on the core does not lengthen; wall time on several cores.
CLOCKS: dict[int, Callable[[], float]] = {1: time.process_time}


def clock(cores: int) -> Callable[[], float]:
    """What an engine on so many cores is timed by."""
    return CLOCKS.get(cores, time.perf_counter)


class Engine(Protocol):
    """A number of worlds that can be stepped."""

    worlds: int

    def run(self, steps: int) -> float:
        """Seconds that the steps took."""


def check(name: str, start: NDArray[Any], end: NDArray[Any], worlds: int) -> None:
    """What makes a time mean something."""
    if len(end) != worlds or not np.isfinite(end).all() or not np.abs(end - start).max(axis=1).all():
        raise RuntimeError(f"{name}: {len(end)} of {worlds} worlds; all must move and stay finite")


class Ours:
    """This runtime along one of its paths: efforts written and positions read each step."""

    def __init__(self, stage: Path, dtype: str, worlds: int, cores: int, path: str = "specialised") -> None:
        from physx_runtime import Simulation

        self.worlds, self._clock = worlds, clock(cores)
        self._sim = Simulation(str(stage), worlds, dt=DT, dtype=dtype, path=path)
        shape = (CHANGES, worlds, len(self._sim.topology.dofs))
        self._efforts = np.random.default_rng(0).uniform(-EFFORT, EFFORT, shape).astype(dtype)

    def run(self, steps: int) -> float:
        self._sim.reset()
        start = end = self._sim.joint_position
        begin = self._clock()
        for i in range(steps):
            self._sim.set("joint_effort", self._efforts[i % CHANGES])
            self._sim.step()
            end = self._sim.joint_position
        seconds = self._clock() - begin
        check("ours", start, end, self.worlds)
        return seconds


class RealPhysX(PhysXProcess):
    """ovphysx in a process of its own."""

    def __init__(self, stage: Path, threads: int, worlds: int, cores: int) -> None:
        self.worlds = worlds
        copies = stage.with_name(f"{stage.stem}_copies.usda")
        job = {"stage": str(copies), "roots": replicate(stage, copies, worlds), "dt": DT, "effort": EFFORT,
               "changes": CHANGES, "threads": threads, "clock": clock(cores).__name__}
        super().__init__(Path(__file__).with_name("engine_physx.py"), stage.parent)
        self.ask(json.dumps(job), "ready")


def mujoco_model(stage: Path, constrained: bool, grounded: bool = False) -> tuple[Any, Any]:
    """(model, authored qpos): the same links, inertias, armature, springs, limits and friction loss in MuJoCo.

    Contacts are off but for those of spheres and capsules with a plane where `grounded`, and with `constrained` off
    limits and friction loss as well. A spherical joint becomes a hinge for
    each of its dofs. One Newton iteration, the cheapest that keeps limits; efforts are motors of gear 1.
    """
    import mujoco
    from physx_runtime import Simulation

    sim = Simulation(str(stage), dt=DT, dtype="float64")
    t, rows = sim.topology, {**sim.model.parameters, **sim.model.state}
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = DT, rows["gravity"]
    spec.option.iterations, spec.compiler.autolimits = 1, False
    if not grounded:
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    if not constrained:
        spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    bodies: list[Any] = []
    for i, link in enumerate(t.links):
        place = ((rows["root_position"], rows["root_rotation"]) if link.parent < 0 else
                 (rows["tree_position"][3 * i:3 * i + 3], rows["tree_rotation"][4 * i:4 * i + 4]))
        above = spec.worldbody if link.parent < 0 else bodies[link.parent]
        body = above.add_body(name=f"link{i}", pos=place[0], quat=np.roll(place[1], 1), mass=rows["mass"][i],
                              ipos=rows["com"][3 * i:3 * i + 3], fullinertia=rows["inertia"][6 * i:6 * i + 6],
                              explicitinertial=True)
        bodies.append(body)
        if link.parent < 0 and not t.fixed_base:
            body.add_freejoint()
        for dof in t.dofs_of(i):
            _add_joint(mujoco, spec, body, t, rows, dof)
        if grounded:
            _add_colliders(mujoco, body, sim.model.actor.links[i].colliders, sim.model.link_frames[i])
    if grounded:
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], friction=GROUND, contype=0,
                                conaffinity=1)
    for i, tendon in enumerate(t.fixed_tendons):
        _add_tendon(spec, rows, i, tendon.dofs)
    model = spec.compile()
    data = mujoco.MjData(model)
    for dof in range(len(t.dofs)):
        data.joint(f"dof{dof}").qpos[0] = rows["q"][dof]
    return model, data


def _add_colliders(mujoco: Any, body: Any, colliders: Any, into: Any) -> None:
    """Spheres and capsules of a link, which meet the ground alone; into: the link's frame in the body's."""
    from physx_runtime.packing.frames import compose

    for collider in colliders:
        turn = (0.0, math.sqrt(0.5), 0.0, math.sqrt(0.5)) if collider.axis == 0 else (0.0, 0.0, 0.0, 1.0)
        place = compose(compose(into, collider.pose), ((0.0, 0.0, 0.0), turn))
        kinds = {"capsule": mujoco.mjtGeom.mjGEOM_CAPSULE}
        body.add_geom(type=kinds.get(collider.kind, mujoco.mjtGeom.mjGEOM_SPHERE), pos=place[0],
                      quat=np.roll(place[1], 1), size=[collider.radius, collider.half_height or 0.0, 0.0],
                      friction=GROUND, contype=1, conaffinity=0)


def _add_joint(mujoco: Any, spec: Any, body: Any, t: Any, rows: Any, dof: int) -> None:
    limits = float(rows["lower_limit"][dof]), float(rows["upper_limit"][dof])
    limited = t.dofs[dof].limit and bool(np.isfinite(limits).all())
    kind = mujoco.mjtJoint.mjJNT_SLIDE if t.kind_of(dof) == "prismatic" else mujoco.mjtJoint.mjJNT_HINGE
    body.add_joint(
        name=f"dof{dof}", type=kind, axis=np.eye(3)[t.dofs[dof].axis], limited=int(limited),
        range=limits if limited else (0.0, 0.0), armature=float(rows["armature"][dof]),
        frictionloss=float(rows["static_friction"][dof]), springref=float(rows["target_position"][dof]),
        **{name: np.array([float(rows[name][dof]), 0.0, 0.0]) for name in ("stiffness", "damping")})
    motor = spec.add_actuator(name=f"motor{dof}", target=f"dof{dof}", trntype=mujoco.mjtTrn.mjTRN_JOINT)
    motor.set_to_motor()


def _add_tendon(spec: Any, rows: Any, number: int, dofs: tuple[int, ...]) -> None:
    """A spring of the weighted sum of joint angles."""
    name = f"fixed_tendon{number}"
    tendon = spec.add_tendon(name=name, **{
        key: np.array([float(rows[f"{name}_{key}"][0]), 0.0, 0.0]) for key in ("stiffness", "damping")})
    tendon.springlength = [float(rows[f"{name}_rest_length"][0] - rows[f"{name}_offset"][0])] * 2
    for axis, dof in enumerate(dofs):
        tendon.wrap_joint(f"dof{dof}", float(rows[f"{name}_gearing"][axis]))


class MuJoCo:
    """MuJoCo C through its own batched rollout: no Python between steps, efforts for all steps given at once."""

    def __init__(self, stage: Path, constrained: bool, worlds: int, cores: int) -> None:
        import mujoco
        from mujoco import rollout

        self.worlds, self._clock = worlds, clock(cores)
        self._rollout = rollout.Rollout(nthread=cores if cores > 1 else 0)
        self._model, authored = mujoco_model(stage, constrained)
        self._data = [mujoco.MjData(self._model) for _ in range(cores)]
        size = mujoco.mj_stateSize(self._model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        state = np.zeros(size)
        mujoco.mj_getState(self._model, authored, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        self._start = np.tile(state, (worlds, 1))
        self._random = np.random.default_rng(0)

    def run(self, steps: int) -> float:
        control = self._random.uniform(-EFFORT, EFFORT, (self.worlds, steps, self._model.nu))
        begin = self._clock()
        state, _ = self._rollout.rollout([self._model] * self.worlds, self._data, self._start, control, nstep=steps,
                                         skip_checks=False)
        seconds = self._clock() - begin
        positions = slice(1, 1 + self._model.nq)
        check("MuJoCo", self._start[:, positions], state[:, -1, positions], self.worlds)
        if any(data.warning[i].number for data in self._data for i in range(len(data.warning))):
            raise RuntimeError("MuJoCo warned of a bad state and started it over")
        return seconds


def pinocchio_model(stage: Path) -> tuple[Any, NDArray[np.float64]]:
    """(model, q): the same links and joints in pinocchio; a spherical joint becomes a chain of revolute ones."""
    import pinocchio as pin
    from physx_runtime import Simulation

    sim = Simulation(str(stage), dtype="float64")
    t, rows = sim.topology, {**sim.model.parameters, **sim.model.state}
    model, joints = pin.Model(), []
    for i, link in enumerate(t.links):
        joint, x, y, z, w = 0, *rows["tree_rotation"][4 * i:4 * i + 4]
        place = pin.SE3(pin.Quaternion(w, x, y, z), rows["tree_position"][3 * i:3 * i + 3])
        if link.parent < 0:
            place = pin.SE3.Identity()
            joint = 0 if t.fixed_base else model.addJoint(0, pin.JointModelFreeFlyer(), place, "root")
        else:
            parent, offset = joints[link.parent]
            joint, place = parent, offset * place
        for dof in t.dofs_of(i):
            axis = np.eye(3)[t.dofs[dof].axis]
            slides = t.kind_of(dof) == "prismatic"
            kind = pin.JointModelPrismaticUnaligned if slides else pin.JointModelRevoluteUnaligned
            joint, place = model.addJoint(joint, kind(axis), place, f"dof{dof}"), pin.SE3.Identity()
        xx, yy, zz, xy, xz, yz = rows["inertia"][6 * i:6 * i + 6]
        inertia = pin.Inertia(float(rows["mass"][i]), rows["com"][3 * i:3 * i + 3],
                              np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        model.appendBodyToJoint(joint, inertia, place)
        joints.append((joint, place))
    return model, pin.neutral(model)


class Pinocchio:
    """pinocchio's batched ABA, which is the acceleration alone: no constraints and no step."""

    def __init__(self, stage: Path, worlds: int, cores: int) -> None:
        import pinocchio as pin

        self.worlds, self._cores, self._clock = worlds, cores, clock(cores)
        model, q = pinocchio_model(stage)
        random = np.random.default_rng(0)
        self._pool = pin.ModelPool(model, cores)
        self._q = np.asfortranarray(np.tile(q[:, None], (1, worlds)))
        self._v, self._tau = (np.asfortranarray(random.uniform(-0.1, 0.1, (model.nv, worlds))) for _ in range(2))
        self._a = np.zeros((model.nv, worlds), order="F")

    def run(self, steps: int) -> float:
        import pinocchio as pin

        begin = self._clock()
        for _ in range(steps):
            pin.abaInParallel(self._cores, self._pool, self._q, self._v, self._tau, self._a)
        seconds = self._clock() - begin
        check("pinocchio", np.zeros_like(self._a.T), self._a.T, self.worlds)
        return seconds

