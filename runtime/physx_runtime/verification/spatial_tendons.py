"""Experiments on spatial tendons: stiffness, damping and limit stiffness at every leaf, gearing of attachments."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.kinematics import Kinematics, point_jacobian
from physx_runtime.solver.spatial_tendon import SHORTEST_SEGMENT
from physx_runtime.verification.bench import Array, Bench, Case
from physx_runtime.verification.quantity import Findings, Key
from physx_schema.description.model import Articulation, Attachment, SpatialTendon

PROBE_STIFFNESS = 1.0
GAINS = ("stiffness", "damping", "limitStiffness")


def leaf_paths(tendon: SpatialTendon) -> Iterator[tuple[Attachment, ...]]:
    """Every leaf's attachments from the root: each leaf is a tendon of its own."""
    for attachment in tendon.attachments:
        if attachment.leaf:
            path = [attachment]
            while path[-1].parent >= 0:
                path.append(tendon.attachments[path[-1].parent])
            yield tuple(reversed(path))


def _active(articulation: Articulation) -> Iterator[tuple[SpatialTendon, tuple[Attachment, ...]]]:
    """Tendon and path of every leaf that acts, in the order of the solver's rows."""
    return ((tendon, path) for tendon in articulation.spatial_tendons if tendon.enabled for path in leaf_paths(tendon))


def leaf_name(tendon: SpatialTendon, leaf: Attachment) -> str:
    """Which leaf a gain acts on; empty where the tendon has one."""
    return f"{leaf.path}:{leaf.name}" if sum(a.leaf for a in tendon.attachments) > 1 else ""


def gain_keys(tendon: SpatialTendon, leaf: Attachment) -> list[Key]:
    """The gains of the root as they act at one leaf."""
    return [Key(tendon.path, tendon.prefix + name, leaf_name(tendon, leaf)) for name in GAINS]


def measure_spatial_tendons(bench: Bench) -> Findings:
    """Gains at every leaf and the gearing of its attachments, in lengths; the other tendons are off.

    The pose is held at the tendon's zero of force. Stiffness: the rest length changes. Limit stiffness: both limits
    move past the length, the spring off. Damping: the joints move so that the ends approach at a constant rate, the
    spring off. Gearing: one segment grows as the attachments beyond it move along it; its gearing is the change of rest
    length that pulls as much. The pull is the part of the joint efforts along the tendon's moment arms.
    """
    found = Findings()
    for i, (tendon, path) in enumerate(_active(bench.articulation)):
        gains = gain_keys(tendon, path[-1])
        gearings = [Key(a.path, a.prefix + "gearing") for a in path[1:]]
        _, k = bench.kinematics()
        arms = _moment_arms(bench, k, i)
        if not np.any(arms):
            reason = _without_arms(bench, k, i)
            found.failures.update(dict.fromkeys([*gains, *gearings], reason))
            continue
        along = arms / (arms @ arms)
        with found.attempt(*gains):
            pulls = bench.hold(_gain_cases(bench, k, i, tendon, along)) @ along / (2.0 * bench.length)
            found.values.update(zip(gains, (float(a - b) for a, b in pulls.reshape(3, 2)), strict=True))
        with found.attempt(*gearings):
            efforts = (bench.hold(_gearing_cases(bench, k, i, tendon)) @ along).reshape(-1, 2)
            pulls = efforts[:, 0] - efforts[:, 1]
            found.values.update(zip(gearings, (float(pull / pulls[0]) for pull in pulls[1:]), strict=True))
    return found


def _points(bench: Bench, k: Kinematics, i: int) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """Per attachment from root to leaf: offset from its link's anchor, and position from the root's."""
    local = bench.base_rows(f"spatial{i}_position").reshape(-1, 3)
    points = []
    for link, (x, y, z) in zip(bench.topology.spatial_tendons[i].links, local, strict=True):
        offset = sp.mul_mv(k.R[link], (x, y, z))
        points.append((offset, sp.add(k.position[link], offset)))
    return points


def _segments(bench: Bench, k: Kinematics, i: int) -> Array:
    """(n_segment, 3) from each attachment to the next."""
    return np.diff(np.array([position for _, position in _points(bench, k, i)], dtype=np.float64), axis=0)


