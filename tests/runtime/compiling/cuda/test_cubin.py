"""Kernels compile for every architecture and take no more of a GPU than they did."""

from __future__ import annotations

import json

import pytest
from physx_runtime.compiling.cuda.cubin import Resources, find_nvrtc, kernel_resources
from physx_runtime.compiling.cuda.source import KERNEL
from physx_runtime.worlds.gpu.worlds import scheduled_kernel, step_kernels
from support.chance.packed_models import CEILINGS, EVERYTHING, LARGE, SMALL, packed_robot, random_tree

needs_nvrtc = pytest.mark.skipif(not find_nvrtc(), reason="NVRTC is not installed; it comes with the cuda extra")

ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
CEILING = {(robot, architecture): {name: Resources(*numbers) for name, numbers in kernels.items()}
           for robot, each in json.loads(CEILINGS.read_text()).items() for architecture, kernels in each.items()}
# Beyond the ceilings of benchmarks/cuda_resources.py: registers, by which ptxas differs for a statement more or less;
# a part of the bytes of spills and code.
MORE_REGISTERS, MORE_BYTES = 8, 0.1
# Bytes of spills where there were none.
FEW_BYTES = 64


def beyond(found: Resources, ceiling: Resources) -> list[str]:
    """What of a kernel is over its ceiling."""
    over = [] if found.registers <= ceiling.registers + MORE_REGISTERS else ["registers"]
    for name in ("spill_stores", "spill_loads", "code"):
        if getattr(found, name) > getattr(ceiling, name) * (1 + MORE_BYTES) + FEW_BYTES:
            over.append(name)
    return over


@pytest.mark.sweep
@needs_nvrtc
@pytest.mark.parametrize(("robot", "architecture"), CEILING)
def test_kernels_take_no_more_than_their_ceilings(robot: str, architecture: str) -> None:
    t, _ = packed_robot(robot)
    source = step_kernels(t, "float32")
    found = kernel_resources(source.text, architecture)
    found |= kernel_resources(scheduled_kernel(t, "float32").text, architecture)
    ceilings = CEILING[robot, architecture]
    assert set(ceilings) == {*(kernel.name for kernel in source.kernels), KERNEL}
    wrong = {name: (beyond(found[name], ceiling), found[name]) for name, ceiling in ceilings.items()
             if beyond(found[name], ceiling)}
    assert not wrong, f"if it must be, run benchmarks/cuda_resources.py --write: {wrong}"


def test_every_robot_has_ceilings_and_its_repeated_kernels_spill_nothing() -> None:
    named = (*SMALL, *LARGE, *EVERYTHING)
    assert {(robot, architecture) for robot in named for architecture in ARCHITECTURES} == set(CEILING)
    repeated = [kernels[name] for kernels in CEILING.values() for name in ("pass_position", "pass_velocity", KERNEL)]
    assert not any(one.spill_stores for one in repeated)


@needs_nvrtc
def test_a_small_tree_compiles_in_both_types() -> None:
    t, _ = random_tree(2, 2)
    for dtype in ("float32", "float64"):
        source = step_kernels(t, dtype)
        found = kernel_resources(source.text, "sm_90")
        assert {kernel.name for kernel in source.kernels} == set(found)
        assert all(0 < one.registers <= 255 and one.code > 0 for one in found.values())


@pytest.mark.parametrize(("found", "over"), [
    (Resources(48, 0, 64, 0, 1164), []), (Resources(49, 0, 0, 0, 1000), ["registers"]),
    (Resources(40, 0, 65, 0, 1000), ["spill_stores"]), (Resources(40, 0, 0, 0, 1165), ["code"]),
])
def test_what_is_over_a_ceiling_is_named(found: Resources, over: list[str]) -> None:
    assert beyond(found, Resources(40, 0, 0, 0, 1000)) == over
