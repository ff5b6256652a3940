"""Whose contacts PhysX reports."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.description.model import ContactReport
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading

_REPORT = "PhysxContactReportAPI"
# What counts as unauthored; that is 1 m in the stage's units (tests/runtime/simulation/test_contact_events.py).
_AS_UNAUTHORED = 1.0


def read_contact_reports(reading: Reading) -> tuple[ContactReport, ...]:
    """The prims with PhysxContactReportAPI that PhysX heeds: not a collider of a body, which only makes a sensor."""
    return tuple(report for opinions in reading.having(_REPORT) for report in _report(reading, opinions))


def _report(reading: Reading, opinions: PrimOpinions) -> Iterator[ContactReport]:
    if not _is_actor(reading, opinions.path) and not opinions.has("PhysicsArticulationRootAPI"):
        body = reading.body_of(opinions.path)
        if body and reading.prims[body].has(_REPORT):
            opinions.mark(_REPORT)      # what its body reports can be asked for by collider
        return
    view = opinions.view(_REPORT)
    threshold = view.number("threshold")
    if threshold == _AS_UNAUTHORED:
        threshold /= reading.meters_per_unit
        if view.authored("threshold") and threshold != _AS_UNAUTHORED:
            reading.problem(
                "report/threshold", opinions.path, view.name("threshold"), "a threshold of exactly 1",
                f"PhysX takes it for unauthored and reports from {threshold:g} on", "author 1.01, or what is wanted",
                "warning",
            )
    targets = view.targets("reportPairs")
    for target in targets:
        if not _is_actor(reading, target):
            reading.problem(
                "report/partner", opinions.path, view.name("reportPairs"),
                f"{target} is no body, link or static collider", "PhysX reports no contacts with it",
                "name a body, a static collider, or each link of an articulation",
            )
    yield ContactReport(opinions.path, threshold, targets if view.authored("reportPairs") else None)


def _is_actor(reading: Reading, path: str) -> bool:
    """Whether there is a body, a link or a static collider at a path."""
    found = reading.prims.get(path)
    return found is not None and (found.has("PhysicsRigidBodyAPI") or (
        found.has("PhysicsCollisionAPI") and not reading.body_of(path)))
