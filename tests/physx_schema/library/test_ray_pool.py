"""Results from a Ray cluster: those of worker processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from physx_runtime import Spread, Variation, fleet
from physx_runtime.fleet import fleet as module
from support.fleet_functions import angle, tilt
from support.library import call, comparable, make_library
from support.pool_tasks import act
from support.stages.cart_pole import cart_pole

from physx_schema.errors import UnsupportedError
from physx_schema.library import ray_pool
from physx_schema.library.dataset import Dataset
from physx_schema.library.outcomes import Limits, Lost
from physx_schema.library.ray_pool import ray_results_of


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """The address of a cluster of two nodes on this machine."""
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    yield made.address
    ray.shutdown()
    made.shutdown()


def test_ray_is_not_imported_unless_it_is_asked_for(tmp_path: Path) -> None:
    path, = make_library(tmp_path, 1)
    code = ("import sys\nfrom physx_schema.command_line.program import program\n"
            "if __name__ == '__main__':\n"
            f"    program()(['check', {str(path)!r}, '--jobs', '1'], standalone_mode=False)\n"
            "    import physx_runtime.fleet\n"
            "    assert 'ray' not in sys.modules\n")
    script = tmp_path / "script.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, str(script)], env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_jobs_and_ray_exclude_each_other(tmp_path: Path) -> None:
    assert "give one of both" in call("check", tmp_path, "--jobs", "2", "--ray", "auto").stderr


@pytest.mark.sweep
def test_every_item_has_its_result_and_a_crash_costs_its_own_item(cluster: str) -> None:
    items = ["a", "crash", "hang", *map(str, range(40))]
    results = dict(ray_results_of(act, items, cluster, Limits(5.0)))
    assert results[1] == Lost("crashed", "ended its process with SIGSEGV")
    assert results[2] == Lost("timeout", "took longer than 5 s")
    assert [results[i] for i in (0, *range(3, 43))] == ["A", *map(str, range(40))]


@pytest.mark.sweep
def test_checks_have_the_results_of_worker_processes(cluster: str, tmp_path: Path) -> None:
    make_library(tmp_path / "assets", 20)
    local = call("check", tmp_path / "assets", "--jobs", "2", "--results", tmp_path / "local")
    remote = call("check", tmp_path / "assets", "--ray", cluster, "--results", tmp_path / "remote")
    assert (remote.exit_code, remote.stdout) == (local.exit_code, local.stdout)
    assert comparable(Dataset(tmp_path / "remote")) == comparable(Dataset(tmp_path / "local"))


@pytest.mark.sweep
def test_worlds_have_the_bits_of_worker_processes(cluster: str, tmp_path: Path,
                                                  monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WORLDS_PER_SHARD", 64)
    stage, path = cart_pole(), tmp_path / "cart_pole.usda"
    stage.GetRootLayer().Export(str(path))
    options: dict[str, Any] = {"worlds": 300, "steps": 30, "measure": angle, "start": tilt}
    variation = Variation(1, {"mass": Spread(0.8, 1.2, True)}, seed=7)
    remote = fleet.run(path, variation, ray=cluster, **options)
    assert remote.statistics == fleet.run(path, variation, workers=0, **options).statistics


@pytest.mark.sweep
def test_a_node_with_other_files_is_refused(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ray_pool, "source_hash", lambda: "another")
    with pytest.raises(UnsupportedError, match=r"a node of the cluster has other files of physx-schema \(version"):
        list(ray_results_of(act, ["a"], cluster))


@pytest.mark.parametrize("address", ("127.0.0.1:1", "127.0.0.1:99999", "nonsense"))
def test_a_cluster_that_is_not_there_is_named_in_a_line(address: str) -> None:
    code = ("from physx_schema.library.ray_pool import ray_results_of\nfrom support.pool_tasks import act\n"
            "from physx_schema.errors import UnsupportedError\n"
            f"try:\n    list(ray_results_of(act, ['a'], {address!r}))\n"
            "except UnsupportedError as error:\n    print(error)\n")
    pytest.importorskip("ray")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.stdout.startswith(f"no Ray cluster at {address}: ") and done.stdout.count("\n") == 1
