"""Arrays and streams of other packages go in and out as they are, or are refused in one line."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.targets.cuda import kernels
from physx_runtime.targets.cuda.kernels import gpu_on_host
from physx_runtime.targets.host_driver import HostDriver, Launch, Transfer, Wait
from physx_runtime.worlds.gpu.arrays import stream_of
from support.device_arrays import OnDevice, Packed, filled
from support.places import DOUBLE_PENDULUM

WORLDS, DOFS = 5, 2
STREAM, OTHER = 77, 88      # handles


@pytest.fixture
def driver(cpp_compiler: str, monkeypatch: pytest.MonkeyPatch) -> HostDriver:
    """A stand-in for a GPU with its log."""
    made = HostDriver()
    monkeypatch.setattr(kernels, "_gpu", lambda: gpu_on_host(made))
    return made


@pytest.fixture
def sim(driver: HostDriver) -> Simulation:
    """A simulation on the stand-in; the log is empty."""
    made = Simulation(DOUBLE_PENDULUM, WORLDS, device="cuda")
    driver.log.clear()
    return made


@pytest.mark.parametrize("versioned", [True, False])
def test_arrays_by_dlpack_go_in_and_out_and_nothing_travels(versioned: bool, sim: Simulation, driver: HostDriver
                                                            ) -> None:
    efforts, positions = filled((WORLDS, DOFS)), np.zeros((WORLDS, DOFS), np.float32)
    given = Packed(efforts, versioned=versioned)
    sim.set("joint_effort", given)
    sim.read_into("joint_effort", Packed(positions, versioned=versioned))
    assert not [item for item in driver.log if isinstance(item, Transfer)]
    assert np.array_equal(positions, efforts)
    assert given.streams == [1]         # the default stream


def test_strides_of_either_protocol_are_heeded(sim: Simulation) -> None:
    wide = filled((DOFS, 2 * WORLDS))
    for wrap in (OnDevice, Packed):
        sim.set("q", wrap(wide[:, ::2].T))
        assert np.array_equal(sim.get("q"), wide[:, ::2].T)


@pytest.mark.parametrize(("array", "message"), [
    (Packed(np.zeros((WORLDS, DOFS))), r"q on the device is float64 of shape \(5, 2\); give float32 of shape"),
    (Packed(np.zeros((WORLDS, 3), np.float32)), r"q on the device is float32 of shape \(5, 3\)"),
    (Packed(np.zeros((WORLDS, DOFS), np.float32), device=1), "q is on GPU 1; the worlds are on GPU 0"),
    (OnDevice(np.zeros((WORLDS, DOFS), np.float32), strides=(9, 4)), r"q has strides of \(9, 4\) bytes and"),
    (OnDevice(np.zeros((WORLDS, DOFS), np.float32), mask=object()), "q has a mask"),
])
def test_what_does_not_fit_is_refused_in_one_line(array: Any, message: str, sim: Simulation) -> None:
    with pytest.raises(ValueError, match=message + r"[^\n]*$"):
        sim.set("q", array)


def test_an_array_of_another_place_is_refused(sim: Simulation, driver: HostDriver) -> None:
    array = OnDevice(filled((WORLDS, DOFS)))
    for place, message in ((None, "q is not in GPU memory; the worlds"), (2, "q is on GPU 2; the worlds")):
        driver.other_devices[array.held.ctypes.data] = place
        with pytest.raises(ValueError, match=message):
            sim.set("q", array)


def test_arrays_that_are_not_to_be_written_take_nothing(sim: Simulation) -> None:
    held = np.zeros((WORLDS, DOFS), np.float32)
    held.flags.writeable = False
    for array in (OnDevice(held, read_only=True), Packed(held)):
        with pytest.raises(ValueError, match="q is a read-only array"):
            sim.read_into("q", array)


def test_numpy_arrays_are_the_hosts_though_they_speak_dlpack(sim: Simulation, driver: HostDriver) -> None:
    sim.set("q", filled((WORLDS, DOFS)))
    assert [item for item in driver.log if isinstance(item, Transfer)]


def test_all_work_is_given_to_the_callers_stream(sim: Simulation, driver: HostDriver) -> None:
    sim.use_stream(STREAM)
    assert driver.log == [Wait(STREAM, 0)]      # for what was given to the default stream
    driver.log.clear()
    sim.set("joint_effort", OnDevice(filled((WORLDS, DOFS))))
    sim.step(2)
    sim.get("q")
    assert {item.stream for item in driver.log} == {STREAM}
    assert sum(isinstance(item, Launch) for item in driver.log) == 2 * 4 + 2      # the effort, and who it wakes
    packed = Packed(filled((WORLDS, DOFS)))
    sim.set("joint_effort", packed)
    assert packed.streams == [STREAM]


def test_streams_of_arrays_are_waited_for_and_wait(sim: Simulation, driver: HostDriver) -> None:
    positions = OnDevice(np.zeros((WORLDS, DOFS), np.float32), stream=OTHER)
    sim.read_into("q", positions)
    assert [item for item in driver.log if isinstance(item, Wait)] == [Wait(0, OTHER), Wait(OTHER, 0)]
    driver.log.clear()
    sim.use_stream(OTHER)
    driver.log.clear()
    sim.read_into("q", positions)
    assert not [item for item in driver.log if isinstance(item, Wait)]


@pytest.mark.parametrize(("given", "handle"), [
    (None, None), (0, None), (1, None), (STREAM, STREAM), (SimpleNamespace(ptr=STREAM), STREAM),
    (SimpleNamespace(cuda_stream=STREAM), STREAM), (SimpleNamespace(handle=ctypes.c_void_p(STREAM)), STREAM),
    (SimpleNamespace(handle=ctypes.c_void_p(0)), None), (SimpleNamespace(__cuda_stream__=lambda: (0, STREAM)), STREAM),
])
def test_streams_of_other_packages_are_understood(given: Any, handle: int | None) -> None:
    found = stream_of(given)
    assert (None if found is None else found.value) == handle


def test_what_is_no_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="stream is str; give a stream of CuPy, PyTorch, Warp or numba-cuda"):
        stream_of("fast")


def test_worlds_on_the_cpu_have_no_stream() -> None:
    with pytest.raises(ValueError, match="stream is on a GPU, but the worlds are on the host"):
        Simulation(DOUBLE_PENDULUM).use_stream(None)


def test_numba_cudas_streams_and_arrays_speak_as_is_expected() -> None:
    driver = pytest.importorskip("numba.cuda.cudadrv.driver", reason="numba-cuda comes with an extra of its own")
    from numba.cuda.cudadrv.devicearray import DeviceNDArrayBase

    found = stream_of(driver.Stream(driver.binding.CUstream(STREAM)))
    assert found is not None
    assert found.value == STREAM
    assert isinstance(DeviceNDArrayBase.__cuda_array_interface__, property)
