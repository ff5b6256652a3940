"""Whose contacts PhysX reports."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.description.model import ContactReport
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading

_REPORT = "PhysxContactReportAPI"
_OBJECTS = ("PhysicsRigidBodyAPI", "PhysicsArticulationRootAPI")
# What counts as unauthored; that is 1 m in the stage's units (tests/runtime/simulation/test_contact_events.py).
_AS_UNAUTHORED = 1.0


def read_contact_reports(reading: Reading) -> tuple[ContactReport, ...]:
    """The prims with PhysxContactReportAPI that PhysX heeds: not a collider of a body, which only makes a sensor."""
    return tuple(report for opinions in reading.having(_REPORT) for report in _report(reading, opinions))


def _report(reading: Reading, opinions: PrimOpinions) -> Iterator[ContactReport]:
    body = reading.body_of(opinions.path)
    if not any(map(opinions.has, _OBJECTS)) and (body or not opinions.has("PhysicsCollisionAPI")):
        if body and reading.prims[body].has(_REPORT):
            opinions.mark(_REPORT)      # what its body reports can be asked for by collider
        return
    view = opinions.view(_REPORT)
    threshold = view.number("threshold")
    if threshold == _AS_UNAUTHORED:
        threshold /= reading.meters_per_unit
    targets = view.targets("reportPairs")
    yield ContactReport(opinions.path, threshold, targets if view.authored("reportPairs") else None)
