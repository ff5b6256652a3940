"""Actors answer impulses from outside as M^-1 J^T says, worked out by pinocchio, and as bodies do in closed form."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.schedule import trace_function
from physx_runtime.dynamics.spatial import Force, force_of
from physx_runtime.language.ops import Rows
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology, Topology
from physx_runtime.packing.articulation import pack
from physx_runtime.solver import settings
from physx_runtime.solver.response import Response
from support.chance.articulations import Features, random_articulation
from support.stages.robots import opened

from physx_schema.description import describe

pinocchio_models = pytest.importorskip("support.mechanics.pinocchio_models", reason="pinocchio (pin) is not installed")

Array = NDArray[np.float64]
# Of the largest entry; M is inverted twice along different ways.
FLOAT64 = 1e-9
DT = 0.01
KINDS = {"prismatic": 0.3, "fixed": 0.2, "spherical": 0.3, "swapped": 0.4, "fixed_tendon": 0.0, "spatial_tendon": 0.0,
         "mimic": 0.0, "armature": 1.0, "drive": 0.3, "limit": 0.3, "friction": 0.3, "max_velocity": 0.0}
TREES = [(31, False), (32, False), (33, True), (34, True)]


@pytest.fixture(scope="module", params=TREES, ids=lambda p: f"{p[0]}-{'floating' if p[1] else 'fixed'}")
def tree(request: pytest.FixtureRequest) -> SimpleNamespace:
    """A random articulation at a random state: its rows, what a step's beginning makes of them, and pinocchio's."""
    seed, floating = request.param
    text = random_articulation(seed, Features(links=(5, 6), floating=floating, **KINDS)).text
    description = describe(opened(text))
    art, random = description.articulations[0], np.random.default_rng(seed)
    packed = pack(art, description.scene)
    t = packed.topology
    assert isinstance(t, Topology)
    q, v = random.uniform(-1.0, 1.0, len(t.dofs)), random.uniform(-2.0, 2.0, t.nv)
    position, rotation = random.uniform(-2.0, 2.0, 3), random.normal(size=4)
    rotation /= np.linalg.norm(rotation)
    rows = {**packed.parameters, **packed.state, "q": q, "v": v, "dt": [DT], "h": [DT / 4], "erp": [0.9]}
    rows["velocity_clamp"] = np.full(len(t.dofs), np.inf)
    theirs = pinocchio_models.PinocchioModel(art, description.scene.gravity)
    if floating:
        turn = pinocchio_models.pin.Quaternion(rotation).matrix()
        rows |= {"root_position": position + turn @ np.array(art.links[0].center_of_mass), "root_rotation": rotation}
    theirs.move(q, v, position, rotation)
    armature = np.concatenate([np.zeros(t.root_size), packed.parameters["armature"]])
    first = 1 if t.fixed_base else 0
    return SimpleNamespace(t=t, rows=rows, begun=settings.begin(t, rows), random=random,
                           links=range(first, len(t.links)), minv=np.linalg.inv(theirs.mass() + np.diag(armature)),
                           jacobian=theirs.jacobian().reshape(-1, 6, t.nv), drift=theirs.drift().reshape(-1, 6),
                           cfm_scale=packed.parameters["cfm_scale"], first=first)


def answer(tree: SimpleNamespace, link: int, impulse: Array) -> Response:
    """To an impulse whose linear part comes first."""
    force = Force(tuple(impulse[3:]), tuple(impulse[:3]))
    return settings.respond(tree.t, tree.rows, tree.begun, link, force)


def agree(ours: object, theirs: object) -> None:
    assert np.allclose(np.array(ours, dtype=float), theirs, rtol=0.0, atol=FLOAT64 * max(1.0, np.abs(theirs).max()))


def test_links_answer_impulses_by_pinocchios_jacobian_and_mass_matrix(tree: SimpleNamespace) -> None:
    for link in tree.links:
        J, impulse = tree.jacobian[link - tree.first], tree.random.normal(size=6)
        made = answer(tree, link, impulse)
        agree(made.row, impulse @ J)
        agree(made.delta_velocity, tree.minv @ J.T @ impulse)
        agree(made.unit_response, impulse @ J @ tree.minv @ J.T @ impulse)
        v = tree.random.normal(size=tree.t.nv)
        agree(made.apply_impulse(list(v), 0.7), v + 0.7 * tree.minv @ J.T @ impulse)


def test_velocities_along_an_impulse_carry_the_drift_of_the_steps_start(tree: SimpleNamespace) -> None:
    for link in tree.links:
        J, impulse, v = tree.jacobian[link - tree.first], tree.random.normal(size=6), tree.random.normal(size=tree.t.nv)
        carried = DT * tree.drift[link - tree.first]
        agree(answer(tree, link, impulse).velocity(v), impulse @ (J @ v + carried))


def test_an_impulse_on_one_link_moves_another_as_that_one_moves_it(tree: SimpleNamespace) -> None:
    """Maxwell and Betti's reciprocity, after pushes of some size."""
    pairs = [(answer(tree, a, tree.random.normal(size=6)), answer(tree, b, tree.random.normal(size=6)))
             for a, b in zip(tree.links, reversed(tree.links), strict=True)]
    v = list(tree.random.normal(size=tree.t.nv))
    for one, other in pairs:
        gained = one.velocity(other.apply_impulse(v, 0.7)) - one.velocity(v)
        agree(gained, other.velocity(one.apply_impulse(v, 0.7)) - other.velocity(v))


