"""The rules of the family behaviour/...: drives, starts, whole motions, and their finder."""

import physx_schema.checking  # noqa: F401    first: its catalogue reads these files while it is made