def _moment_arms(bench: Bench, k: Kinematics, i: int) -> Array:
    """Joint effort per unit of pull, (n_dof,): the tendon pulls at leaf and root only, along their segments."""
    points, segments = _points(bench, k, i), _segments(bench, k, i)
    links = bench.topology.spatial_tendons[i].links
    arms = np.zeros(bench.size)
    for end, segment, sign in ((-1, segments[-1], 1.0), (0, segments[0], -1.0)):
        length = float(np.linalg.norm(segment))
        if length > SHORTEST_SEGMENT:
            for dof, column in point_jacobian(bench.topology, k, links[end], points[end][0]).items():
                arms[dof] += sign * float(np.dot(column, segment)) / length
    return arms


def _without_arms(bench: Bench, k: Kinematics, i: int) -> str:
    lengths = np.linalg.norm(_segments(bench, k, i)[[0, -1]], axis=1)
    if (lengths <= SHORTEST_SEGMENT).any():
        return (f"a segment of length {lengths.min():.3g} has no direction: at {SHORTEST_SEGMENT:g} or less its end "
                "feels no force in PhysX, and the other end moves no joint")
    return "in the authored pose the pull of the tendon passes through every joint: it moves none"


def _length(bench: Bench, k: Kinematics, i: int) -> float:
    lengths = np.linalg.norm(_segments(bench, k, i), axis=1)
    return float(bench.base_rows(f"spatial{i}_offset")[0] + bench.base_rows(f"spatial{i}_gearing")[1:] @ lengths)


def _off(bench: Bench) -> dict[str, Array]:
    """All tendons without force, and limits that never act."""
    rows: dict[str, Array] = {}
    for i in range(len(bench.topology.spatial_tendons)):
        rows |= {f"spatial{i}_{name}": np.zeros(1) for name in ("stiffness", "damping", "limit_stiffness")}
        rows |= {f"spatial{i}_lower": np.array([-math.inf]), f"spatial{i}_upper": np.array([math.inf])}
    return rows


def _gain_cases(bench: Bench, k: Kinematics, i: int, tendon: SpatialTendon, along: Array) -> list[Case]:
    """Pairs of opposite cases, the first of each stretching the tendon by bench.length (a second)."""
    name, length = f"spatial{i}", _length(bench, k, i)
    off = _off(bench) | {f"{name}_damping": np.array([tendon.damping]), f"{name}_rest_length": np.array([length])}
    cases = []
    for sign in (1.0, -1.0):
        cases.append(Case(off | {f"{name}_stiffness": np.array([tendon.stiffness]),
                                 f"{name}_rest_length": np.array([length - sign * bench.length])}))
    cases += [Case(off, velocity=sign * along * bench.length) for sign in (1.0, -1.0)]
    for sign in (1.0, -1.0):
        edge = np.array([length - sign * bench.length])
        cases.append(Case(off | {f"{name}_limit_stiffness": np.array([tendon.limit_stiffness]),
                                 f"{name}_lower": edge, f"{name}_upper": edge}))
    return cases


def _gearing_cases(bench: Bench, k: Kinematics, i: int, tendon: SpatialTendon) -> list[Case]:
    """Pairs of opposite cases: the rest length shortened, then every segment grown, by bench.length."""
    name, length = f"spatial{i}", _length(bench, k, i)
    rows = _off(bench) | {f"{name}_damping": np.array([tendon.damping]),
                          f"{name}_stiffness": np.array([tendon.stiffness or PROBE_STIFFNESS])}
    cases = [Case(rows | {f"{name}_rest_length": np.array([length - sign * bench.length])}) for sign in (1.0, -1.0)]
    links = bench.topology.spatial_tendons[i].links
    for at, segment in enumerate(_segments(bench, k, i)):
        size = float(np.linalg.norm(segment))
        step = segment / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
        for sign in (1.0, -1.0):
            moved = bench.base_rows(f"{name}_position").reshape(-1, 3)
            for beyond in range(at + 1, len(links)):
                moved[beyond] += np.array(k.R[links[beyond]]).T @ step * sign * bench.length
            cases.append(Case(rows | {f"{name}_rest_length": np.array([length]), f"{name}_position": moved.ravel()}))
    return cases
