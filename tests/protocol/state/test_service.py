"""What all clients share: loading an engine keeps nobody waiting who needs none."""

from __future__ import annotations

import threading

from gammond.engine.analysis.engine import Engine
from gammond.protocol.state.service import EngineCatalogue, Service
from tests.support.evaluators import RacingEvaluator


def test_what_clients_share_is_there_while_an_engine_is_loaded():
    begun, may_end = threading.Event(), threading.Event()

    def load(name):
        begun.set()
        assert may_end.wait(60)
        return Engine(RacingEvaluator())

    service = Service(EngineCatalogue("default", lambda: ["racing"], load, lambda: []))
    loading = threading.Thread(target=service.get_engine, args=("racing",))
    loading.start()
    try:
        assert begun.wait(60)
        shared = []
        asking = threading.Thread(
            target=lambda: shared.extend(
                (service.share(lambda _: "made"), service.list_shared(), service.list_engines())
            )
        )
        asking.start()
        asking.join(60)
        assert shared == ["made", ["made"], []]
    finally:
        may_end.set()
        loading.join(60)
    assert len(service.list_engines()) == 1
