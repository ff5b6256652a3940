"""The rules of the family behaviour/...: a file for drives, one for starts, one for whole motions, and their finder."""

import physx_schema.checking  # noqa: F401    first: its catalogue reads these files while it is made
