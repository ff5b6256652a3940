"""Impulses that constraints have given since the step began."""

from __future__ import annotations

from physx_runtime.model.topology import Topology

JOINT_IMPULSE_TOTALS = ("drive_total", "friction_total", "lower_total", "upper_total")


def impulse_total_rows(t: Topology) -> dict[str, int]:
    """Rows of the totals with their sizes; the springs of a PGS tendon count theirs too."""
    rows = dict.fromkeys(JOINT_IMPULSE_TOTALS, len(t.dofs))
    if t.pgs:
        sizes = [(f"spatial_tendon{i}", 1) for i in range(len(t.spatial_tendons))]
        sizes += [(f"fixed_tendon{i}", len(tendon.dofs)) for i, tendon in enumerate(t.fixed_tendons)]
        rows |= {f"{name}_{part}total": size for name, size in sizes for part in ("", "limit_")}
    return rows
