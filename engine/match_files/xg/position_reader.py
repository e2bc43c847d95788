"""Read ``.xgp`` files of eXtreme Gammon: one position, with its analysis."""

from __future__ import annotations

from engine.errors import FormatError, UnsupportedError
from engine.match_files.model import MATCH_ADVICE, ActionNotes, RecordedCandidate, RecordedPosition
from engine.match_files.variants import find_variant
from engine.match_files.xg.comments import XgComments
from engine.match_files.xg.container import unpack_container
from engine.match_files.xg.decoding import decode_record, split_records
from engine.match_files.xg.evaluations import (
    make_cube_decision,
    make_evaluation,
    name_variation,
    split_cube,
    view_from,
)
from engine.match_files.xg.records import XgCube, XgGameHeader, XgMatchHeader, XgPlay
from engine.rules.match import MatchState
from engine.rules.moves import generate_plays
from engine.rules.position import Position
from engine.rules.rules import VARIANTS
from engine.wording import escape_unprintable

_MAX_RECORDS = 8
"""Records that a file with one position has at most: headers, cube, play, footers."""


def parse_xgp(data: bytes) -> RecordedPosition:
    """Parse a file with one position, which is in the same records as a match.

    Args:
        data: The file.

    Raises:
        FormatError: It is no file of eXtreme Gammon, is damaged, or holds a match.
        UnsupportedError: It is of an unknown variant.
        GammondError: The position or the score is impossible.
    """
    container = unpack_container(data)
    if container.faults:
        raise FormatError("; ".join(container.faults), field="xgp")
    raw = list(split_records(container.records))
    if len(raw) > _MAX_RECORDS:
        raise FormatError(
            f"expected a file with one position, got a match in {len(raw)} records: {MATCH_ADVICE}",
            field="xgp",
        )
    records = [decode_record(record) for record in raw]
    header = next((record for record in records if isinstance(record, XgMatchHeader)), None)
    game = next((record for record in records if isinstance(record, XgGameHeader)), None)
    cube = next((record for record in records if isinstance(record, XgCube)), None)
    play = next((record for record in records if isinstance(record, XgPlay)), None)
    turn = play or cube
    if header is None or game is None or turn is None:
        raise FormatError("expected headers and a position in the records, got none", field="xgp")
    comments = XgComments(container.comments)
    cube_value, cube_owner = split_cube(turn.cube)
    match = MatchState(
        length=header.length,
        score=game.score,
        crawford=game.crawford,
        cube=cube_value,
        cube_owner=cube_owner,
        on_roll=turn.seat,
        jacoby=header.jacoby and not header.length,
        beavers=header.beavers or header.length > 0,
    )
    rules, issue = find_variant(name_variation(header))
    if issue or rules is None:
        raise UnsupportedError(
            f"expected a position of {', '.join(VARIANTS)}, got {name_variation(header)}", field="xgp"
        )
    checkers = rules.variant.checkers
    position = Position(view_from(turn.board, turn.seat, checkers), checkers)
    if play is not None:
        match = match.with_roll(play.dice)
    notes = ActionNotes(
        comment="\n".join(comments.get(record.comment) for record in (cube, play) if record).strip(),
        candidates=_list_candidates(position, play) if play is not None else (),
        cube=make_cube_decision(cube.evaluation) if cube is not None else None,
    )
    first, second = (escape_unprintable(name) for name in header.names)
    return RecordedPosition(position, match, (first, second), notes, "xgp")


def _list_candidates(position: Position, record: XgPlay) -> tuple[RecordedCandidate, ...]:
    plays = generate_plays(position, record.dice)
    results = [view_from(each.result, 1, position.checkers) for each in record.candidates]
    rows = zip(results, record.candidates, strict=True)
    found = [(plays.find(result), candidate.evaluation) for result, candidate in rows]
    return tuple(
        RecordedCandidate(play, make_evaluation(evaluation, evaluation.equity))
        for play, evaluation in found
        if play is not None
    )
