"""What the Direct API refuses, when links follow what is written, and what a step leaves to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Direct, Simulation
from physx_runtime.direct import DirectError
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.state import WorldQuantities
from support.chance.articulations import Features, random_articulation
from support.places import BALL, FINGER, MOTIONS

SPATIAL = MOTIONS / "spatial_tendon_chain" / "stage.usda"
WORLDS = 3
ALL = np.arange(WORLDS)
# float32 of numbers of size 10.
ROUNDING = 1e-5


@pytest.fixture
def sim() -> Simulation:
    """A stepped finger with its Direct API at hand."""
    simulation = Simulation(FINGER, worlds=WORLDS)
    assert simulation.direct.count == WORLDS
    simulation.set("joint_effort", np.random.default_rng(0).uniform(-0.5, 0.5, (WORLDS, 3)))
    simulation.step(3)
    return simulation


def read(direct: Direct, kind: str, indices: np.ndarray = ALL) -> np.ndarray:
    data = np.full((len(indices), direct.block_size(kind)), np.nan, direct.dtype)
    direct.get(kind, data, indices)
    return data


def computed(direct: Direct, kind: str, indices: np.ndarray = ALL) -> np.ndarray:
    data = np.full((len(indices), direct.block_size(kind)), np.nan, direct.dtype)
    direct.compute(kind, data, indices)
    return data


def test_nothing_works_before_the_first_step() -> None:
    direct = Simulation(FINGER).direct
    for call in (lambda: direct.compute("eMASS_MATRICES", np.zeros(81, np.float32), [0]),
                 lambda: direct.get("eJOINT_POSITION", np.zeros(3, np.float32), [0]),
                 lambda: direct.set("eJOINT_POSITION", np.zeros(3, np.float32), [0])):
        with pytest.raises(DirectError, match="needs a completed step"):
            call()
    assert direct.max_counts().maxDofs == 3


@pytest.mark.parametrize(("data", "indices", "message"), [
    (np.zeros(6, np.float32), [0, 1, 2],
     "data holds 6 numbers of float32; give 9 numbers of float32, in 3 blocks of 3"),
    (np.zeros(9, np.float64), [0, 1, 2],
     "data holds 9 numbers of float64; give 9 numbers of float32, in 3 blocks of 3"),
    (np.zeros((3, 6), np.float32)[:, :3], [0, 1, 2], "data is not contiguous"),
    (np.zeros(13, np.uint8)[1:].view(np.float32), [0], "data is not aligned"),
    (None, [0], "data is NoneType"),
    (np.zeros(3, np.float32), None, "indices are None; give a list of whole numbers"),
    (np.zeros(3, np.float32), [3], "indices contain 3; give indices from 0 to 2"),
    (np.zeros(3, np.float32), [-1], "indices contain -1"),
    (np.zeros(6, np.float32), [1, 1], "indices contain a number twice"),
    (np.zeros(3, np.float32), [0.5], "indices are float64"),
    (np.array([0, np.nan, 0], np.float32), [1], "eJOINT_POSITION of index 1 is .*nan.*; give finite numbers"),
])
def test_misuse_is_named_and_changes_nothing(sim: Simulation, data: Any, indices: Any, message: str) -> None:
    before = sim.joint_position
    with pytest.raises(ValueError, match=message):
        sim.direct.set("eJOINT_POSITION", data, indices)
    if "nan" not in message:
        with pytest.raises(ValueError, match=message):
            sim.direct.get("eJOINT_POSITION", data, indices)
    assert np.array_equal(sim.joint_position, before)


def test_an_unknown_kind_and_memory_that_cannot_be_written_are_refused(sim: Simulation) -> None:
    with pytest.raises(ValueError, match="kind is 'eMASS'; allowed are eUPDATE_KINEMATIC, eDENSE_JACOBIANS"):
        sim.direct.compute("eMASS", np.zeros(3, np.float32), [0])
    data = np.zeros(3, np.float32)
    data.flags.writeable = False
    with pytest.raises(ValueError, match="data is read-only"):
        sim.direct.get("eJOINT_POSITION", data, [0])
    sim.direct.set("eJOINT_POSITION", data, [0])


def test_no_indices_are_no_work(sim: Simulation) -> None:
    nothing, before = np.zeros(0, np.float32), sim.joint_position
    sim.direct.set("eJOINT_POSITION", nothing, [])
    sim.direct.get("eJOINT_POSITION", nothing, [])
    sim.direct.compute("eMASS_MATRICES", nothing, [])
    assert np.array_equal(sim.joint_position, before)


def test_a_pose_with_its_position_first_is_refused(sim: Simulation) -> None:
    before = read(sim.direct, "eROOT_GLOBAL_POSE")
    with pytest.raises(ValueError, match=r"give a unit quaternion x y z w, then the position"):
        sim.direct.set("eROOT_GLOBAL_POSE", np.array([0.5, 0, 0, 0, 0, 0, 1], np.float32), [1])
    assert np.array_equal(read(sim.direct, "eROOT_GLOBAL_POSE"), before)


def test_centroidal_momentum_of_matrices_that_were_not_computed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floating.usda"
    path.write_text(random_articulation(3, Features(links=(2, 2), floating=True, prismatic=0.0, fixed=0.0)).text)
    simulation = Simulation(path)
    simulation.step()
    data = np.full(simulation.direct.block_size("eCENTROIDAL_MOMENTUM_MATRICES"), np.nan, np.float32)
    with pytest.raises(ValueError, match="not finite"):
        simulation.direct.compute("eCENTROIDAL_MOMENTUM_MATRICES", data, [0])
    assert np.isnan(data).all()
    with pytest.raises(ValueError, match="have zero mass; first compute eMASS_MATRICES into the first region of data"):
        simulation.direct.compute("eCENTROIDAL_MOMENTUM_MATRICES", np.zeros_like(data), [0])


def test_a_fixed_root_takes_no_velocity(sim: Simulation) -> None:
    with pytest.raises(ValueError, match="the base is fixed; give 0"):
        sim.direct.set("eROOT_LINEAR_VELOCITY", np.ones((1, 3), np.float32), [2])
    sim.direct.set("eROOT_LINEAR_VELOCITY", np.zeros((1, 3), np.float32), [2])


def test_links_follow_written_positions_at_the_next_operation_on_them(sim: Simulation) -> None:
    before = read(sim.direct, "eLINK_GLOBAL_POSE")
    sim.direct.set("eJOINT_POSITION", np.full((2, 3), 0.3, np.float32), [0, 2])
    assert np.array_equal(read(sim.direct, "eLINK_GLOBAL_POSE"), before)
    assert np.allclose(read(sim.direct, "eJOINT_POSITION")[[0, 2]], 0.3)
    sim.direct.compute("eUPDATE_KINEMATIC", None, [0])
    after = read(sim.direct, "eLINK_GLOBAL_POSE")
    assert np.abs(after[0] - before[0]).max() > 1e-2
    assert np.array_equal(after[1:], before[1:])
    computed(sim.direct, "eMASS_MATRICES", np.array([2]))
    assert np.abs(read(sim.direct, "eLINK_GLOBAL_POSE")[2] - before[2]).max() > 1e-2
    expected = sim.link_pose[..., [3, 4, 5, 6, 0, 1, 2]].reshape(WORLDS, -1)
    assert np.allclose(read(sim.direct, "eLINK_GLOBAL_POSE"), expected, atol=ROUNDING)


def test_a_step_places_links_that_were_written_to(sim: Simulation) -> None:
    sim.direct.set("eJOINT_POSITION", np.full((WORLDS, 3), 0.2, np.float32), ALL)
    sim.step()
    expected = sim.link_pose[..., [3, 4, 5, 6, 0, 1, 2]].reshape(WORLDS, -1)
    assert np.allclose(read(sim.direct, "eLINK_GLOBAL_POSE"), expected, atol=ROUNDING)


def test_accelerations_are_the_change_of_velocities_over_the_step(sim: Simulation) -> None:
    before = sim.joint_velocity
    sim.step()
    expected = (sim.joint_velocity - before) / sim.dt
    found = read(sim.direct, "eJOINT_ACCELERATION")
    assert np.allclose(found, expected, atol=1e-4 * np.abs(expected).max())
    assert np.abs(found).max() > 0.1


def test_what_the_step_left_is_that_of_its_own_time_step(sim: Simulation) -> None:
    kinds = ("eJOINT_ACCELERATION", "eLINK_INCOMING_JOINT_FORCE", "eLINK_LINEAR_VELOCITY")
    before = [read(sim.direct, kind) for kind in kinds]
    sim.set_time_step(2.0 * sim.dt)
    for kind, values in zip(kinds, before, strict=True):
        assert np.array_equal(read(sim.direct, kind), values)


def test_update_kinematic_clears_what_the_step_left_and_other_operations_only_where_links_moved(
        sim: Simulation) -> None:
    kinds = ("eJOINT_ACCELERATION", "eLINK_LINEAR_ACCELERATION", "eLINK_INCOMING_JOINT_FORCE")
    left = {kind: read(sim.direct, kind) for kind in kinds}
    computed(sim.direct, "eMASS_MATRICES")
    sim.direct.set("eJOINT_VELOCITY", np.ones((1, 3), np.float32), [1])
    assert all(np.array_equal(read(sim.direct, kind), left[kind]) for kind in kinds)
    computed(sim.direct, "eMASS_MATRICES")
    sim.direct.compute("eUPDATE_KINEMATIC", None, [2])
    for kind in kinds:
        found = read(sim.direct, kind)
        assert np.array_equal(found[0], left[kind][0])
        assert not found[1:].any()
        assert left[kind].any(axis=1).all()
    sim.step()
    assert read(sim.direct, "eJOINT_ACCELERATION").any(axis=1).all()


def test_a_reset_of_one_world_leaves_what_the_step_left_in_the_others(sim: Simulation) -> None:
    left = read(sim.direct, "eLINK_LINEAR_ACCELERATION")
    sim.direct.set("eJOINT_POSITION", np.full((1, 3), 0.3, np.float32), [2])
    placed = read(sim.direct, "eLINK_GLOBAL_POSE")
    sim.reset([1])
    found = read(sim.direct, "eLINK_LINEAR_ACCELERATION")
    assert np.array_equal(found[[0, 2]], left[[0, 2]])
    assert left[1].any()
    assert not found[1].any()
    # world 2 still waits for its next operation, world 1 is placed already
    now = read(sim.direct, "eLINK_GLOBAL_POSE")
    assert np.array_equal(now[[0, 2]], placed[[0, 2]])
    assert np.abs(now[1] - placed[1]).max() > 1e-3


def test_accelerations_from_before_direct_was_made_are_not_there() -> None:
    simulation = Simulation(FINGER)
    simulation.step()
    with pytest.raises(DirectError, match=r"call step\(\) once more"):
        read(simulation.direct, "eJOINT_ACCELERATION", np.array([0]))


def test_link_velocities_from_before_direct_was_made_are_not_there_until_links_are_placed() -> None:
    simulation = Simulation(FINGER, worlds=WORLDS)
    simulation.step()
    direct = simulation.direct
    with pytest.raises(DirectError, match="eLINK_LINEAR_VELOCITY is recorded from the first step after Direct is"):
        read(direct, "eLINK_LINEAR_VELOCITY")
    direct.set("eJOINT_VELOCITY", np.ones((WORLDS, 3), np.float32), ALL)
    with pytest.raises(DirectError, match=r"call step\(\) once more"):
        read(direct, "eLINK_ANGULAR_VELOCITY")
    direct.compute("eUPDATE_KINEMATIC", None, ALL)
    assert read(direct, "eLINK_ANGULAR_VELOCITY").any()


def test_the_joint_above_a_resting_pendulum_carries_its_weight() -> None:
    simulation = Simulation(BALL)
    direct = simulation.direct
    masses, gravity = simulation.parameter("mass")[0], simulation.parameter("gravity")[0, 0]
    # at rest where its weight pulls along no axis: the centre of mass on the joint
    centers = simulation.parameter("center_of_mass")[0]
    centers[1] = simulation.model.actor.links[1].joint.child_frame[0]
    simulation.set_parameter("center_of_mass", centers)
    simulation.step()
    force = read(direct, "eLINK_INCOMING_JOINT_FORCE", np.array([0])).reshape(-1, 6)
    assert not force[0].any()
    assert np.linalg.norm(force[1, :3]) == pytest.approx(masses[1] * np.linalg.norm(gravity), rel=1e-4)


def test_written_link_forces_push_for_one_step(tmp_path: Path) -> None:
    path = tmp_path / "free.usda"
    alone = dict.fromkeys(("damping", "drive", "friction", "limit", "max_velocity", "fixed_tendon", "spatial_tendon",
                           "mimic", "prismatic"), 0.0)
    path.write_text(random_articulation(3, Features(links=(2, 2), floating=True, **alone)).text)
    simulation = Simulation(path, worlds=2)
    direct, mass = simulation.direct, simulation.parameter("mass")[0]
    gravity = simulation.parameter("gravity")[0, 0]

    def momentum() -> np.ndarray:
        velocity = read(direct, "eLINK_LINEAR_VELOCITY", np.arange(2))
        return np.einsum("l,wlx->wx", mass, velocity.reshape(2, -1, 3))

    simulation.step()
    before = momentum()
    direct.set("eLINK_FORCE", (-mass[:, None] * gravity).reshape(1, -1).astype(np.float32), [1])
    simulation.step()
    falling, held = momentum() - before
    fallen = mass.sum() * gravity * simulation.dt
    assert np.allclose(falling, fallen, atol=1e-3)
    assert np.allclose(held, 0.0, atol=1e-3)
    simulation.step(2)
    assert np.allclose(momentum()[1] - before[1], 2.0 * fallen, atol=2e-3)


def test_fixed_tendon_data_are_laid_out_as_physx_does(sim: Simulation) -> None:
    tendon = sim.model.actor.fixed_tendons[0]
    found = read(sim.direct, "eFIXED_TENDON")[1]
    assert np.allclose(found, [tendon.stiffness, tendon.damping, tendon.limit_stiffness, tendon.offset,
                               tendon.lower_limit, tendon.upper_limit, tendon.rest_length, 0.0])
    joints = read(sim.direct, "eFIXED_TENDON_JOINT")[1].reshape(-1, 4)
    for words, axis in zip(joints, tendon.axes, strict=True):
        assert np.allclose(words[:2], [axis.gearing, axis.force_coefficient])
        assert words[2:].view(np.uint32).tolist() == [0, 0]     # eTWIST, and the word that pads


def test_spatial_tendon_data_are_laid_out_as_physx_does() -> None:
    simulation = Simulation(SPATIAL)
    direct = simulation.direct
    simulation.step()
    tendon, = simulation.model.actor.spatial_tendons
    found = read(direct, "eSPATIAL_TENDON", np.array([0]))[0]
    assert np.allclose(found, [tendon.stiffness, tendon.damping, tendon.limit_stiffness, tendon.offset])
    attachments = read(direct, "eSPATIAL_TENDON_ATTACHMENT", np.array([0])).reshape(-1, 8)
    assert len(attachments) == len(tendon.attachments)
    for words, attachment in zip(attachments, tendon.attachments, strict=True):
        leaf = [attachment.rest_length, attachment.lower_limit, attachment.upper_limit] if attachment.leaf else [0] * 3
        expected = [*attachment.local_position, leaf[0], attachment.gearing, *leaf[1:], 0.0]
        assert np.allclose(words, expected, rtol=ROUNDING)
    attachments[-1, 3] = 0.5
    direct.set("eSPATIAL_TENDON_ATTACHMENT", attachments.reshape(1, -1), [0])
    assert simulation.parameter("spatial_tendon_rest_length")[0, -1] == 0.5


def test_written_tendon_data_reach_the_parameters_of_their_worlds(sim: Simulation) -> None:
    data = read(sim.direct, "eFIXED_TENDON", np.array([2, 0]))
    data[:, 0] = [7.0, 9.0]
    sim.direct.set("eFIXED_TENDON", data, [2, 0])
    stiffness = sim.model.actor.fixed_tendons[0].stiffness
    assert np.allclose(sim.parameter("fixed_tendon_stiffness")[:, 0], [9.0, stiffness, 7.0])
    data[1, 0] = -1.0
    with pytest.raises(ValueError, match=r"fixed_tendon_stiffness of world 0 .* is -1; give values in \[0, inf\)"):
        sim.direct.set("eFIXED_TENDON", data, [2, 0])
    joints = read(sim.direct, "eFIXED_TENDON_JOINT", np.array([1]))
    joints.view(np.uint32)[0, 2] = 3
    with pytest.raises(ValueError, match="word 2 of a block is 3; the axis cannot change; give 0"):
        sim.direct.set("eFIXED_TENDON_JOINT", joints, [1])


def test_what_a_later_simulation_refuses_is_not_set_in_an_earlier_one() -> None:
    first, second = Simulation(FINGER), Simulation(FINGER, worlds=2)
    direct = Direct([first, second])
    first.step()
    second.step()
    data = read(direct, "eFIXED_TENDON", np.arange(3))
    data[:, 0] = [5.0, 5.0, -1.0]
    with pytest.raises(ValueError, match="fixed_tendon_stiffness of world 1"):
        direct.set("eFIXED_TENDON", data, np.arange(3))
    assert first.parameter("fixed_tendon_stiffness")[0, 0] != 5.0
    assert (second.parameter("fixed_tendon_stiffness") != 5.0).all()


def test_large_joint_velocities_are_scaled_together_before_coriolis_forces() -> None:
    simulation = Simulation(FINGER, worlds=2, dtype="float64")
    simulation.step()
    simulation.set_row("velocity_clamp", [1.0, 1.0, 1.0])
    simulation.set("v", [[0.5, -0.2, 1.0], [2.0, -0.8, 4.0]])
    slow, fast = computed(simulation.direct, "eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION", np.arange(2))[:, :3]
    assert np.abs(slow).max() > 1e-6
    assert np.allclose(slow, fast, rtol=1e-12)


def test_a_tree_too_large_for_straight_line_code_gives_the_same_numbers(sim: Simulation) -> None:
    batch = WorldQuantities(sim.topology)
    given = {"root_axes": np.tile([0.0, 0.0, 0.0, 1.0], (2, 1))}
    chosen = np.array([2, 0])
    compiled = {quantity: batch.values(quantity, sim.store, chosen, given) for quantity in (
        quantities.jacobian, quantities.mass_without_armature, quantities.com_root)}
    batch.compiled = False
    for quantity, made in compiled.items():
        other = batch.values(quantity, sim.store, chosen, given)
        assert all(np.allclose(other[name], made[name], atol=ROUNDING) for name in made)
