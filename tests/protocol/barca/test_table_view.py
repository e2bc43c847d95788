"""The view of Barca: animals, legal moves, scared and trapped ones."""

from __future__ import annotations

from gammond.protocol.barca.table_view import BarcaView
from gammond.protocol.commands.dispatch import run_line
from gammond.protocol.state.session import Session
from gammond.protocol.tables.game_view import TablePhase
from gammond.protocol.tables.requests import SeatSpec, TableSpec
from tests.protocol.talking import make_service

WON = "position startpos moves f2-f4 e9-e5 g2-h3 f9-e9 h3-d7 g9-f8 d2-e3 d9-c10 e3-d4 e5-f5"
SEATS = (SeatSpec("open"), SeatSpec("open"))


def make_view(*lines):
    session = Session(make_service(), 1)
    for line in ("set game.variant barca", *lines):
        replies, _ = run_line(session, line)
        assert replies[-1].word != "error", replies
    return BarcaView(session, TableSpec(SEATS, variant="barca"))


def pieces_of(view):
    return {piece["at"]: piece for piece in view.describe()["pieces"]}


def test_a_game_begins_with_twelve_animals_and_white_to_move():
    view = make_view("newgame")
    pieces = pieces_of(view)
    assert len(pieces) == 12
    assert pieces["e1"] == {
        **{"at": "e1", "animal": "elephant", "seat": 0, "scared": False, "trapped": False, "feared": []}
    }
    assert view.describe()["holes"] == ["d4", "d7", "g4", "g7"]
    assert (view.phase, view.to_act) == (TablePhase.PLAY, 0)


def test_the_legal_moves_are_those_of_the_line_protocol():
    view = make_view("newgame")
    (*lines, _), _ = run_line(view.session, "legal")
    legal = view.describe_choices()["legal"]
    assert [move["text"] for move in legal] == [line.values["play"] for line in lines]
    assert all(move["text"] == f"{move['from']}-{move['to']}" for move in legal)


def test_scared_animals_are_marked_and_so_are_trapped_ones():
    pieces = pieces_of(make_view("position 4ee4/5ml3/10/10/10/10/m9/10/1l1L1M4/M1L1EE4 w"))
    assert (pieces["a1"]["scared"], pieces["a1"]["trapped"]) == (True, True)
    assert [at for at, piece in pieces.items() if piece["trapped"]] == ["a1"]
    pieces = pieces_of(make_view("newgame", "play e2-e5"))
    assert not any(piece["scared"] for piece in pieces.values())


def test_a_scared_animal_that_can_flee_is_not_trapped():
    view = make_view("position 4ee4/5ml3/10/10/4E5/5m4/10/3l6/3L1M4/M1L1E5 w")
    piece = pieces_of(view)["e6"]
    assert (piece["scared"], piece["trapped"]) == (True, False)
    assert {move["from"] for move in view.describe_choices()["legal"]} == {"e6"}
