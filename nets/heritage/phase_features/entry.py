"""The players of document 4."""

from __future__ import annotations

from gammond.nets.player_specs import KindSpec


def _load_phase_heuristic() -> type[KindSpec]:
    from gammond.nets.heritage.phase_features.players import PhaseHeuristicSpec

    return PhaseHeuristicSpec


def _load_phase_net() -> type[KindSpec]:
    from gammond.nets.heritage.phase_features.players import PhaseNetSpec

    return PhaseNetSpec


KINDS = {"phase-heuristic": _load_phase_heuristic, "phase-net": _load_phase_net}
