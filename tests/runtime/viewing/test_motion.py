"""Motion files: USD's own reading of the time samples against the recorded world poses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import simulate
from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.motion import write_motion
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from support.stages.iteration_stages import KINEMATIC, free, opened, slider
from support.stages.iteration_stages import stage as several

from physx_schema.description import robot_files
from physx_schema.errors import UnsupportedError

TOLERANCE = 1e-5        # positions here are of order 10, some of them through scales in float32
SMALL = 1e-4            # rad, which a quatf that USD composes does not show
RECORDS, DT = 9, 1 / 30


def random_poses(links: int, seed: int = 7) -> NDArray[np.float64]:
    """(n_record, 1, n_link, 7) positions of order 5 and unit quaternions."""
    rng = np.random.default_rng(seed)
    rotation = rng.normal(size=(RECORDS, 1, links, 4))
    rotation /= np.linalg.norm(rotation, axis=-1, keepdims=True)
    return np.concatenate([rng.uniform(-5.0, 5.0, (RECORDS, 1, links, 3)), rotation], axis=-1)


def recording(links: tuple[str, ...], joints: tuple[str, ...] = ()) -> Recording:
    position = np.linspace(0.0, 1.0, RECORDS * len(joints)).reshape(RECORDS, 1, len(joints))
    poses = random_poses(len(links))
    still = np.zeros((*poses.shape[:3], 6))
    return Recording(np.arange(RECORDS) * DT, joints, position, 2.0 * position, links, poses, still, (32, 1), "")


def world_rigid(prim: Any, code: float) -> NDArray[np.float64]:
    """The 4 x 4 rigid part of a prim's world matrix, its axes made orthogonal in the order x, y, z as PhysX does."""
    matrix = np.array(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(code))
    axes, lengths = np.linalg.qr(matrix[:3, :3].T)
    rigid = np.eye(4)
    rigid[:3, :3] = (axes * np.sign(np.diag(lengths))).T
    rigid[3, :3] = matrix[3, :3]
    return rigid


def expected(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    x, y, z, w = pose[3:]
    column = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])
    matrix = np.eye(4)
    matrix[:3, :3], matrix[3, :3] = column.T, pose[:3]
    return matrix


def link(stage: Any, path: str, *, scale: float | None = None) -> str:
    xform = UsdGeom.Xform.Define(stage, path)
    xform.AddTranslateOp().Set(Gf.Vec3d(0.3, -0.2, 0.7))
    xform.AddOrientOp().Set(Gf.Quatf(0.8, 0.6, 0.0, 0.0))
    if scale is not None:
        xform.AddScaleOp().Set(Gf.Vec3f(scale))
    return path


def parent(stage: Any, path: str, *, scale: Gf.Vec3f) -> None:
    xform = UsdGeom.Xform.Define(stage, path)
    xform.AddTranslateOp().Set(Gf.Vec3d(1.0, 2.0, -3.0))
    xform.AddRotateXYZOp().Set(Gf.Vec3f(20.0, -50.0, 110.0))
    xform.AddScaleOp().Set(scale)


def play(stage: Any, file: Path, motion: Path, made: Recording) -> Any:
    """Save the stage, write the motion, open it afresh, compare every pose, and return the opened stage."""
    stage.GetRootLayer().Export(str(file))
    write_motion(file, made, motion)
    played = Usd.Stage.Open(str(motion))
    for i, name in enumerate(made.link_names):
        for code in range(RECORDS):
            found = world_rigid(played.GetPrimAtPath(name), code)
            np.testing.assert_allclose(found, expected(made.link_pose[code, 0, i]), atol=TOLERANCE, err_msg=name)
    return played


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    return tmp_path / "robot.usda", tmp_path / "motion.usda"


