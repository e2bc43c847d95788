"""Noughts and crosses as a third game: all that it takes for the wire, for JSON and for the terminal.

Cells are 1 to 9; a game is a tuple of the cells taken, noughts first. The engine takes the first free cell.
"""

from __future__ import annotations

from gammond.engine.errors import PlayError, StateError
from gammond.protocol.commands.command import Command
from gammond.protocol.commands.general import UBGI_ROW, make_session_rows
from gammond.protocol.commands.session_game import SessionGame
from gammond.protocol.core.arguments import integer_argument
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import JsonReply, Reply, Work
from gammond.protocol.dialects.json_documents import make_id_key
from gammond.protocol.dialects.json_query import GameQueries
from gammond.protocol.game_entry import GameEntry
from gammond.protocol.repl.answers.replies import BoardLine
from gammond.protocol.repl.dialogue.move_commands import MOVE_ROWS
from gammond.protocol.repl.dialogue.move_talk import MoveTalk
from gammond.protocol.state import settings
from gammond.protocol.state.move_table import MoveTable
from gammond.protocol.tables.game_view import GameEnd, TablePhase, TableView

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")


class NoughtsTable(MoveTable):
    def __init__(self, session):
        super().__init__(session.service.limits.undo_steps)


def find_winner(cells):
    lines = [{int(cell) for cell in line} for line in LINES]
    return next((seat for seat in (0, 1) if any(line <= set(cells[seat::2]) for line in lines)), None)


def free_cells(cells):
    return [] if find_winner(cells) is not None else [cell for cell in range(1, 10) if cell not in cells]


def table_of(session):
    return session.get_table(NoughtsTable)


def handle_newgame(session, _):
    table_of(session).push(())
    return make_ok_reply("newgame")


def handle_play(session, values):
    table, cell = table_of(session), values["cell"]
    if cell not in free_cells(table.require_game()):
        raise PlayError(f"expected a free cell, got {cell}", field="cell")
    table.push((*table.game, cell))
    winner = find_winner(table.game)
    return make_ok_reply("play", {"play": str(cell), **({} if winner is None else {"winner": "OX"[winner]})})


def handle_go(session, _):
    free = free_cells(table_of(session).require_game())
    if not free:
        raise StateError("the game is over", field="position")
    return Work(lambda control: [Reply("bestmove", str(free[0]))], is_quick=True)


def handle_legal(session, _):
    free = free_cells(table_of(session).require_game())
    return [Reply("legal", values={"cells": ",".join(map(str, free))})]


def handle_undo(session, _):
    table_of(session).undo()
    return make_ok_reply("undo")


def handle_redo(session, _):
    table_of(session).redo()
    return make_ok_reply("redo")


ROWS = (
    UBGI_ROW,
    Command("newgame", "begin", handle_newgame, "ok newgame"),
    Command("play", "take a cell", handle_play, "ok play", (integer_argument("cell", 1, 9, "it"),)),
    Command("go", "choose a cell", handle_go, "bestmove N"),
    Command("legal", "list the free cells", handle_legal, "legal", help_group="ask"),
    Command("undo", "go back", handle_undo, "ok undo"),
    Command("redo", "go on", handle_redo, "ok redo"),
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

    def __init__(self, session):
        super().__init__(session, session.get_table(NoughtsTable))

    @property
    def turn(self):
        return len(self.table.game) % 2 if self.list_moves() else None

    def list_moves(self):
        return [] if self.table.game is None else [str(cell) for cell in free_cells(self.table.game)]

    def is_move(self, text):
        return text.strip().isdigit()

    def describe_end(self):
        winner = find_winner(self.table.game)
        return "Draw." if winner is None and not self.list_moves() else "" if winner is None else "Won."

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