def test_cfm_is_the_share_of_a_links_largest_linear_response(tree: SimpleNamespace) -> None:
    for link in tree.links:
        J = tree.jacobian[link - tree.first][:3]
        largest = np.diag(J @ tree.minv @ J.T).max()
        agree(answer(tree, link, np.eye(6)[0]).cfm, tree.cfm_scale[link] * largest / tree.rows["length_scale"][0])


def test_a_fixed_base_answers_no_impulse(tree: SimpleNamespace) -> None:
    if tree.t.fixed_base:
        made = answer(tree, 0, tree.random.normal(size=6))
        assert not np.any(made.delta_velocity)
        assert (made.unit_response, made.bias, made.cfm) == (0.0, 0.0, 0.0)


# --- rigid bodies -----------------------------------------------------------------------------------------------------

MOMENTS, MASS = np.array([0.1, 0.25, 0.3]), 2.0


def body(random: np.random.Generator) -> tuple[BodyTopology, Rows, Array]:
    """A body at a random pose, spinning, with its rotation matrix."""
    t = BodyTopology(True)
    rows = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    rotation = random.normal(size=4)
    rotation /= np.linalg.norm(rotation)
    rows |= {"dt": np.array([DT]), "h": np.array([DT / 4]), "mass": np.array([MASS]), "gyroscopic": np.ones(1),
             "inertia": np.array([*MOMENTS, 0.0, 0.0, 0.0]), "v": random.normal(size=6), "root_rotation": rotation,
             "max_linear_velocity": np.array([np.inf]), "max_angular_velocity": np.array([np.inf])}
    return t, rows, pinocchio_models.pin.Quaternion(rotation).matrix()


def test_a_body_answers_an_impulse_at_a_point_as_in_the_textbook() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        t, rows, R = body(random)
        inverse = R @ np.diag(1.0 / MOMENTS) @ R.T
        arm, n = random.normal(size=(2, 3))
        n /= np.linalg.norm(n)
        turning = np.cross(arm, n)
        made = settings.respond(t, rows, settings.begin(t, rows), 0, Force(tuple(turning), tuple(n)))
        agree(made.unit_response, 1.0 / MASS + turning @ inverse @ turning)
        agree(made.delta_velocity, [*(n / MASS), *(inverse @ turning)])
        v, w = rows["v"][:3], rows["v"][3:]
        agree(made.velocity(rows["v"]), n @ (v + np.cross(w, arm)))
        agree(made.apply_impulse(list(rows["v"]), 0.7), rows["v"] + 0.7 * np.array([*(n / MASS), *(inverse @ turning)]))
        assert (made.bias, made.cfm) == (0.0, 0.0)


def test_an_impulse_between_two_bodies_keeps_their_momentum() -> None:
    random = np.random.default_rng(2)
    before, after = np.zeros(6), np.zeros(6)
    places, point, impulse = random.normal(size=(2, 3)), random.normal(size=3), random.normal(size=3)
    for place, sign in zip(places, (1.0, -1.0), strict=True):
        t, rows, R = body(random)
        inertia, pushed = R @ np.diag(MOMENTS) @ R.T, sign * impulse
        force = Force(tuple(np.cross(point - place, pushed)), tuple(pushed))
        moved = settings.respond(t, rows, settings.begin(t, rows), 0, force).apply_impulse(list(rows["v"]), 1.5)
        for total, velocity in ((before, rows["v"]), (after, np.array(moved))):
            momentum = MASS * velocity[:3]
            total += [*momentum, *(inertia @ velocity[3:] + np.cross(place, momentum))]
    agree(after, before)


@pytest.mark.parametrize("t", [BodyTopology(True), BodyTopology(True).tree], ids=["body", "articulation"])
def test_answers_become_straight_line_code(t: ActorTopology) -> None:
    def answered(rows: Rows) -> Rows:
        made = settings.respond(t, rows, settings.begin(t, rows), 0, force_of(rows["impulse"]))
        return {"row": made.row, "change": made.delta_velocity, "size": [made.unit_response]}

    function = trace_function(answered, state_rows(t) | input_rows(t), (("impulse", 6),))
    assert function.results == (("row", 6), ("change", 6), ("size", 1))
