"""The names by which USD, its own generator and other programs find the files of a schema."""

from __future__ import annotations

USDA = "schema.usda"                        # the definitions
GENERATED = "generatedSchema.usda"          # what USD reads of them
PLUGIN = "plugInfo.json"                    # what makes a folder a plugin
ATTRIBUTES = "attributes.json"              # types of attributes, for programs without USD
DOCUMENTATION = "documentation.json"        # prose of classes and properties, and the methods that get them
