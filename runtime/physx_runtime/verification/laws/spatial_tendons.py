"""Experiments on spatial tendons: stiffness, damping, limit stiffness and lengths at every leaf, and gearing of
attachments.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.jacobian import point_jacobian
from physx_runtime.dynamics.kinematics import Kinematics
from physx_runtime.model.owners import acting_spatial_tendons, leaf_paths
from physx_runtime.model.row_specs import GROUPS, LEAF, RowKey
from physx_runtime.solver.constraints.spatial_tendon import MIN_SEGMENT_LENGTH, attachment_point
from physx_runtime.verification.bench import Bench
from physx_runtime.verification.laws.fixed_tendons import GAINS, LENGTHS, SIGNS, TendonBench, limit_rows
from physx_runtime.verification.quantity import Findings, Key, Measurement
from physx_schema.description.model import Attachment, SpatialTendon


def leaf_label(tendon: SpatialTendon, leaf: Attachment) -> str:
    """The leaf at which a gain acts; empty where the tendon has only one."""
    return f"at the leaf {leaf.path}:{leaf.name}" if sum(a.leaf for a in tendon.attachments) > 1 else ""


def gain_keys(tendon: SpatialTendon, leaf: Attachment) -> list[Key]:
    """The gains of the root as they act at one leaf."""
    return [Key(tendon.path, tendon.prefix + name, leaf_label(tendon, leaf)) for name in GAINS]


def length_keys(tendon: SpatialTendon, leaf: Attachment) -> dict[str, Key]:
    """The properties of the lengths at one leaf, by row; the offset is the root's."""
    keys = {row: Key(leaf.path, leaf.prefix + name) for row, name in LENGTHS.items()}
    return keys | {"offset": Key(tendon.path, tendon.prefix + LENGTHS["offset"], leaf_label(tendon, leaf))}


def measure_spatial_tendons(bench: Bench) -> Findings:
    """Gains at every leaf and the gearing of its attachments, in lengths; the other tendons are disabled.

    The pose is held where the tendon is without force, and `TendonBench` measures the gains. Gearing: one segment grows
    as the attachments beyond it move along it; its gearing is the change of rest length that pulls as much. The pull
    is the part of the joint efforts along the tendon's moment arms.
    """
    findings = Findings()
    tendons = acting_spatial_tendons(bench.articulation)
    for i, (tendon_index, indices) in enumerate(leaf_paths(bench.articulation)):
        tendon = tendons[tendon_index]
        path = [tendon.attachments[n] for n in indices]
        gains = gain_keys(tendon, path[-1])
        gearings = [Key(a.path, a.prefix + "gearing") for a in path[1:]]
        lengths = length_keys(tendon, path[-1])
        if not bench.is_requested(*gains, *gearings, *lengths.values()):
            continue
        _, k = bench.kinematics()
        arms = _moment_arms(bench, k, i)
        if not np.any(arms):
            reason = _without_arms(bench, k, i)
            findings.failures.update(dict.fromkeys([*gains, *gearings], reason))
            continue
        tendon_bench = _tendon_bench(bench, k, i, tendon, arms)
        tendon_bench.measure_gains(findings, gains)
        tendon_bench.measure_lengths(findings, lengths, limit_rows(path[-1], tendon.limit_stiffness))
        with findings.attempt(*gearings):
            for key, gearing in zip(gearings, _gearings(tendon_bench, k, i), strict=True):
                findings.set_value(key, gearing)
    return findings


def spatial_tendon_bench(bench: Bench, i: int) -> TendonBench | None:
    """The bench of the i-th leaf; None where it moves no joint."""
    _, k = bench.kinematics()
    arms = _moment_arms(bench, k, i)
    tendon_index, _ = leaf_paths(bench.articulation)[i]
    return _tendon_bench(bench, k, i, acting_spatial_tendons(bench.articulation)[tendon_index],
                         arms) if np.any(arms) else None


def _tendon_bench(bench: Bench, k: Kinematics, i: int, tendon: SpatialTendon, arms: DoubleArray) -> TendonBench:
    weights = arms / (arms @ arms)
    return TendonBench(bench, f"spatial_tendon{i}", tendon.stiffness, tendon.damping, tendon.limit_stiffness,
                       _length(bench, k, i), weights, weights)


