"""An island's step: its actors move as by themselves but for what joints do to them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import link_motions, state_kinematics
from physx_runtime.dynamics.spatial import Mat3
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import IslandTopology, SolverBody
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.worlds.cpu import CompiledWorlds, ScheduledWorlds
from support.chance.packed_models import (
    BALL,
    HINGE,
    WELD,
    N,
    Rows,
    frame_of,
    joint,
    random_body,
    random_island,
    random_tree,
    stepped,
)

# float64 rounding of the momenta of a few bodies over ten steps; 1e-14 was measured.
MOMENTUM = 1e-12
# Of anchors, in units of length: what the bias of four iterations leaves of a gap while a link swings at some rad/s.
HELD = 2e-3
# Of a path compiled for a topology against fragments, three float32 steps of numbers of size 1.
ROUNDING = 1e-5


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("floating", "kinds"), [(False, "rrrp"), (True, "rpsbuf")])
def test_an_articulation_that_no_joint_holds_steps_bit_for_bit_as_by_itself(floating: bool, kinds: str,
                                                                          dtype: str) -> None:
    t, rows = random_tree(3, 9, floating, kinds)
    alone = ScheduledWorlds(t, 1, dtype)
    for name in state_rows(t) | input_rows(t):
        alone.write(name, rows[name].astype(dtype)[None])
    alone.step(3, N, 1)
    island = stepped(*random_island(0, [(t, rows), random_body(1)], []), 3, dtype)
    assert all(np.array_equal(island[f"actor0_{name}"], alone.rows(name)[0]) for name in state_rows(t))


def test_a_body_that_no_joint_holds_steps_as_by_itself() -> None:
    t, rows = random_body(2)
    alone = CompiledWorlds(t, 1, "float32")
    for name in state_rows(t) | input_rows(t):
        alone.write(name, rows[name].astype("float32")[None])
    alone.step(3, N, 1)
    island = stepped(*random_island(0, [random_body(1), (t, rows)], []), 3, "float32")
    assert all(np.abs(island[f"actor1_{name}"] - alone.rows(name)[0]).max() < ROUNDING
               for name in state_rows(t) if len(rows[name]))


def momentum(rows: Rows, bodies: int) -> np.ndarray:
    """Linear and angular momentum about the origin of all bodies together."""
    total = np.zeros(6)
    for i in range(bodies):
        own = {name: rows[f"actor{i}_{name}"] for name in ("mass", "inertia", "v", "root_position", "root_rotation")}
        R: Mat3 = sp.matrix(sp.normalized(tuple(own["root_rotation"])))
        inertia = sp.rotate_sym(R, tuple(own["inertia"]))
        linear = own["mass"][0] * own["v"][:3]
        spin = np.array(sp.mul_sv(inertia, tuple(own["v"][3:])))
        total += np.concatenate([linear, spin + np.cross(own["root_position"], linear)])
    return total


def test_joints_between_bodies_leave_the_linear_momentum_of_all_as_it_is() -> None:
    sides = [SolverBody(BODY, i) for i in range(4)]
    joints = [joint(BALL, sides[0], sides[1]), joint(HINGE, sides[1], sides[2]), joint(WELD, sides[2], sides[3])]
    t, rows = random_island(5, [random_body(i) for i in range(4)], joints)
    rows |= {f"actor{i}_gravity": np.zeros(3) for i in range(4)}
    before, after = momentum(rows, 4), momentum({**rows, **stepped(t, rows, 10)}, 4)
    assert np.abs(after - before)[:3].max() < MOMENTUM


def test_joints_between_a_floating_articulation_and_a_body_leave_their_linear_momentum_as_it_is() -> None:
    tree = random_tree(6, 3, floating=True, kinds="rp")
    t, rows = random_island(2, [tree, random_body(3)], [joint(HINGE, SolverBody(LINK, 0, 3), SolverBody(BODY, 1))])
    rows |= {f"actor{i}_gravity": np.zeros(3) for i in range(2)}
    rows |= {f"actor0_{name}": np.zeros_like(tree[1][name]) for name in ("stiffness", "damping")}

    def linear(state: Rows) -> np.ndarray:
        own = {name: state.get(f"actor0_{name}", rows[f"actor0_{name}"]) for name in tree[1]}
        k = state_kinematics(tree[0], own, [])
        links = [motion.velocity for motion in link_motions(tree[0], k, list(own["v"]))]
        return sum((m * np.array(link.linear) for m, link in zip(own["mass"], links, strict=True)),
                   rows["actor1_mass"][0] * state["actor1_v"][:3])
    assert np.abs(linear(stepped(t, rows, 10)) - linear(rows)).max() < MOMENTUM


def test_an_island_stays_where_it_was_once_anything_in_it_diverges() -> None:
    t, rows = random_island(5, [random_body(i) for i in range(2)],
                            [joint(BALL, SolverBody(BODY, 0), SolverBody(BODY, 1))])
    rows["actor1_v"][:] = np.inf
    after = stepped(t, rows, 2)
    assert after["actor0_diverged"] == after["actor1_diverged"] == 1.0
    assert all(np.array_equal(after[name], rows[name]) for name in after if not name.endswith("diverged"))


@pytest.mark.parametrize(("active", "asleep"), [(0.0, 1.0), (1.0, 0.0)])
def test_an_island_at_rest_wakes_where_a_kinematic_body_that_holds_it_is_active(active: float, asleep: float) -> None:
    body, own = random_body(2)
    sleeper = replace(body, sleeping=True), {**own, "v": np.zeros(6), "gravity": np.zeros(3)}
    t, rows = random_island(3, [sleeper], [joint(BALL, SolverBody(KINEMATIC), SolverBody(BODY, 0))])
    rows |= {"actor0_asleep": np.ones(1), "kinematic0_velocity": np.array([0.1, 0, 0, 0, 0, 0]),
             "kinematic0_active": np.array([active])}
    after = stepped(t, rows, 1)
    assert after["actor0_asleep"] == asleep
    assert (np.abs(after["actor0_v"]).max() > 0.0) == (active > 0.0)


def gap(t: IslandTopology, rows: Rows, link: int) -> float:
    """How far the anchors of joint 0, from the world to a link of actor 0, are apart."""
    own = {name.removeprefix("actor0_"): values for name, values in rows.items() if name.startswith("actor0_")}
    actor = t.actors[0]
    position, rotation = frame_of(actor, own, link)
    anchor = sp.add(position, sp.rotate(rotation, tuple(rows["joint0_frame1_position"])))
    return float(np.abs(np.subtract(anchor, rows["joint0_frame0_position"])).max())


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("side", [SolverBody(STATIC), SolverBody(KINEMATIC)], ids=["world", "kinematic body"])
def test_a_ball_joint_holds_a_link_where_it_is(side: SolverBody, floating: bool) -> None:
    tree = random_tree(4, 4, floating=floating, kinds="rs")
    t, rows = random_island(1, [tree], [joint(BALL, side, SolverBody(LINK, 0, 3))])
    loose, _ = random_island(1, [tree], [])
    alone = {name: values for name, values in rows.items() if name.startswith("actor")}
    free = gap(t, {**rows, **stepped(loose, alone, 20)}, 3)
    assert gap(t, {**rows, **stepped(t, rows, 20)}, 3) < HELD < 0.1 * free, free
