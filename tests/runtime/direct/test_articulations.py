"""Buffers of the Direct API laid out as PxDirectGPUAPI.h says, filled with what real PhysX reported.

Block sizes here are written down from the header's text, and contents come from recordings of PhysX. Two different
articulations share a scene, so every block but the largest has a tail.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Direct, Simulation
from physx_runtime.compiling.shared_library import find_compiler
from physx_runtime.direct import WriteType
from physx_runtime.targets.cuda.kernels import BACK_END, HOST
from support.chance.articulations import Features, random_articulation
from support.device_arrays import OnDevice
from support.physx.recorded_quantities import FLOAT32, Recording
from support.places import FINGER

# maxDofs and maxLinks of the two stages: a floating tree (6 dofs, 7 links), an arm with two spherical joints (7, 4).
MAX_DOFS, MAX_LINKS = 7, 7
STAGES = ("floating_branched", "fixed_spherical")
WORLDS = 3
# world k of a simulation holds recorded state k; blocks in this order: (simulation, world)
ORDER = [(1, 2), (0, 0), (1, 0), (0, 1)]
INDICES = np.array([WORLDS * sim + world for sim, world in ORDER], dtype=np.uint32)
UNTOUCHED = -77.0

# operation -> (numbers of a block as the header states them, key of the recording)
OPERATIONS = {
    "eDENSE_JACOBIANS": ((6 + MAX_DOFS) * (6 + (MAX_LINKS - 1) * 6), "jacobian"),
    "eMASS_MATRICES": ((MAX_DOFS + 6) * (MAX_DOFS + 6), "mass_matrix"),
    "eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION": (MAX_DOFS + 6, "coriolis"),
    "eGRAVITY_COMPENSATION": (MAX_DOFS + 6, "gravity"),
    "eARTICULATION_COMS_WORLD_FRAME": (3, "com_world"),
    "eARTICULATION_COMS_ROOT_FRAME": (3, "com_root"),
}
# read type -> (components, elements of a block)
READS = {
    "eJOINT_POSITION": (1, MAX_DOFS), "eJOINT_VELOCITY": (1, MAX_DOFS), "eJOINT_ACCELERATION": (1, MAX_DOFS),
    "eJOINT_FORCE": (1, MAX_DOFS), "eJOINT_TARGET_VELOCITY": (1, MAX_DOFS), "eJOINT_TARGET_POSITION": (1, MAX_DOFS),
    "eROOT_GLOBAL_POSE": (7, 1), "eROOT_LINEAR_VELOCITY": (3, 1), "eROOT_ANGULAR_VELOCITY": (3, 1),
    "eLINK_GLOBAL_POSE": (7, MAX_LINKS), "eLINK_LINEAR_VELOCITY": (3, MAX_LINKS),
    "eLINK_ANGULAR_VELOCITY": (3, MAX_LINKS), "eLINK_LINEAR_ACCELERATION": (3, MAX_LINKS),
    "eLINK_ANGULAR_ACCELERATION": (3, MAX_LINKS), "eLINK_INCOMING_JOINT_FORCE": (6, MAX_LINKS),
    "eFIXED_TENDON": (8, 0), "eFIXED_TENDON_JOINT": (4, 0), "eSPATIAL_TENDON": (4, 0),
    "eSPATIAL_TENDON_ATTACHMENT": (8, 0),
}


class Scene:
    """Two simulations in one scene, each world at a recorded state."""

    def __init__(self, folder: Path, device: str) -> None:
        self.recordings = [Recording(folder, name) for name in STAGES]
        self.simulations = [Simulation(recording.description, worlds=WORLDS, device=device)
                            for recording in self.recordings]
        self.direct, self.device = Direct(self.simulations), device
        for simulation in self.simulations:
            simulation.step()
        self.place()

    def place(self) -> None:
        """Put every world at its recorded state."""
        for recording, simulation in zip(self.recordings, self.simulations, strict=True):
            states = [recording.state(n) for n in range(WORLDS)]
            more = {}
            if states[0]["root"]:
                roots = [state["root"] for state in states]
                more = {"root_pose": [[*r["position"], *np.roll(r["rotation_wxyz"], -1)] for r in roots],
                        "root_velocity": [[*r["linear_velocity"], *r["angular_velocity"]] for r in roots]}
            simulation.reset(joint_position=[s["q"] for s in states], joint_velocity=[s["qd"] for s in states], **more)

    def reported(self, sim: int, world: int, key: str) -> np.ndarray:
        """What PhysX reported, as one line."""
        return self.recordings[sim].reported(world, key).ravel()


@pytest.fixture(scope="module", params=["cpu", pytest.param("cuda", marks=pytest.mark.sweep)])
def scene(request: pytest.FixtureRequest, shared_cases: Path) -> Iterator[Scene]:
    """On the CPU, and by kernels of a GPU that the processor runs."""
    if request.param == "cuda" and not find_compiler():
        pytest.skip("no C++ compiler, which stands in for a GPU's")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(BACK_END, HOST)
        yield Scene(shared_cases / "direct_api", request.param)


def untouched(numbers: int) -> np.ndarray:
    return np.full(numbers, UNTOUCHED, dtype=np.float32)


def check(block: np.ndarray, expected: np.ndarray, what: str) -> None:
    """The block begins with the numbers, without gaps, and the rest is as it was."""
    own, tail = block[:len(expected)], block[len(expected):]
    assert np.abs(own - expected).max() <= FLOAT32 * np.abs(expected).max(), what
    assert (tail == UNTOUCHED).all(), what


def test_counts_are_the_largest_of_any_articulation(scene: Scene) -> None:
    counts = scene.direct.max_counts()
    assert (counts.maxDofs, counts.maxLinks) == (MAX_DOFS, MAX_LINKS)
    assert (counts.maxFixedTendons, counts.maxSpatialTendons) == (0, 0)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_operation_fills_blocks_in_the_order_of_the_indices(scene: Scene, operation: str) -> None:
    size, key = OPERATIONS[operation]
    data = untouched(len(ORDER) * size)
    scene.direct.compute(operation, data, INDICES)
    for n, (sim, world) in enumerate(ORDER):
        check(data[n * size:(n + 1) * size], scene.reported(sim, world, key), operation)


def test_buffers_on_the_device_are_filled_as_those_of_the_host(scene: Scene) -> None:
    if scene.device == "cpu":
        pytest.skip("there is no device")
    for kind, call in (("eMASS_MATRICES", scene.direct.compute), ("eLINK_GLOBAL_POSE", scene.direct.get)):
        host, there, both = (untouched(len(ORDER) * scene.direct.block_size(kind)) for _ in range(3))
        call(kind, host, INDICES)
        call(kind, OnDevice(there), INDICES)
        call(kind, OnDevice(both), OnDevice(INDICES))
        assert np.array_equal(there, host)
        assert np.array_equal(both, host)


def test_deprecated_operations_have_blocks_without_the_root(scene: Scene) -> None:
    for operation, size, key in (
            ("eGENERALIZED_MASS_MATRICES", MAX_DOFS * MAX_DOFS, "mass_matrix"),
            ("eGENERALIZED_GRAVITY_FORCES", MAX_DOFS, "gravity"),
            ("eCORIOLIS_AND_CENTRIFUGAL_FORCES", MAX_DOFS, "coriolis")):
        data = untouched(len(ORDER) * size)
        scene.direct.compute(operation, data, INDICES)
        for n, (sim, world) in enumerate(ORDER):
            block = data[n * size:(n + 1) * size]
            if sim == 1:
                check(block, scene.reported(sim, world, key), operation)
            else:
                own = 36 if "MASS" in operation else 6
                assert (block[:own] != UNTOUCHED).all()
                assert (block[own:] == UNTOUCHED).all()
                assert "GRAVITY" not in operation or not block[:own].any()


def test_centroidal_momentum_reads_two_regions_and_fills_two(scene: Scene) -> None:
    wide, count = MAX_DOFS + 6, len(ORDER)
    sizes = [wide * wide, wide, 6 * wide, 6]
    starts = np.cumsum([0, *(size * count for size in sizes)])
    data = untouched(int(starts[-1]))
    scene.direct.compute("eMASS_MATRICES", data[:starts[1]], INDICES)
    scene.direct.compute("eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION", data[starts[1]:starts[2]], INDICES)
    inputs = data[:starts[2]].copy()
    scene.direct.compute("eCENTROIDAL_MOMENTUM_MATRICES", data, INDICES)
    assert np.array_equal(data[:starts[2]], inputs)
    for n, (sim, world) in enumerate(ORDER):
        matrix, bias = (data[starts[r] + n * sizes[r]:starts[r] + (n + 1) * sizes[r]] for r in (2, 3))
        if sim == 1:
            assert (matrix == UNTOUCHED).all()
            assert (bias == UNTOUCHED).all()
            continue
        reported = scene.reported(sim, world, "centroidal").reshape(6, -1)
        check(matrix, reported[:, :-1].ravel(), "matrix")
        check(bias, reported[:, -1], "bias")


@pytest.mark.parametrize("kind", READS)
def test_data_read_fills_blocks_of_the_size_the_header_states(scene: Scene, kind: str) -> None:
    components, elements = READS[kind]
    size = components * elements
    assert scene.direct.block_size(kind) == size
    data = untouched(len(ORDER) * size)
    scene.direct.get(kind, data, INDICES)
    for n, (sim, _) in enumerate(ORDER):
        block, own = data[n * size:(n + 1) * size], components * min(elements, (6, 7)[sim] if "JOINT_" in kind else 1)
        own = components * (7, 4)[sim] if "LINK" in kind else own if elements else 0
        assert (block[:own] != UNTOUCHED).all()
        assert (block[own:] == UNTOUCHED).all()


def test_data_written_have_blocks_of_the_size_the_header_states(scene: Scene) -> None:
    for kind, (components, elements) in READS.items():
        if kind in WriteType.__members__:
            assert scene.direct.block_size(WriteType[kind]) == components * elements
    for kind in ("eLINK_FORCE", "eLINK_TORQUE"):
        assert scene.direct.block_size(kind) == 3 * MAX_LINKS


def test_joints_of_a_tendon_lie_as_far_apart_as_the_largest_tendon_needs(tmp_path: Path) -> None:
    path = tmp_path / "slides.usda"
    path.write_text(random_articulation(2, Features(links=(2, 2), fixed=0.0, prismatic=1.0, fixed_tendon=1.0,
                                                    spatial_tendon=0.0, mimic=0.0)).text)
    simulations = [Simulation(FINGER), Simulation(path)]
    direct = Direct(simulations)
    for simulation in simulations:
        simulation.step()
    own = [simulation.model.actor.fixed_tendons[0].axes for simulation in simulations]
    counts = direct.max_counts()
    assert (counts.maxFixedTendons, counts.maxFixedTendonJoints) == (1, 3)
    data = untouched(2 * 1 * 3 * 4)
    direct.get("eFIXED_TENDON_JOINT", data, [1, 0])
    slides, hinges = data.reshape(2, 3, 4)
    for words, axes, axis in ((slides, own[1], 3), (hinges, own[0], 0)):        # eX and eTWIST
        assert np.allclose(words[:len(axes), 0], [x.gearing for x in axes])
        assert (words.view(np.uint32)[:len(axes), 2] == axis).all()
    assert len(own[1]) < 3
    assert (slides[len(own[1]):] == UNTOUCHED).all()


def test_link_poses_are_rotation_then_position_of_the_actor(scene: Scene) -> None:
    data = untouched(len(ORDER) * 7 * MAX_LINKS)
    scene.direct.get("eLINK_GLOBAL_POSE", data, INDICES)
    for n, (sim, world) in enumerate(ORDER):
        recording = scene.recordings[sim]
        reported = recording.data[f"s{world}_link_pose"][recording.links]
        ours = data[n * 7 * MAX_LINKS:][:7 * len(reported)].reshape(-1, 7)
        signs = np.sign(np.sum(ours[:, :4] * reported[:, 3:], axis=1, keepdims=True))
        assert np.abs(ours[:, :4] * signs - reported[:, 3:]).max() < FLOAT32
        assert np.abs(ours[:, 4:] - reported[:, :3]).max() < FLOAT32


def test_link_velocities_are_of_the_centres_of_mass(scene: Scene) -> None:
    for kind, part in (("eLINK_LINEAR_VELOCITY", slice(0, 3)), ("eLINK_ANGULAR_VELOCITY", slice(3, 6))):
        data = untouched(len(ORDER) * 3 * MAX_LINKS)
        scene.direct.get(kind, data, INDICES)
        for n, (sim, world) in enumerate(ORDER):
            recording = scene.recordings[sim]
            reported = recording.data[f"s{world}_link_vel"][recording.links][:, part]
            check(data[n * 3 * MAX_LINKS:(n + 1) * 3 * MAX_LINKS], reported.ravel(), kind)


def test_joint_and_root_data_read_are_what_was_written(scene: Scene) -> None:
    random = np.random.default_rng(0)
    for kind in ("eJOINT_POSITION", "eJOINT_VELOCITY", "eJOINT_FORCE", "eJOINT_TARGET_VELOCITY",
                 "eJOINT_TARGET_POSITION", "eROOT_GLOBAL_POSE"):
        size = scene.direct.block_size(kind)
        written = random.uniform(-0.5, 0.5, len(ORDER) * size).astype(np.float32)
        if kind == "eROOT_GLOBAL_POSE":
            rotations = written.reshape(-1, 7)[:, :4]
            rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        scene.direct.set(kind, written, INDICES)
        data = untouched(written.size)
        scene.direct.get(kind, data, INDICES)
        for n, (sim, _) in enumerate(ORDER):
            own = 7 if "ROOT" in kind else (6, 7)[sim]
            assert np.allclose(data[n * size:][:own], written[n * size:][:own], rtol=0.0, atol=1e-6), kind
    scene.place()
