"""What a session says about a stage: what PhysX would log, would do silently, and what is not simulated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from physx_runtime.packing.choice import stage_refusal
from physx_runtime.packing.not_simulated import left_out
from physx_runtime.packing.scene import scene_model
from physx_runtime.packing.touching import Touching
from physx_runtime.simulation.divergence import ADVICE, Loss
from physx_schema.description.model import Description, Problem
from physx_schema.description.opinions.accounting import CONTACTS


@dataclass(frozen=True, slots=True)
class Message:
    """One thing said, once."""

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
    """Everything said so far, each thing once, in order."""

    def __init__(self) -> None:
        self._said: dict[Message, None] = {}

    @property
    def said(self) -> tuple[Message, ...]:
        """All messages."""
        return tuple(self._said)

    def say(self, *messages: Message) -> None:
        """Say what has not been said before."""
        self._said.update(dict.fromkeys(messages))

    def note(self, path: str, name: str, text: str) -> None:
        """Say how something is written."""
        self.say(Message("written", "info", "session/written", path, name, text))

    def unsupported(self, lines: Iterable[str], path: str) -> None:
        """Say why something is not stepped."""
        self.say(*(Message("not-simulated", "warning", "session/unsupported", path, "", f"not simulated: {line}")
                   for line in lines))

    def ignored(self, paths: Iterable[str], name: str, text: str) -> None:
        """Say of edits that nothing follows from them."""
        self.say(*(Message("ignored-edit", "warning", "session/ignored-edit", path, name, text) for path in paths))


def problem_message(problem: Problem) -> Message:
    """What the reader found wrong, what PhysX does about it, and what to do."""
    text = f"{problem.message}: {problem.why}; {problem.fix}"
    return Message("problem", problem.severity, problem.code, problem.path, problem.property, text)


def diverged_message(loss: Loss) -> Message:
    """What diverged, and who else stands still."""
    stand = f"it{loss.company} stand" if loss.others else "it stands"
    return Message("diverged", "error", "session/diverged", loss.path, "",
                   f"{loss.what} is no longer finite; {stand} still until reset; {ADVICE}")


def messages_of(description: Description) -> Iterator[Message]:
    """What the reading of a stage found, and what of it no step moves."""
    for problem in description.problems:
        yield problem_message(problem)
    for opinion in description.unused:
        text = opinion.reason + (f"; {opinion.suggestion}" if opinion.suggestion else "")
        yield Message("unused", "warning", opinion.code, opinion.path, opinion.property, f"unused: {text}")
    for opinion in description.not_evaluated:
        if opinion.code == CONTACTS:        # what is left out of them is said below
            continue
        yield Message("not-evaluated", "info", opinion.code, opinion.path, opinion.property,
                      f"PhysX reads it, this library does not: {opinion.reason}")
    yield from _not_simulated(description)


def _not_simulated(description: Description) -> Iterator[Message]:
    def left(code: str, path: str, text: str) -> Message:
        return Message("not-simulated", "warning", f"session/{code}", path, "", f"not simulated: {text}")

    refused = stage_refusal(description)
    if refused:
        yield left("refused", "/", f"{refused}; everything stands still")
        return
    moved = scene_model(description, [body for body in description.bodies if not body.kinematic])
    for joint in description.joints:
        if not any(moved.ends(joint)):
            yield left("free-joint", joint.path, f"a {joint.kind} joint outside articulations; it holds nothing that "
                       "moves")
    touching = Touching(description, moved)
    found = {(item.path, item.code, item.property): item for item in left_out(description, moved, touching)}
    for item in found.values():
        if item.code in ("contact", "sleep", "trigger"):        # loops and what is not read are said above
            yield Message("not-simulated", "warning", f"session/{item.code}", item.path, item.property,
                          f"not simulated: {item.text}")
    if not moved.actors:
        yield left("nothing", "/", "the stage has no articulation and no free body; nothing moves")
