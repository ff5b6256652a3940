"""Every public call of a simulation, its Direct API and its dynamics on device "cuda" answers as the CPU does.

Kernels run on the processor in place of a GPU. A call that is new must be added here, or the first test fails.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from physx_runtime import Direct, Simulation
from physx_runtime.direct import ComputeType, DirectError, ReadType, WriteType
from physx_runtime.quantities.dynamics import Dynamics
from physx_runtime.targets.cuda import kernels
from physx_runtime.targets.cuda.kernels import gpu_on_host
from physx_runtime.targets.host_driver import HostDriver, Transfer
from support.device_arrays import OnDevice, Packed, filled
from support.places import DOUBLE_PENDULUM, FINGER, MOTIONS

WORLDS, DOFS, LINKS = 5, 2, 3
EFFORTS = 0.1 * filled((WORLDS, DOFS))
SOME = [3, 1]
MASK = np.array([True, False, True, True, False])

Call = Callable[[Any], Any]


def refused(call: Callable[[], Any]) -> str:
    """What a call says as it is refused."""
    with pytest.raises((ValueError, DirectError)) as error:
        call()
    return str(error.value)


def settled(call: Callable[[], Any], sim: Simulation) -> list[Any]:
    """The state and the parameters behind a call."""
    call()
    return [sim.get(name) for name in (*sim.model.state, "joint_effort", "mass")]


def direct_data(sim: Simulation, kind: str) -> np.ndarray:
    return np.zeros((len(SOME), sim.direct.block_size(kind)), np.float32)


def made(sim: Simulation, kind: str) -> np.ndarray:
    data = direct_data(sim, kind)
    sim.direct.compute(kind, data, SOME)
    return data


def read(sim: Simulation, kind: str) -> np.ndarray:
    data = direct_data(sim, kind)
    sim.direct.get(kind, data, SOME)
    return data


SIMULATION: dict[str, Call] = {
    "adapt_model": lambda sim: sim.adapt_model(sim.model).topology == sim.model.topology,
    "group": lambda sim: sim.group.sleepless,
    "apply_force": lambda sim: settled(lambda: (sim.apply_force([0.1, 0, 0], link=sim.model.link_names[1], worlds=SOME),
                                                sim.step()), sim),
    "asleep": lambda sim: sim.asleep,
    "contact_impulses": lambda sim: sim.contact_impulses,
    "direct": lambda sim: sim.direct.count,
    "diverged": lambda sim: sim.diverged,
    "dt": lambda sim: sim.dt,
    "dtype": lambda sim: sim.dtype,
    "dynamics": lambda sim: sim.dynamics.bias(),
    "get": lambda sim: sim.get("q"),
    "read_into": lambda sim: None,       # see the tests of arrays on the device
    "joint_position": lambda sim: sim.joint_position,
    "joint_velocity": lambda sim: sim.joint_velocity,
    "enable_tendon_impulses": lambda sim: sim.enable_tendon_impulses(),
    "batch_indices": lambda sim: sim.batch_indices(np.array(SOME)),
    "link_pose": lambda sim: sim.link_pose,
    "model": lambda sim: sim.model.dof_names,
    "model_of_worlds": lambda sim: sim.model_of_worlds().dof_names,
    "parameter": lambda sim: sim.parameter("mass"),
    "parameter_values": lambda sim: sim.parameter_values.read("mass"),
    "parameters": lambda sim: sorted(sim.parameters),
    "path": lambda sim: sim.path,
    "put_to_sleep": lambda sim: settled(lambda: sim.put_to_sleep(SOME), sim),
    "repack": lambda sim: settled(lambda: sim.repack(sim.model), sim),
    "reset": lambda sim: settled(lambda: sim.reset(SOME, joint_position=[0.1, 0.2]), sim),
    "group_was_reset": lambda sim: settled(lambda: sim.group_was_reset(np.array(SOME)), sim),
    "set": lambda sim: settled(lambda: sim.set("joint_effort", EFFORTS), sim),
    "set_parameter": lambda sim: settled(lambda: sim.set_parameter("mass", 1.5, SOME), sim),
    "set_parameters": lambda sim: settled(lambda: sim.set_parameters({"center_of_mass": 0.1, "mass": 2.0}, MASK), sim),
    "set_row": lambda sim: settled(lambda: sim.set_row("v", EFFORTS[:2], SOME), sim),
    "set_time_step": lambda sim: settled(lambda: (sim.set_time_step(0.01), sim.step()), sim),
    "settings": lambda sim: sim.settings,
    "solver": lambda sim: sim.solver,
    "state": lambda sim: list(sim.state().values()),
    "step": lambda sim: settled(lambda: sim.step(3), sim),
    "steps_taken": lambda sim: sim.steps_taken > 0,
    "store": lambda sim: sim.store.count,
    "follow": lambda sim: None,         # on the CPU alone
    "load": lambda sim: stored(sim, reload=True),
    "save": lambda sim: stored(sim),
    "state_was_loaded": lambda sim: None,
    "topology": lambda sim: sim.topology.dofs,
    "use_stream": lambda sim: None,
    "wake": lambda sim: (sim.wake(SOME), sim.asleep)[1],
    "watch": lambda sim: None,
    "use_store": lambda sim: sim.use_store(sim.store),
    "worlds": lambda sim: sim.worlds,
}
DIRECT: dict[str, Call] = {
    "block_size": lambda sim: [sim.direct.block_size(kind) for kind in (*ReadType, *WriteType, *ComputeType)],
    "buffer": lambda sim: refused(lambda: sim.direct.get("eJOINT_POSITION", np.zeros(3), SOME)),
    "selected_indices": lambda sim: refused(lambda: made_at(sim, [9])),
    "compute": lambda sim: [made(sim, kind) for kind in (
        "eDENSE_JACOBIANS", "eMASS_MATRICES", "eGRAVITY_COMPENSATION", "eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION",
        "eARTICULATION_COMS_ROOT_FRAME")],
    "get": lambda sim: [read(sim, kind.name) for kind in ReadType],
    "max_counts": lambda sim: sim.direct.max_counts(),
    "require_outputs": lambda sim: sim.direct.require_outputs(ReadType.eJOINT_ACCELERATION, np.array(SOME)),
    "set": lambda sim: [settled(lambda: write_and_look(sim, "eJOINT_POSITION"), sim), read(sim, "eLINK_GLOBAL_POSE")],
}
DYNAMICS: dict[str, Call] = {
    "bias": lambda sim: sim.dynamics.bias(),
    "forward_dynamics": lambda sim: sim.dynamics.forward_dynamics(EFFORTS),
    "forward_dynamics_derivatives": lambda sim: list(sim.dynamics.forward_dynamics_derivatives([0.1, 0.2])),
    "inverse_dynamics": lambda sim: sim.dynamics.inverse_dynamics([0.5, -0.5]),
    "inverse_dynamics_derivatives": lambda sim: list(sim.dynamics.inverse_dynamics_derivatives(EFFORTS)),
    "jacobian": lambda sim: sim.dynamics.jacobian(sim.model.link_names[-1]),
    "mass_matrix": lambda sim: sim.dynamics.mass_matrix(),
    "operational_inertia": lambda sim: sim.dynamics.operational_inertia(sim.model.link_names[-1], "angular"),
}


def stored(sim: Simulation, reload: bool = False) -> list[Any]:
    """The arrays of a file of the simulation; after a step and a return to the file, the poses of its links."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/state.npz"
        sim.save(path)
        if reload:
            sim.step()
            sim.load(path)
            return [sim.link_pose]
        with np.load(path) as file:
            return [file[name] for name in sorted(file.files) if name != "meta"]


