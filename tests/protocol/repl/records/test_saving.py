"""The log of the games at the table, saved as a file and read back."""

from __future__ import annotations

import pytest

from gammond.engine.errors import DataFileError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResignationAction, ResponseAction
from gammond.engine.rules.match import GameResult
from gammond.engine.wording import format_count
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.repl.dialogue.move_commands import MOVE_ROWS
from gammond.protocol.repl.dialogue.record_commands import save_games
from tests.protocol.repl.tables import make_talk


def saved(talk, folder):
    """Save the games of a talk; return the match that a reader finds."""
    file = folder / "games.mat"
    (said,) = talk.answer(f"save {file}")
    (match,) = parse_mat(file.read_text())
    assert match.issues == ()
    assert said == f"Saved {format_count(len(match.games), 'game')} to {file}."
    return match


def kinds(game):
    """Return the actions of a game; of a roll only its seat."""
    return [("PlayAction", each.seat) if isinstance(each, PlayAction) else each for each in game.actions]


def people(*lines, rolls=((3, 1), (5, 2), (6, 4), (2, 1)), before=()):
    """A talk of two people."""
    return make_talk(*before, "play against human", *lines, rolls=rolls)


def test_plays_doubles_and_answers_are_in_the_file(tmp_path):
    talk = people("8/5 6/5", "double", "take", "roll", "13/8 24/22", "double", "drop")
    match = saved(talk, tmp_path)
    (game,) = match.games
    assert match.names == ("O", "X")
    assert kinds(game) == [
        ("PlayAction", 0), DoubleAction(1, 2), ResponseAction(0, True),
        ("PlayAction", 1), DoubleAction(0, 4), ResponseAction(1, False),
    ]  # fmt: skip
    assert game.result == GameResult(0, 1, 2)


def test_beavers_and_resignations_are_in_the_file(tmp_path):
    talk = people("8/5 6/5", "double", "beaver", "take", "resign gammon", "accept")
    (game,) = saved(talk, tmp_path).games
    assert kinds(game) == [
        ("PlayAction", 0), DoubleAction(1, 2), DoubleAction(0, 4), ResponseAction(1, True),
        ResignationAction(1, 2),
    ]  # fmt: skip
    assert game.result == GameResult(0, 2, 8)


def test_games_of_one_match_are_in_one_file_and_those_of_another_are_not(tmp_path):
    talk = people("8/5 6/5", "resign", "accept", "new", "8/5 6/5", "resign", "accept", rolls=[(3, 1)] * 20)
    assert [game.initial_state.score for game in saved(talk, tmp_path).games] == [(0, 0), (1, 0)]
    for line in ("new 5", "8/5 6/5", "resign gammon", "accept"):
        talk.answer(line)
    match = saved(talk, tmp_path)
    assert match.length == 5
    assert [game.result.points for game in match.games] == [2]


def test_the_rules_of_money_play_are_in_the_file(tmp_path):
    talk = people("8/5 6/5", "resign gammon", "accept", before=["set game.jacoby true"])
    match = saved(talk, tmp_path)
    assert match.rules.jacoby
    assert match.games[0].initial_state.jacoby
    assert match.games[0].result.points == 1


def test_what_was_taken_back_is_not_in_the_file_and_what_was_done_again_is(tmp_path):
    talk = people("8/5 6/5", "roll", "13/8 24/22", "undo", "undo", "24/20")
    for line in ("resign", "accept"):
        talk.answer(line)
    (game,) = saved(talk, tmp_path).games
    play, resignation = game.actions
    assert play.play.moves == ((24, 21), (21, 20))
    assert resignation == ResignationAction(1, 1)
    for line in ("undo", "undo", "undo", "redo", "redo", "redo"):
        talk.answer(line)
    assert saved(talk, tmp_path).games == (game,)


