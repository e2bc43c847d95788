"""The player of document 3."""

from __future__ import annotations

from gammond.nets.player_specs import KindSpec


def _load_heuristic() -> type[KindSpec]:
    from gammond.nets.heritage.heuristic_engine.heuristic import HeuristicSpec

    return HeuristicSpec


KINDS = {"heuristic": _load_heuristic}
