"""Motions as .gif and .mp4: what is seen, in real time."""

from __future__ import annotations

import resource
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from physx_runtime import simulate
from physx_runtime.commands.simulate_command import simulate_command
from physx_runtime.viewing.film import writing
from physx_runtime.viewing.film.scene import MARGIN, SUPERSAMPLING, FilmScene
from physx_runtime.viewing.film.writing import FRAME_RATE, HEIGHT, WIDTH
from PIL import Image, ImageSequence
from pxr import Gf, Usd, UsdGeom
from support.places import FINGER
from support.stages.iteration_stages import body_stage as falling

from physx_schema.description import describe
from physx_schema.outputs import is_ours

RADIUS = 0.1
POLYGONS = 0.04         # of a disc's area, that 20 corners around leave out
STEPS = 60              # of 1/60 s
ROOM = 1024             # bytes, less than either film takes


def ball(up: str = "Z") -> Usd.Stage:
    """A ball beside which nothing is."""
    made = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(made, up)
    sphere = UsdGeom.Sphere.Define(made, "/ball")
    sphere.CreateRadiusAttr(RADIUS)
    sphere.CreateDisplayColorAttr([Gf.Vec3f(1, 0, 0)])
    return made


def run(stage: Path, out: Path) -> Result:
    return CliRunner().invoke(simulate_command, [str(stage), "--steps", str(STEPS), "--out", str(out)])


@pytest.mark.parametrize("up", ["Y", "Z"])
def test_a_ball_is_a_disc_that_fills_the_height_but_for_a_margin(up: str) -> None:
    made = ball(up)
    scene, poses = FilmScene(made, describe(made), ["/ball"]), np.array([[[0, 0, 0, 0, 0, 0, 1.0]]])
    view = scene.view(poses, up, WIDTH, HEIGHT)
    picture = scene.picture(poses[0], view)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    seen = (picture[..., 1] < 128).sum()
    assert seen == pytest.approx(np.pi * (RADIUS * view.scale / SUPERSAMPLING) ** 2, rel=POLYGONS)
    # the corners of the box about it lie a little farther out than its surface
    assert HEIGHT / MARGIN / np.sqrt(3) < 2 * RADIUS * view.scale / SUPERSAMPLING <= HEIGHT / MARGIN


def test_what_is_nearer_hides_what_is_behind_in_whatever_order() -> None:
    made = ball()
    towards = np.array([0.7, -0.7, 0.5])
    for path, place, colour in (("/far", -towards, (0, 1, 0)), ("/near", towards, (0, 0, 1))):
        sphere = UsdGeom.Sphere.Define(made, path)
        sphere.CreateRadiusAttr(RADIUS / 2)
        sphere.CreateDisplayColorAttr([Gf.Vec3f(*colour)])
        sphere.AddTranslateOp().Set(Gf.Vec3d(*map(float, place)))
    bodies = ["/ball", "/far", "/near"]
    scene, poses = FilmScene(made, describe(made), bodies), np.zeros((1, 3, 7))
    poses[..., 6] = 1.0
    poses[0, 1, :3], poses[0, 2, :3] = -towards, towards
    middle = scene.picture(poses[0], scene.view(poses, "Z", WIDTH, HEIGHT))[HEIGHT // 2, WIDTH // 2]
    assert middle[2] > 200 > 50 > max(middle[:2])


def test_a_gif_plays_in_real_time_and_moves(tmp_path: Path) -> None:
    out = tmp_path / "motion.gif"
    done = run(FINGER, out)
    assert done.exit_code == 0, done.output
    with Image.open(out) as film:
        frames = [(np.asarray(frame.convert("RGB")), frame.info["duration"]) for frame in ImageSequence.Iterator(film)]
    assert sum(duration for _, duration in frames) == 1000 * STEPS // 60 + 1000 // FRAME_RATE
    assert any((frame != frames[0][0]).any() for frame, _ in frames)


def test_an_mp4_plays_in_real_time(tmp_path: Path) -> None:
    ffmpeg, out = pytest.importorskip("imageio_ffmpeg"), tmp_path / "motion.mp4"
    done = run(FINGER, out)
    assert done.exit_code == 0, done.output
    assert ffmpeg.count_frames_and_secs(str(out))[0] == STEPS * FRAME_RATE // 60 + 1
    assert is_ours(out)


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_a_film_that_finds_no_room_is_refused_and_leaves_nothing(tmp_path: Path, suffix: str) -> None:
    pytest.importorskip("imageio_ffmpeg")
    described, recording = describe(FINGER), simulate(FINGER, steps=STEPS)
    writing.write_film(FINGER, described, recording, tmp_path / "whole.gif")       # compiles what draws
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, limits[1]))
    try:
        with pytest.raises(OSError):
            writing.write_film(FINGER, described, recording, tmp_path / f"motion{suffix}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["whole.gif"]


def test_a_film_without_its_library_is_refused_before_a_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "find_spec", lambda name: None)
    done = run(FINGER, tmp_path / "motion.mp4")
    assert str(done.exception) == (f"{tmp_path}/motion.mp4: writing .mp4 needs imageio_ffmpeg, which is not "
                                   "installed; run: pip install 'physx-schema[film]'")
    assert not list(tmp_path.iterdir())


def test_a_stage_without_anything_to_see_is_refused(tmp_path: Path) -> None:
    stage = tmp_path / "body.usda"
    stage.write_text(falling())
    done = run(stage, tmp_path / "motion.gif")
    assert "the film would be empty" in str(done.exception)


def test_a_film_ends_where_a_position_is_no_number(tmp_path: Path) -> None:
    recording = simulate(FINGER, steps=STEPS)
    recording.body_pose[30:] = np.nan
    out = tmp_path / "motion.gif"
    writing.write_film(FINGER, describe(FINGER), recording, out)
    with Image.open(out) as film:
        assert sum(frame.info["duration"] for frame in ImageSequence.Iterator(film)) == 13 * 1000 // FRAME_RATE
