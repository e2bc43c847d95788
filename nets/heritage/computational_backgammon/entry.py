"""The player of document 2."""

from __future__ import annotations

from gammond.nets.player_specs import KindSpec


def _load_classic() -> type[KindSpec]:
    from gammond.nets.heritage.computational_backgammon.net import ClassicSpec

    return ClassicSpec


KINDS = {"classic": _load_classic}
