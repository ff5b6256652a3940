"""The names by which USD, or USD's own generator, finds the files of a schema."""

from __future__ import annotations

USDA = "schema.usda"                        # the definitions
GENERATED = "generatedSchema.usda"          # what USD reads of them
PLUGIN = "plugInfo.json"                    # what makes a folder a plugin
