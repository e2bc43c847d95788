"""The player of document 1."""

from __future__ import annotations

from gammond.nets.player_specs import KindSpec


def _load_gengammon() -> type[KindSpec]:
    from gammond.nets.heritage.gengammon.net import GengammonSpec

    return GengammonSpec


KINDS = {"gengammon": _load_gengammon}
