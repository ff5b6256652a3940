"""Motion that does not stay finite is said in one line that names the joint, with an exit code of its own."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import DivergenceWarning, Scene, Session, Simulation, simulate
from physx_runtime.viewing.poses import snapshots
from physx_runtime.viewing.summary import mechanical_energy
from support.stages.iteration_stages import free, prim
from support.stages.iteration_stages import stage as body_stage
from support.stages.loaded_robots import STIFF, slow
from support.stages.loaded_robots import arm as loaded_arm
from support.stages.session_stages import arm, opened
from support.stages.verified_robots import both

from physx_schema.description import describe

DIVERGED = 6
# Gravity under which an arm's velocity leaves float32 in its second step.
HEAVY = arm().replace("physics:gravityMagnitude = 9.81", "physics:gravityMagnitude = 1e36")


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    """The file of an arm that diverges."""
    path = tmp_path / "heavy.usda"
    path.write_text(HEAVY)
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, whose stderr shows Python's warnings too."""
    program = "from physx_schema.command_line.program import main; main()"
    return subprocess.run([sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True,
                          check=False)


def test_simulate_ends_with_one_line_and_a_code_of_its_own(stage: Path, tmp_path: Path) -> None:
    done = run("simulate", stage, "--steps", "4", "--strict", "--out", tmp_path / "motion.npz")
    assert done.returncode == DIVERGED
    [line] = done.stderr.splitlines()
    assert line.startswith(f"{stage}: /Robot: 1 of 1 worlds diverged (world 0) at step 2 of 0.0166667 s: "
                           "the velocity of /Robot/shoulder is not finite; ")
    assert "use a shorter time step" in line
    with np.load(tmp_path / "motion.npz") as motion:
        assert np.isfinite(motion["joint_position"]).all()
        assert str(motion["diverged"][0]) in line


@pytest.mark.parametrize("path", ["specialised", "generic"])
def test_a_recording_says_which_worlds_diverged(stage: Path, path: str) -> None:
    with pytest.warns(DivergenceWarning, match="the velocity of /Robot/shoulder is not finite") as said:
        recording = simulate(stage, steps=4, worlds=3, path=path)
    assert recording.diverged == (str(said[0].message),)
    assert "3 of 3 worlds diverged (world 0, 1, 2)" in recording.diverged[0]
    assert len(said) == 1


def test_a_session_names_what_is_no_longer_finite() -> None:
    with Session(opened(HEAVY)) as session:
        for _ in range(4):
            session.step()
        [text] = [message.text for message in session.messages if message.kind == "diverged"]
    assert text.startswith("the velocity of ")
    assert "is not stepped until reset; use a shorter time step" in text


def test_motion_that_stays_finite_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "arm.usda").write_text(arm())
    done = run("simulate", tmp_path / "arm.usda", "--steps", "4")
    assert (done.returncode, done.stderr) == (0, "")


LIGHT, PUSH = body_stage(free("B", more={"float physics:mass": "1e-3"})), [3e38, 0.0, 0.0]


def test_what_a_push_makes_diverge_is_named_though_the_push_is_over() -> None:
    sim = Simulation(opened(LIGHT))
    sim.apply_force(PUSH)
    with pytest.warns(DivergenceWarning, match="at step 1 of .* the velocity of the root's vx is not finite"):
        sim.step(3)


def test_a_session_names_what_a_push_makes_diverge() -> None:
    with Session(opened(LIGHT)) as session:
        session.step()
        session.simulation("/B").apply_force(PUSH)
        session.step()
        [text] = [message.text for message in session.messages if message.kind == "diverged"]
    assert text.startswith("the velocity of the root's vx")


# --- islands, which diverge as a whole -------------------------------------------------------------------------------

CHAIN = body_stage(*(free(name, x=float(i)) for i, name in enumerate("ABC")), *(
    prim("PhysicsFixedJoint", f"{a}{b}", "", {
        "rel physics:body0": f"</{a}>", "rel physics:body1": f"</{b}>", "point3f physics:localPos0": "(1, 0, 0)"})
    for a, b in ("AB", "BC")))
HEAP = body_stage(*(free(name, x=1.5 * i).removesuffix("}\n") + prim("Cube", "shape", "PhysicsCollisionAPI", {}) + "}\n"
                    for i, name in enumerate("ABC")))
ISLANDS = pytest.mark.parametrize("text", [CHAIN, HEAP], ids=["joints", "contacts"])
TOO_FAST = [3e38, 3e38, 3e38, 0.0, 0.0, 0.0]


@ISLANDS
def test_an_island_that_diverges_is_told_of_once(text: str) -> None:
    scene = Scene(opened(text), 2)
    scene["/B"].set("v", TOO_FAST, [1])
    with pytest.warns(DivergenceWarning) as said:
        scene.step(2)
    [line] = [str(item.message) for item in said]
    assert line.startswith("/B and 2 more actors that are solved together with it: 1 of 2 worlds diverged (world 1) at "
                           "step 2 of ")
    assert "the velocity of the root's vx is not finite" in line
    for name in scene.actors:
        assert scene[name].diverged.tolist() == [False, True], name


@ISLANDS
def test_an_island_that_diverges_again_after_a_reset_is_told_of_again(text: str) -> None:
    scene = Scene(opened(text))
    for _ in range(2):
        scene["/C"].set("v", TOO_FAST)
        with pytest.warns(DivergenceWarning, match="^/C and 2 more") as said:
            scene.step(2)
        assert len(said) == 1
        scene.reset()
        assert not any(scene[name].diverged.any() for name in scene.actors)


@ISLANDS
def test_a_session_tells_once_of_an_island_that_diverges(text: str) -> None:
    with Session(opened(text)) as session:
        session.step()
        session.simulation("/B").set("v", TOO_FAST)
        session.step()
        session.step()
        [message] = [message for message in session.messages if message.kind == "diverged"]
        assert all(session.simulation(name).diverged.all() for name in session.articulations)
    assert message.path == "/B"
    assert message.text.startswith("the velocity of the root's vx is not finite; this actor and 2 more actors that are "
                                   "solved together with it are not stepped until reset; ")


def test_no_operation_of_numpy_is_warned_of() -> None:
    """Of a motion that diverges, and of a joint that may not move, by which the clamp divides."""
    still = loaded_arm(both(STIFF, slow("angular", 0.0)))
    for stage in (opened(HEAVY), opened(still), opened(LIGHT)):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            recording = simulate(stage, steps=4)
            description = describe(stage)
            mechanical_energy(description, recording)
            snapshots(description.articulations, recording, 0, "Z", 3)
        assert not [str(item.message) for item in said if "encountered" in str(item.message)]
