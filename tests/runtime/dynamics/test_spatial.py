"""Spatial vectors and inertias: what does not depend on the point they are given at, in float64, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.dynamics.aba import (
    NO_LINK_RESPONSE,
    ArticulatedInertia,
    eliminate,
    free_response,
    propagate_response,
)
from physx_runtime.dynamics.inertia import RigidInertia, about_anchor
from physx_runtime.dynamics.spatial import Force, Motion, force_of, linear_first, motion_of

# Rounding of float64 sums of a dozen numbers of size 1.
ROUNDING = 1e-13
RANDOM = np.random.default_rng(7)


def vector() -> tuple[float, float, float]:
    x, y, z = RANDOM.uniform(-1.0, 1.0, 3).tolist()
    return x, y, z


def motion() -> Motion:
    return Motion(vector(), vector())


def force() -> Force:
    return Force(vector(), vector())


def body() -> RigidInertia:
    """A link of three principal moments away from its anchor."""
    return about_anchor(RANDOM.uniform(1.0, 2.0), vector(), (1.1, 1.3, 1.6, 0.1, -0.2, 0.05))


def same(a: Motion | Force, b: Motion | Force) -> bool:
    return bool(np.allclose(linear_first(a), linear_first(b), rtol=0.0, atol=ROUNDING))


def test_power_does_not_depend_on_the_point() -> None:
    f, v, d = force(), motion(), vector()
    assert f.about(d).dot(v) == pytest.approx(f.dot(v.at(d)), abs=ROUNDING)


def test_a_force_moved_there_and_back_is_the_same() -> None:
    f, d = force(), vector()
    assert same(f.at(d).about(d), f)


def test_a_velocity_is_that_of_the_point_and_a_torque_that_about_it() -> None:
    v, f, d = motion(), force(), vector()
    assert np.allclose(v.at(d).linear, np.array(v.linear) + np.cross(v.angular, d), atol=ROUNDING)
    assert np.allclose(f.about(d).angular, np.array(f.angular) + np.cross(d, f.linear), atol=ROUNDING)


def test_rows_have_the_linear_part_first() -> None:
    row = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert motion_of(row) == Motion((4.0, 5.0, 6.0), (1.0, 2.0, 3.0))
    assert linear_first(motion_of(row)) == linear_first(force_of(row)) == row


def test_an_articulated_inertia_of_one_link_is_its_rigid_inertia() -> None:
    link, a = body(), motion()
    assert same(ArticulatedInertia.of(link).force(a), link.force(a))
    assert np.allclose(np.array(link.linear_first()) @ linear_first(a), linear_first(link.force(a)), atol=ROUNDING)


def test_a_moved_inertia_needs_the_moved_force_of_the_moved_motion() -> None:
    inertia, a, d = ArticulatedInertia.of(body()), motion(), vector()
    assert same(inertia.about(d).force(a), inertia.force(a.at(d)).about(d))


def test_links_joined_to_one_body_need_what_both_need() -> None:
    link, child, a, d = body(), body(), motion(), vector()
    both = ArticulatedInertia.of(link) + ArticulatedInertia.of(child).about(d)
    assert same(link.combine(child, d).force(a), both.force(a))


def test_a_free_body_answers_a_force_with_the_motion_that_needs_it() -> None:
    inertia, a, f, d = ArticulatedInertia.of(body()), motion(), force(), vector()
    response = free_response(inertia)
    assert same(response.motion(inertia.force(a)), a)
    assert same(response.at(d).motion(f), response.motion(f.about(d)).at(d))


@pytest.mark.parametrize("grounded", [False, True])
def test_a_joint_between_two_bodies_answers_as_their_equations_do(grounded: bool) -> None:
    """Against the 7 x 7 (or 1 x 1) system of parent and joint, solved by NumPy."""
    parent, child = ArticulatedInertia.of(body()), ArticulatedInertia.of(body())
    S, f, armature = motion(), force(), 0.3
    felt, K, per_D = eliminate(child, S, armature)
    T = NO_LINK_RESPONSE if grounded else free_response(parent + felt)
    response, _, r = propagate_response(T, S, K, per_D)
    I_p, I_c, s = np.array(parent.linear_first()), np.array(child.linear_first()), np.array(linear_first(S))
    M = np.block([[I_p + I_c, (I_c @ s)[:, None]], [(s @ I_c)[None, :], np.array([[s @ I_c @ s + armature]])]])
    J = np.hstack([np.eye(6), s[:, None]])
    M, J = (M[6:, 6:], J[:, 6:]) if grounded else (M, J)
    minv = np.linalg.inv(M)
    assert r == pytest.approx(minv[-1, -1], abs=ROUNDING)
    assert np.allclose(linear_first(response.motion(f)), J @ minv @ J.T @ linear_first(f), atol=1e-12)
