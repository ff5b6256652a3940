"""What real PhysX makes of a stage: its objects and numbers, how it moves by itself and pushed, and how freely.

A stage that PhysX refuses gives {"refused": why}, and so does one that ends the engine's process.

Mobility is the number of independent ways in which a push moves anything while no drive, friction or tendon of an
articulation holds. Joints that weld what they should hinge lower it, though each still has its degree of freedom.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

from support.physx.engine import answers, serve
from support.physx.facts import facts_at_start, rows

STEP = 1 / 60           # s
FREE_STEPS, STIRRED_STEPS, PUSHED_STEPS = 45, 20, 6
EACH = 5                # steps from one record of a motion to the next
PUSH = 0.5              # rad/s or lengths/s, small beside the width of a limit
STIR = 1490             # which parts the joints of the rules' examples from each other
# The part of a push that arrives somewhere: what the rows of soft joints let through is less.
ARRIVES = 0.1
BATCH = 60              # stages of one process
NOT_FINITE = -1         # in place of a mobility

# articulations, bodies, ... {name of a kind: [path]}; readings {"QUANTITY name": numbers};
# free and stirred: motions {path: (n_record, ...)}; mobility; or refused
Probe = dict[str, Any]

OF_ARTICULATION = ("SHAPE_FRICTION_AND_RESTITUTION", "CONTACT_OFFSET", "REST_OFFSET", *(
    f"FIXED_TENDON_{name}" for name in ("STIFFNESS", "DAMPING", "LIMIT_STIFFNESS", "LIMIT", "REST_LENGTH", "OFFSET")),
    *(f"SPATIAL_TENDON_{name}" for name in ("STIFFNESS", "DAMPING", "LIMIT_STIFFNESS", "OFFSET")))
OF_DOFS = ("DOF_STIFFNESS", "DOF_DAMPING", "DOF_LIMIT", "DOF_MAX_VELOCITY", "DOF_MAX_FORCE", "DOF_ARMATURE",
           "DOF_FRICTION_PROPERTIES", "DOF_DRIVE_MODEL", "DOF_DRIVE_TYPE", "DOF_POSITION_TARGET", "DOF_VELOCITY_TARGET")
OF_LINKS = ("BODY_MASS", "BODY_COM_POSE", "BODY_INERTIA", "BODY_DISABLE_GRAVITY")
OF_BODY = ("MASS", "INERTIA", "COM_POSE", "DISABLE_SIMULATION", "SHAPE_FRICTION_AND_RESTITUTION", "CONTACT_OFFSET",
           "REST_OFFSET")
# What holds a degree of freedom without being a constraint on where it may be.
FORCES = ("DOF_STIFFNESS", "DOF_DAMPING", "DOF_FRICTION_PROPERTIES", *(
    f"{kind}_TENDON_{name}" for kind in ("FIXED", "SPATIAL") for name in ("STIFFNESS", "DAMPING", "LIMIT_STIFFNESS")))


def probed(stages: Sequence[str]) -> list[Probe]:
    """What PhysX makes of stages given as USDA text; where one ends the process, the others are asked again."""
    if len(stages) > BATCH:
        return [item for start in range(0, len(stages), BATCH) for item in probed(stages[start:start + BATCH])]
    try:
        return answers(__name__, stages)
    except RuntimeError:
        if len(stages) == 1:
            return [{"refused": "the engine ended"}]
        middle = len(stages) // 2
        return [*probed(stages[:middle]), *probed(stages[middle:])]


# --- in the engine's process -----------------------------------------------------------------------------------------

def _probe(physx: Any, stage: Any) -> Probe:
    """The objects of a stage, and its motions one after another from the same start."""
    from ovphysx.types import SimObjectType as Kind

    facts = facts_at_start(physx, stage)
    # trees below one root share its path, their links do not
    actors = [_Actor(physx, "ARTICULATION", row["links"]) for row in facts["articulations"]]
    actors += [_Actor(physx, "RIGID_BODY", [row["path"]]) for row in facts["bodies"]]
    found: Probe = {
        "articulation": [actor.links[0] for actor in actors if actor.is_articulation],
        **{kind: [row["path"] for row in facts[name]] for kind, name in (
            ("link", "links"), ("body", "bodies"), ("joint", "joints"))},
        "free joint": facts["free joints"],
        **{name: [row["path"] for row in rows(physx, stage, kind, ("physxPointer",))] for name, kind in (
            ("scene", Kind.SCENE), ("shape", Kind.SHAPE), ("material", Kind.PHYSX_MATERIAL))},
    }
    try:
        found["readings"] = {key: value for actor in actors for key, value in actor.readings().items()}
        found["free"] = _run(physx, actors, FREE_STEPS)
        found["stirred"] = _run(physx, actors, STIRRED_STEPS, {
            name: _speed(name) for actor in actors for name in actor.names})
        for actor in actors:
            actor.let_go()
        found["mobility"] = _mobility(physx, actors)
    finally:
        for actor in actors:
            actor.close()
    return found


def _speed(name: str) -> float:
    """Where a coordinate is stirred to: there or back, the same on every stage that has it, apart from others."""
    return PUSH * (zlib.crc32(f"{name}{STIR}".encode()) % 6001 / 1000 - 3.0)


def _run(physx: Any, actors: Sequence[_Actor], steps: int, pushes: dict[str, float] | None = None) -> dict[str, Any]:
    """The motion from the start, or with given velocities of coordinates there."""
    for actor in actors:
        actor.reset(pushes)
    records = [[actor.places() for actor in actors]]
    for step in range(1, steps + 1):
        physx.step_sync(STEP)
        if step % EACH == 0 or step == steps:
            records.append([actor.places() for actor in actors])
    return {path: [record[i][path] for record in records] for i, places in enumerate(records[0]) for path in places}


def _mobility(physx: Any, actors: Sequence[_Actor]) -> int:
    """The rank of where pushes along each coordinate, there and back, lead."""
    import numpy as np

    names = [name for actor in actors for name in actor.names]

    def end(pushes: dict[str, float]) -> Any:
        motion = _run(physx, actors, PUSHED_STEPS, dict.fromkeys(names, 0.0) | pushes)
        return np.concatenate([np.asarray(places[-1], dtype=float) for places in motion.values()])

    if not names:
        return 0
    still = end({})
    moved = np.array([end({name: sign * PUSH}) - still for name in names for sign in (1.0, -1.0)])
    if not np.isfinite(moved).all():
        return NOT_FINITE
    sizes = np.linalg.svd(moved / (PUSH * PUSHED_STEPS * STEP), compute_uv=False)
    return int((sizes > ARRIVES).sum())


class _Actor:
    """An articulation or a body of an attached stage: its numbers, its start, and where it is."""

    def __init__(self, physx: Any, kind: str, links: Sequence[str]) -> None:
        self.links, self.is_articulation = links, kind == "ARTICULATION"
        self._physx, self._kind = physx, kind
        self._bound: dict[str, Any] = {}
        self._fixed, self._dofs = False, list[str]()
        if self.is_articulation:
            pose = self._binding("LINK_POSE")
            self._fixed, self._dofs = bool(pose.is_fixed_base), [str(name) for name in pose.dof_names]
            by_leaf = {path.rpartition("/")[2]: path for path in links}
            self.links = [by_leaf[str(name)] for name in pose.body_names]
        self.names = [*self._dofs, *(f"{self.links[0]} {i}" for i in range(0 if self._fixed else 6))]
        start = ["DOF_POSITION", "DOF_VELOCITY"] if self._dofs else []
        start += ["ROOT_POSE", "ROOT_VELOCITY"] if self.is_articulation else ["POSE", "VELOCITY"]
        self._start = {name: self._read(name) for name in start}

    def readings(self) -> dict[str, Any]:
        """The numbers that PhysX hands out, by quantity and the name of what they belong to."""
        found: dict[str, Any] = {}
        of_links = [path.rpartition("/")[2] for path in self.links]
        groups = ((OF_DOFS, self._dofs), (OF_LINKS, of_links)) if self.is_articulation else ()
        for quantities, names in groups:
            for quantity in quantities if names else ():
                found |= {f"{quantity} {name}": value.tolist()
                          for name, value in zip(names, self._read(quantity), strict=True)}
        for quantity in OF_ARTICULATION if self.is_articulation else OF_BODY:
            value = self._read(quantity)
            if value.size:
                found[f"{quantity} {of_links[0]}"] = value.ravel().tolist()
        return found

    def reset(self, pushes: dict[str, float] | None) -> None:
        """Go back to the start, with other velocities where they are given."""
        import numpy as np

        values = dict(self._start)
        if pushes is not None:
            speeds = np.array([pushes[name] for name in self.names], dtype=np.float32)
            of_dofs, of_body = np.split(speeds, [len(self._dofs)])
            values |= {name: of_dofs if name == "DOF_VELOCITY" else of_body for name in values
                       if name.endswith("VELOCITY")}
        for name, value in values.items():
            if not (name.startswith("ROOT") and self._fixed):
                self._write(name, value)

    def places(self) -> dict[str, list[float]]:
        """Joint positions, and position and quaternion of each link or of the body."""
        found: dict[str, list[float]] = {}
        if self._dofs:
            found |= {name: [float(q)] for name, q in zip(self._dofs, self._read("DOF_POSITION"), strict=True)}
        poses = self._read("LINK_POSE") if self.is_articulation else [self._read("POSE")]
        return found | {path: [float(x) for x in pose] for path, pose in zip(self.links, poses, strict=True)}

    def let_go(self) -> None:
        """Take drives, frictions and tendons away."""
        for name in FORCES if self._dofs else ():
            if self._read(name).size:
                self._write(name, 0.0)

    def close(self) -> None:
        for binding in self._bound.values():
            binding.destroy()


    def _binding(self, name: str) -> Any:
        from ovphysx.types import TensorType

        if name not in self._bound:
            self._bound[name] = self._physx.create_tensor_binding(
                prim_paths=[self.links[0]], tensor_type=getattr(TensorType, f"{self._kind}_{name}"))
        return self._bound[name]

    def _read(self, name: str) -> Any:
        import numpy as np

        binding = self._binding(name)
        out = np.zeros(binding.shape, dtype=np.dtype(binding.dtype_name))
        if out.size:
            binding.read(out)
        return out[0]

    def _write(self, name: str, values: Any) -> None:
        import numpy as np

        binding = self._binding(name)
        binding.write(np.array(np.broadcast_to(np.asarray(values, dtype=np.float32), binding.shape)))


if __name__ == "__main__":
    serve(_probe)
