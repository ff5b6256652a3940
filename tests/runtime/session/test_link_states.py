"""A state that somebody sets counts each time, in whichever layer, and after a step the stage shows the result.

Large trees are observed without tracing and articulations alike at once, with the bits of one that is traced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from physx_runtime import Session
from physx_runtime.model.row_specs import state_rows
from physx_runtime.packing.body import pack_actor
from physx_runtime.session import link_states
from physx_runtime.session.link_states import NUMBERS_A_LINK, Observer, links_of_many
from pxr import Gf, Sdf, Usd, UsdGeom
from support.stages.robots import described, finger
from support.stages.session_stages import DT, arm, floating, opened, state, texts, value, world_poses

ELBOW = "/Robot/elbow"
POSITION = f"{ELBOW}.state:angular:physics:position"
GIVEN = 40.0
NEAR, MOVED = 1e-3, 0.1         # a step so short leaves a joint within so many degrees of where it was set


def with_sublayer(stage: Any) -> Any:
    layer = Sdf.Layer.CreateAnonymous(".usda")
    stage.GetRootLayer().subLayerPaths.append(layer.identifier)
    stage._sublayer = layer         # kept alive with the stage
    for path in (POSITION, "/Robot/base.xformOp:translate"):
        attribute = stage.GetRootLayer().GetAttributeAtPath(path)
        if attribute:
            attribute.owner.RemoveProperty(attribute)
    return Usd.EditTarget(layer)


def with_variant(stage: Any) -> Any:
    sets = stage.GetPrimAtPath("/Robot").GetVariantSets().AddVariantSet("motion")
    sets.AddVariant("moved")
    sets.SetVariantSelection("moved")
    for path in (POSITION, "/Robot/base.xformOp:translate"):
        attribute = stage.GetRootLayer().GetAttributeAtPath(path)
        if attribute:
            attribute.owner.RemoveProperty(attribute)
    return sets.GetVariantEditTarget()


TARGETS: dict[str, Callable[[Any], Any]] = {
    "root": lambda stage: Usd.EditTarget(stage.GetRootLayer()),
    "session": lambda stage: Usd.EditTarget(stage.GetSessionLayer()),
    "sublayer": with_sublayer,
    "variant": with_variant,
}


def set_in(stage: Any, target: Any, path: str, given: Any, type_name: Any = Sdf.ValueTypeNames.Float) -> None:
    prim, _, name = path.rpartition(".")
    with Usd.EditContext(stage, target):
        stage.GetPrimAtPath(prim).CreateAttribute(name, type_name, custom=False).Set(given)


@pytest.mark.parametrize("into", ["session", "edit_target"])
@pytest.mark.parametrize("layer", TARGETS)
def test_the_same_joint_state_set_before_every_step_is_taken_every_time(layer: str, into: Any) -> None:
    stage = opened(arm())
    target = TARGETS[layer](stage)
    session = Session(stage, into=into)
    for _ in range(3):
        session.step(DT)
    shown = []
    for _ in range(4):
        set_in(stage, target, POSITION, GIVEN)
        set_in(stage, target, f"{ELBOW}.state:angular:physics:velocity", 0.0)
        session.step(NEAR)
        shown.append(state(stage, ELBOW))
        assert np.degrees(session.simulation().joint_position[0, 1]) == pytest.approx(shown[-1])
        session.step(DT)
    assert shown == pytest.approx([GIVEN] * 4, abs=MOVED)
    assert GIVEN not in shown           # the result, not the number that was set
    assert state(stage, ELBOW) != pytest.approx(GIVEN, abs=MOVED)


@pytest.mark.parametrize("layer", TARGETS)
def test_the_same_place_of_a_floating_root_is_taken_every_time(layer: str) -> None:
    stage = opened(floating())
    target = TARGETS[layer](stage)
    session = Session(stage)
    session.step(DT)
    for _ in range(3):
        set_in(stage, target, "/Robot/base.xformOp:translate", Gf.Vec3d(3, 4, 5), Sdf.ValueTypeNames.Double3)
        session.step(1e-6)
        assert world_poses(stage, ("/Robot/base",))[0, :3] == pytest.approx([3, 4, 5], abs=1e-3)
        for _ in range(5):
            session.step(DT)
        assert world_poses(stage, ("/Robot/base",))[0, 2] < 4.99


def test_states_set_in_several_layers_one_after_another_are_all_taken() -> None:
    stage = opened(arm())
    session = Session(stage)
    session.step(DT)
    for given, layer in [(10.0, "session"), (20.0, "root"), (30.0, "session"), (20.0, "root"), (30.0, "session")]:
        set_in(stage, TARGETS[layer](stage), POSITION, given)
        session.step(1e-6)
        assert state(stage, ELBOW) == pytest.approx(given, abs=1e-3)


def test_a_state_and_a_change_of_structure_in_one_block_are_both_taken() -> None:
    stage = opened(arm())
    session = Session(stage)
    for _ in range(3):
        session.step(DT)
    with Sdf.ChangeBlock():
        stage.GetRootLayer().GetAttributeAtPath(POSITION).default = GIVEN
        stage.GetRootLayer().GetPrimAtPath(ELBOW).SetInfo("apiSchemas", Sdf.TokenListOp.CreateExplicit([]))
    session.step(1e-6)
    assert state(stage, ELBOW) == pytest.approx(GIVEN, abs=1e-3)


def test_a_place_and_a_change_of_structure_in_one_block_are_both_taken() -> None:
    stage = opened(floating())
    session = Session(stage)
    session.step(DT)
    with Sdf.ChangeBlock():
        stage.GetRootLayer().GetAttributeAtPath("/Robot/base.xformOp:translate").default = Gf.Vec3d(3, 4, 5)
        stage.GetRootLayer().GetPrimAtPath("/Robot/base").SetInfo("kind", "component")
        stage.GetRootLayer().GetPrimAtPath("/Robot").SetInfo("active", True)
    session.step(1e-6)
    assert world_poses(stage, ("/Robot/base",))[0, :3] == pytest.approx([3, 4, 5], abs=1e-3)


@pytest.mark.parametrize("edit", [
    lambda attribute: attribute.SetCustomDataByKey("note", 1),
    lambda attribute: attribute.SetDocumentation("where the elbow is"),
    lambda attribute: attribute.Set(5.0, 24.0),
    lambda attribute: attribute.AddConnection("/Robot/shoulder.state:angular:physics:position")],
    ids=["custom data", "documentation", "time sample", "connection"])
@pytest.mark.parametrize("layer", ["root", "session"])
def test_what_is_said_of_a_state_beside_its_value_does_not_set_it(layer: str, edit: Callable[[Any], Any]) -> None:
    stage, plain = opened(arm()), opened(arm())
    session, other = Session(stage), Session(plain)
    for _ in range(3):
        session.step(DT)
    with Usd.EditContext(stage, TARGETS[layer](stage)):
        edit(stage.GetAttributeAtPath(POSITION))
    for _ in range(3):
        session.step(DT)
    for _ in range(6):
        other.step(DT)
    assert state(stage, ELBOW) == state(plain, ELBOW)


def test_a_state_below_an_opinion_that_hides_results_is_named_and_not_taken() -> None:
    stage = opened(arm())
    set_in(stage, stage.GetSessionLayer(), POSITION, 5.0)
    session = Session(stage, into="edit_target")
    session.step(DT)
    before = session.simulation().joint_position.copy()
    set_in(stage, stage.GetRootLayer(), POSITION, GIVEN)
    session.step(1e-6)
    assert session.simulation().joint_position == pytest.approx(before, abs=1e-5)
    assert ["a stronger opinion in" in m.text for m in session.messages if m.kind == "ignored-edit"] == [True]


def test_a_state_set_again_while_the_layer_of_results_is_cleared_is_taken_and_kept() -> None:
    stage, plain = opened(arm()), opened(arm())
    session = Session(stage)
    session.step(DT)
    for given in (10.0, GIVEN):
        for each in (stage, plain):
            set_in(each, each.GetRootLayer(), POSITION, given)
            each.GetSessionLayer().Clear()
        session.step(1e-6)
        assert state(stage, ELBOW) == pytest.approx(given, abs=1e-3)
    session.reset()
    assert texts(stage) == texts(plain)


def test_a_root_layer_goes_back_to_the_state_last_set_in_it() -> None:
    stage, plain = opened(arm()), opened(arm())
    session = Session(stage)
    session.step(DT)
    for given in (10.0, GIVEN):
        for each in (stage, plain):
            set_in(each, each.GetRootLayer(), POSITION, given)
        session.step(DT)
    session.reset()
    assert texts(stage) == texts(plain)
    session.step(1e-6)
    assert state(stage, ELBOW) == pytest.approx(GIVEN, abs=1e-3)


def test_a_state_set_in_a_referenced_layer_is_taken_and_the_layer_is_left_alone() -> None:
    asset = Sdf.Layer.CreateAnonymous(".usda")
    asset.ImportFromString(arm())
    stage = Usd.Stage.CreateInMemory()
    stage.DefinePrim("/Robot").GetReferences().AddReference(asset.identifier, "/Robot")
    session = Session(stage)
    session.step(DT)
    asset.GetAttributeAtPath(POSITION).default = GIVEN
    session.step(NEAR)
    assert state(stage, ELBOW) == pytest.approx(GIVEN, abs=MOVED)
    assert asset.GetAttributeAtPath(POSITION).default == GIVEN


def test_a_state_set_to_what_it_is_wakes_a_robot_that_sleeps() -> None:
    stage = opened(arm())
    for path in (ELBOW, "/Robot/shoulder"):
        stage.GetAttributeAtPath(f"{path}.drive:angular:physics:targetPosition").Set(0.0)
        stage.GetAttributeAtPath(f"{path}.drive:angular:physics:damping").Set(1e3)
    stage.GetAttributeAtPath("/scene.physics:gravityMagnitude").Set(0.0)
    session = Session(stage)
    for _ in range(60):
        session.step(DT)
    assert session.simulation().asleep[0]
    with Usd.EditContext(stage, stage.GetSessionLayer()):
        stage.GetAttributeAtPath(POSITION).Set(1.0)
    session.step(DT)
    assert not session.simulation().asleep[0]


def test_a_moved_parent_in_the_same_place_again_is_taken() -> None:
    stage = opened(floating())
    operation = UsdGeom.Xformable(stage.GetPrimAtPath("/Robot")).AddTranslateOp()
    session = Session(stage)
    session.step(DT)
    for height in (7.0, 0.0, 7.0):
        operation.Set(Gf.Vec3d(0, 0, height))
        session.step(1e-6)
        assert value(stage, "/Robot/base.xformOp:translate")[2] == pytest.approx(0.0, abs=0.1)


# --- observer --------------------------------------------------------------------------------------------------------

COUNT = 5


@pytest.fixture(scope="module")
def seen() -> Observer:
    description = described(finger())
    actor = description.articulations[0]
    return Observer.of(pack_actor(actor, description.scene_of(actor), "physx"))


def states(seen: Observer, seed: int) -> dict[str, Any]:
    """States of several such articulations, row name -> (n, size)."""
    rng = np.random.default_rng(seed)
    return {name: np.tile(seen.model.state[name], (COUNT, 1)) + rng.uniform(-0.3, 0.3, (COUNT, size))
            for name, size in state_rows(seen.model.topology).items()}


def one(rows: dict[str, Any], place: int) -> dict[str, Any]:
    return {name: row[place] for name, row in rows.items()}


def test_link_states_without_tracing_have_the_bits_of_the_traced_ones(
        seen: Observer, monkeypatch: pytest.MonkeyPatch) -> None:
    before, after = states(seen, 0), states(seen, 1)
    traced = seen.links(one(before, 0), one(after, 0), DT)
    monkeypatch.setattr(link_states, "MAX_TRACED_LINKS", 0)
    np.testing.assert_array_equal(seen.links(one(before, 0), one(after, 0), DT), traced)


def test_link_states_of_many_at_once_have_the_bits_of_each(seen: Observer) -> None:
    before, after = states(seen, 0), states(seen, 1)
    many = links_of_many([seen] * COUNT, before, after, DT)
    assert many.shape == (COUNT, len(seen.model.link_names), NUMBERS_A_LINK)
    for place in range(COUNT):
        np.testing.assert_array_equal(many[place], seen.links(one(before, place), one(after, place), DT))
