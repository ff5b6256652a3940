"""The reader held against real PhysX, field by field: what the two say about one stage and where they differ.

A comparison is a dict from the name of a field to the differences found, in words; an empty list is agreement, and a
field that the stage does not have is absent. Numbers agree where they are equal within float32 arithmetic.

Runs the reader and real PhysX on many stages, in few engine processes, and compares them.
"""

from __future__ import annotations

import importlib
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from physx_runtime import simulate
from pxr import Usd

from physx_schema.description import Articulation, Description, Dof, Drive, FixedTendon, Link, SpatialTendon, describe
from support.mechanics.kinematics import link_poses, rotation
from support.stages.robots import opened

Differences = dict[str, list[str]]
Measured = Mapping[str, Any]
Array = np.ndarray

RELATIVE = 1e-5         # a few float32 products
POSITION = 1e-5         # float32 positions of arms of a few units, times the largest length that occurs
SMALLEST = 1e-12
LARGEST = 1e30          # PhysX stores "no bound" as a float of this size or more
ITEM = 160              # characters of a value in a difference

STAGE_FIELDS = ("articulations", "all links", "all joints", "free bodies")
FIELDS = (
    *STAGE_FIELDS, "base", "link order", "dof order", "inbound joints", "parents", "mass", "center of mass", "inertia",
    "principal axes", "root pose", "root velocity", "joint position", "joint velocity", "link poses", "posed links",
    "limits", "stiffness", "damping", "max force", "drive type", "target position", "target velocity", "envelope",
    "armature", "friction", "max velocity", "gravity", "fixed tendons", "spatial tendons", "motion",
)


def compare(description: Description, found: Measured) -> Differences:
    """Every field of a stage; `found` is a result of the oracle's `dynamics`."""
    rows: Differences = {}
    roots = list(found["articulations"])
    ours = [item for item in description.articulations if item.enabled]
    _put(rows, "articulations", sorted({item.path for item in ours}), sorted(roots))
    links = {link.path for item in ours for link in item.links}
    _put(rows, "all links", sorted(links), sorted(found["all_link_paths"]))
    joints = {dof.path for item in ours for dof in item.dofs}
    _put(rows, "all joints", sorted(joints), sorted(found["all_joint_paths"]))
    loose = {link.path for item in description.articulations if not item.enabled for link in item.links}
    free = sorted(loose.union(body.path for body in description.bodies))
    if free or found["rigid_paths"]:
        _put(rows, "free bodies", free, sorted(found["rigid_paths"]))
    for place, root in enumerate(roots):
        measured = found if place == 0 else found["others"][root]
        candidates = [compare_articulation(item, measured, description.scene_of(item).gravity)
                      for item in ours if item.path == root]
        if len(candidates) > 1 or _is_pulled(description, root):
            for rows_of_one in candidates:      # the oracle cannot put the root back where it was before its first step
                rows_of_one.pop("root pose", None)
                rows_of_one.pop("root velocity", None)
        if candidates:      # several where one root prim holds several trees, of which PhysX shows one
            best = min(candidates, key=lambda item: (len(item) < len(FIELDS) / 2, sum(map(len, item.values()))))
            for field, differences in best.items():
                prefix = f"{root}: " if len(roots) > 1 else ""
                rows.setdefault(field, []).extend(prefix + text for text in differences)
    return rows


def _is_pulled(description: Description, root: str) -> bool:
    """Whether a joint outside articulations holds a link of an articulation."""
    links = {link.path for item in description.articulations if item.path == root for link in item.links}
    return any({joint.body0, joint.body1} & links for joint in description.joints)


def compare_articulation(ours: Articulation, found: Measured, gravity: Sequence[float]) -> Differences:
    """Every field of one articulation that PhysX hands out."""
    rows: Differences = {}
    _put(rows, "base", "fixed" if ours.fixed_base else "floating", "fixed" if found["fixed_base"] else "floating")
    _put(rows, "link order", [leaf(link.path) for link in ours.links], list(found["link_names"]))
    _put(rows, "dof order", dof_names(ours), list(found["dof_names"]))
    if any(rows.values()):
        return rows
    inbound = [leaf(link.joint.path) for link in ours.links if link.joint]
    _put(rows, "inbound joints", inbound, list(found["joint_names"]))
    if not inbound:
        rows.pop("inbound joints")
    _compare_parents(rows, ours, found)
    _compare_bodies(rows, ours, found)
    _compare_poses(rows, ours, found)
    _compare_dofs(rows, ours, found)
    _compare_gravity(rows, ours, found, gravity)
    _compare_tendons(rows, ours, found)
    return rows


