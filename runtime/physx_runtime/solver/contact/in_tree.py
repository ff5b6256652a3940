"""A patch of a link with what does not move, in the velocities of the link's articulation: rows of J and of J M^-1.

A link's velocity depends on those of the chain of joints that leads to it: the root's, if it floats, then the dofs'.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from physx_runtime.compiling.trace import row_scalars, trace
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import center_of_last, forward_kinematics, link_motions
from physx_runtime.dynamics.linear import inner, times
from physx_runtime.dynamics.rnea import generalized_force
from physx_runtime.dynamics.spatial import NO_FORCE, NO_MOTION, Force, Motion, Quat, Vec3, quaternion
from physx_runtime.language.ops import Scalar
from physx_runtime.model.contact import ContactTopology, patch_rows
from physx_runtime.model.topology import ROTARY_JOINTS, DofTopology, Topology
from physx_runtime.solver.by_joint.fragments.operands import Operands, central_acceleration, vec
from physx_runtime.solver.contact.preparation import Step, prepare_by
from physx_runtime.solver.contact.solution import solve_between
from physx_runtime.solver.joint.orthogonalisation import Forces, Motions
from physx_runtime.solver.joint.scratch import Made, Reading, put

# A dof without anything that acts on it.
PLAIN = DofTopology(0)


@dataclass(frozen=True, slots=True)
class Chain:
    """The way to a link in an articulation of `nv` velocities."""

    t: Topology                 # of the links of the way alone
    nv: int


def chain_to(t: Topology, link: int) -> tuple[Chain, list[int], list[int]]:
    """The way to a link, the root included; its links, and the dofs of their joints."""
    own = [0, *t.path(link)]
    dofs = [dof for i in own for dof in t.dofs_of(i)]
    links = tuple(replace(t.links[i], parent=place - 1) for place, i in enumerate(own))
    features = tuple(replace(PLAIN, link=own.index(t.dofs[dof].link), axis=t.dofs[dof].axis) for dof in dofs)
    return Chain(Topology(t.fixed_base, True, links, features), t.nv), own, dofs


def moving_from(chain: Chain) -> dict[str, int]:
    """What solving a patch reads of the way, and how many numbers each is: poses and what has been travelled.

    tree_rotation{i}, tree_position{i}: of its i-th link; q{i}, v{i}, dv{i}, travel{i}, axis{i}: of its i-th dof.
    """
    t = chain.t
    rows = {"root_rotation": 4, "com": 3, "dt": 1, "elapsed": 1, "dv": chain.nv}
    rows |= {} if t.fixed_base else {"v_root": 6, "root_travel": 3, "root_turn": 3}
    for i in range(1, len(t.links)):
        rows |= {f"tree_rotation{i}": 4, f"tree_position{i}": 3}
    for i in range(len(t.dofs)):
        rows |= {f"q{i}": 1, f"v{i}": 1, f"dv{i}": 1, f"travel{i}": 1, f"axis{i}": 3}
    return rows


def prepared_from(chain: Chain) -> dict[str, int]:
    """What preparing a patch reads of the way and of its link, and how many numbers each is.

    minv_root, minv{i}: lines of M^-1; minv{i}_{j}: where those of dofs cross.
    """
    dofs = range(len(chain.t.dofs))
    rows = moving_from(chain) | {"side0_position": 3, "side0_cfm": 1, "motion": 12, "a_com": 3, "h": 1}
    rows |= {"minv_root": chain.t.root_size * chain.nv} | {f"minv{i}": chain.nv for i in dofs}
    return rows | {f"minv{i}_{j}": 1 for i in dofs for j in dofs}


@functools.lru_cache(maxsize=256)
def prepared_rows(t: ContactTopology, chain: Chain) -> Mapping[str, int]:
    """Size of every row group of scratch that `prepare` makes."""
    rows = row_scalars(patch_rows(t) | prepared_from(chain))
    _, made = trace(lambda given: prepare({name: list(x) for name, x in given.items()}, t, t, chain), rows)
    return MappingProxyType(made)


def prepare(rows: Operands, t: ContactTopology, whole: ContactTopology, chain: Chain) -> Made:
    """As `preparation.prepare`.

    whole: the structure whose rows these are, where no world fills more places than `t` has.
    """
    step = _TreeStep(t, rows, chain)
    made = prepare_by(step)
    made["start"], made["carried"] = list(step.arm), list(step.bias.angular)
    made["impulse"] = [0.0] * whole.points
    made["friction_impulse"] = [0.0] * (2 * whole.anchors)
    return made


def solve(rows: Operands, t: ContactTopology, chain: Chain, final: bool) -> Made:
    """As `solution.solve`; changes `dv`."""
    return solve_between(_Tree(rows, chain), t, rows, final)


def _placed(chain: Chain, rows: Operands) -> tuple[Topology, Operands, list[Scalar], Quat]:
    """What kinematics read of the way, where it is now."""
    links, dofs = range(1, len(chain.t.links)), range(len(chain.t.dofs))
    given = {name: [0.0] * size + [x for i in links for x in rows[f"{name}{i}"]]
             for name, size in (("tree_rotation", 4), ("tree_position", 3))}
    given["com"] = [0.0] * (3 * len(links)) + rows["com"]
    return chain.t, given, [rows[f"q{i}"][0] for i in dofs], quaternion(rows, "root_rotation", 0)


class _TreeStep(Step):
    """A link's J of the step's start, row by row."""

    def __init__(self, t: ContactTopology, rows: Operands, chain: Chain) -> None:
        self._chain, self._k, dofs = chain, forward_kinematics(*_placed(chain, rows)), range(len(chain.t.dofs))
        # as each iteration has it, so that what has not moved has travelled nothing
        self.arm = center_of_last(*_placed(chain, rows))
        self.bias = central_acceleration(rows) * rows["dt"][0]
        self._root = range(chain.t.root_size)
        self._lines = [*(rows["minv_root"][chain.nv * i:chain.nv * (i + 1)] for i in self._root),
                       *(rows[f"minv{i}"] for i in dofs)]
        self._crossings = [[*rows[f"minv{i}"][:chain.t.root_size], *(rows[f"minv{i}_{j}"][0] for j in dofs)]
                           for i in dofs]
        super().__init__(t, rows)

    def velocities(self) -> Motions:
        """J v + dt Jdot v."""
        v = [*self.rows["v_root"]] if self._root else []
        v += [self.rows[f"v{i}"][0] for i in range(len(self._chain.t.dofs))]
        return link_motions(self._chain.t, self._k, v)[-1].velocity + self.bias, NO_MOTION

    def put_row(self, made: Made, group: str, forces: Forces) -> Scalar:
        """Its part of J on the way, what it feels that velocities do not show, and its row of J M^-1."""
        force, t = forces[0], self._chain.t
        reach = generalized_force(t, self._k, [NO_FORCE] * (len(t.links) - 1) + [force])
        answers = times([[line[i] for line in self._lines] for i in range(self._chain.nv)], reach)
        own = times(self._crossings, reach)
        put(made, f"{group}_levers", *force.angular)
        put(made, f"{group}_reach", *reach)
        put(made, f"{group}_bias", force.dot(self.bias))
        put(made, f"{group}_answers", *answers)
        put(made, f"{group}_own", *own)
        return inner(reach, [*answers[:t.root_size], *own])


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as `_TreeStep.put_row` put it."""

    force: Force
    reach: list[Scalar]
    bias: Scalar
    answers: list[Scalar]
    own: list[Scalar]           # of the way's velocities


