"""What goes wrong before or while a GPU is used is said in one line, and the driver is called as it wants to be."""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.compiling.cuda import cubin
from physx_runtime.compiling.cuda.cubin import ToolkitError, compile_cubin, find_nvrtc, section_sizes
from physx_runtime.targets.cuda import driver as driver_module
from physx_runtime.targets.cuda import kernels
from physx_runtime.targets.cuda.driver import NO_DEVICE, Copy2D, DeviceError, Gpu, PitchedLines
from physx_runtime.targets.cuda.kernels import gpu_on_host, try_kernel
from physx_runtime.targets.host_driver import HostDriver
from support.chance.packed_models import packed_robot
from support.places import FINGER, ROOT

from physx_schema.errors import UnsupportedError

ONE_LINE = r"[^\n]*$"


@pytest.fixture
def no_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a driver."""
    monkeypatch.delenv("PHYSX_RUNTIME_CUDA", raising=False)
    monkeypatch.setattr(driver_module, "LIBRARY", "libno-such-driver.so")
    kernels._gpu.cache_clear()


class Failing(HostDriver):
    """A driver one of whose functions fails."""

    def __init__(self, name: str, code: int) -> None:
        super().__init__()
        self.failing, self._code = name, code

    def __getitem__(self, name: str) -> Callable[..., int]:
        return (lambda *_: self._code) if name == self.failing else super().__getitem__(name)


def test_a_machine_without_a_driver_is_told_so_in_one_line(no_gpu: None) -> None:
    with pytest.raises(UnsupportedError, match=r"^device 'cuda': no NVIDIA driver \(libno-such-driver.so\) found; use "
                                               + ONE_LINE):
        Simulation(FINGER, device="cuda")


def test_only_device_auto_takes_the_cpu_without_a_gpu_and_says_so(no_gpu: None, caplog: pytest.LogCaptureFixture
                                                                  ) -> None:
    sim = Simulation(FINGER, device="auto")
    assert sim.store.is_host_memory
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "device 'auto' uses the CPU: device 'cuda': no NVIDIA driver (libno-such-driver.so) found; use device='cpu', "
        "or run the kernels on the CPU with PHYSX_RUNTIME_CUDA=host (docs/guides/gpu.md)"]


@pytest.mark.parametrize(("name", "code", "message"), [
    ("cuInit", NO_DEVICE, "no GPU found; use device='cpu'"),
    ("cuDevicePrimaryCtxRetain", 2, "the driver cannot open the GPU: out of memory; use device='cpu'"),
])
def test_a_driver_without_a_usable_gpu_is_told_of(name: str, code: int, message: str) -> None:
    with pytest.raises(DeviceError, match=rf"^device 'cuda': {message}$"):
        gpu_on_host(Failing(name, code))


def test_a_failing_call_is_named_with_the_drivers_words(cpp_compiler: str) -> None:
    gpu = gpu_on_host(Failing("cuMemAlloc_v2", 2))
    with pytest.raises(DeviceError, match=r"^device 'cuda': the driver's cuMemAlloc_v2 failed: out of memory; use "
                                          "fewer worlds$"):
        gpu.allocate(64, "a test")


@pytest.mark.parametrize(("name", "call"), [
    ("cuGraphLaunch", lambda sim: sim.step()), ("cuLaunchKernel", lambda sim: sim.wake()),
    ("cuMemcpy2DAsync_v2", lambda sim: sim.get("q")), ("cuStreamSynchronize", lambda sim: sim.get("q")),
])
def test_work_that_the_driver_refuses_is_an_error_of_one_line(
        name: str, call: Callable[[Simulation], Any], cpp_compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = Failing("", 1)
    monkeypatch.setattr(kernels, "_gpu", lambda: gpu_on_host(driver))
    sim = Simulation(FINGER, device="cuda")
    driver.failing = name
    with pytest.raises(DeviceError, match=rf"^device 'cuda': the driver's {name} failed: invalid argument$"):
        call(sim)


def test_another_back_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PHYSX_RUNTIME_CUDA", "opencl")
    with pytest.raises(ValueError, match=r"^PHYSX_RUNTIME_CUDA is 'opencl'; allowed are 'driver', 'host', 'numba', "):
        Simulation(FINGER, device="cuda")


def test_a_machine_without_nvrtc_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubin, "find_nvrtc", lambda: None)
    monkeypatch.setattr(cubin.ctypes.util, "find_library", lambda name: None)
    cubin._nvrtc.cache_clear()
    try:
        with pytest.raises(DeviceError, match=r"^device 'cuda': NVRTC, which compiles kernels, is not installed; "
                                              r"install it with: pip install 'physx-schema\[cuda\]'$"):
            Gpu(HostDriver(), kernels._cubin).load("// nothing kept has this text")
    finally:
        cubin._nvrtc.cache_clear()


@pytest.mark.skipif(not find_nvrtc(), reason="NVRTC is not installed; it comes with the cuda extra")
@pytest.mark.parametrize(("text", "architecture", "message"), [
    ("real of_no_type;", "sm_90", r'cannot compile for sm_90: kernels.cu\(1\): error: identifier "real" is undefined'),
    ("", "sm_10", "cannot compile for sm_10: "),
])
def test_nvrtcs_first_complaint_is_passed_on(text: str, architecture: str, message: str) -> None:
    with pytest.raises(ToolkitError, match=rf"^NVRTC \d+\.\d+ {message}"):
        compile_cubin(text, architecture)


def test_a_design_that_needs_too_much_shared_memory_is_refused(cpp_compiler: str) -> None:
    gpu = gpu_on_host(HostDriver())
    module = gpu.load('extern "C" void on_host_greedy(int, void **) {}')
    with pytest.raises(DeviceError, match="greedy needs 300000 bytes of shared memory per block; the GPU has 232448"):
        gpu.kernel(module, "greedy", 300_000)


def test_lines_are_copied_where_they_lie_and_nowhere_else(cpp_compiler: str) -> None:
    gpu = gpu_on_host(HostDriver())
    memory = gpu.allocate(3 * 40, "a test")
    gpu.write(PitchedLines(memory.address + 8, 40), np.arange(6, dtype="float32").reshape(3, 2))
    everything = gpu.read(PitchedLines(memory.address, 40), (3, 10), "float32")
    assert everything[:, 2:4].tolist() == [[0, 1], [2, 3], [4, 5]]
    assert not np.delete(everything, (2, 3), axis=1).any()


def test_a_copy_beyond_the_memory_is_the_drivers_to_refuse(cpp_compiler: str) -> None:
    gpu = gpu_on_host(HostDriver())
    memory = gpu.allocate(64, "a test")
    with pytest.raises(DeviceError, match="cuMemcpy2DAsync_v2 failed: invalid argument"):
        gpu.read(PitchedLines(memory.address, 64), (2, 16), "float32")


def test_the_copys_structure_is_laid_out_as_in_c() -> None:
    # CUDA_MEMCPY2D_v2 of cuda.h on a 64-bit machine, where size_t and pointers are 8 bytes and an enum 4
    assert ctypes.sizeof(Copy2D) == 128
    offsets: dict[str, Any] = {name: getattr(Copy2D, name).offset for name, _ in Copy2D._fields_}
    assert offsets == {
        "srcXInBytes": 0, "srcY": 8, "srcMemoryType": 16, "srcHost": 24, "srcDevice": 32, "srcArray": 40,
        "srcPitch": 48, "dstXInBytes": 56, "dstY": 64, "dstMemoryType": 72, "dstHost": 80, "dstDevice": 88,
        "dstArray": 96, "dstPitch": 104, "WidthInBytes": 112, "Height": 120}


def test_the_numbers_of_the_drivers_enumerations_are_nvidias() -> None:
    driver = pytest.importorskip("cuda.bindings.driver", reason="NVIDIA's own bindings come with the numba-cuda extra")
    attribute = driver.CUdevice_attribute
    assert (driver_module.CAPABILITY_MAJOR, driver_module.CAPABILITY_MINOR, driver_module.SHARED_BYTES) == (
        attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        attribute.CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    assert driver_module.SHARED_BYTES_OF_FUNCTION == (
        driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    assert (driver_module.MEMORY_TYPE_HOST, driver_module.MEMORY_TYPE_DEVICE) == (
        driver.CUmemorytype.CU_MEMORYTYPE_HOST, driver.CUmemorytype.CU_MEMORYTYPE_DEVICE)
    assert (driver_module.OUT_OF_MEMORY, NO_DEVICE) == (
        driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY, driver.CUresult.CUDA_ERROR_NO_DEVICE)
    assert (driver_module.STREAM_NON_BLOCKING, driver_module.CAPTURE_MODE_RELAXED) == (
        driver.CUstream_flags.CU_STREAM_NON_BLOCKING, driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED)


def test_a_trial_runs_a_kernel_and_names_the_gpu(cuda_on_host: None) -> None:
    assert try_kernel() == ("the processor in place of a GPU", (9, 0))


def test_sections_of_an_object_file_are_measured(cpp_compiler: str, tmp_path: Path) -> None:
    from physx_runtime.compiling.shared_library import compile_library

    sizes = section_sizes(compile_library("extern \"C\" const char text[1000] = {1};"))
    assert sizes[".rodata"] >= 1000
    assert {".text", ".dynsym", ".shstrtab"} <= set(sizes)


WITHOUT_USD = """
import sys
sys.modules["pxr"] = None
sys.path.insert(0, {benchmarks!r})
import cuda_speed
cuda_speed.CHECKED = cuda_speed.CHECKED_STEPS = cuda_speed.CALLS = 2
sys.argv = ["cuda_speed.py", {folder!r}, "--sizes", "2", "--steps", "2"]
cuda_speed.main()
"""


def test_the_speed_script_checks_and_times_packed_robots_without_usd(cuda_on_host: None, tmp_path: Path) -> None:
    t, rows = packed_robot("cart-pole")
    np.savez(tmp_path / "cart-pole.npz", topology=np.frombuffer(pickle.dumps(t), np.uint8), settings=np.array([4, 1]),
             **rows)
    code = WITHOUT_USD.format(benchmarks=str(ROOT / "benchmarks"), folder=str(tmp_path))
    paths = [str(ROOT), *(str(ROOT / folder) for folder in ("generated", "runtime"))]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(f"| cart-pole | float32 | {design} | 2 |" in done.stdout for design in ("held", "generic"))
    assert "not tried: there is no GPU" in done.stdout
