"""GNU Backgammon's cubeful values of cube decisions, by the Python inside its program."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.errors import UnsupportedError
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.tools.gnubg import require_gnubg
from gammond.tools.gnubg.console import ask_gnubg_python

_SCRIPT = Path(__file__).with_name("cube_script.py")
_TIMEOUT_S = 1800.0

GnubgCubeAnswer = tuple[float, float, str]
"""Equities of no double and double/take in points at the present cube, for the side on roll; its verdict."""


def ask_cube_values(decisions: Sequence[tuple[Position, MatchState]], plies: int) -> list[GnubgCubeAnswer]:
    """Let gnubg evaluate cube decisions with the shipped match equity table, without beavers.

    Args:
        decisions: Positions of the side on roll, seat 0, with their match states.
        plies: Its look-ahead.

    Raises:
        UnsupportedError: gnubg is not installed, or has no Python inside.
        LimitError: It took longer than half an hour.
    """
    program = require_gnubg()
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "table.xml"
        write_match_equities(table)
        questions = {
            "table": str(table),
            "plies": plies,
            "decisions": [_describe(*each) for each in decisions],
        }
        answers = ask_gnubg_python(program, _SCRIPT, questions, _TIMEOUT_S)
    if answers is None:
        raise UnsupportedError("gnubg gave no values: it needs Python inside", field="gnubg")
    return [(held, taken, verdict) for held, taken, verdict in answers]


def write_match_equities(path: Path) -> None:
    """Write the shipped match equity table as gnubg reads tables."""
    table = load_default_table()
    before, after = (
        "".join(f"<row>{''.join(f'<me>{chance}</me>' for chance in row)}</row>" for row in rows.tolist())
        for rows in (table.pre_crawford, table.post_crawford[None])
    )
    path.write_text(
        '<?xml version="1.0"?><!DOCTYPE met SYSTEM "met.dtd">'
        f"<met><info><name>{table.name}</name><length>{table.max_away}</length></info>"
        f'<pre-crawford-table type="explicit">{before}</pre-crawford-table>'
        f'<post-crawford-table type="explicit" player="both">{after}</post-crawford-table></met>'
    )


def _describe(position: Position, match: MatchState) -> dict[str, object]:
    return {
        "position_id": encode_position_id(position),
        "cube": match.cube,
        "owner": -1 if match.cube_owner is None else match.cube_owner,
        "length": match.length,
        "score": match.score,
        "crawford": int(match.crawford),
        "jacoby": int(match.jacoby),
    }
