"""Random edits between steps: nothing of anyone's is lost, states follow, and a session goes on as a new one would."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator
from physx_runtime import Session
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics
from support.stages.session_stages import DT, arm, link, opened, state, world_poses

from physx_schema.description import describe

JOINTS, LINKS = ("/Robot/shoulder", "/Robot/elbow"), ("/Robot/base", "/Robot/upper", "/Robot/lower", "/crate")
MOVING = LINKS[1:]
NEAR = 1e-6         # of a step so short that nothing moves
HELD = 2e-3         # degrees or lengths: what a state is off after such a step, through float32
AGREED = 1e-3       # degrees or lengths: two sessions from the same state, which stages hold in float32, a few steps on
Edit = Callable[[Any], Any]


def of_joint(random: Generator) -> str:
    return str(random.choice(JOINTS))


def number(random: Generator, size: float = 1.0) -> float:
    return float(np.float32(random.uniform(-size, size)))


def given(path: str, value: Any, type_name: Any = Sdf.ValueTypeNames.Float) -> Edit:
    """Set an attribute, made where it is missing, on a prim that is there."""
    owner, _, name = path.rpartition(".")

    def edit(stage: Any) -> None:
        prim = stage.GetPrimAtPath(owner)
        if prim and prim.IsActive():
            prim.CreateAttribute(name, type_name, False).Set(value)
    return edit


def on(path: str, act: Callable[[Any], Any]) -> Edit:
    """Do something to a prim that is there."""
    def edit(stage: Any) -> None:
        prim = stage.GetPrimAtPath(path)
        if prim and prim.IsActive():
            act(prim)
    return edit


def joint_position(random: Generator) -> Edit:
    return given(f"{of_joint(random)}.state:angular:physics:position", number(random, 90.0))


def joint_velocity(random: Generator) -> Edit:
    return given(f"{of_joint(random)}.state:angular:physics:velocity", number(random, 90.0))


def drive(random: Generator) -> Edit:
    name = random.choice(["stiffness", "damping", "targetPosition", "targetVelocity"])
    return given(f"{of_joint(random)}.drive:angular:physics:{name}", abs(number(random, 20.0)))


def drive_schema(random: Generator) -> Edit:
    def act(prim: Any) -> None:
        if prim.HasAPI(UsdPhysics.DriveAPI, "angular"):
            prim.RemoveAPI(UsdPhysics.DriveAPI, "angular")
        else:
            UsdPhysics.DriveAPI.Apply(prim, "angular")
    return on(of_joint(random), act)


def armature(random: Generator) -> Edit:
    value = abs(number(random))

    def act(prim: Any) -> None:
        prim.AddAppliedSchema("PhysxJointAxisAPI:angular")
        prim.CreateAttribute("physxJointAxis:angular:armature", Sdf.ValueTypeNames.Float, False).Set(value)
    return on(of_joint(random), act)


def mass(random: Generator) -> Edit:
    return given(f"{random.choice(MOVING)}.physics:mass", 0.5 + abs(number(random)))


def place(random: Generator) -> Edit:
    where = Gf.Vec3d(*(number(random, 3.0) for _ in range(3)))
    return given(f"{random.choice(LINKS)}.xformOp:translate", where, Sdf.ValueTypeNames.Double3)


def place_above(random: Generator) -> Edit:
    where = tuple(number(random, 3.0) for _ in range(3))
    return lambda stage: UsdGeom.XformCommonAPI(stage.GetPrimAtPath("/Robot")).SetTranslate(where)


def velocity(random: Generator) -> Edit:
    name = random.choice(["velocity", "angularVelocity"])
    value = Gf.Vec3f(*(number(random, 5.0) for _ in range(3)))
    return given(f"{random.choice(MOVING)}.physics:{name}", value, Sdf.ValueTypeNames.Vector3f)


def kinematic(random: Generator) -> Edit:
    return given("/crate.physics:kinematicEnabled", bool(random.integers(2)), Sdf.ValueTypeNames.Bool)


def activation(random: Generator) -> Edit:
    path, active = str(random.choice(["/crate", "/Robot/lower", "/Robot/elbow"])), bool(random.integers(2))
    return lambda stage: stage.GetPrimAtPath(path).SetActive(active)


def note(random: Generator) -> Edit:
    path, text = f"{random.choice(LINKS)}.xformOp:translate", f"note {random.integers(9)}"
    return lambda stage: stage.GetAttributeAtPath(path) and stage.GetAttributeAtPath(path).SetDocumentation(text)


def samples(random: Generator) -> Edit:
    path, value = f"{of_joint(random)}.state:angular:physics:position", number(random, 90.0)
    return lambda stage: stage.GetAttributeAtPath(path) and stage.GetAttributeAtPath(path).Set(value, 12.0)


def variant(random: Generator) -> Edit:
    name = str(random.choice(["heavy", "light"]))
    return lambda stage: stage.GetPrimAtPath("/Robot").GetVariantSets().SetSelection("load", name)


def muting(random: Generator) -> Edit:
    muted = bool(random.integers(2))
    return lambda stage: (stage.MuteLayer if muted else stage.UnmuteLayer)(stage.GetSessionLayer().identifier)


def clearing(random: Generator) -> Edit:
    return lambda stage: stage.GetSessionLayer().Clear()


EDITS = (joint_position, joint_velocity, drive, drive_schema, armature, mass, place, place_above, velocity, kinematic,
         activation, note, samples, variant)
HARSH = (*EDITS, muting, clearing)


def made() -> Any:
    """The arm with a variant set and a sublayer, and a crate beside it."""
    stage = opened(arm() + link("crate", (5, 0, 0)))
    layer = Sdf.Layer.CreateAnonymous(".usda")
    stage.GetRootLayer().subLayerPaths.append(layer.identifier)
    sets = stage.GetPrimAtPath("/Robot").GetVariantSets().AddVariantSet("load")
    for name in ("heavy", "light"):
        sets.AddVariant(name)
        sets.SetVariantSelection(name)
        with sets.GetVariantEditContext():
            stage.GetPrimAtPath("/Robot/lower").CreateAttribute(
                "physics:density", Sdf.ValueTypeNames.Float).Set(float(len(name)))
    return stage, layer


def in_layer(stage: Any, layer: Any, name: str, edit: Edit) -> None:
    """Make an edit in one of the layers of a stage; nobody can in one that is muted."""
    if name == "session" and stage.IsLayerMuted(stage.GetSessionLayer().identifier):
        name = "root"
    targets = {"session": stage.GetSessionLayer(), "root": stage.GetRootLayer(), "sublayer": layer}
    with Usd.EditContext(stage, targets[name]):
        edit(stage)


def specs(layer: Any) -> dict[str, str]:
    """What a layer says of prims, spec by spec: the order of overs below one parent means nothing."""
    found: dict[str, str] = {}

    def note(path: Any) -> None:
        spec = layer.GetObjectAtPath(path)
        if spec and path != Sdf.Path.absoluteRootPath:
            found[str(path)] = str({key: str(spec.GetInfo(key)) for key in sorted(spec.ListInfoKeys())})
    layer.Traverse("/", note)
    return found


def said(stage: Any, layer: Any) -> list[dict[str, str]]:
    """What every layer of a stage says, whatever the sublayer is called."""
    layers = (stage.GetSessionLayer(), stage.GetRootLayer(), layer)
    return [{path: text.replace(layer.identifier, "sublayer") for path, text in specs(each).items()} for each in layers]


def run_edits(seed: int, count: int, kinds: tuple[Callable[[Generator], Edit], ...], into: Any) -> None:
    random = np.random.default_rng(seed)
    (stage, layer), (plain, other) = made(), made()
    session, done = Session(stage, into=into), []
    for _ in range(count):
        for _ in range(random.integers(1, 3)):
            kind, where = random.choice(np.array(kinds)), str(random.choice(["session", "root", "sublayer"]))
            edit = kind(random)
            in_layer(stage, layer, where, edit)
            in_layer(plain, other, where, edit)
            done.append(f"{kind.__name__} in {where}")
        for _ in range(random.integers(1, 4)):
            session.step(DT)
    session.reset()
    assert said(stage, layer) == said(plain, other), f"seed {seed}: {done}"


@pytest.mark.parametrize("into", ["session", "edit_target"])
@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits_reset_leaves_what_others_authored(seed: int, into: Any) -> None:
    run_edits(seed, 10, HARSH, into)


@pytest.mark.sweep
@pytest.mark.parametrize("into", ["session", "edit_target"])
@pytest.mark.parametrize("seed", range(100, 120))
def test_after_many_random_edits_reset_leaves_what_others_authored(seed: int, into: Any) -> None:
    run_edits(seed, 30, HARSH, into)


def states_follow(seed: int, count: int) -> None:
    """A joint state set after any other edits is what the stage shows a moment later."""
    random = np.random.default_rng(seed)
    stage, layer = made()
    session = Session(stage)
    session.step(DT)
    for _ in range(count):
        for _ in range(random.integers(1, 4)):
            kind = random.choice(np.array(EDITS))
            if kind is not activation:
                in_layer(stage, layer, str(random.choice(["session", "root", "sublayer"])), kind(random))
        session.step(DT)
        path, where = of_joint(random), str(random.choice(["session", "root"]))
        wanted = number(random, 90.0) if random.integers(2) else 30.0
        in_layer(stage, layer, where, given(f"{path}.state:angular:physics:position", wanted))
        in_layer(stage, layer, where, given(f"{path}.state:angular:physics:velocity", 0.0))
        session.step(NEAR)
        assert state(stage, path) == pytest.approx(wanted, abs=HELD), f"seed {seed}: {path} in {where}"


@pytest.mark.parametrize("seed", range(3))
def test_after_random_edits_a_state_that_is_set_is_taken(seed: int) -> None:
    states_follow(seed, 8)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 120))
def test_after_many_random_edits_a_state_that_is_set_is_taken(seed: int) -> None:
    states_follow(seed, 30)


def goes_on(seed: int, count: int, steps: int) -> None:
    """A session after edits steps as a new one of the flattened stage, which holds the state that was reached."""
    random = np.random.default_rng(seed)
    stage, layer = made()
    session, done = Session(stage), []
    session.step(DT)
    for _ in range(count):
        kind, where = random.choice(np.array(EDITS)), str(random.choice(["session", "root", "sublayer"]))
        in_layer(stage, layer, where, kind(random))
        done.append(f"{kind.__name__} in {where}")
        session.step(DT)
    flat = opened(stage.Flatten().ExportToString())
    fresh = Session(flat)
    for _ in range(steps):
        session.step(DT)
        fresh.step(DT)
    assert session.articulations == fresh.articulations, done
    if describe(flat).joints:
        pytest.skip("flattening leaves an inactive body no place, where the session's joint holds")
    paths = [path for path in MOVING if stage.GetPrimAtPath(path) and stage.GetPrimAtPath(path).IsActive()]
    moved = np.abs(world_poses(stage, tuple(paths)) - world_poses(flat, tuple(paths)))
    assert moved.max() < AGREED, f"seed {seed}: {done}"


@pytest.mark.parametrize("seed", range(4))
def test_after_random_edits_a_session_goes_on_as_a_new_one(seed: int) -> None:
    goes_on(seed, 8, 4)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(100, 120))
def test_after_many_random_edits_a_session_goes_on_as_a_new_one(seed: int) -> None:
    goes_on(seed, 25, 4)
