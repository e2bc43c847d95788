"""The position in IDs."""

from __future__ import annotations

from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.ogid import encode_ogid
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.state.session import Session


def show_ids(session: Session) -> list[str]:
    """Return the position as other programs read it.

    Raises:
        StateError: There is no position.
    """
    ids = list_ids(session.require_position(), session.game.match)
    lines = [f"GNUbg ID: {ids['gnubgid']}:{ids['matchid']}"]
    lines += [ids["xgid"]] if "xgid" in ids else []
    lines += [f"OGID={ids['ogid']}"] if "ogid" in ids else []
    return [PreformattedLine(line) for line in lines]


def list_ids(position: Position, match: MatchState) -> dict[str, str]:
    """Return the IDs of a position by their names on the wire; XGID and OGID cannot have every offer."""
    ids = {"gnubgid": encode_position_id(position), "matchid": encode_match_id(match)}
    if not match.resigned:
        ids["xgid"] = encode_xgid(position, match)
        if not match.beavered:
            ids["ogid"] = encode_ogid(position, match)
    return ids
