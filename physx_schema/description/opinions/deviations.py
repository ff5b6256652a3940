"""Where PhysX works with another value than its schema's default: the whole list, each with how that was found."""

from __future__ import annotations

from collections.abc import Mapping

SLEEP_ENERGY = 0.005        # m^2 / s^2, kinetic energy per mass

DEVIATIONS: Mapping[tuple[str, str], str] = {       # schema and base name
    ("PhysxRigidBodyAPI", "sleepThreshold"):
        "0.005 m^2 / s^2 in any unit of length, the class applied or not; measured, see docs/physx_semantics.md",
}


def default_sleep_threshold(meters_per_unit: float) -> float:
    """Below which PhysX lets things sleep where nothing is authored, in stage lengths squared per second squared.

    Of a body outside articulations; of an articulation without PhysxArticulationAPI, whose default counts otherwise.
    """
    return SLEEP_ENERGY / meters_per_unit**2
