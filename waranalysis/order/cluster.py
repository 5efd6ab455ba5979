"""The frontier on a Dask cluster: one part of the buckets a task, layer by layer.

Each part's rows stay with the workers, as one store a part. A layer is three steps: expand
(every part, on its own), slice (what each part found for each other part), and absorb (each part
adds its slices to its store). Only tallies come back to the client, so its memory does not
matter, and Dask moves and spills the rest.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from waranalysis.errors import MissingError, WarAnalysisError, quoted
from waranalysis.order.frontier import Frontier
from waranalysis.order.plan import MEMORY, Plan, Progress, Tallies

if TYPE_CHECKING:
    from distributed import Client

Rows = NDArray[np.uint64]
# Rows by layer and bucket, in as many pieces as they came in.
Store = dict[int, dict[int, list[Rows]]]

_PARTS_A_WORKER = 2
_local = threading.local()


def run_on_cluster(plan: Plan, address: str, progress: Progress | None = None) -> Tallies:
    """Enumerate on the cluster whose scheduler is at `address`.

    Parameters
    ----------
    plan : Plan
    address : str
        Such as ``tcp://host:8786``.
    progress : callable, optional
        Called with (layers done, layers, nodes done).

    Raises
    ------
    MissingError
        If Dask is not installed.
    WarAnalysisError
        If there is no cluster at the address.
    """
    try:
        from distributed import Client
    except ImportError:
        raise MissingError(
            "Dask is not installed: expected the extra 'distributed' (pip install "
            "'waranalysis[distributed]')"
        ) from None
    try:
        client = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise WarAnalysisError(f"no Dask scheduler at {quoted(address)}: {error}") from None
    with client:
        return _layers(plan, client, progress)


def _layers(plan: Plan, client: Client, progress: Progress | None) -> Tallies:
    parts = min(plan.buckets, _PARTS_A_WORKER * max(1, len(client.scheduler_info()["workers"])))
    stores = [client.submit(_first_store, plan, part, parts) for part in range(parts)]
    tallies = Tallies()
    for layer in range(plan.layers):
        found = [client.submit(_expand, plan, layer, store, parts) for store in stores]
        for part in [client.submit(_item, one, parts) for one in found]:
            tallies.add(part.result())
        stores = [
            client.submit(_absorb, layer, store, *(client.submit(_item, f, part) for f in found))
            for part, store in enumerate(stores)
        ]
        if progress:
            progress(layer + 1, plan.layers, tallies.nodes)
    return tallies


def _item(found: list[Any], index: int) -> Any:
    return found[index]


def _first_store(plan: Plan, part: int, parts: int) -> Store:
    """The one node of layer 0, in bucket 0."""
    if part:
        return {}
    frontier = Frontier(plan, memory=_memory())
    return {0: {0: [frontier.take_rows(0, 0)]}}


def _expand(plan: Plan, layer: int, store: Store, parts: int) -> list[Any]:
    """What a part's nodes of a layer lead to: a store for each part, and the tallies."""
    frontier = _own_frontier(plan)
    frontier.layer = layer
    frontier.tallies = Tallies()
    found: list[Any] = [{} for _ in range(parts)]
    for bucket, pieces in store.get(layer, {}).items():
        frontier.expand_rows(bucket, np.concatenate(pieces))
        if frontier.half_full:
            _empty(frontier, found)
    _empty(frontier, found)
    frontier.collect()
    _local.frontier = frontier
    return [*found, frontier.tallies]


def _empty(frontier: Frontier, found: list[Store]) -> None:
    """Move all rows to the stores of the parts that they are for."""
    for later, bucket in frontier.filled_lists():
        store = found[bucket % len(found)].setdefault(later, {})
        store.setdefault(bucket, []).append(frontier.take_rows(later, bucket))


def _memory() -> int:
    """Bytes for the frontier of a thread: half of its share of what the worker may take."""
    from distributed import get_worker

    worker = get_worker()
    limit = worker.memory_manager.memory_limit
    return limit // (2 * worker.state.nthreads) if limit else MEMORY


def _own_frontier(plan: Plan) -> Frontier:
    """The empty frontier of this thread; a task that went well gives it back."""
    frontier: Frontier | None = _local.__dict__.pop("frontier", None)
    if frontier is None or frontier.plan != plan:
        frontier = Frontier(plan, memory=_memory())
        frontier.take_rows(0, 0)
    return frontier


def _absorb(layer: int, store: Store, *slices: Store) -> Store:
    """A store without a layer that is done, and with what was found for it."""
    kept = {later: dict(buckets) for later, buckets in store.items() if later != layer}
    for piece in slices:
        for later, buckets in piece.items():
            mine = kept.setdefault(later, {})
            for bucket, rows in buckets.items():
                mine[bucket] = mine.get(bucket, []) + rows
    return kept
