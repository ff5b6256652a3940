"""How a link moves with the joints that lead to it, against kinematics of all poses."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions
from physx_runtime.dynamics.rnea import generalized_force
from physx_runtime.dynamics.spatial import NO_FORCE, Force, linear_first, quaternion, triple
from physx_runtime.model.topology import Topology
from physx_runtime.solver.contact.joint_space import LeverArms, chain_to
from support.chance.packed_models import Rows, random_tree

ROUNDED = 1e-14         # sums of a few numbers of some metres
# How far float32 leaves a rotation from unit length, and what its square makes of some metres.
TOO_LONG, SQUARED = 1e-7, 1e-12
SHORT, LONG = 0.05, 1.5             # rad, within the series and beyond it
KINDS = "rrpf"


def arms_to(t: Topology, rows: Rows, link: int) -> tuple[LeverArms, list[int]]:
    """Of a link, and the dofs that lead to it."""
    chain, dofs = chain_to(t, link)
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    center = sp.add(k.position[link], k.com[link])
    unturned = np.sum([triple(rows, "tree_position", i) for i in t.path(link)], axis=0) + triple(rows, "com", link)
    arms = [sp.sub(center, k.position[t.dofs[dof].link]) for dof in dofs]
    return LeverArms(chain.t, center, tuple(np.subtract(center, unturned)), [k.axes[dof] for dof in dofs], arms), dofs


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("angle", [SHORT, LONG])
@pytest.mark.parametrize(("length", "tolerance"), [(1.0, ROUNDED), (1.0 + TOO_LONG, SQUARED)])
def test_the_centre_of_mass_comes_as_far_as_forward_kinematics_has_it(length: float, tolerance: float, angle: float,
                                                                      floating: bool) -> None:
    t, rows = random_tree(2, links=7, floating=floating, kinds=KINDS)
    random, start = np.random.default_rng(1), quaternion(rows, "root_rotation", 0)
    turn = sp.exponential(tuple(random.uniform(-angle, angle, 3))) if floating else (0.0, 0.0, 0.0, 1.0)
    now = tuple((length if floating else 1.0) * np.array(sp.mul_quat(turn, start)))
    travelled = random.uniform(-angle, angle, len(t.dofs))
    before = forward_kinematics(t, rows, rows["q"], start)
    after = forward_kinematics(t, rows, rows["q"] + travelled, now)
    for link in range(len(t.links)):
        arms, dofs = arms_to(t, rows, link)
        root = (sp.mul_quat(now, sp.conjugate(start)), np.dot(now, now) - np.dot(start, start)) if floating else (None,)
        expected = np.subtract(np.add(after.position[link], after.com[link]),
                               np.add(before.position[link], before.com[link]))
        np.testing.assert_allclose(arms.displacement(travelled[dofs], *root), expected, rtol=0, atol=tolerance)


@pytest.mark.parametrize("floating", [False, True])
def test_velocities_and_forces_are_those_of_the_whole_tree(floating: bool) -> None:
    t, rows = random_tree(3, links=7, floating=floating, kinds=KINDS)
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    motions, force = link_motions(t, k, rows["v"]), Force((0.3, -0.2, 0.5), (1.0, 2.0, -0.7))
    for link in range(t.fixed_base, len(t.links)):
        arms, dofs = arms_to(t, rows, link)
        own = [*range(t.root_size), *(t.root_size + dof for dof in dofs)]
        np.testing.assert_allclose(linear_first(arms.velocity(np.array(rows["v"])[own])),
                                   linear_first(motions[link].velocity), rtol=0, atol=ROUNDED)
        forces = [force if i == link else NO_FORCE for i in range(len(t.links))]
        np.testing.assert_allclose(arms.generalized(force), np.array(generalized_force(t, k, forces))[own], rtol=0,
                                   atol=ROUNDED)
