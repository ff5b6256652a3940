"""Worlds on a GPU, played by the processor: what is launched, what travels, and arrays that are there already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.compiling.cuda.source import LANES
from physx_runtime.targets.cuda import kernels
from physx_runtime.targets.cuda.driver import DeviceError
from physx_runtime.targets.cuda.kernels import gpu_on_host
from physx_runtime.targets.host_driver import HostDriver, Launch, Transfer
from physx_runtime.worlds.cpu import CompiledWorlds
from physx_runtime.worlds.gpu.worlds import CudaWorlds, step_kernels
from physx_runtime.worlds.store import Worlds
from support.chance.packed_models import random_tree
from support.device_arrays import OnDevice
from support.places import DOUBLE_PENDULUM, FINGER

WORLDS, BLOCKS = 37, 2
PASSES = ("start", "position", "velocity", "end")
FLOAT = 4       # bytes


@pytest.fixture
def driver(cpp_compiler: str) -> HostDriver:
    """A stand-in for a GPU with its log."""
    return HostDriver()


@pytest.fixture
def stepped(driver: HostDriver, monkeypatch: pytest.MonkeyPatch) -> Simulation:
    """A simulation on the stand-in, after a step; the log is empty."""
    monkeypatch.setattr(kernels, "_gpu", lambda: gpu_on_host(driver))
    sim = Simulation(FINGER, WORLDS, device="cuda")
    sim.step()
    driver.log.clear()
    return sim


def moved(driver: HostDriver) -> list[tuple[str, int]]:
    """What travelled since the last time, and how far."""
    found = [("in" if item.to_device else "out", item.size) for item in driver.log if isinstance(item, Transfer)]
    driver.log.clear()
    return found


def row_bytes(size: int) -> int:
    """Of a row group in all blocks."""
    return BLOCKS * LANES * size * FLOAT


def test_a_step_is_four_launches_and_moves_nothing(stepped: Simulation, driver: HostDriver) -> None:
    stepped.step(3)
    assert driver.log == [Launch(f"pass_{name}", BLOCKS, LANES, 0) for name in PASSES] * 3


def test_reading_and_setting_a_row_move_that_row_alone(stepped: Simulation, driver: HostDriver) -> None:
    stepped.get("q")
    assert moved(driver) == [("out", row_bytes(3))]
    stepped.set("joint_effort", np.arange(WORLDS * 3.0).reshape(WORLDS, 3))
    assert moved(driver) == [("in", row_bytes(3))]
    stepped.set("joint_effort", np.ones((WORLDS, 3)))       # one line is all that has to be known
    assert moved(driver) == [("in", 3 * FLOAT)]


def test_waking_is_a_kernel_and_moves_nothing(stepped: Simulation, driver: HostDriver) -> None:
    assert stepped.topology.sleeping
    stepped.wake()
    assert driver.log == [Launch("raise", BLOCKS, LANES)]


def test_efforts_on_the_device_and_positions_to_it_move_nothing(stepped: Simulation, driver: HostDriver) -> None:
    efforts = np.random.default_rng(0).uniform(-1, 1, (WORLDS, 3)).astype(np.float32)
    positions = np.full((3, WORLDS), np.nan, np.float32).T
    stepped.set("joint_effort", OnDevice(efforts))
    stepped.step()
    store = stepped.store
    assert isinstance(store, CudaWorlds)
    store.read_into("q", OnDevice(positions))
    assert not moved(driver)
    assert np.array_equal(stepped.get("joint_effort"), efforts)
    assert np.array_equal(stepped.get("q"), positions)


def test_a_view_is_the_row_itself(stepped: Simulation) -> None:
    store = stepped.store
    assert isinstance(store, CudaWorlds)
    view = store.view("joint_effort")
    told = view.__cuda_array_interface__
    assert told["shape"] == (BLOCKS, LANES, 3) and told["typestr"] == "<f4" and told["stream"] == 1
    stepped.set("joint_effort", np.arange(WORLDS * 3.0).reshape(WORLDS, 3))
    here = np.lib.stride_tricks.as_strided(
        np.ctypeslib.as_array((np.ctypeslib.ctypes.c_float * 1).from_address(told["data"][0])), told["shape"],
        told["strides"])
    assert np.array_equal(here.reshape(-1, 3)[:WORLDS], stepped.get("joint_effort"))
    here[0, 1, 2] = 7.5
    assert stepped.get("joint_effort")[1, 2] == 7.5
    assert not store.is_uniform(["joint_effort"])


@pytest.mark.parametrize(("array", "message"), [
    (OnDevice(np.zeros((WORLDS, 2), np.float32)), r"float32 of shape \(37, 2\); give float32"),
    (OnDevice(np.zeros((WORLDS, 3))), r"joint_effort on the device is float64 of shape \(37, 3\)"),
    (OnDevice(np.zeros((WORLDS, 3), np.float32), mask=object()), "joint_effort has a mask"),
])
def test_an_array_that_does_not_fit_is_refused(array: OnDevice, message: str, stepped: Simulation) -> None:
    with pytest.raises(ValueError, match=message):
        stepped.set("joint_effort", array)


def test_a_read_only_array_takes_no_row(stepped: Simulation) -> None:
    store = stepped.store
    assert isinstance(store, CudaWorlds)
    with pytest.raises(ValueError, match="q is a read-only array"):
        store.read_into("q", OnDevice(np.zeros((WORLDS, 3), np.float32), read_only=True))


def test_a_row_that_there_is_none_of_is_refused(stepped: Simulation) -> None:
    store = stepped.store
    assert isinstance(store, CudaWorlds)
    for call in (store.view, lambda name: store.read_into(name, OnDevice(np.zeros((WORLDS, 3), np.float32)))):
        with pytest.raises(ValueError, match=r"^'effort' is not a row of these worlds; choose from .*joint_effort, "):
            call("effort")


def test_an_array_on_the_device_goes_to_no_cpu_and_to_no_fewer_worlds(stepped: Simulation) -> None:
    array = OnDevice(np.zeros((WORLDS, 3), np.float32))
    with pytest.raises(ValueError, match=r"joint_effort on the device is float32 of shape \(37, 3\); give "
                                         r"float32 of shape \(2, 3\)"):
        stepped.set("joint_effort", array, [0, 1])
    with pytest.raises(ValueError, match="joint_effort is on a GPU, but the worlds are on the host"):
        Simulation(FINGER, WORLDS).set("joint_effort", array)


@pytest.mark.parametrize("window", [slice(None), slice(3, 9), slice(32, 37), slice(30, 37), slice(0, 32)])
def test_windows_are_read_and_written_as_on_the_cpu(window: slice, driver: HostDriver) -> None:
    t, rows = random_tree(1, 2)
    stores: list[Worlds] = [CompiledWorlds(t, WORLDS, "float32"),
                            CudaWorlds(gpu_on_host(driver), t, WORLDS, "float32")]
    values = np.random.default_rng(0).normal(size=(WORLDS, 2)).astype(np.float32)
    for store in stores:
        store.write("q", np.tile(rows["q"].astype(np.float32), (WORLDS, 1)))
        store.write("q", values[window], window)
    assert np.array_equal(stores[1].rows("q"), stores[0].rows("q"))
    assert np.array_equal(stores[1].rows("q", window), values[window])


def test_everything_together_is_what_the_rows_are(stepped: Simulation, driver: HostDriver) -> None:
    blocks, layout = stepped.store.blocks()
    assert np.array_equal(blocks.transpose(0, 2, 1).reshape(-1, len(layout))[:WORLDS, layout["q_1"]],
                          stepped.get("q")[:, 1])
    driver.log.clear()
    stepped.store.blocks()
    assert not driver.log


def test_parameters_resets_and_divergence_are_those_of_the_cpu(cuda_on_host: None) -> None:
    def fates(device: str) -> list[Any]:
        sim = Simulation(DOUBLE_PENDULUM, 3, device=device, path="specialised")
        sim.set_parameter("mass", [1.0, 1.5, 0.5], [0, 2])
        sim.reset(joint_position=[0.3, 0.1])
        sim.set("joint_effort", [3e38] * 2, [1])
        with pytest.warns(match="world 1"):
            sim.step(2)
            before, flags = sim.joint_position.tolist(), sim.diverged.tolist()
        sim.set("joint_effort", [0.0] * 2)
        sim.reset([1], joint_position=[0.2, 0.1])
        sim.step()
        return [before, flags, sim.joint_position.tolist(), sim.diverged.tolist(), sim.link_pose.tolist(),
                sim.dynamics.mass_matrix().tolist()]

    assert fates("cuda") == fates("cpu")


def test_worlds_that_do_not_fit_are_refused_with_what_they_need(cpp_compiler: str) -> None:
    with pytest.raises(DeviceError, match=r"^device 'cuda': the state of 100000 worlds needs 0\.\d\d GiB; 0\.00 of "
                                          r"0\.00 GiB are free; use fewer worlds$"):
        CudaWorlds(gpu_on_host(HostDriver(memory=1 << 20)), random_tree(1, 2)[0], 100_000, "float32")


def test_memory_and_kernels_are_given_back_with_their_worlds(driver: HostDriver) -> None:
    store = CudaWorlds(gpu_on_host(driver), random_tree(1, 2)[0], WORLDS, "float32")
    store.step(1, 2, 1)
    store.step(1, 3, 1)
    assert driver.allocated_bytes and driver.handles == 4
    del store
    assert driver.allocated_bytes == driver.handles == 0


def test_kernels_that_were_written_before_are_not_traced_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHYSX_RUNTIME_CACHE", str(tmp_path))
    t, _ = random_tree(4, 2)
    step_kernels.cache_clear()
    first = step_kernels(t, "float32")
    step_kernels.cache_clear()
    monkeypatch.setattr("physx_runtime.worlds.gpu.worlds.step_program", lambda t: pytest.fail("it is traced again"))
    assert step_kernels(t, "float32") == first