def compare_posed(ours: Articulation, q: Array, found: Measured) -> list[str]:
    """Differences of the link poses at joint coordinates q; `found` is a result of `simulate` with no steps."""
    poses = np.array(found["link_pose"][0])
    return _pose_differences(ours, q, poses)


def leaf(path: str) -> str:
    """The name of a prim."""
    return path.rpartition("/")[2]


def dof_names(ours: Articulation) -> list[str]:
    """Degrees of freedom as PhysX names them: the joint's name, and a number where the joint may have several.

    That of a generic joint is its axis; that of a spherical one counts from the axis it is authored about.
    """
    names = []
    for joint in (link.joint for link in ours.links if link.joint):
        for place, dof in enumerate(joint.dofs):
            number = {"d6": int(np.argmax(np.abs(dof.axis))), "spherical": place}.get(joint.kind)
            names.append(leaf(joint.path) if number is None else f"{leaf(joint.path)}:{number}")
    return names


def bounded(values: Any) -> Array:
    """Numbers with PhysX's largest floats as infinities."""
    found = np.asarray(values, dtype=float)
    return np.where(np.abs(found) > LARGEST, np.copysign(math.inf, found), found)


def equal(ours: Any, theirs: Any, relative: float = RELATIVE, absolute: float = SMALLEST) -> bool:
    """Whether arrays have one shape and agree; infinities and values that are no numbers agree with themselves."""
    first, second = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    return first.shape == second.shape and bool(np.allclose(first, second, relative, absolute, equal_nan=True))


def _put(rows: Differences, field: str, ours: Any, theirs: Any) -> None:
    rows[field] = [] if ours == theirs else [f"{_short(ours)}, PhysX {_short(theirs)}"]


def _numbers(rows: Differences, field: str, names: Sequence[str], ours: Any, theirs: Any, **tolerance: float) -> None:
    """One difference for every name whose numbers differ."""
    if not names:
        return
    rows[field] = [f"{name}: {_short(mine)}, PhysX {_short(other)}"
                   for name, mine, other in zip(names, ours, theirs, strict=True)
                   if not equal(mine, other, **tolerance)]