def made_at(sim: Simulation, indices: list[int]) -> None:
    sim.direct.compute("eARTICULATION_COMS_WORLD_FRAME", np.zeros((1, 3), np.float32), indices)


def write_and_look(sim: Simulation, kind: str) -> None:
    sim.direct.set(kind, 0.3 * filled((2, sim.direct.block_size(kind))), SOME)
    sim.direct.compute("eUPDATE_KINEMATIC", None, SOME[:1])


def assert_same(one: Any, other: Any) -> None:
    """Numbers are compared in every bit."""
    if isinstance(one, list | tuple) and len(one) and not isinstance(one[0], str):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    elif isinstance(one, np.ndarray):
        assert np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    else:
        assert one == other


@dataclass(frozen=True)
class Pair:
    """The same worlds on both devices."""

    cpu: Simulation
    gpu: Simulation
    driver: HostDriver


def pair_of(stage: Any, driver: HostDriver, worlds: int = WORLDS) -> Pair:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "_gpu", lambda: gpu_on_host(driver))
        made = Pair(Simulation(stage, worlds, path="specialised"), Simulation(stage, worlds, device="cuda"), driver)
        for sim in (made.cpu, made.gpu):
            sim.direct      # noqa: B018  from its first use on a step keeps what is read
            sim.set("q", 0.2 * filled((worlds, len(sim.topology.dofs)), 1))
            sim.step(2)
    return made


