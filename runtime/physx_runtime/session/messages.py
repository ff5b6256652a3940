"""Messages, mass properties and object counts of a session's stage. `messages_of` lists what PhysX would log or do
silently, and what is not simulated. `mass_properties` gives the mass properties of links and bodies, `object_counts`
the numbers of PhysX objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from physx_runtime.packing.contacts import Touching
from physx_runtime.packing.not_simulated import not_simulated_with_joints, stage_refusal
from physx_runtime.packing.scene import scene_model
from physx_runtime.simulation.divergence import ADVICE, Loss
from physx_schema.checking.rules.values import findings_of_values
from physx_schema.description.frames import rotation_matrix
from physx_schema.description.model import Authored, Description, Link, Problem
from physx_schema.description.opinions.accounting import CONTACTS
from physx_schema.description.records import Quat, Vec3


@dataclass(frozen=True, slots=True)
class Message:
    """One message."""

    kind: str           # "problem", "unused", "not-evaluated", "not-simulated", "written", "ignored-edit", "diverged"
    severity: str       # "error" | "warning" | "info"
    code: str
    path: str           # prim
    property: str       # "" for the prim itself
    text: str

    def __str__(self) -> str:
        where = f"{self.path}.{self.property}" if self.property else self.path
        return f"{where}: {self.text}"


class Messages:
    """All messages so far in order, without repetition."""

    def __init__(self) -> None:
        self._messages: dict[Message, None] = {}

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages."""
        return tuple(self._messages)

    def add(self, *messages: Message) -> None:
        """Add messages that are new."""
        self._messages.update(dict.fromkeys(messages))

    def note(self, path: str, name: str, text: str) -> None:
        """Add a message about how something is written."""
        self.add(Message("written", "info", "session/written", path, name, text))

    def unsupported(self, lines: Iterable[str], path: str) -> None:
        """Add messages about why something is not stepped."""
        self.add(*(Message("not-simulated", "warning", "session/unsupported", path, "", f"not simulated: {line}")
                   for line in lines))

    def ignored(self, paths: Iterable[str], name: str, text: str) -> None:
        """Add messages about edits without effect."""
        self.add(*(Message("ignored-edit", "warning", "session/ignored-edit", path, name, text) for path in paths))


def problem_message(problem: Problem) -> Message:
    """A problem found by the reader, what PhysX does about it, and what to do."""
    text = f"{problem.message}: {problem.why}; {problem.fix}"
    return Message("problem", problem.severity, problem.code, problem.path, problem.property, text)


def value_messages(authored: Collection[Authored], problems: Iterable[Problem]) -> Iterator[Message]:
    """Messages about values that PhysX refuses or replaces, as `check` has them."""
    for finding in findings_of_values(authored, problems):
        text = "; ".join(filter(None, (f"{finding.message}: {finding.why}" if finding.why else finding.message,
                                       finding.fix)))
        yield Message("problem", finding.severity, finding.code, finding.path, finding.property, text)


def diverged_message(loss: Loss) -> Message:
    """A message about a divergence and the actors that it stops."""
    phrase = f"this actor{loss.suffix} are" if loss.other_count else "this actor is"
    return Message("diverged", "error", "session/diverged", loss.path, "",
                   f"{loss.quantity} is not finite; {phrase} not stepped until reset; {ADVICE}")


def messages_of(description: Description) -> Iterator[Message]:
    """Messages about problems of a stage and about what is not simulated."""
    for problem in description.problems:
        yield problem_message(problem)
    yield from value_messages(description.authored, description.problems)
    for opinion in description.unused:
        text = opinion.reason + (f"; {opinion.suggestion}" if opinion.suggestion else "")
        yield Message("unused", "warning", opinion.code, opinion.path, opinion.property, f"unused: {text}")
    for opinion in description.not_evaluated:
        if opinion.code == CONTACTS:        # what is left out of them is said below
            continue
        yield Message("not-evaluated", "info", opinion.code, opinion.path, opinion.property,
                      f"PhysX reads this property, but this library does not: {opinion.reason}")
    yield from _not_simulated(description)


def _not_simulated(description: Description) -> Iterator[Message]:
    def report(code: str, path: str, text: str) -> Message:
        return Message("not-simulated", "warning", f"session/{code}", path, "", f"not simulated: {text}")

    refused = stage_refusal(description)
    if refused:
        yield report("refused", "/", f"{refused}; no body moves")
        return
    model = scene_model(description, [body for body in description.bodies if not body.kinematic])
    for joint in description.joints:
        if not any(model.ends(joint)):
            yield report("free-joint", joint.path, f"a {joint.kind} joint outside articulations that is connected "
                         "to no moving body")
    touching = Touching(description, model)
    items = {(item.path, item.code, item.property): item
             for item in not_simulated_with_joints(description, model, touching)}
    for item in items.values():
        if item.code in ("contact", "sleep", "trigger"):        # loops and what is not read are said above
            yield Message("not-simulated", "warning", f"session/{item.code}", item.path, item.property,
                          f"not simulated: {item.text}")
    if not model.actors:
        yield report("nothing", "/", "the stage has neither an articulation nor a free body; nothing moves")


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass properties of one body, in the stage's mass and length units."""

    mass: float
    center_of_mass: Vec3                # in the body's frame, lengths scaled
    inertia: tuple[Vec3, Vec3, Vec3]    # about the centre of mass, in the body's axes
    principal_moments: Vec3
    principal_axes: Quat                # x y z w, in the body's axes


@dataclass(frozen=True, slots=True)
class ObjectCounts:
    """Numbers of objects that PhysX makes of a stage."""

    articulations: int
    links: int
    dofs: int
    fixed_tendons: int
    spatial_tendons: int
    mimics: int
    bodies: int                         # rigid bodies outside articulations
    joints: int                         # joints of articulations and outside, base joints included

    @property
    def tendons(self) -> int:
        """Fixed and spatial tendons."""
        return self.fixed_tendons + self.spatial_tendons


def mass_properties(description: Description) -> dict[str, MassProperties]:
    """Mass properties of every link and body, by prim path."""
    links = [link for articulation in description.articulations for link in articulation.links]
    return {link.path: _of(link) for link in (*links, *description.bodies)}


def _of(link: Link) -> MassProperties:
    axes = np.array(rotation_matrix(link.principal_axes))
    moments = np.diag(axes.T @ np.array(link.inertia) @ axes).tolist()
    return MassProperties(link.mass, link.center_of_mass, link.inertia, (moments[0], moments[1], moments[2]),
                          link.principal_axes)


def object_counts(description: Description) -> ObjectCounts:
    """The counts of a description."""
    items = description.articulations
    inner = [link for articulation in items for link in articulation.links if link.joint is not None]
    return ObjectCounts(
        articulations=len(items), links=sum(len(a.links) for a in items), dofs=sum(len(a.dofs) for a in items),
        fixed_tendons=sum(len(a.fixed_tendons) for a in items),
        spatial_tendons=sum(len(a.spatial_tendons) for a in items), mimics=sum(len(a.mimics) for a in items),
        bodies=len(description.bodies),
        joints=len(inner) + sum(a.base_joint is not None for a in items) + len(description.joints))