def _short(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{float(value):.7g}"
    if isinstance(value, list | tuple | np.ndarray):
        text = "[" + ", ".join(_short(item) for item in value) + "]"
    else:
        text = str(value)
    return text if len(text) <= ITEM else text[:ITEM] + "..."


def _compare_parents(rows: Differences, ours: Articulation, found: Measured) -> None:
    """Which coordinates move which link, as the Jacobian shows it."""
    if not np.size(found.get("jacobian", ())) or not ours.dofs:
        return
    free = 0 if ours.fixed_base else 6
    skipped = 1 if ours.fixed_base else 0
    jacobian = np.asarray(found["jacobian"], dtype=float).reshape(len(ours.links) - skipped, 6, -1)[:, :, free:]
    moves = np.abs(jacobian).max(axis=1) > 1e-6
    above = ancestors(ours)[skipped:]
    names = [leaf(link.path) for link in ours.links[skipped:]]
    _numbers(rows, "parents", names, above.astype(float), moves.astype(float))


def ancestors(ours: Articulation) -> Array:
    """(n_link, n_dof): whether a coordinate lies between a link and the root."""
    table = np.zeros((len(ours.links), len(ours.dofs)), dtype=bool)
    start = 0
    for i, link in enumerate(ours.links):
        if link.joint is None:
            continue
        table[i] = table[link.parent]
        table[i, start:start + len(link.joint.dofs)] = True
        start += len(link.joint.dofs)
    return table


def _compare_bodies(rows: Differences, ours: Articulation, found: Measured) -> None:
    links, names = ours.links, [leaf(link.path) for link in ours.links]
    inertias = np.asarray(found["body_inertia"], dtype=float)
    _numbers(rows, "mass", names, [link.mass for link in links], found["body_mass"])
    centers = np.asarray(found["body_com_pose"], dtype=float)
    size = max(1.0, float(np.abs(centers[:, :3]).max()))
    _numbers(rows, "center of mass", names, [link.center_of_mass for link in links], centers[:, :3],
             absolute=POSITION * size)
    rows["inertia"], rows["principal axes"] = [], []
    for link, name, inertia, center in zip(links, names, inertias, centers, strict=True):
        mine = np.ravel(link.inertia)
        if not equal(mine, inertia, absolute=2 * RELATIVE * float(np.abs(inertia).max())):
            rows["inertia"].append(f"{name}: {_short(mine)}, PhysX {_short(inertia)}")
        if not _diagonalises(link, center[3:]):
            rows["principal axes"].append(f"{name}: {_short(link.principal_axes)}, PhysX {_short(center[3:])}")


def _diagonalises(link: Link, turn: Array) -> bool:
    """Whether axes are principal axes of a link; where moments are equal, rounding decides which axis comes first."""
    axes = rotation((turn[0], turn[1], turn[2], turn[3]))
    moments = axes.T @ np.array(link.inertia) @ axes
    scale = float(np.abs(moments).max())
    in_order = equal(np.diag(moments), np.diag(rotation(link.principal_axes).T @ np.array(link.inertia)
                                               @ rotation(link.principal_axes)), absolute=2 * RELATIVE * scale)
    gap = min(abs(a - b) for a, b in combinations(np.diag(moments), 2))
    diagonal = bool(np.all(np.abs(moments - np.diag(np.diag(moments))) <= 2 * RELATIVE * scale))
    return diagonal and (in_order or gap <= 1e-4 * scale)


def _compare_poses(rows: Differences, ours: Articulation, found: Measured) -> None:
    """The authored start: root, joint states, and where the joint frames put the links then."""
    poses, q = np.asarray(found["link_pose"], dtype=float), np.asarray(found["q"], dtype=float)
    root = ours.links[0]
    size = max(1.0, float(np.abs(poses[:, :3]).max()))
    _numbers(rows, "root pose", [leaf(root.path)], [root.pose[0]], poses[:1, :3], absolute=POSITION * size)
    if not rows["root pose"] and abs(float(np.dot(root.pose[1], poses[0, 3:]))) < 1 - POSITION:
        rows["root pose"].append(f"{leaf(root.path)}: {_short(root.pose[1])}, PhysX {_short(poses[0, 3:])}")
    names = dof_names(ours)
    _numbers(rows, "joint position", names, [dof.position for dof in ours.dofs], q, absolute=POSITION)
    _numbers(rows, "joint velocity", names, [dof.velocity for dof in ours.dofs], found["qd"], absolute=POSITION)
    if not ours.fixed_base:
        velocity = np.array([*root.linear_velocity, *root.angular_velocity])
        _numbers(rows, "root velocity", [leaf(root.path)], [velocity], [found["root_vel"]], absolute=POSITION)
    if len(ours.links) > 1:
        rows["link poses"] = _pose_differences(ours, q, poses)


def _pose_differences(ours: Articulation, q: Array, poses: Array) -> list[str]:
    """Links that the joint frames put elsewhere, seen from PhysX's root."""
    positions, rotations = link_poses(ours, np.asarray(q, dtype=float), (tuple(poses[0, :3]), tuple(poses[0, 3:])))
    size = max(1.0, float(np.abs(poses[:, :3]).max()))
    return [f"{leaf(link.path)}: {_short(np.concatenate([position, turn]))}, PhysX {_short(pose)}"
            for link, position, turn, pose in zip(ours.links, positions, rotations, poses, strict=True)
            if not equal(position, pose[:3], 0.0, POSITION * size) or abs(float(np.dot(turn, pose[3:]))) < 1 - POSITION]


NO_DRIVE = Drive("", "", 0.0, 0.0, 0.0, 0.0, 0.0, False)


def _drive_type(dof: Dof) -> float:
    """0 none, 1 force, 2 acceleration."""
    return 0.0 if dof.drive is None else 2.0 if dof.drive.acceleration else 1.0


def _envelope(dof: Dof) -> tuple[float, float, float]:
    envelope = dof.drive.envelope if dof.drive else None
    if envelope is None:
        return 0.0, math.inf, 0.0
    return (envelope.speed_effort_gradient, envelope.max_actuator_velocity, envelope.velocity_dependent_resistance)


DOF_FIELDS: Mapping[str, tuple[str, Callable[[Dof], Any]]] = {
    "limits": ("dof_limit", lambda dof: (dof.lower, dof.upper)),
    "stiffness": ("dof_stiffness", lambda dof: (dof.drive or NO_DRIVE).stiffness),
    "damping": ("dof_damping", lambda dof: (dof.drive or NO_DRIVE).damping),
    "max force": ("dof_max_force", lambda dof: (dof.drive or NO_DRIVE).max_force),
    "drive type": ("dof_drive_type", _drive_type),
    "target position": ("dof_target", lambda dof: (dof.drive or NO_DRIVE).target_position),
    "target velocity": ("dof_target_vel", lambda dof: (dof.drive or NO_DRIVE).target_velocity),
    "envelope": ("dof_drive_model", _envelope),
    "armature": ("dof_armature", lambda dof: dof.armature),
    "friction": ("dof_friction", lambda dof: (dof.static_friction, dof.dynamic_friction, dof.viscous_friction)),
    "max velocity": ("dof_max_velocity", lambda dof: dof.max_velocity),
}


def _compare_dofs(rows: Differences, ours: Articulation, found: Measured) -> None:
    names = dof_names(ours)
    for name, (key, value) in DOF_FIELDS.items():
        _numbers(rows, name, names, bounded([value(dof) for dof in ours.dofs]), bounded(found[key]))


def _compare_gravity(rows: Differences, ours: Articulation, found: Measured, gravity: Sequence[float]) -> None:
    """The force that holds every link against gravity, by PhysX's Jacobian, our masses and our gravity.

    PhysX's reading takes no notice of disableGravity, its motion does.
    """
    if not np.size(found.get("jacobian", ())) or "gravity_force" not in found:
        return
    skipped = 1 if ours.fixed_base else 0
    jacobian = np.asarray(found["jacobian"], dtype=float).reshape(len(ours.links) - skipped, 6, -1)[:, :3]
    weights = np.array([link.mass for link in ours.links[skipped:]])
    pull = weights[:, None] * np.asarray(gravity)
    held = -np.einsum("ij,ijk->k", pull, jacobian)
    parts = np.abs(np.einsum("ij,ijk->ijk", pull, jacobian)).sum()
    _numbers(rows, "gravity", ["force"], [held], [found["gravity_force"]], absolute=POSITION * max(1.0, float(parts)))


def _compare_tendons(rows: Differences, ours: Articulation, found: Measured) -> None:
    """The parameters of tendons that PhysX hands out, in its order."""
    _compare_tendon_kind(rows, "fixed tendons", int(found["fixed_tendons"]), [
        {**_gains("ft", item), "ft_limit": (item.lower_limit, item.upper_limit), "ft_rest_length": item.rest_length}
        for item in ours.fixed_tendons], found)
    _compare_tendon_kind(rows, "spatial tendons", int(found["spatial_tendons"]),
                         [_gains("st", item) for item in ours.spatial_tendons], found)


def _gains(prefix: str, tendon: FixedTendon | SpatialTendon) -> dict[str, Any]:
    """What both kinds have; PhysX switches a tendon off by taking its gains away."""
    return {f"{prefix}_stiffness": tendon.stiffness * tendon.enabled,
            f"{prefix}_damping": tendon.damping * tendon.enabled,
            f"{prefix}_limit_stiffness": tendon.limit_stiffness * tendon.enabled, f"{prefix}_offset": tendon.offset}


def _compare_tendon_kind(
    rows: Differences, field: str, count: int, ours: Sequence[Mapping[str, Any]], found: Measured,
) -> None:
    if count == len(ours) == 0:
        return
    if count != len(ours):
        rows[field] = [f"{len(ours)} tendons, PhysX {count}"]
        return
    rows[field] = []
    for key in ours[0]:
        numbers = bounded([item[key] for item in ours])
        if not equal(numbers, bounded(found[key])):
            rows[field].append(f"{key[3:]}: {_short(numbers)}, PhysX {_short(found[key])}")


# --- readings --------------------------------------------------------------------------------------------------------

SUFFIXES = frozenset({".usd", ".usda", ".usdc", ".usdz"})
_FIND_SAMPLES = "import ovphysx, pathlib; print(pathlib.Path(ovphysx.__file__).parent / 'samples')"
BATCH = 40              # stages of one engine process
DT, STEPS = 1 / 60, 4
MOTION = 2e-5           # float32 over a few steps, rad or length


@dataclass(frozen=True)
class Stage:
    """A stage to compare, as a path or as USDA text."""

    name: str
    source: Path | str
    moves: bool = False         # compare a few steps of motion as well


@dataclass
class Compared:
    """What became of a stage."""

    articulations: int = 0
    fields: Differences = field(default_factory=dict)
    crash: str = ""             # what the engine said as it ended

    def differences(self) -> list[str]:
        """Every difference in words, each behind its field."""
        if self.crash:
            return [f"the engine ended: {self.crash}"]
        return [f"{name}: {text}" for name, texts in self.fields.items() for text in texts]


def articulations_below(folder: Path) -> Iterator[Stage]:
    """Every stage in a folder that has a prim with PhysicsArticulationRootAPI; hostile files are no stages."""
    for path in sorted(item for item in folder.rglob("*") if item.suffix in SUFFIXES):
        if path.parent.name == "hostile":
            continue
        stage = Usd.Stage.Open(str(path))
        prims = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
        if any("PhysicsArticulationRootAPI" in prim.GetAppliedSchemas() for prim in prims):
            yield Stage(str(path.relative_to(folder)), path)


def samples() -> Path:
    """The folder of ovphysx's own stages."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    done = subprocess.run([python, "-c", _FIND_SAMPLES], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def agreement(stages: Sequence[Stage]) -> dict[str, Compared]:
    """The comparison of every stage by name."""
    results: dict[str, Compared] = {}
    for start in range(0, len(stages), BATCH):
        for item, compared in zip(stages[start:start + BATCH], _run(stages[start:start + BATCH]), strict=True):
            results[item.name] = compared
    return results


def _run(stages: Sequence[Stage], moved: bool = True) -> list[Compared]:
    """One engine process; where it ends early, halves of the stages until the culprit is alone, then that unmoved."""
    oracle = importlib.import_module("physx_oracle")
    described = [_described(item.source) for item in stages]
    jobs: list[Any] = []
    for item, description in zip(stages, described, strict=True):
        jobs += _jobs(oracle, item, description, moved)
    try:
        with patch.dict(os.environ, PHYSX_WORKERS="1"):     # what PhysX says of a refused joint fails no reading
            found = iter(oracle.run_jobs(jobs))
    except oracle.OracleError as error:
        if len(stages) == 1:
            return _run(stages, False) if moved else [Compared(crash=str(error)[-400:])]
        middle = len(stages) // 2
        return _run(stages[:middle]) + _run(stages[middle:])
    return [_compared(item, description, found, moved) for item, description in zip(stages, described, strict=True)]


def _described(source: Path | str) -> Description:
    return describe(source if isinstance(source, Path) else opened(source))


def _jobs(oracle: Any, item: Stage, description: Description, moved: bool) -> list[Any]:
    """As authored; with the joints posed and moving, unless that ends the engine."""
    source = str(item.source)
    jobs = [oracle.dyn_job(source)]
    if not moved:
        return jobs
    posed = _posable(description)
    if posed is not None:
        jobs.append(oracle.sim_job(source, DT, 0, joint_pos0=pose(posed)))
    if item.moves and posed is not None:
        jobs.append(oracle.sim_job(source, DT, STEPS, joint_pos0=pose(posed)))
    return jobs


def _compared(item: Stage, description: Description, results: Iterator[Any], moved: bool) -> Compared:
    measured = next(results)
    rows = compare(description, measured)
    if not moved:
        rows["posed links"] = ["PhysX does not take the coordinates"]
        return Compared(len(measured["articulations"]), rows)
    posed = _posable(description)
    if posed is not None:
        there = next(results)
        if not rows.get("dof order", ["unknown"]):
            rows["posed links"] = compare_posed(posed, pose(posed), there)
    if item.moves and posed is not None:
        rows["motion"] = _motion(description, pose(posed), next(results))
    return Compared(len(measured["articulations"]), rows)


def _posable(description: Description) -> Articulation | None:
    """The articulation of a stage that has one, with joints whose axes are known."""
    ours = [item for item in description.articulations if item.enabled and item.dofs]
    return ours[0] if len(description.articulations) == len(ours) == 1 else None


def pose(articulation: Articulation) -> np.ndarray:
    """Some coordinates within the limits, different for every joint."""
    wanted = [0.1 + 0.05 * i for i in range(len(articulation.dofs))]
    return np.array([min(max(q, dof.lower), dof.upper) for q, dof in zip(wanted, articulation.dofs, strict=True)])


def _motion(description: Description, start: np.ndarray, found: Any) -> list[str]:
    """Joint positions and velocities over a few steps from given coordinates, ours by this project's solver."""
    ours = simulate(description, DT, STEPS, joint_position=start)
    differences = []
    for name, mine, theirs in (("position", ours.joint_position, found["q"]),
                               ("velocity", ours.joint_velocity, found["qd"])):
        mine = np.asarray(mine)[:, 0]
        scale = max(1.0, float(np.abs(theirs).max()))
        if not equal(mine, theirs, 0.0, MOTION * scale):
            differences.append(f"{name} differs by {np.abs(mine - theirs).max():.1e}")
    return differences