@pytest.fixture(scope="module")
def driver() -> HostDriver:
    """A stand-in for a GPU."""
    return HostDriver()


@pytest.fixture(scope="module")
def pair(driver: HostDriver) -> Pair:
    """A double pendulum; what is done to one is done to the other."""
    return pair_of(DOUBLE_PENDULUM, driver)


@pytest.fixture(scope="module")
def apart(driver: HostDriver) -> Pair:
    """A double pendulum of which the one on the GPU goes its own way."""
    return pair_of(DOUBLE_PENDULUM, driver)


@pytest.fixture(autouse=True)
def _same_gpu(cpp_compiler: str, driver: HostDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    """Structures that are exchanged stay on the same stand-in."""
    monkeypatch.setattr(kernels, "_gpu", lambda: gpu_on_host(driver))


FORMER = {"give"}       # the name of read_into in the release before


def test_no_public_call_is_forgotten() -> None:
    for kind, calls in ((Simulation, SIMULATION), (Direct, DIRECT), (Dynamics, DYNAMICS)):
        names = {name for name in dir(kind) if not name.startswith("_")}
        assert names - FORMER == set(calls), kind


@pytest.mark.parametrize("call", [*SIMULATION, *(f"direct.{name}" for name in DIRECT),
                                  *(f"dynamics.{name}" for name in DYNAMICS)])
def test_a_call_answers_as_on_the_cpu(call: str, pair: Pair) -> None:
    group, _, name = call.rpartition(".")
    run = {"": SIMULATION, "direct": DIRECT, "dynamics": DYNAMICS}[group][name]
    assert_same(run(pair.cpu), run(pair.gpu))


# --- what is on the device already, and what travels ------------------------------------------------------------------


def bytes_moved(driver: HostDriver) -> tuple[int, int]:
    """To the GPU and from it since the last time."""
    moved = [item for item in driver.log if isinstance(item, Transfer)]
    driver.log.clear()
    return sum(item.size for item in moved if item.to_device), sum(item.size for item in moved if not item.to_device)


def on_device(*shape: int) -> OnDevice:
    return OnDevice(np.zeros(shape, np.float32))


def test_with_arrays_on_the_device_nothing_travels(apart: Pair) -> None:
    sim, direct, dynamics = apart.gpu, apart.gpu.direct, apart.gpu.dynamics
    indices, mask = OnDevice(np.array(SOME, np.int32)), OnDevice(MASK)
    positions = filled((WORLDS, DOFS), 3)
    everything: dict[str, Callable[[], Any]] = {
        "step": lambda: sim.step(2),
        "set": lambda: sim.set("joint_effort", Packed(EFFORTS)),
        "set some": lambda: sim.set("q", OnDevice(positions[:2]), indices),
        "read_into": lambda: sim.read_into("q", on_device(WORLDS, DOFS)),
        "reset": lambda: sim.reset(mask, joint_position=OnDevice(positions), joint_velocity=OnDevice(positions)),
        "set_parameters": lambda: sim.set_parameters({"mass": OnDevice(np.full((WORLDS, LINKS), 1.5, np.float32))}),
        "wake": lambda: sim.wake(mask),
        "get": lambda: [direct.get(kind, on_device(2, direct.block_size(kind)), indices) for kind in ReadType],
        "set direct": lambda: [direct.set(kind, on_device(2, direct.block_size(kind)), indices) for kind in (
            "eJOINT_POSITION", "eJOINT_VELOCITY", "eJOINT_FORCE", "eJOINT_TARGET_POSITION", "eROOT_LINEAR_VELOCITY")],
        "compute": lambda: [direct.compute(kind, on_device(WORLDS, direct.block_size(kind)), mask) for kind in (
            "eUPDATE_KINEMATIC", "eDENSE_JACOBIANS", "eMASS_MATRICES", "eARTICULATION_COMS_ROOT_FRAME")],
        "dynamics": lambda: [dynamics.inverse_dynamics(OnDevice(EFFORTS), on_device(WORLDS, DOFS)),
                             dynamics.forward_dynamics(Packed(EFFORTS), on_device(WORLDS, DOFS)),
                             dynamics.mass_matrix(on_device(WORLDS, DOFS, DOFS)),
                             dynamics.jacobian(sim.model.link_names[-1], on_device(WORLDS, 6, DOFS))],
    }
    for call in everything.values():        # what is sent once, such as the frames of links
        call()
    start = 4 * sum(len(values) for values in sim.model.state.values())
    for name, call in everything.items():
        bytes_moved(apart.driver)
        call()
        assert bytes_moved(apart.driver) == (start if name == "reset" else 0, 0), name


def test_arrays_on_the_device_get_what_arrays_of_the_host_get(apart: Pair) -> None:
    direct = apart.gpu.direct
    for kind in ("eJOINT_POSITION", "eLINK_GLOBAL_POSE", "eLINK_ANGULAR_VELOCITY", "eJOINT_ACCELERATION"):
        there = on_device(2, direct.block_size(kind))
        direct.get(kind, there, OnDevice(np.array(SOME)))
        assert np.array_equal(there.held, read(apart.gpu, kind))
    there = on_device(WORLDS, DOFS, DOFS)
    apart.gpu.dynamics.mass_matrix(there)
    assert np.array_equal(there.held, apart.gpu.dynamics.mass_matrix())


def test_a_mask_chooses_blocks_by_their_index_wherever_it_is(apart: Pair) -> None:
    kind = "eJOINT_VELOCITY"
    buffers = [np.full((WORLDS, DOFS), -7.0, np.float32) for _ in range(3)]
    apart.cpu.set("v", EFFORTS)
    apart.gpu.set("v", EFFORTS)
    apart.cpu.direct.get(kind, buffers[0], MASK)
    apart.gpu.direct.get(kind, buffers[1], MASK)
    apart.gpu.direct.get(kind, OnDevice(buffers[2]), OnDevice(MASK))
    for found in buffers:
        assert np.array_equal(found, np.where(MASK[:, None], EFFORTS, -7.0))


def test_a_reset_by_a_mask_on_the_device_is_the_hosts(apart: Pair) -> None:
    for sim, mask in ((apart.cpu, MASK), (apart.gpu, OnDevice(MASK))):
        sim.set("q", EFFORTS)
        sim.reset(mask, joint_position=[0.3, 0.4])
    assert np.array_equal(apart.gpu.get("q"), apart.cpu.get("q"))
    assert np.array_equal(apart.gpu.get("q")[MASK], np.tile(np.float32([0.3, 0.4]), (3, 1)))


def test_parameters_set_from_the_device_are_the_hosts(apart: Pair) -> None:
    masses, dampings = 1.0 + filled((2, LINKS), 5) ** 2, np.abs(filled((2, LINKS), 6))
    for sim in (apart.cpu, apart.gpu):
        sim.set_parameters({"mass": 1.0, "linear_damping": 0.0})
    apart.cpu.set_parameters({"mass": masses, "linear_damping": dampings}, SOME)
    apart.gpu.set_parameters({"mass": OnDevice(masses), "linear_damping": Packed(dampings)}, OnDevice(np.array(SOME)))
    for name in ("mass", "linear_damping"):
        assert np.array_equal(apart.gpu.get(name), apart.cpu.get(name)), name


def test_worlds_revived_by_a_mask_on_the_device_are_told_of_again() -> None:
    sim = Simulation(DOUBLE_PENDULUM, 2, device="cuda")
    for _ in range(2):
        sim.set("joint_effort", [[3e38] * DOFS, [0.0] * DOFS])
        with pytest.warns(match="1 of 2 worlds diverged"):
            sim.step(2)
            assert sim.diverged.tolist() == [True, False]
        sim.set("joint_effort", [0.0, 0.0])
        sim.reset(OnDevice(np.array([True, True])))
        assert not sim.diverged.any()


def test_what_a_host_array_asks_for_is_all_that_travels(apart: Pair) -> None:
    sim, direct = apart.gpu, apart.gpu.direct
    size, line = direct.block_size("eMASS_MATRICES"), 4 * DOFS
    bytes_moved(apart.driver)
    direct.compute("eMASS_MATRICES", np.zeros((2, size), np.float32), [4, 2])
    assert bytes_moved(apart.driver) == (2 * 4, 2 * line * DOFS)       # the indices; the matrices, without their tails
    sim.set_row("v", EFFORTS[:2], [4, 2])
    assert bytes_moved(apart.driver) == (2 * line, 0)                  # indices of the last time are there
    sim.reset([4, 2])
    assert bytes_moved(apart.driver) == (4 * sum(len(x) for x in sim.model.state.values()) + 4, 0)
    sim.set_parameter("mass", 2.5, [4, 2])
    assert bytes_moved(apart.driver) == (4 * LINKS, 0)


@pytest.mark.parametrize(("call", "message"), [
    (lambda sim: sim.put_to_sleep(OnDevice(MASK)), "put_to_sleep needs worlds selected on the host"),
    (lambda sim: sim.apply_force([0, 0, 1], link=sim.model.link_names[1], worlds=OnDevice(MASK)), "apply_force needs"),
    (lambda sim: sim.reset(root_pose=on_device(WORLDS, 7)),
     "root_pose is on a GPU; copy it to the host, or set eROOT_GLOBAL_POSE"),
    (lambda sim: sim.set_parameters({"center_of_mass": on_device(WORLDS, LINKS, 3)}), "center_of_mass is processed on"),
    (lambda sim: sim.set_parameters({"mass": 1.0}, OnDevice(MASK)), "mass is on the host, and other"),
    (lambda sim: sim.set("q", EFFORTS, OnDevice(MASK)), r"q has shape \(5, 2\); if a GPU array selects the worlds"),
    (lambda sim: sim.set("q", [0.0, 0.0], OnDevice(MASK[:2])), "the mask of worlds on the device is bool of shape"),
    (lambda sim: sim.wake(OnDevice(np.zeros(2))), r"worlds on the device is float64 of shape \(2,\); give a mask"),
    (lambda sim: sim.direct.get("eJOINT_POSITION", np.zeros((5, 2), np.float32), OnDevice(MASK)),
     "eJOINT_POSITION: indices are on the device and data is on the host"),
    (lambda sim: sim.direct.get("eJOINT_POSITION", on_device(3, DOFS), SOME), "data on the device holds 6 numbers of"),
    (lambda sim: sim.direct.get("eJOINT_POSITION", OnDevice(filled((DOFS, 2)).T), SOME), "not contiguous"),
    (lambda sim: sim.direct.get("eJOINT_POSITION", OnDevice(np.zeros((2, DOFS), np.float32), True), SOME), "read-only"),
    (lambda sim: sim.dynamics.bias(np.zeros(3)), "out is ndarray, which is not a GPU array"),
    (lambda sim: sim.dynamics.inverse_dynamics_derivatives(OnDevice(EFFORTS)), "derivatives are computed on the"),
    (lambda sim: Direct([sim, Simulation(DOUBLE_PENDULUM)]), "some simulations are on a GPU and some are not"),
])
def test_what_cannot_be_done_on_the_device_is_refused_by_name(call: Call, message: str, apart: Pair) -> None:
    with pytest.raises(ValueError, match=message):
        call(apart.gpu)


@pytest.mark.sweep
@pytest.mark.parametrize("stage", [FINGER, MOTIONS / "spatial_tendon_chain" / "stage.usda"], ids=["fixed", "spatial"])
def test_every_kind_of_direct_data_has_the_bits_of_the_cpu(stage: Any, cpp_compiler: str) -> None:
    both, worlds = pair_of(stage, HostDriver(), 37), np.array([30, 2, 36, 0])

    def everything(sim: Simulation) -> list[np.ndarray]:
        found = []
        for kind in (*ReadType, *ComputeType):
            data = np.full((len(worlds), sim.direct.block_size(kind)), -7.0, np.float32)
            if kind.name != "eCENTROIDAL_MOMENTUM_MATRICES":
                getattr(sim.direct, "get" if kind in ReadType else "compute")(kind, data, worlds)
            found.append(data)
        return found

    assert_same(everything(both.cpu), everything(both.gpu))
    for kind in WriteType:
        size = both.cpu.direct.block_size(kind)
        data = np.zeros((len(worlds), size), np.float32)
        if kind.name in ReadType.__members__:
            both.cpu.direct.get(kind.name, data, worlds)
        if kind.name.startswith("eJOINT") or kind.name.startswith("eLINK"):
            data += 0.05 * filled(data.shape, 4)
        for sim in (both.cpu, both.gpu):
            sim.direct.set(kind, data, worlds)
        assert_same(*([read_all(sim) for sim in (both.cpu, both.gpu)]))
    for sim in (both.cpu, both.gpu):
        sim.direct.compute("eUPDATE_KINEMATIC", None, worlds[:2])
    assert_same(everything(both.cpu), everything(both.gpu))
    for sim in (both.cpu, both.gpu):
        sim.step(2)
    assert_same(everything(both.cpu), everything(both.gpu))


def read_all(sim: Simulation) -> list[np.ndarray]:
    """Link states and what the last step left."""
    return [read(sim, kind) for kind in ("eLINK_GLOBAL_POSE", "eLINK_LINEAR_VELOCITY", "eJOINT_ACCELERATION")]
