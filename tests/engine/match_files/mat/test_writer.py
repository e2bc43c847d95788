"""Games as .mat text: the layout; that it is read again as it was is proven for all formats at once."""

import re

import pytest

from gammond.engine.errors import FormatError
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.rules.game_record import DoubleAction, ResignationAction, ResponseAction
from gammond.engine.rules.match import GameResult, MatchState
from tests.engine.match_files.played_games import make_game, play_money_games
from tests.engine.match_files.sites.site_files import NAMES
from tests.peers.gnubg_files import check_copies


@pytest.fixture(scope="module")
def dropped():
    """Money games that often end with a double that is not taken, of either seat."""
    return play_money_games(24, 0.1)


def test_the_head_names_the_players_and_the_length(match):
    lines = format_mat(NAMES, match, {"EventDate": "2024.06.20"}).splitlines()
    assert lines[:4] == [
        '; [Player 1 "one"]',
        '; [Player 2 "two"]',
        '; [Variation "Backgammon"]',
        '; [EventDate "2024.06.20"]',
    ]
    assert lines[5] == " 7 point match"
    assert lines[7] == " Game 1"
    assert lines[8].split() == ["one", ":", "0", "two", ":", "0"]


def test_the_winner_stands_in_its_own_column_in_the_row_of_a_drop_on_the_left(match, money, dropped):
    for games in (match, money, dropped):
        rows = [line for line in format_mat(NAMES, games).splitlines() if "Wins" in line]
        for row, game in zip(rows, games, strict=True):
            winner, points = game.result.winner, game.result.points
            is_in_row = winner == 1 and game.actions[-1] == ResponseAction(0, is_take=False)
            assert bool(re.match(r" *[0-9]+\)  Drops ", row)) == is_in_row
            assert row.index("Wins") == ((32 if is_in_row else 34) if winner else 6)
            is_last = game.initial_state.length and game is games[-1]
            plural, match_won = "s" * (points > 1), " and the match" if is_last else ""
            assert row.endswith(f"Wins {points} point{plural}{match_won}")
    ends = [(game.result.winner, isinstance(game.actions[-1], ResponseAction)) for game in dropped]
    assert min(map(ends.count, ((0, True), (1, True)))) > 2


@pytest.mark.parametrize("name", ["", "  ", "a:b", 'a"b', "a\nb", "a;b"])
def test_names_that_the_format_has_no_room_for_are_refused(name, match):
    with pytest.raises(FormatError, match="not empty") as caught:
        format_mat((name, "two"), match)
    assert caught.value.field == "name"


def test_no_games_are_refused():
    with pytest.raises(FormatError, match="1 game or more"):
        format_mat(NAMES, [])


@pytest.mark.peer
def test_gnubg_reads_games_that_end_with_a_drop(dropped, tmp_path):
    (tmp_path / "games.mat").write_text(format_mat(NAMES, dropped))
    assert check_copies(tmp_path / "games.mat", "mat", tmp_path) > 100


def test_a_double_on_top_of_a_double_is_written_as_a_beaver():
    actions = DoubleAction(0, 2), DoubleAction(1, 4), ResponseAction(0, False)
    text = format_mat(NAMES, [make_game(MatchState(), actions, GameResult(1, 1, 2))])
    assert re.findall(r"Doubles => 2|Beavers => 4|Drops|Doubles => 4", text) == [
        "Doubles => 2",
        "Beavers => 4",
        "Drops",
    ]


@pytest.mark.parametrize("taker", [0, 1])
def test_blanks_follow_a_take_after_which_nobody_rolled(taker):
    """Without them gnubg reads a double of the other player."""
    double, take = DoubleAction(1 - taker, 2), ResponseAction(taker, True)
    actions = double, take, ResignationAction(1 - taker, 1)
    begun = MatchState(on_roll=1 - taker)
    lines = format_mat(NAMES, [make_game(begun, actions, GameResult(taker, 1, 2))]).splitlines()
    (row,) = [line for line in lines if "Takes" in line]
    assert len(row) > 25
    assert row.endswith(" ") == (taker == 0)
