"""The players of document 5."""

from __future__ import annotations

from functools import partial

from gammond.nets.player_specs import KindSpec


def _load(name: str) -> type[KindSpec]:
    from gammond.nets.heritage.astros.players import KINDS

    return KINDS[name]


KINDS = {name: partial(_load, name) for name in ("bev", "easy", "hard", "medium", "merit", "star")}
