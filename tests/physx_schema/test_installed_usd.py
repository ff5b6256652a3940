"""The guard before USD is imported: one line with the next step for a USD that is missing, not whole or mixed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.places import ROOT

from physx_schema import installed_usd

TRY = """
import sys
sys.path[:0] = sys.argv[1:]
try:
    import physx_schema
except ImportError as error:
    print(error)
"""


def said(*folders: Path) -> str:
    """What importing the package says where these folders are all that is installed."""
    places = [*map(str, folders), str(ROOT), str(ROOT / "generated")]
    return subprocess.run([sys.executable, "-S", "-c", TRY, *places], capture_output=True, text=True, check=True).stdout


def test_missing_usd_is_said_with_what_to_install() -> None:
    assert said() == ("USD is not installed; install usd-core with pip install 'physx-schema[usd]'; with Isaac Lab or "
                      "a robot converter, install usd-exchange instead\n")


def test_folders_that_another_distribution_left_are_said_to_be_no_usd(tmp_path: Path) -> None:
    for name in ("Usd", "Plug"):
        (tmp_path / "pxr" / name).mkdir(parents=True)
    (tmp_path / "usd_exchange-3.0.1.dist-info").mkdir()
    assert said(tmp_path) == (f"USD at {tmp_path}/pxr is incomplete (its modules are empty); "
                              "pip install --force-reinstall usd-exchange==3.0.1\n")


def test_usd_without_its_modules_is_said_to_be_not_whole(tmp_path: Path) -> None:
    (tmp_path / "pxr").mkdir()
    (line,) = said(tmp_path).splitlines()
    assert line.startswith(f"USD at {tmp_path}/pxr is incomplete (cannot import name 'Plug'")
    assert line.endswith("pip install --force-reinstall usd-core")


def test_two_distributions_that_work_are_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed_usd, "installed_distributions",
                        lambda place: {"usd-core": "26.11", "usd-exchange": "3.0.1"})
    with pytest.warns(RuntimeWarning, match="usd-core and usd-exchange overwrite each other's files"):
        installed_usd.require_usd()


def test_distributions_are_found_beside_pxr(tmp_path: Path) -> None:
    for name in ("usd_core-26.11", "usd_exchange-3.0.1", "newton_usd_schemas-0.6.0", "usd_validation_nvidia-1.22.0"):
        (tmp_path / f"{name}.dist-info").mkdir()
    assert installed_usd.installed_distributions(tmp_path / "pxr") == {"usd-core": "26.11", "usd-exchange": "3.0.1"}


@pytest.mark.parametrize(("found", "kept"), [
    ({"usd-core": "26.11", "usd-exchange": "3.0.1"}, "usd-exchange==3.0.1"),
    ({"usd-exchange": "3.0.1", "usd-core": "26.11"}, "usd-exchange==3.0.1"),
    ({"usd-core": "26.11", "usd-minimal": "1.0"}, "usd-minimal==1.0"),
])
def test_usd_core_makes_way_for_the_other_distribution(found: dict[str, str], kept: str) -> None:
    assert installed_usd.mixture(found).endswith(
        f"pip uninstall usd-core, then pip install --force-reinstall --no-deps {kept}")