def test_time_samples_give_back_the_recorded_world_poses(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    play(stage, *files, recording((link(stage, "/a"), link(stage, "/b"))))


def test_links_below_rotated_and_scaled_parents_keep_their_world_poses(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    parent(stage, "/World", scale=Gf.Vec3f(2.0))
    play(stage, *files, recording((link(stage, "/World/a"), link(stage, "/World/b", scale=3.0))))


def test_links_nested_in_links_keep_their_world_poses(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    parent(stage, "/World", scale=Gf.Vec3f(0.5))
    names = link(stage, "/World/a"), link(stage, "/World/a/b", scale=2.0)
    parent(stage, "/World/a/b/group", scale=Gf.Vec3f(1.5))
    play(stage, *files, recording((*names, link(stage, "/World/a/b/group/c"))))


def test_links_below_uneven_scale_are_written_as_matrices(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    parent(stage, "/World", scale=Gf.Vec3f(1.0, 2.0, 3.0))
    made = recording((link(stage, "/World/a"),))
    played = play(stage, *files, made)
    ops = UsdGeom.Xformable(played.GetPrimAtPath("/World/a")).GetOrderedXformOps()
    assert [op.GetOpName() for op in ops] == ["xformOp:transform:motion"]


def test_links_that_reset_the_transform_stack_keep_their_world_poses(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    names = link(stage, "/a"), link(stage, "/a/b")
    UsdGeom.Xformable(stage.GetPrimAtPath("/a/b")).SetResetXformStack(True)
    play(stage, *files, recording(names))


def test_links_without_transform_ops_get_some(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.Xform.Define(stage, "/a")
    play(stage, *files, recording(("/a",)))


def test_links_with_half_precision_or_no_orientation_get_exact_ops(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.Xform.Define(stage, "/a").AddTranslateOp()
    coarse = UsdGeom.Xform.Define(stage, "/b")
    coarse.AddTranslateOp()
    coarse.AddOrientOp(UsdGeom.XformOp.PrecisionHalf)
    played = play(stage, *files, recording(("/a", "/b")))
    ops = [[op.GetOpName() for op in UsdGeom.Xformable(played.GetPrimAtPath(path)).GetOrderedXformOps()]
           for path in ("/a", "/b")]
    assert ops == [["xformOp:translate:motion", "xformOp:orient:motion"]] * 2


def test_a_small_turn_is_seen_where_the_link_has_an_orientation_in_single_precision(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    made = recording((link(stage, "/a"),))
    made.link_pose[...] = [0.0, 0.0, 0.0, 0.0, 0.0, np.sin(SMALL / 2), np.cos(SMALL / 2)]
    played = play(stage, *files, made)
    assert world_rigid(played.GetPrimAtPath("/a"), 1.0)[0, 1] == pytest.approx(SMALL, rel=1e-3)


def test_the_time_axis_is_the_recordings(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    played = play(stage, *files, recording((link(stage, "/a"),)))
    found = played.GetTimeCodesPerSecond(), played.GetStartTimeCode(), played.GetEndTimeCode()
    assert found == (30.0, 0.0, RECORDS - 1.0)


def test_units_and_axes_of_the_stage_come_along(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 0.01)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 0.001)
    stage.SetDefaultPrim(UsdGeom.Xform.Define(stage, "/a").GetPrim())
    played = play(stage, *files, recording(("/a",)))
    found = (UsdGeom.GetStageUpAxis(played), UsdGeom.GetStageMetersPerUnit(played),
             UsdPhysics.GetStageKilogramsPerUnit(played), str(played.GetDefaultPrim().GetPath()))
    assert found == ("Z", 0.01, 0.001, "/a")


def test_joint_states_are_sampled_in_degrees_and_lengths(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    joints = [UsdPhysics.RevoluteJoint.Define(stage, "/turn"), UsdPhysics.PrismaticJoint.Define(stage, "/slide")]
    made = recording((link(stage, "/a"),), tuple(str(joint.GetPath()) for joint in joints))
    played = play(stage, *files, made)
    names = ("/turn.state:angular:physics:position", "/turn.state:angular:physics:velocity",
             "/slide.state:linear:physics:position", "/slide.state:linear:physics:velocity")
    found = [played.GetAttributeAtPath(name).Get(4.0) for name in names]
    turn, slide = made.joint_position[4, 0]
    np.testing.assert_allclose(found, [turn * 180 / np.pi, 2 * turn * 180 / np.pi, slide, 2 * slide], rtol=1e-6)


def test_the_stage_is_referred_to_by_a_relative_path(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    made = recording((link(stage, "/a"),))
    play(stage, tmp_path / "robot.usda", tmp_path / "out" / "motion.usda", made)
    assert list(Sdf.Layer.FindOrOpen(str(tmp_path / "out/motion.usda")).subLayerPaths) == ["../robot.usda"]


def test_a_stage_in_memory_is_copied_into_the_motion(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    made = recording((link(stage, "/a"),))
    write_motion(stage, made, tmp_path / "motion.usda")
    played = Usd.Stage.Open(str(tmp_path / "motion.usda"))
    found = world_rigid(played.GetPrimAtPath("/a"), 3.0)
    np.testing.assert_allclose(found, expected(made.link_pose[3, 0, 0]), atol=TOLERANCE)


def test_writing_twice_gives_the_same_bytes(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    made = recording((link(stage, "/a"),))
    play(stage, *files, made)
    first = files[1].read_bytes()
    write_motion(files[0], made, files[1])
    assert files[1].read_bytes() == first


def test_links_missing_on_the_stage_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    with pytest.raises(UnsupportedError, match="/gone is not on this stage"):
        write_motion(stage, recording((link(stage, "/a"), "/gone")), tmp_path / "motion.usda")
    assert not list(tmp_path.iterdir())


def test_links_below_animated_parents_are_refused(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateInMemory()
    op = UsdGeom.Xform.Define(stage, "/World").AddTranslateOp()
    op.Set(Gf.Vec3d(0), 0.0)
    op.Set(Gf.Vec3d(1), 9.0)
    with pytest.raises(UnsupportedError, match="/World, an ancestor of /World/a, has an animated transform"):
        write_motion(stage, recording((link(stage, "/World/a"),)), tmp_path / "motion.usda")


def test_a_motion_never_replaces_the_stage_it_plays(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    made = recording((link(stage, "/a"),))
    stage.GetRootLayer().Export(str(files[0]))
    with pytest.raises(UnsupportedError, match="a file of the stage"):
        write_motion(files[0], made, files[0])


def test_unknown_worlds_are_refused(files: tuple[Path, Path]) -> None:
    stage = Usd.Stage.CreateInMemory()
    with pytest.raises(ValueError, match="world is 1; the recording has worlds 0 to 0"):
        write_motion(stage, recording((link(stage, "/a"),)), files[1], world=1)


def test_a_whole_stage_plays_all_that_moves_and_leaves_kinematic_bodies_to_their_stage(tmp_path: Path) -> None:
    stage = opened(several(slider("A"), slider("B", x=9.0), free("C"), free("K", x=90.0, more=KINEMATIC)))
    UsdGeom.Xformable(stage.GetPrimAtPath("/K")).GetOrderedXformOps()[0].Set(Gf.Vec3d(91.0, 0.0, 0.0), 4.0)
    made = simulate(stage, DT, RECORDS - 1, path="generic")
    played = play(stage, tmp_path / "stage.usda", tmp_path / "motion.usda", made)
    assert made.body_names == ("/A/base", "/A/tip", "/B/base", "/B/tip", "/C", "/K")
    assert UsdGeom.Xformable(played.GetPrimAtPath("/C")).TransformMightBeTimeVarying()
    assert not played.GetRootLayer().GetPrimAtPath("/K")


def made_of_a_robot(stage: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a stage as a converter leaves it for one process."""
    temporary = tmp_path / "converted/robot.usda"
    temporary.parent.mkdir()
    stage.GetRootLayer().Export(str(temporary))
    monkeypatch.setitem(robot_files._ORIGINALS, str(temporary.resolve()), tmp_path / "robot.urdf")
    return temporary


def test_motion_of_a_robot_from_another_format_needs_no_file_but_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    temporary = made_of_a_robot(opened(several(slider("A"), free("B"))), tmp_path, monkeypatch)
    file = write_motion(str(temporary), recording(("/B",)), tmp_path / "motion.usda")
    shutil.rmtree(temporary.parent)
    assert str(temporary.parent) not in file.read_text()
    assert Usd.Stage.Open(str(file)).GetPrimAtPath("/A").IsValid()


def test_motion_over_files_that_a_converter_left_beside_its_stage_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    stage = opened(several(slider("A"), free("B")))
    picture = tmp_path / "converted/wood.png"
    stage.GetPrimAtPath("/B").CreateAttribute("picture", Sdf.ValueTypeNames.Asset).Set(str(picture))
    temporary = made_of_a_robot(stage, tmp_path, monkeypatch)
    with pytest.raises(UnsupportedError, match=r"robot.urdf: the converted stage uses temporary files"):
        write_motion(str(temporary), recording(("/B",)), tmp_path / "motion.usda")
