import pytest
from distributed import LocalCluster

from waranalysis.errors import WarAnalysisError
from waranalysis.order import enumerate_orders
from waranalysis.rules import load


@pytest.mark.parametrize("detail", ["loops", "battles"])
def test_a_cluster_gives_the_same_answer(detail):
    rules = load("distinct")
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    ) as cluster:
        counts = enumerate_orders(10, rules, detail=detail, dask=cluster.scheduler_address)
    assert counts == enumerate_orders(10, rules, detail=detail)


def test_no_cluster():
    with pytest.raises(WarAnalysisError, match="'nowhere'"):
        enumerate_orders(5, load("distinct"), dask="nowhere")
