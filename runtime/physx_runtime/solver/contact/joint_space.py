"""Contact rows of links in joint space.

A patch of a link with what does not move, in the velocities of the link's articulation: rows of J and of J M^-1.

A link's velocity depends on those of the chain of joints that leads to it: the root's, if it floats, then the dofs'.

How the centre of mass of a link moves with the joints that lead to it, by where they are at a step's start.

All vectors are in world axes at the step's start.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.linear import inner, times
from physx_runtime.dynamics.rotation import MOST_SQUARE, half_turn
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, Quat, Vec3, linear_first, motion_of
from physx_runtime.language.ops import Scalar, Scalars, maximum, rarely, sincos, where
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.model.topology import ROTARY_JOINTS, SPHERICAL, DofTopology, Topology
from physx_runtime.solver.contact.patch import Step, prepare_by, solve_between
from physx_runtime.solver.maximal_joint.couplings import Forces, Motions
from physx_runtime.solver.maximal_joint.preparation import Made, RowReader, put
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, central_acceleration, quat, vec


@dataclass(frozen=True, slots=True)
class LeverArms:
    """Of the last link of a chain without spherical joints."""

    t: Topology
    root: Vec3                  # from the root's anchor to the centre of mass
    grown: Vec3                 # what a root's rotation that is longer than 1 adds to it, a unit of its square's excess
    axes: Sequence[Vec3]        # by dof
    arms: Sequence[Vec3]        # by dof, from the anchor of its joint

    def __post_init__(self) -> None:
        if any(link.kind == SPHERICAL for link in self.t.links):
            raise ValueError("a chain with a spherical joint has no single axis for each of its joints")

    def velocity(self, v: Scalars) -> Motion:
        """Of the link at its centre of mass, J v (RBDA section 4.4)."""
        found = NO_MOTION if self.t.fixed_base else motion_of(v).at(self.root)
        for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)):
            found = found + subspace(self._turns(i), axis).at(arm) * v[self.t.root_size + i]
        return found

    def generalized(self, force: Force) -> list[Scalar]:
        """J^T of a force on the link about its centre of mass."""
        root = [] if self.t.fixed_base else linear_first(force.about(self.root))
        return [*root, *(force.about(arm).dot(subspace(self._turns(i), axis))
                         for i, (axis, arm) in enumerate(zip(self.axes, self.arms, strict=True)))]

    def travel(self, travelled: Scalars, root_turned: Quat | None, excess: Scalar = 0.0) -> Vec3:
        """The way of the centre of mass since the step's start, the root's anchor held: 0 where nothing has moved.

        travelled: by dof. root_turned: the root's rotation since then; excess: by what its square is longer now. One
        vector's change is turned from joint to joint towards the root; poses of links would hold fewer digits of it.
        """
        turning = [i for i in range(len(self.axes)) if self._turns(i)]
        sines = dict(zip(turning, _sines([travelled[i] for i in turning]), strict=True))
        way = sp.ZERO3
        for i in reversed(range(len(self.axes))):
            if i in sines:
                sine, versine = sines[i]
                across = sp.cross(self.axes[i], sp.add(self.arms[i], way))
                turn = sp.add(sp.scale(sine, across), sp.scale(versine, sp.cross(self.axes[i], across)))
            else:
                turn = sp.scale(travelled[i], self.axes[i])
            way = sp.add(way, turn)
        if root_turned is None:
            return way
        axis = (root_turned[0], root_turned[1], root_turned[2])
        twice = sp.scale(2.0, sp.cross(axis, sp.add(self.root, way)))
        turned = sp.add(way, sp.add(sp.scale(root_turned[3], twice), sp.cross(axis, twice)))
        return sp.add(turned, sp.scale(excess, sp.add(self.grown, way)))

    def _turns(self, dof: int) -> bool:
        return self.t.kind_of(dof) in ROTARY_JOINTS


def _sines(angles: Sequence[Scalar]) -> list[tuple[Scalar, Scalar]]:
    """(sin x, 1 - cos x) of angles that are short in most worlds."""
    if not angles:
        return []
    squares = [0.25 * x * x for x in angles]
    long = rarely(functools.reduce(maximum, squares) > MOST_SQUARE)
    short, found = [], []
    for angle, square in zip(angles, squares, strict=True):
        half, cosine = half_turn(square)
        twice = angle * half                # 2 sin(x / 2)
        short.append((twice * cosine, 0.5 * twice * twice))
    whole = [sincos(angle) for angle in angles]
    exact = [(sine, 1.0 - cosine) for sine, cosine in whole]
    # the selections side by side, so that one jump passes over all that they need
    for a, b in zip(exact, short, strict=True):
        found.append((where(long, a[0], b[0]), where(long, a[1], b[1])))
    return found


# A dof without anything that acts on it.
PLAIN = DofTopology(0)


@dataclass(frozen=True, slots=True)
class Chain:
    """The way to a link in an articulation of `nv` velocities."""

    t: Topology                 # of the links of the way alone
    nv: int


def chain_to(t: Topology, link: int) -> tuple[Chain, list[int]]:
    """The way to a link, the root included, and the dofs of its joints."""
    own = [0, *t.path(link)]
    dofs = [dof for i in own for dof in t.dofs_of(i)]
    links = tuple(replace(t.links[i], parent=place - 1) for place, i in enumerate(own))
    features = tuple(replace(PLAIN, link=own.index(t.dofs[dof].link), axis=t.dofs[dof].axis) for dof in dofs)
    return Chain(Topology(t.fixed_base, True, links, features), t.nv), dofs


def moving_from(chain: Chain) -> dict[str, int]:
    """What solving a patch reads of the way, and how many numbers each is: what moves, and what has been travelled.

    v{i}, dv{i}, travel{i}, axis{i}: of its i-th dof.
    """
    rows = {"elapsed": 1, "dv": chain.nv}
    if not chain.t.fixed_base:
        rows |= {"v_root": 6, "root_travel": 3, "root_turn": 3, "root_turned": 5}
    for i in range(len(chain.t.dofs)):
        rows |= {f"v{i}": 1, f"dv{i}": 1, f"travel{i}": 1, f"axis{i}": 3}
    return rows


def prepared_from(chain: Chain) -> dict[str, int]:
    """What preparing a patch reads of the way and of its link, and how many numbers each is.

    hinge{i}: of the joint of the i-th dof; minv_root, minv{i}: lines of M^-1; minv{i}_{j}: where those of dofs cross.
    """
    dofs = range(len(chain.t.dofs))
    rows = moving_from(chain) | {"side0_position": 3, "side0_cfm": 1, "position": 3, "center": 3, "com": 3,
                                 "motion": 12, "a_com": 3, "dt": 1, "h": 1}
    rows |= {f"hinge{i}": 3 for i in dofs} | {f"tree_position{i}": 3 for i in range(1, len(chain.t.links))}
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
    places = {"point_used": t.points, "separation": t.points, "anchor_used": t.anchors}
    step = _TreeStep(t, rows | {name: rows[name][:size] for name, size in places.items()}, chain)
    made = prepare_by(step)
    made["root_arm"], made["carried"] = list(step.arms.root), list(step.bias.angular)
    made["grown"] = list(step.arms.grown)
    made["arms"] = [x for arm in step.arms.arms for x in arm]
    made["impulse"] = [0.0] * whole.points
    made["friction_impulse"] = [0.0] * (2 * whole.anchors)
    return made


def solve(rows: Operands, t: ContactTopology, chain: Chain, final: bool) -> Made:
    """As `solution.solve`; changes `dv`."""
    return solve_between(_Tree(rows, chain), t, rows, final)


def in_slot(rows: Operands, algorithm: Callable[..., Made], groups: tuple[tuple[str, int, int], ...],
            *static: Hashable) -> Made:
    """An algorithm on row groups of a slot, which is one operand: one address for all of them.

    groups: their names, first rows in the slot and sizes.
    """
    own = {name: rows["slot"][first:first + size] for name, first, size in groups}
    made, slot = dict(algorithm({**rows, **own}, *static)), list(rows["slot"])
    for name, first, _ in groups:
        values = made.pop(name, [])
        slot[first:first + len(values)] = values
    return made | {"slot": slot}


def turn_root(rows: Operands) -> Made:
    """The rotation of a floating root since the step's start, and by what its square is longer now than it was.

    Both are exactly none where it has not turned.
    """
    now, start = quat(rows["axes_rotation"]), quat(rows["axes_start"])
    squares = [(q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3]) for q in (now, start)]
    return {"root_turned": [*rounded.product(now, sp.conjugate(start)), squares[0] - squares[1]]}


def _axes(chain: Chain, rows: Operands) -> list[Vec3]:
    return [vec(rows[f"axis{i}"]) for i in range(len(chain.t.dofs))]


def _unturned(chain: Chain, rows: Operands) -> Vec3:
    """The way to the centre of mass, each part of it in the axes of its own link.

    A root rotation that float32 leaves a little too long is in the rotations of all links. It grows what they change.
    """
    way = vec(rows["com"])
    for i in range(1, len(chain.t.links)):
        way = sp.add(way, vec(rows[f"tree_position{i}"]))
    return way


class _TreeStep(Step):
    """A link's J of the step's start, row by row."""

    def __init__(self, t: ContactTopology, rows: Operands, chain: Chain) -> None:
        self._chain, dofs = chain, range(len(chain.t.dofs))
        center = sp.add(vec(rows["position"]), vec(rows["center"]))
        self.arms = LeverArms(chain.t, center, sp.sub(center, _unturned(chain, rows)), _axes(chain, rows),
                              [sp.sub(center, vec(rows[f"hinge{i}"])) for i in dofs])
        self.bias = central_acceleration(rows) * rows["dt"][0]
        self._root = range(chain.t.root_size)
        self._lines = [*(rows["minv_root"][chain.nv * i:chain.nv * (i + 1)] for i in self._root),
                       *(rows[f"minv{i}"] for i in dofs)]
        self._crossings = [[*rows[f"minv{i}"][:chain.t.root_size], *(rows[f"minv{i}_{j}"][0] for j in dofs)]
                           for i in dofs]
        self._owns: list[list[Scalar]] = []     # of the rows so far, what the way's velocities answer to each
        super().__init__(t, rows)

    def velocities(self) -> Motions:
        """J v + dt Jdot v."""
        v = [*self.rows["v_root"]] if self._root else []
        v += [self.rows[f"v{i}"][0] for i in range(len(self._chain.t.dofs))]
        return self.arms.velocity(v) + self.bias, NO_MOTION

    def put_row(self, made: Made, group: str, forces: Forces) -> Scalar:
        """Its part of J on the way, what it feels that velocities do not show, of the impulses of rows before it, and
        its row of J M^-1."""
        force, t = forces[0], self._chain.t
        reach = self.arms.generalized(force)
        answers = times([[line[i] for line in self._lines] for i in range(self._chain.nv)], reach)
        own = [*answers[:t.root_size], *times(self._crossings, reach)]
        put(made, f"{group}_levers", *force.angular)
        put(made, f"{group}_reach", *reach[_pushed(t):])
        put(made, f"{group}_bias", force.dot(self.bias))
        put(made, f"{group}_answers", *answers)
        put(made, f"{group}_felt", *(inner(reach, other) for other in self._owns))
        self._owns.append(own)
        return inner(reach, own)


def _pushed(t: Topology) -> int:
    """How many numbers of a row of J are the direction that it pushes in, as it pushes a floating root."""
    return 0 if t.fixed_base else 3


@dataclass(frozen=True, slots=True)
class _Row:
    """A row as `_TreeStep.put_row` put it."""

    number: int
    force: Force
    reach: list[Scalar]
    bias: Scalar
    answers: list[Scalar]
    felt: list[Scalar]          # of a unit impulse of each row before


class _Tree:
    """An articulation while a patch is solved."""

    def __init__(self, rows: Operands, chain: Chain) -> None:
        self._chain, t, dofs = chain, chain.t, range(len(chain.t.dofs))
        self._change, self._rows = list(rows["dv"]), list[_Row]()
        self._given: list[tuple[int, Scalar]] = []          # which row, its impulse
        now = [a + b for a, b in zip(rows["v_root"], rows["dv"][:t.root_size], strict=True)] if t.root_size else []
        self._speeds = [*now, *(rows[f"v{i}"][0] + rows[f"dv{i}"][0] for i in dofs)]
        axes, travelled = _axes(chain, rows), [rows[f"travel{i}"][0] for i in dofs]
        arms = LeverArms(t, vec(rows["root_arm"]), vec(rows["grown"]), axes, [vec(rows["arms"], i) for i in dofs])
        turned = (quat(rows["root_turned"]), rows["root_turned"][4]) if t.root_size else (None,)
        travel = arms.travel(travelled, *turned)
        turn = sp.scale(rows["elapsed"][0], vec(rows["carried"]))
        if t.root_size:
            travel, turn = sp.add(travel, vec(rows["root_travel"])), sp.add(turn, vec(rows["root_turn"]))
        for i in dofs:
            if t.kind_of(i) in ROTARY_JOINTS:
                turn = sp.add(turn, sp.scale(travelled[i], axes[i]))
        self._way = Motion(turn, travel)

    def row(self, reading: RowReader, group: str, axis: Vec3) -> _Row:
        t, pushed = self._chain.t, _pushed(self._chain.t)
        reach, answers, felt = (reading.several(f"{group}_{name}", size) for name, size in (
            ("reach", t.root_size + len(t.dofs) - pushed), ("answers", self._chain.nv), ("felt", len(self._rows))))
        force, bias = Force(reading.vector(f"{group}_levers"), axis), reading.scalar(f"{group}_bias")
        self._rows.append(_Row(len(self._rows), force, [*axis[:pushed], *reach], bias, answers, felt))
        return self._rows[-1]

    def way(self, row: _Row) -> Scalar:
        return row.force.dot(self._way)

    def speed(self, row: _Row) -> Scalar:
        speed = inner(row.reach, self._speeds) + row.bias
        for i, impulse in self._given:
            speed = speed + row.felt[i] * impulse
        return speed

    def push(self, row: _Row, impulse: Scalar) -> None:
        self._given.append((row.number, impulse))

    def made(self) -> Made:
        change = self._change
        for i, impulse in self._given:
            change = [x + impulse * y for x, y in zip(change, self._rows[i].answers, strict=True)]
        return {"dv": change}
