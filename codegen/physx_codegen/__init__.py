"""Generate the typed API, tokens and USD plugin from schema definitions: YAML files, or anyone's schema.usda.

The steps of `generate`, in order:

1. Find: :mod:`.definitions` says where definitions lie and in which of three forms.
2. Read, each form into the frozen classes of :mod:`.model`. YAML: :mod:`.load_yaml`, by :mod:`.yaml_source` (text to
   values with lines) and the keys of :mod:`.fields`. A schema.usda: :mod:`.load_usda`, by :mod:`.usda_outline` (lines
   and types) and :mod:`.usda_reader` (classes); it reads a plugin without either form too.
   Values and their intervals: :mod:`.value_types`.
3. Check what a single entry cannot show: :mod:`.validate`, with :mod:`.installed_schemas`.
4. Render ``{relative path: text}``: :mod:`.generate` puts together what :mod:`.render` makes of :mod:`.classes` and
   :mod:`.docstrings`, of :mod:`.usda` (generatedSchema.usda), :mod:`.plug_info`, :mod:`.attribute_types`,
   :mod:`.documentation` and :mod:`.write_usda` (schema.usda); :mod:`.pages` makes the reference pages,
   :mod:`.language` what describes the language. Names come from :mod:`.naming`, parents from :mod:`.scope` and
   :mod:`.inherited`.
5. Prove, before anything is written: :mod:`.proof` has :mod:`.rehearsal` use the package in a process of its own.
6. Compare or write: :mod:`.emit`, by :mod:`.commit`. :mod:`.generate_command` is the command.

:mod:`.convert_command` leads from schema.usda to YAML and back, by :mod:`.write_yaml` and :mod:`.write_usda`.
:mod:`.diff` compares two schemas that :mod:`.definitions` reads; its command is :mod:`.diff_command`. `support` and
`templates` are what generated packages are made of.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Library

__all__ = ["load"]


def load(path: str | os.PathLike[str]) -> list[Library]:
    """The libraries of a schema.usda, a folder of YAML files, or a folder with one sub-folder of either per library.

    Raises SchemaError with every problem of every file.
    """
    from .definitions import library_paths, load_all  # here, so that importing the package loads no parser

    return load_all(library_paths(Path(path)))
