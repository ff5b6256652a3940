"""Edits as new values of joints and as states: what the prims concerned say now."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from pxr import Usd

from physx_runtime.session.edits import Edits
from physx_runtime.session.messages import Message, problem_message
from physx_runtime.session.run import Run, StateEdits
from physx_schema.description.articulation.dofs import instance_of, read_dofs
from physx_schema.description.frames import Frames, vector
from physx_schema.description.model import ActorDescription, Articulation, Dof, FreeBody, Joint, Problem
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.poses import Pose
from physx_schema.description.units import coordinate, radians

Ignored = Callable[[Iterable[str], str, str], None]     # prim paths, property, text


class ReadingOfJoints(Reading):
    """The reader's own reading of single joints, without going through the stage."""

    def __init__(self, stage: Any) -> None:
        self.stage = stage
        self.problems: list[Problem] = []

    def dofs(self, joint: Joint) -> tuple[Dof, ...]:
        """The degrees of freedom of a joint as authored now, with the initial state as read before."""
        opinions = PrimOpinions(self.stage.GetPrimAtPath(joint.path), self.problems)
        found = read_dofs(self, opinions, joint.kind, joint.axis)
        before = {dof.name: dof for dof in joint.dofs}
        return tuple(
            replace(dof, position=before[dof.name].position, velocity=before[dof.name].velocity)
            if dof.name in before else dof for dof in found)

    def messages(self) -> Iterator[Message]:
        """What was wrong with the joints."""
        return map(problem_message, dict.fromkeys(self.problems))


def joint_edits(reading: ReadingOfJoints, actor: ActorDescription, edited: set[str]) -> Articulation | None:
    """The articulation with the edited joints read again; None where it has none of them, as a body."""
    joints = {link.joint.path for link in actor.links if link.joint}
    if isinstance(actor, FreeBody) or edited.isdisjoint(joints):
        return None
    links = tuple(
        replace(link, joint=replace(link.joint, dofs=reading.dofs(link.joint)))
        if link.joint and link.joint.path in edited else link for link in actor.links)
    return replace(actor, links=links)


def state_edits(stage: Any, edits: Edits, values: Mapping[str, Any], runs: Sequence[Run],
                ignored: Ignored) -> StateEdits:
    """The states that edits set to `values`; those that set none are reported through `ignored`."""
    found = StateEdits()
    joints = [link.joint for run in runs for link in run.actor.links if link.joint]
    dofs = {(joint.path, instance_of(joint, dof)): dof for joint in joints for dof in joint.dofs}
    floating = {run.model.link_names[0]: not run.actor.fixed_base for run in runs}
    for path in edits.states:
        prim, _, name = path.rpartition(".")
        value = values.get(path)
        if value is None:
            continue
        if not np.isfinite(value).all():
            ignored([prim], name, "not a finite value; the state stays as it is")
        elif name.startswith("state:"):
            instance, _, base = name.removeprefix("state:").partition(":physics:")
            dof = dofs.get((prim, instance))
            if dof is not None and base in ("position", "velocity"):
                (found.positions if base == "position" else found.rates)[dof.name] = coordinate(value, dof.angular)
        elif not floating.get(prim, False):
            ignored([prim], name, "only the velocity of a floating root can be set; joints decide about other links")
        elif name == "physics:velocity":
            found.linear[prim] = vector(value)
        else:
            x, y, z = vector(value)
            found.angular[prim] = radians(x), radians(y), radians(z)
    _placed(stage, edits.placed, runs, found, ignored)
    return found


def _placed(stage: Any, placed: set[str], runs: Sequence[Run], found: StateEdits, ignored: Ignored) -> None:
    """Poses of roots whose own transform, or one above them, was edited."""
    frames = Frames()
    for run in runs:
        root, *others = run.model.link_names
        if below([root], placed):
            pose = frames.pose(stage.GetPrimAtPath(root))
            if np.isfinite(pose[0]).all():
                found.poses[root] = pose
            else:
                ignored([root], "xformOpOrder", "not a finite transform; the articulation stays where it is")
        ignored([path for path in others if path in placed], "xformOpOrder",
                "joints decide where this link is; edit the state of its joint, or the transform of the root link")


def hidden_placements(stage: Any, properties: Iterable[str], links: Collection[str]) -> set[str]:
    """Those of the links of which a transform operation was edited that does not count while results are written."""
    edited = (path.rpartition(".")[::2] for path in properties)
    return {prim for prim, name in edited if prim in links and name.startswith("xformOp:")
            and name not in (_value(stage, f"{prim}.xformOpOrder") or ())}


def below(paths: Iterable[str], above: Collection[str]) -> list[str]:
    """Those of the paths that are among `above`, or below one of them."""
    return [path for path in paths if any(path == other or path.startswith(other + "/") for other in above)]


def poses(stage: Any, paths: Iterable[str]) -> dict[str, Pose]:
    """The world poses that prims have on the stage now, where they are finite."""
    frames = Frames()
    found = {path: frames.pose(stage.GetPrimAtPath(path)) for path in paths}
    return {path: pose for path, pose in found.items() if np.isfinite(pose[0]).all()}


def _value(stage: Any, path: str) -> Any:
    attribute = stage.GetAttributeAtPath(path)
    return attribute.Get(Usd.TimeCode.Default()) if attribute else None
