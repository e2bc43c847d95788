"""What GNU Backgammon adds to other commands: a player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gammond.tools.common.wings import Wing

if TYPE_CHECKING:
    from gammond.nets.player_specs import KindSpec


def _load_kind() -> type[KindSpec]:
    from gammond.tools.gnubg.nets import GnubgSpec

    return GnubgSpec


WING = Wing(sources={"gnubg": _load_kind})