@pytest.mark.parametrize(
    "lines",
    [
        ("play against human",),
        ("play against human", "8/5 6/5", "set game.cube 2", "set game.cube_owner p0", "resign", "accept"),
        ("position gnubgid bwAAALzvAwAAAA", "play against human", "resign", "accept"),
        (
            *("set game.doubles two", "newgame", "dice 6 6", "play against human", "24/18(2)"),
            *("set game.doubles four", "resign", "accept"),
        ),
    ],
    ids=["nothing played", "cube set by hand", "from the middle", "variant"],
)
def test_games_that_a_record_cannot_hold_are_not_saved(lines, tmp_path):
    (said,) = make_talk(*lines, rolls=[(3, 1)]).answer(f"save {tmp_path / 'none.mat'}")
    assert said.startswith("error: no game to save: a record needs a game from the starting position")
    assert list(tmp_path.iterdir()) == []


def test_a_game_that_is_not_over_is_saved_as_far_as_it_went_and_anew_later(tmp_path):
    file = tmp_path / "games.mat"
    talk = people("8/5 6/5", "double", rolls=[(3, 1)] * 9)
    said = [f"Saved 1 game to {file}.", "The last one is not over: 'save' writes it anew."]
    assert talk.answer(f"save {file}") == said
    (match,) = parse_mat(file.read_text())
    assert kinds(match.games[0]) == [("PlayAction", 0), DoubleAction(1, 2)]
    assert match.games[0].result is None
    for line in ("take", "resign", "accept", "new", "8/5 6/5"):
        talk.answer(line)
    assert talk.answer(f"save {file}") == [said[0].replace("1 game", "2 games"), said[1]]
    (match,) = parse_mat(file.read_text())
    assert [game.result is None for game in match.games] == [False, True]


def test_where_no_file_can_be_written_that_is_an_error(tmp_path):
    game = people("8/5 6/5", "resign", "accept").game
    with pytest.raises(DataFileError, match="cannot be written"):
        save_games(game, str(tmp_path / "missing" / "games.mat"))
    with pytest.raises(DataFileError):
        save_games(game, str(tmp_path))


def test_a_record_goes_over_the_games_that_it_begins_with_but_over_nothing_else(tmp_path):
    file = tmp_path / "x.mat"
    people("8/5 6/5", "resign", "accept", f"save {file}")
    for _ in range(2):
        talk = people("8/5 6/5", "resign", "accept")
        assert talk.answer(f"save {file}") == talk.answer(f"save {file}") == [f"Saved 1 game to {file}."]
    file.write_text(file.read_text() + "\n")
    talk = people("8/5 6/5", "resign", "accept")
    bytes_there = file.stat().st_size
    assert talk.answer(f"save {file}") == [
        f"error: {file} already exists, with {bytes_there} bytes: choose another name, or move it away"
    ]
    file.write_text("")
    assert talk.answer(f"save {file}") == [f"Saved 1 game to {file}."]
    file.write_text(" 7 point match\n")
    assert talk.answer(f"save {file}")[0].startswith(f"error: {file} already exists")
    assert file.read_text() == " 7 point match\n"


@pytest.mark.parametrize(
    ("game", "rows", "lines"),
    [
        ("backgammon", REPL_COMMANDS, ["play against human", "8/5 6/5", "resign", "accept"]),
        ("barca", MOVE_ROWS, ["position startpos moves g2-h3"]),
    ],
)
def test_no_command_that_takes_a_file_changes_one_of_somebody_else(tmp_path, game, rows, lines):
    """Commands are found in the tables: a new one that takes a file is tried too."""
    file = tmp_path / "mine.mat"
    named = [name for name, row in rows.items() if any(each.name == "file" for each in row.arguments)]
    assert "save" in named
    for name in named:
        talk = make_talk(f"set game.variant {game}", *lines, rolls=[(3, 1)])
        file.write_text("notes of mine\n")
        assert talk.answer(f"{name} {file}")[0].startswith(f"error: {file}"), name
        assert file.read_text() == "notes of mine\n"
        assert [each.name for each in tmp_path.iterdir()] == ["mine.mat"]