def _points(bench: Bench, k: Kinematics, i: int) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """Per attachment from root to leaf: offset from its link's anchor, and position from the root's."""
    local = bench.base_rows(str(RowKey(GROUPS[LEAF], i, "position"))).reshape(-1, 3)
    points = []
    for link, (x, y, z) in zip(bench.topology.spatial_tendons[i].links, local, strict=True):
        points.append(attachment_point(k.R[link], k.position[link], (x, y, z)))
    return points


def _segments(bench: Bench, k: Kinematics, i: int) -> DoubleArray:
    """(n_segment, 3) from each attachment to the next."""
    return np.diff(np.array([position for _, position in _points(bench, k, i)], dtype=np.float64), axis=0)


def _moment_arms(bench: Bench, k: Kinematics, i: int) -> DoubleArray:
    """Joint effort per unit of pull, (n_dof,): the tendon pulls at leaf and root only, along their segments."""
    points, segments = _points(bench, k, i), _segments(bench, k, i)
    links = bench.topology.spatial_tendons[i].links
    arms = np.zeros(bench.size)
    for end, segment, sign in ((-1, segments[-1], 1.0), (0, segments[0], -1.0)):
        length = float(np.linalg.norm(segment))
        if length > MIN_SEGMENT_LENGTH:
            for dof, column in point_jacobian(bench.topology, k, links[end], points[end][0]).items():
                arms[dof] += sign * float(np.dot(column, segment)) / length
    return arms


def _without_arms(bench: Bench, k: Kinematics, i: int) -> str:
    lengths = np.linalg.norm(_segments(bench, k, i)[[0, -1]], axis=1)
    if (lengths <= MIN_SEGMENT_LENGTH).any():
        return (f"a segment of the tendon has length {lengths.min():.3g}; PhysX applies no force to the end of a "
                f"segment of length {MIN_SEGMENT_LENGTH:g} or less, and the tendon's other end moves no joint")
    return "the tendon's line of pull passes through every joint axis in the authored pose, and it moves no joint"


def _length(bench: Bench, k: Kinematics, i: int) -> float:
    lengths = np.linalg.norm(_segments(bench, k, i), axis=1)
    offset, gearing = (bench.base_rows(str(RowKey(GROUPS[LEAF], i, field))) for field in ("offset", "gearing"))
    return float(offset[0] + gearing[1:] @ lengths)


def _gearings(tendon_bench: TendonBench, k: Kinematics, i: int) -> list[Measurement]:
    """Gearing of every attachment except the root: force per growth of its segment over force per rest length."""
    bench, spring = tendon_bench.bench, tendon_bench.bench.spring(tendon_bench.stiffness, tendon_bench.damping)
    stretch = bench.probe(spring, tendon_bench.damping) * bench.meter
    cases = [tendon_bench.case(spring, -sign * stretch) for sign in SIGNS]
    for segment_index, segment in enumerate(_segments(bench, k, i)):
        for sign in SIGNS:
            cases.append(tendon_bench.case(spring, 0.0,
                                           {f"{tendon_bench.name}_position": _shifted_positions(bench, k, i,
                                                                                                segment_index, segment,
                                                                                                sign)}))
    stretched, *grown = tendon_bench.force_differences(cases)
    return [x.divided_by(stretched).scaled(stretch / bench.length) for x in grown]


def _shifted_positions(bench: Bench, k: Kinematics, i: int, segment_index: int, segment: DoubleArray,
                       sign: float) -> DoubleArray:
    """Local positions with every attachment beyond a segment moved along it by bench.length."""
    size = float(np.linalg.norm(segment))
    step = segment / size if size > 0.0 else np.array([1.0, 0.0, 0.0])
    positions = bench.base_rows(str(RowKey(GROUPS[LEAF], i, "position"))).reshape(-1, 3)
    for index in range(segment_index + 1, len(positions)):
        link = bench.topology.spatial_tendons[i].links[index]
        positions[index] += np.array(k.R[link]).T @ step * sign * bench.length
    return np.asarray(positions.ravel(), dtype=np.float64)
