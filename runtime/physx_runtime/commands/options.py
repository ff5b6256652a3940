"""Options that the commands share: times in seconds, and the engines that experiments run in."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

DEFAULT_DT = 1 / 60

if TYPE_CHECKING:
    FloatType = click.ParamType[float]
else:
    FloatType = click.ParamType     # which takes no type in older releases of click


class Seconds(FloatType):
    """A positive, finite time, also as a fraction such as 1/60."""

    name = "seconds"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time in seconds."""
        try:
            over, _, under = str(value).partition("/")
            seconds = float(over) / float(under or 1.0)
        except (ValueError, ZeroDivisionError):
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds > 0.0):
            self.fail(f"{value!r} is not a positive time; write seconds such as 0.01 or 1/60", param, ctx)
        return seconds


engine_option = click.option(
    "--engine", type=click.Choice(("builtin", "physx")), default="builtin", show_default=True,
    help="With physx, also repeat the experiments on articulations in real PhysX. This requires ovphysx, in this "
         "Python or in the Python that the environment variable OVPHYSX_PYTHON names.")


def engines_of(engine: str) -> tuple[str, ...]:
    return ("builtin",) if engine == "builtin" else ("builtin", engine)
