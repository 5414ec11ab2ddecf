"""Clusters that tests share."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ..conftest import NO_JAVA


@pytest.fixture
def dask_cluster() -> Iterator[Any]:
    """Run a small cluster on loopback; what a test does with Dask meanwhile must have reached it."""
    pytest.importorskip("dask.dataframe")
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with (
        distributed.LocalCluster(host="127.0.0.1", protocol="tcp", **options) as cluster,
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as stream,
    ):
        yield client
    assert stream.data, "the cluster was not asked"


@pytest.fixture(scope="session")
def spark_builder() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if NO_JAVA:
        pytest.skip(NO_JAVA)
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = sql.SparkSession.builder.master("local[1]").appName("fourfold")
        for name, value in settings.items():
            builder = builder.config(name, value)
        yield builder
        builder.getOrCreate().stop()


@pytest.fixture
def spark(spark_builder: Any) -> Any:
    """The one session of all tests; another is made where a page of the documentation has ended it."""
    return spark_builder.getOrCreate()
