import pytest
from distributed import LocalCluster

from waranalysis.errors import LimitError, WarAnalysisError
from waranalysis.order import cluster as order_cluster
from waranalysis.order import enumerate_orders
from waranalysis.rules import load


@pytest.mark.parametrize("detail", ["loops", "battles"])
def test_a_cluster_gives_the_same_answer(detail):
    rules = load("distinct")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        counts = enumerate_orders(10, rules, detail=detail, dask=cluster.scheduler_address)
    assert counts == enumerate_orders(10, rules, detail=detail)


def test_little_memory_on_a_cluster(monkeypatch):
    rules = load("distinct")
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
    ) as cluster:
        # Half of it is full again and again.
        monkeypatch.setattr(order_cluster, "_memory", lambda: 6_000_000)
        counts = enumerate_orders(12, rules, dask=cluster.scheduler_address)
        assert counts == enumerate_orders(12, rules)
        monkeypatch.setattr(order_cluster, "_memory", lambda: 5_000_000)
        with pytest.raises(LimitError, match="too little for 13 cards at layer"):
            enumerate_orders(13, rules, dask=cluster.scheduler_address)


def test_no_cluster():
    with pytest.raises(WarAnalysisError, match="'nowhere'"):
        enumerate_orders(5, load("distinct"), dask="nowhere")
