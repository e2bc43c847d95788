"""Noughts and crosses as a third game: all that it takes for the wire, for JSON and for the terminal.

Cells are 1 to 9; a game is a tuple of the cells taken, noughts first. The engine takes the first free cell.
"""

from __future__ import annotations

from functools import reduce

from gammond.engine.errors import PlayError
from gammond.protocol.commands.general import UBGI_ROW, make_session_rows
from gammond.protocol.commands.move_game import MoveTable, make_move_rows
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.core.requests import JsonReply, Task, Work
from gammond.protocol.dialects.json_documents import make_id_key
from gammond.protocol.dialects.json_query import GameQueries
from gammond.protocol.game_entry import GameEntry
from gammond.protocol.repl.answers.replies import BoardLine
from gammond.protocol.repl.dialogue.move_commands import MOVE_ROWS
from gammond.protocol.repl.dialogue.move_talk import MoveTalk
from gammond.protocol.state import settings
from gammond.protocol.tables.game_view import GameEnd, TablePhase, TableView

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")


def find_winner(cells):
    lines = [{int(cell) for cell in line} for line in LINES]
    return next((seat for seat in (0, 1) if any(line <= set(cells[seat::2]) for line in lines)), None)


def free_cells(cells):
    return [] if find_winner(cells) is not None else [cell for cell in range(1, 10) if cell not in cells]


def take_cell(cells, text):
    if text not in map(str, free_cells(cells)):
        raise PlayError(f"expected a free cell, got {text}")
    return (*cells, int(text))


class NoughtsTable(MoveTable):
    @staticmethod
    def start_game():
        return ()

    @staticmethod
    def read_position(text):
        return reduce(take_cell, text, ())

    @staticmethod
    def find_turn(game):
        return len(game) % 2 if free_cells(game) else None

    @staticmethod
    def list_moves(game):
        return list(map(str, free_cells(game)))

    @staticmethod
    def play_move(game, text):
        return take_cell(game, text), text

    @staticmethod
    def describe_game(game):
        winner = find_winner(game)
        cells = "".join(map(str, game))
        return {"position": cells or "startpos", **({} if winner is None else {"winner": "OX"[winner]})}

    @staticmethod
    def list_played(game):
        return list(map(str, game))

    @staticmethod
    def find_start(game):
        return ()


def plan_move(session, limits=""):
    first = NoughtsTable.list_moves(session.get_table(NoughtsTable).require_unfinished())[0]
    return Task(lambda control: first)


ROWS = (
    UBGI_ROW,
    *make_move_rows(
        NoughtsTable,
        plan_move,
        game="position=CELLS",
        result="[winner=O|X]",
        position=("CELLS", "those taken, noughts first"),
        example="1 5",
    ),
    *make_session_rows(setting="engine.format text", command="play"),
)
SETTINGS = (settings.make_variant_setting(lambda session: "noughts"), settings.SETTINGS["engine.format"])
GAME = SessionGame(
    "noughts",
    {row.name: row for row in ROWS},
    {setting.name: setting for setting in SETTINGS},
    lambda session, variant: None,
    lambda session: lambda: {"game": "noughts"},
)


def answer_query(session, document, head):
    cells = [int(cell) for cell in document["position"]]
    result = {"legal": free_cells(cells)}
    if "moves" in document.get("want", ()):  # in no order of merit, and without scores
        result["moves"] = [{"play": str(cell)} for cell in free_cells(cells)]
    return Work(lambda control: [JsonReply({**head, "results": [result]})], key=make_id_key(document["id"]))


class NoughtsTalk(MoveTalk):
    title, sides, rules, rows = "Noughts and crosses", ("O", "X"), ("Three in a row win.",), MOVE_ROWS
    make_table = NoughtsTable

    def is_move(self, text):
        return text.strip().isdigit()

    def describe_end(self):
        winner = find_winner(self.table.game)
        return "Draw." if winner is None and self.turn is None else "" if winner is None else "Won."

    def format_hint(self, replies):
        return []

    def show_board(self):
        cells = self.table.game
        if cells is None:
            return []
        marks = ["OX"[cells.index(cell) % 2] if cell in cells else "." for cell in range(1, 10)]
        return [BoardLine("".join(marks[row : row + 3])) for row in (0, 3, 6)]


class NoughtsView(TableView):
    @property
    def _cells(self):
        return self.session.get_table(NoughtsTable).game

    @property
    def phase(self):
        if self._cells is None:
            return TablePhase.WAITING
        return TablePhase.PLAY if free_cells(self._cells) else TablePhase.OVER

    @property
    def to_act(self):
        return len(self._cells) % 2 if self._cells is not None and free_cells(self._cells) else None

    @property
    def end(self):
        winner = find_winner(self._cells)
        return None if free_cells(self._cells) else GameEnd(winner, int(winner is not None), "line")

    def describe(self):
        return {"cells": self._cells, "legal": None}

    def describe_choices(self):
        return {"legal": free_cells(self._cells)}

    def describe_place(self):
        return {"cells": self._cells}

    def plan_decision(self, rejected_kind):
        return f"play {free_cells(self._cells)[0]}"


ENTRY = GameEntry(
    "noughts",
    ("noughts",),
    lambda: GAME,
    lambda: GameQueries(answer_query, ("position", "want"), ("legal", "moves")),
    lambda: NoughtsTalk,
    lambda: NoughtsView,
)
