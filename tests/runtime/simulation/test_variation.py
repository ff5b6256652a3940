"""Parameters drawn from world to world by what a YAML file says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from physx_runtime import Scene, simulate
from physx_runtime.commands.simulate_command import simulate_command
from physx_runtime.simulation.variation import Spread, Variation, read_variation
from support.stages.recorded_arm import LINKS, SHOULDER, arm, saved

from physx_schema import authoring

WORLDS = 5
ROUNDING = 1e-6             # float32


def file(folder: Path, text: str) -> Path:
    path = folder / "worlds.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def driven(folder: Path) -> Path:
    stage = arm()
    authoring.drive(stage.GetPrimAtPath(SHOULDER), stiffness=100.0, damping=20.0, target=10.0)
    return saved(stage, folder / "arm.usda")


def test_a_file_gives_worlds_and_spreads(tmp_path: Path) -> None:
    given = file(tmp_path, "worlds: 8\nseed: 4\nparameters:\n  mass: {scale: [0.5, 2]}\n"
                           "  damping: {value: [1, 3], of: [shoulder]}\n")
    assert read_variation(given) == Variation(
        8, {"mass": Spread(0.5, 2.0, True), "damping": Spread(1.0, 3.0, False, ("shoulder",))}, 4)


@pytest.mark.parametrize(("text", "said"), [
    ("worlds: 0\nparameters: {}", "worlds is 0"),
    ("worlds: 2\nparameters: {mass: [1, 2]}", "give either scale or value"),
    ("worlds: 2\nparameters: {mass: {scale: [2, 1]}}", "two finite numbers [low, high]"),
    ("worlds: 2\nparameters: {mass: {scale: [1, 2], among: []}}", "among is not a known key"),
    ("worlds: 2\nparameter: {}", "worlds: or parameters: is missing"),
    ("worlds: [", "invalid YAML"),
])
def test_a_file_that_says_something_else_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ValueError) as refused:
        read_variation(file(tmp_path, text))
    assert said in str(refused.value) and "\n" not in str(refused.value)


def test_all_worlds_but_the_first_are_drawn_within_their_bounds(tmp_path: Path) -> None:
    scene = Scene(driven(tmp_path), WORLDS)
    (actor,) = (scene[name] for name in scene.actors)
    before = actor.parameter("mass").astype(np.float64)
    Variation(WORLDS, {"mass": Spread(0.5, 2.0, True, (LINKS[0],))}).apply([actor])
    factors = actor.parameter("mass") / before
    drawn = actor.parameters["mass"].elements.index(LINKS[0])
    assert (np.delete(factors, drawn, axis=1) == 1.0).all() and factors[0, drawn] == 1.0
    assert len(set(factors[:, drawn])) == WORLDS
    assert (factors >= 0.5 - ROUNDING).all() and (factors <= 2.0 + ROUNDING).all()


def test_a_world_moves_as_one_that_is_given_what_was_drawn(tmp_path: Path) -> None:
    stage = driven(tmp_path)
    varied = simulate(stage, steps=3, variation=Variation(3, {"stiffness": Spread(50.0, 50.0, False, ("shoulder",))}))
    single = Scene(stage, 1)
    (actor,) = (single[name] for name in single.actors)
    actor.set_parameter("stiffness", [50.0, 0.0])
    single.step(3)
    np.testing.assert_array_equal(varied.joint_position[-1, 1:], np.repeat(actor.joint_position, 2, axis=0))
    assert (varied.joint_position[-1, 0] != varied.joint_position[-1, 1]).any()


def test_the_command_says_between_what_the_worlds_ended(tmp_path: Path) -> None:
    worlds = file(tmp_path, "worlds: 4\nparameters: {stiffness: {scale: [0.5, 2]}}")
    done = CliRunner().invoke(simulate_command, [str(driven(tmp_path)), "--steps", "4", "--worlds", str(worlds)])
    assert done.exit_code == 0, done.output
    assert f"{SHOULDER}: final position" in done.stdout


def test_a_misspelt_parameter_is_a_usage_error_with_the_name_that_was_meant(tmp_path: Path) -> None:
    worlds = file(tmp_path, "worlds: 4\nparameters: {stifness: {scale: [0.5, 2]}}")
    done = CliRunner().invoke(simulate_command, [str(driven(tmp_path)), "--worlds", str(worlds)])
    assert done.exit_code == 2
    assert "did you mean stiffness?" in done.stderr
