"""A stand-in for urdf-usd-converter, which brings usd-exchange and cannot be installed beside usd-core."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

MODULE = """
import sys
from pathlib import Path
if "mismatched" in Path(sys.argv[-2]).read_text():
    sys.exit("Warning: in run at line 9 of cli.py -- Conversion failed: mismatched tag")
print({message!r})
Path(sys.argv[-1], "arm.usda").write_text({stage!r})
"""


@contextlib.contextmanager
def stand_in(folder: Path, stage: str, version: str, message: str = "") -> Iterator[None]:
    """In the block a converter makes this stage of every URDF; its module is written below a folder."""
    site = folder / "site"
    site.mkdir()
    (site / "urdf_usd_converter.py").write_text(MODULE.format(stage=stage, message=message), encoding="utf-8")
    info = site / f"urdf_usd_converter-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: urdf-usd-converter\nVersion: {version}\n",
                                   encoding="utf-8")
    before = os.environ.get("PYTHONPATH")
    sys.path.insert(0, str(site))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(site), *([before] if before else [])])
    invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
