"""The position in figures and IDs."""

from __future__ import annotations

from engine.formats.match_id import encode_match_id
from engine.formats.ogid import encode_ogid
from engine.formats.position_id import encode_position_id
from engine.formats.xgid import encode_xgid
from protocol.repl.replies import PreformattedLine
from protocol.repl.sentences import SeatNames, describe_pips
from protocol.state.session import Session


def show_pips(session: Session, names: SeatNames) -> list[str]:
    """Return the pip counts, and who leads.

    Raises:
        StateError: There is no position.
    """
    return [describe_pips(session.require_position(), session.game.match.on_roll, names)]


def show_ids(session: Session) -> list[str]:
    """Return the position as other programs read it.

    Raises:
        StateError: There is no position.
    """
    position, match = session.require_position(), session.game.match
    lines = [f"GNUbg ID: {encode_position_id(position)}:{encode_match_id(match)}"]
    if not (match.resigned or match.beavered):
        lines += [encode_xgid(position, match), f"OGID={encode_ogid(position, match)}"]
    return [PreformattedLine(line) for line in lines]
