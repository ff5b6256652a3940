"""What a report plots of contacts: for every two bodies that press on each other, how hard over time."""

from __future__ import annotations

import numpy as np

from physx_runtime.simulation.contact_pairs import touching_pairs
from physx_runtime.simulation.recording import Recording
from physx_runtime.viewing.plots import Chart
from physx_runtime.viewing.text import numeral


def contact_charts(recording: Recording, world: int, force: str) -> list[Chart]:
    """Pressure and friction between every two bodies, by their paths; `force` names the stage's unit."""
    records = [{(pair.first, pair.second): pair for pair in touching_pairs(found, world)}
               for found in recording.contacts]
    charts = []
    for i, pair in enumerate(sorted(set[tuple[str, str]]().union(*records))):
        pressure, friction = (np.array([getattr(known[pair], name) if pair in known else 0.0 for known in records])
                              for name in ("pressure", "friction"))
        note = f"at most {numeral(float(pressure.max()))} {force}; dotted: friction"
        charts.append(Chart(f"c{i}", f"{pair[0]} and {pair[1]}", note, force, pressure, friction))
    return charts