class _Tree:
    """An articulation while a patch is solved."""

    def __init__(self, rows: Operands, chain: Chain) -> None:
        self._chain, t, dofs = chain, chain.t, range(len(chain.t.dofs))
        self._change = list(rows["dv"])
        now = [a + b for a, b in zip(rows["v_root"], rows["dv"][:t.root_size], strict=True)] if t.root_size else []
        self._speeds = [*now, *(rows[f"v{i}"][0] + rows[f"dv{i}"][0] for i in dofs)]
        travel = sp.sub(center_of_last(*_placed(chain, rows)), vec(rows["start"]))
        turn = sp.scale(rows["elapsed"][0], vec(rows["carried"]))
        if t.root_size:
            travel, turn = sp.add(travel, vec(rows["root_travel"])), sp.add(turn, vec(rows["root_turn"]))
        for i in dofs:
            if t.kind_of(i) in ROTARY_JOINTS:
                turn = sp.add(turn, sp.scale(rows[f"travel{i}"][0], vec(rows[f"axis{i}"])))
        self._way = Motion(turn, travel)

    def row(self, reading: Reading, group: str, axis: Vec3) -> _Row:
        root, dofs = self._chain.t.root_size, len(self._chain.t.dofs)
        reach, answers, own = (reading.several(f"{group}_{name}", size) for name, size in (
            ("reach", root + dofs), ("answers", self._chain.nv), ("own", dofs)))
        return _Row(Force(reading.vector(f"{group}_levers"), axis), reach, reading.scalar(f"{group}_bias"), answers,
                    [*answers[:root], *own])

    def way(self, row: _Row) -> Scalar:
        return row.force.dot(self._way)

    def speed(self, row: _Row) -> Scalar:
        return inner(row.reach, self._speeds) + row.bias

    def push(self, row: _Row, impulse: Scalar) -> None:
        self._speeds = [x + impulse * y for x, y in zip(self._speeds, row.own, strict=True)]
        self._change = [x + impulse * y for x, y in zip(self._change, row.answers, strict=True)]

    def made(self) -> Made:
        return {"dv": self._change}
