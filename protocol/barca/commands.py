"""The commands of Barca on the line protocol."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gammond.engine.barca.evaluation import list_conditions
from gammond.engine.barca.game import BarcaGame
from gammond.engine.barca.player import LEVELS, PLAYER_KINDS
from gammond.engine.barca.position import BarcaPosition, parse_square
from gammond.engine.barca.search import MAX_LINES
from gammond.protocol.barca import game_commands, search_commands
from gammond.protocol.barca.game_commands import BarcaTable
from gammond.protocol.barca.settings import PLAYERS, VARIANT, BarcaSettings
from gammond.protocol.commands.command import Command
from gammond.protocol.commands.general import READY_ROW, UBGI_ROW, make_session_rows
from gammond.protocol.commands.move_game import make_move_rows
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.commands.ubgi01 import SETOPTION_ROW
from gammond.protocol.core.arguments import field_argument, integer_argument, rest_argument, word_argument
from gammond.protocol.state.readiness import Readiness
from gammond.protocol.state.session import Session
from gammond.protocol.state.settings import SETTINGS, Setting, make_settings, make_variant_setting

_SCORE = "score=N [win_in=N|loss_in=N]"
_LINE = f'play=MOVE {_SCORE} pv="MOVE ..."'
_SOURCE = "depth=N nodes=N weights=NAME [stored=true] [stopped=true]"
_INFO = "info depth N nodes N time_ms T multipv 1 score N [win_in N|loss_in N] pv MOVE ..."
_LIMITS = tuple(field_argument(field, is_named=True) for field in search_commands.LIMIT_FIELDS)


def _call_rules() -> None:
    BarcaGame.start().legal_moves()
    list_conditions(BarcaPosition.start())


_RULE_KERNELS = Readiness(_call_rules)
"""Those that handlers call."""

_NEWGAME, _POSITION, _LEGAL, _GO, _PLAY, _UNDO, _REDO = make_move_rows(
    BarcaTable,
    search_commands.plan_move,
    game='position="RANKS SIDE" turn=white|black',
    result="[[winner=white|black] result=holes|repetition|no_move]",
    position=(
        "RANKS SIDE",
        "the position, from rank 10 down, with the side to move, w or b; repetition counts from here",
    ),
    example="e2-e5 e9-e6",
)
_GAME_ROWS = (
    _NEWGAME,
    _POSITION,
    replace(
        _LEGAL,
        handler=game_commands.handle_legal,
        final_line='legal count=N [feared="SQUARE ..."]',
        arguments=(
            word_argument(
                "square",
                "SQUARE",
                "list only the moves of the animal on this square, and those squares that it fears",
                is_required=False,
                parse=parse_square,
            ),
        ),
        example=("newgame", "legal e2"),
    ),
    Command(
        "eval",
        "evaluate the position for the side to move, by the board evaluation vector or by a search",
        search_commands.handle_eval,
        "eval score=N watering_holes=N watering_holes_next_turn=N adjacency_to_watering_hole=N fear=N "
        "center_proximity=N adjacency_to_complementary_teammates=N depth=0 weights=NAME | "
        f"eval {_LINE} {_SOURCE}",
        arguments=_LIMITS,
        data_lines=(_INFO,),
        example=("newgame", "eval"),
    ),
    Command(
        "moves",
        "rank the best moves",
        search_commands.handle_moves,
        f"moves count=N shown=N {_SOURCE}",
        arguments=(
            integer_argument(
                "n",
                1,
                MAX_LINES,
                "number of moves to rank",
                default=search_commands.DEFAULT_MOVE_COUNT,
                metavar="N",
            ),
            *_LIMITS,
        ),
        data_lines=(_INFO, f"move rank=N {_LINE}"),
        example=("newgame", "moves 3 depth=2"),
    ),
    replace(
        _GO,
        arguments=(
            rest_argument(
                "limits",
                "[depth N] [movetime MS] [nodes N]",
                "limits of depth, time and positions; without any, those of engine.level",
                is_required=False,
                choices=search_commands.LIMIT_NAMES,
            ),
        ),
        data_lines=(_INFO,),
        example=("newgame", "go depth 2"),
    ),
    _PLAY,
    _UNDO,
    _REDO,
    Command(
        "board",
        "draw the board",
        game_commands.handle_board,
        "boardok",
        data_lines=("board TEXT",),
        example=("newgame", "board"),
    ),
)
_ROWS = (
    UBGI_ROW,
    READY_ROW,
    *(replace(row, needs=_RULE_KERNELS) for row in _GAME_ROWS),
    *make_session_rows(setting="engine.level easy", command="moves"),
    replace(SETOPTION_ROW, example=("setoption name engine.level value easy",)),
)

BARCA_COMMANDS: dict[str, Command] = {row.name: row for row in _ROWS}
"""The table: name to row, in the order of ``help``."""


_SETTINGS = (
    make_variant_setting(lambda session: VARIANT),
    *make_settings(BarcaSettings, lambda session: session.get_table(BarcaTable)),
    SETTINGS["engine.format"],
    SETTINGS["engine.store"],
)

BARCA_SETTINGS: dict[str, Setting] = {setting.name: setting for setting in _SETTINGS}
"""The table: name to row, in the order of ``keys``."""

READY_LINES = (
    "newgame",
    "legal",
    "eval",
    "moves 2 depth=2",
    "position startpos moves e2-e3 e9-e8 e3-e2 e8-e9",  # a search looks for positions that came up twice
    "go depth 2",
    "board",
)
"""Requests that need every part of Barca once."""

CONVENTIONS = {
    "view": "numbers are for the side to move",
    "score": "units of the board evaluation vector; a win has win_in, a loss loss_in, counted in own moves",
    "depth": "plies, the move itself among them; 0 is the board evaluation vector alone",
    "moves": "the square that is left and the square gone to, a1 to j10",
}


def _describe(session: Session) -> Callable[[], dict[str, object]]:
    """Capture the settings of a session, and return what makes the keys of the description."""
    settings = session.get_table(BarcaTable).settings
    return lambda: {
        "game": VARIANT,
        "level": settings.level,
        "weights": settings.weights,
        "players": [each.describe() for each in PLAYERS],
        "levels": [
            {"name": name, "depth": each.depth, "among": each.among, "meaning": PLAYER_KINDS[name].summary}
            for name, each in LEVELS.items()
        ],
        "conventions": CONVENTIONS,
    }


BARCA = SessionGame(
    *(VARIANT, BARCA_COMMANDS, BARCA_SETTINGS, lambda session, variant: None, _describe, READY_LINES),
    players=PLAYERS,
    readiness=_RULE_KERNELS,
)
"""The part of Barca in `gammond.protocol.games.GAMES`."""
