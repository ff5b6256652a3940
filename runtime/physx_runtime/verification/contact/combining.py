"""Why two materials come to another number than one of them authors, and what to author instead."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.packing.surfaces import later_mode
from physx_runtime.verification.contact.meetings import Meeting


@dataclass(frozen=True, slots=True)
class Combining:
    """One number of two materials that meet, and how PhysX combines them."""

    meeting: Meeting
    name: str                   # "static friction"
    own: float
    other: float
    mode: str
    largest: float              # that PhysX takes of one material

    def reason(self) -> str:
        """How both come together and what to author; empty where they are alike."""
        if self.own == self.other and self.mode != "multiply":
            return ""
        how = {"average": "averages", "min": "takes the lesser of", "max": "takes the larger of",
               "multiply": "multiplies"}[self.mode]
        return (f"PhysX {how} it and the {self.other:g} of {self.meeting.other_name} "
                f"({self.meeting.collider} on {self.meeting.partner}); {self._advice()}")

    def _advice(self) -> str:
        """What gives the authored number on this partner."""
        wanted: float | None = None
        if self.mode == "average":
            wanted = 2.0 * self.own - self.other
        elif self.mode == "multiply" and self.other > 0.0:
            wanted = self.own / self.other
        there = {"min": "no less than ", "max": "no more than "}.get(self.mode, "")
        there = f"{there}{1.0 if self.mode == 'multiply' else self.own:g} for {self.meeting.other_name}"
        if wanted is None or not 0.0 <= wanted <= self.largest:
            return f"author {there} to get {self.own:g}"
        return f"author {wanted:g} here, or {there}, to get {self.own:g}"


def friction_of(meeting: Meeting, *, static: bool) -> Combining:
    """The static or the dynamic friction of two materials."""
    a, b = meeting.own, meeting.other
    own, other = (a.static_friction, b.static_friction) if static else (a.dynamic_friction, b.dynamic_friction)
    return Combining(meeting, f"{'static' if static else 'dynamic'} friction", own, other,
                     later_mode(a.friction_combine, b.friction_combine), float("inf"))


def restitution_of(meeting: Meeting) -> Combining:
    """The restitution of two materials."""
    a, b = meeting.own, meeting.other
    return Combining(meeting, "restitution", a.restitution, b.restitution,
                     later_mode(a.restitution_combine, b.restitution_combine), 1.0)
