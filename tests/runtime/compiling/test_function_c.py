"""Kernels of functions as CUDA C: NVRTC takes them, and what they read and write is where it is said to be."""

from __future__ import annotations

import pytest
from physx_runtime.compiling.cuda.cubin import find_nvrtc, kernel_resources
from physx_runtime.compiling.cuda.source import FILL, FUNCTION, MARK, MOVE, RAISE, emit_function_kernel, movement_source
from physx_runtime.compiling.schedule import trace_function
from physx_runtime.direct.articulations import QUANTITIES, link_pose_data, link_velocity_data, root_pose_rows
from physx_runtime.quantities.state import cached_link_velocity
from physx_runtime.quantities.traced import structure
from physx_runtime.quantities.traced import traced as traced_rows
from physx_runtime.solver.program import step_layout
from support.chance.packed_robots import packed_robot

needs_nvrtc = pytest.mark.skipif(not find_nvrtc(), reason="NVRTC is not installed; it comes with the cuda extra")
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
START = (("dt", 1), ("start_q", 7), ("start_v", 7), ("start_rotation", 4))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nvrtc_compiles_movements_and_they_spill_nothing(dtype: str) -> None:
    found = kernel_resources(movement_source(dtype), "sm_90")
    assert set(found) == {MOVE, FILL, RAISE, MARK}
    assert all(one.spill_stores == 0 for one in found.values())


@needs_nvrtc
@pytest.mark.sweep
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_nvrtc_compiles_every_quantity_of_an_arm(architecture: str) -> None:
    t, _ = packed_robot("arm")
    links = len(t.tree.links)
    jobs = [(quantity, (("root_axes", 4),) if "com_root" in quantity.__name__ else (), ())
            for quantity in QUANTITIES.values()]
    jobs += [(link_pose_data, (("link_frames", 7 * links),), ()), (link_velocity_data, (), ()),
             (cached_link_velocity, START, ()),
             (root_pose_rows, (("data", 7), ("center", 3)), ("root_position", "root_rotation"))]
    for quantity, given, written in jobs:
        source = emit_function_kernel(traced_rows(quantity, structure(t), given), step_layout(t), "float32", written)
        assert set(kernel_resources(source.text, architecture)) == {FUNCTION}


def test_results_that_become_rows_are_stored_when_nothing_needs_the_old_numbers() -> None:
    function = trace_function(lambda rows: {"q": [rows["q"][1], rows["q"][0] + rows["step"][0]], "sum": [rows["q"][0]]},
                              {"q": 2}, (("step", 1),))
    source = emit_function_kernel(function, {"q_0": 0, "q_1": 1}, "float32", ("q",))
    assert source.arrays == (("step", 1), ("sum", 1))
    body = source.text[source.text.index("OF_THREAD(step)"):]
    loads = [body.index(f"= {place};") for place in ("x[0 * LANES]", "x[1 * LANES]", "step[0 * step_row]")]
    stores = [body.index(f"{place} =") for place in ("x[0 * LANES]", "x[1 * LANES]", "to_sum[0 * to_sum_row]")]
    assert max(loads) < min(stores)
