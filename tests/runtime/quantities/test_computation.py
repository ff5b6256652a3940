"""`compute` gives what PhysX reports at recorded states, in PhysX's signs and frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import physx_runtime
import pytest
from support.chance.articulations import Features, random_articulation
from support.physx.recorded_quantities import FLOAT32, Recording
from support.places import FINGER

from physx_schema.errors import UnsupportedError

STAGES = ["fixed_arm_rev_prism", "floating_branched", "fixed_spherical", "fixed_com_inertia"]
# float64 against the recorded float64 reference, computed from states read back in float32.
REFERENCE = 1e-6
# kind of `compute` -> key of the recording
REPORTED = {"jacobian": "jacobian", "mass_matrix": "mass_matrix", "gravity_compensation": "gravity",
            "coriolis_compensation": "coriolis", "com_world": "com_world", "com_root": "com_root",
            "centroidal_momentum": "centroidal"}


@pytest.fixture(params=STAGES)
def recording(request: pytest.FixtureRequest, shared_cases: Path) -> Recording:
    return Recording(shared_cases / "direct_api", request.param)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_quantities_are_those_physx_reports(recording: Recording, dtype: str) -> None:
    for kind, key in REPORTED.items():
        if f"s0_{key}" in recording.data:
            ours = physx_runtime.compute(recording.description, kind=kind, dtype=dtype, **recording.states())
            assert ours.dtype == dtype
            for n in range(5):
                reported = recording.reported(n, key)
                assert ours[n].shape == reported.shape, kind
                assert np.abs(ours[n] - reported).max() <= FLOAT32 * np.abs(reported).max(), kind


def test_links_are_where_physx_puts_them(recording: Recording) -> None:
    poses, velocities = physx_runtime.compute(recording.description, kind="update_kinematic", **recording.states())
    for n, (pose, velocity) in enumerate(zip(poses, velocities, strict=True)):
        reported = recording.data[f"s{n}_link_pose"][recording.links]
        pose[:, 3:] *= np.sign(np.sum(pose[:, 3:] * reported[:, 3:], axis=1, keepdims=True))
        assert np.abs(pose - reported).max() <= FLOAT32
        moving = recording.data[f"s{n}_link_vel"][recording.links]
        assert np.abs(velocity - moving).max() <= FLOAT32 * np.abs(moving).max()


def test_deprecated_quantities_of_a_floating_base_leave_the_root_free(shared_cases: Path) -> None:
    recording = Recording(shared_cases / "direct_api", "floating_branched")
    for kind, key in (("generalized_mass_matrix", "generalized_mass_matrix"),
                      ("generalized_coriolis", "coriolis_deprecated")):
        ours = physx_runtime.compute(recording.description, kind=kind, **recording.states())
        for n in range(5):
            expected = recording.data[f"s{n}_ref_{key}"]
            order = np.ix_(recording.dofs, recording.dofs) if expected.ndim == 2 else recording.dofs
            assert np.abs(ours[n] - expected[order]).max() <= REFERENCE * np.abs(expected).max()
    gravity = physx_runtime.compute(recording.description, kind="generalized_gravity", **recording.states())
    assert np.array_equal(gravity, np.zeros((5, len(recording.dofs))))


def test_deprecated_quantities_of_a_fixed_base_are_the_current_ones(shared_cases: Path) -> None:
    recording = Recording(shared_cases / "direct_api", "fixed_spherical")
    for old, new in (("generalized_mass_matrix", "mass_matrix"), ("generalized_gravity", "gravity_compensation"),
                     ("generalized_coriolis", "coriolis_compensation")):
        arguments = recording.state(0)
        assert np.array_equal(physx_runtime.compute(recording.description, kind=old, **arguments),
                              physx_runtime.compute(recording.description, kind=new, **arguments))


def test_many_states_give_a_leading_axis(shared_cases: Path) -> None:
    recording = Recording(shared_cases / "direct_api", "floating_branched")
    together = physx_runtime.compute(recording.description, kind="jacobian", **recording.states())
    alone = [physx_runtime.compute(recording.description, kind="jacobian", **recording.state(n)) for n in range(5)]
    assert np.allclose(together, np.stack(alone), rtol=0.0, atol=1e-14)


@pytest.mark.parametrize(("change", "message"), [
    ({"kind": "inertia"}, "kind is 'inertia'; allowed are update_kinematic, jacobian"),
    ({"q": [0.0]}, r"q has shape \(1,\); give \(3,\) or \(n, 3\)"),
    ({"qd": [0.0, np.nan, 0.0]}, "qd contains nan; give numbers that are finite"),
    ({"root": {"position": [0.0, 0.0, 0.0]}}, "root is given, but the base is fixed; leave it out"),
    ({"root": {"rotation": [1.0, 0.0, 0.0, 0.0]}}, "root has rotation; allowed are position, rotation_wxyz"),
    ({"kind": "centroidal_momentum"}, "needs a floating base"),
    ({"dtype": "float16"}, "dtype is 'float16'; allowed are 'float32', 'float64'"),
    ({"q": [[0.0] * 3] * 2, "qd": [[0.0] * 3] * 3}, "have 2, 3 states"),
    ({"q": np.zeros((0, 3))}, r"q has shape \(0, 3\); give \(3,\) or \(n, 3\)"),
    ({"q": [0.0, 1e39, 0.0], "dtype": "float32"}, r"q contains 1e\+39; give numbers that are finite in float32"),
])
def test_wrong_arguments_are_named(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"q": [0.0] * 3, "qd": [0.0] * 3, "kind": "mass_matrix"} | change
    with pytest.raises(ValueError, match=message):
        physx_runtime.compute(FINGER, **arguments)


def test_a_rotation_without_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "floating.usda"
    path.write_text(random_articulation(3, Features(links=(2, 2), floating=True, prismatic=0.0, fixed=0.0)).text)
    with pytest.raises(ValueError, match="root rotation_wxyz is zero; give a quaternion w x y z"):
        physx_runtime.compute(path, [0.0] * 2, [0.0] * 2, "com_world", root={"rotation_wxyz": [0.0] * 4})


def test_an_articulation_that_is_not_there_is_named() -> None:
    with pytest.raises(UnsupportedError, match="no articulation or free body at /nowhere"):
        physx_runtime.compute(FINGER, [0.0] * 3, [0.0] * 3, "mass_matrix", articulation="/nowhere")
