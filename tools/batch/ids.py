"""Positions in chosen forms, for rows of `gammond batch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_batch import ParsedPositions
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.tools.batch.evaluation import Columns

_ENCODERS: dict[str, Callable[[Position, MatchState], str]] = {
    **{name: form.encode for name, form in FORMATS.items()},
    "gnubgid": lambda position, match: encode_position_id(position),
    "matchid": lambda position, match: encode_match_id(match),
}

ID_FORMS = tuple(_ENCODERS)
"""The forms, each the name of its column."""


def list_ids(found: ParsedPositions, forms: Sequence[str]) -> Columns:
    """List positions, with score, cube and dice, in some forms.

    Args:
        found: The positions, all of them good.
        forms: Some of `ID_FORMS`.
    """
    if not forms:
        return {}
    columns: Columns = {form: [] for form in forms}
    for place, (board, which) in enumerate(zip(found.boards, found.match_indices.tolist(), strict=True)):
        position = Position.from_valid_board(board)
        match = _add_roll(found.matches[which], found.rolls.get(place))
        for form in forms:
            columns[form].append(_ENCODERS[form](position, match))
    return columns


@lru_cache(maxsize=4096)
def _add_roll(match: MatchState, roll: Roll | None) -> MatchState:
    return replace(match, roll=roll)
