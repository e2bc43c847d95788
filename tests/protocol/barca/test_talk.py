from __future__ import annotations

import re

import pytest

from gammond.protocol.core.requests import WorkControl
from tests.protocol.barca.test_commands import BEFORE_THE_WIN
from tests.protocol.repl.tables import make_talk
from tests.protocol.talking import make_info


def begin(*lines):
    return make_talk("set game.variant barca", *lines)


def test_before_a_game_the_table_is_empty():
    conversation = make_talk()
    assert len(conversation.answer("set game.variant barca")) == 4 + 12
    assert conversation.answer("id") == ["error: no position: 'play' starts a game, or paste a position"]
    assert conversation.talk.toolbar(80) == " Barca: 'new' starts a game | level hard | weights hand"


def test_a_whole_game_is_played_against_the_engine():
    conversation = begin("level easy", "new")
    for _ in range(200):
        lines = conversation.answer("best")
        if conversation.talk.toolbar(80).startswith(" game over"):
            break
        assert lines[0].startswith("You play ")
        assert lines[1].startswith("gammond plays ")
    assert any(re.match("You win|gammond wins|Draw", line) for line in lines)
    assert conversation.answer("e2-e5")[0].startswith("error: the game is over")
    assert conversation.answer("undo")[0].endswith("; White is to move.")


@pytest.mark.parametrize("opponent", ["level easy", "player random:seed=1", "player human"])
def test_best_makes_the_move_that_a_hint_ranks_first_whoever_plays(opponent):
    conversation = begin(opponent, "position startpos moves g2-h3 g9-f8", "play")
    ranked = conversation.answer("hint 1")[1].split()[1]
    assert conversation.answer("best")[0].endswith(f" {ranked}.")


def test_the_engine_begins_against_a_person_with_black():
    conversation = begin("level easy")
    lines = conversation.answer("new black")
    assert lines[0] == "You play Black, gammond White."
    assert lines[1].startswith("gammond plays ")
    assert (
        conversation.talk.toolbar(90)
        == " Black to move | you play Black | level easy | move 1 | weights hand"
    )
    assert conversation.answer("new green")[0].startswith("error: expected one of white|black for side")


def test_people_win_by_the_names_of_their_sides_and_the_end_can_be_taken_back():
    conversation = begin("player human", "new")
    assert conversation.answer("e2-e5")[0] == "White plays e2-e5."
    assert conversation.answer("e9-e6")[0] == "Black plays e9-e6."
    assert conversation.answer("undo")[0] == "Undone: e9-e6; Black is to move."
    conversation = begin(f"position startpos moves {BEFORE_THE_WIN}", "player human", "play")
    assert conversation.answer("f4g4")[1] == "White wins: three animals on watering holes."
    assert conversation.answer("undo")[0] == "Undone: f4-g4; White is to move."
    assert conversation.answer("redo")[0] == "Redone: f4-g4; the game is over."
    assert not any("set aside" in line for line in conversation.answer("new"))


def test_undo_takes_back_the_answer_too_and_redo_makes_both_again():
    conversation = begin("level easy", "new", "e2-e5")
    position = conversation.answer("get game.variant")
    board = conversation.answer("board")
    assert position == ["value game.variant barca"]
    assert re.fullmatch(r"Undone: e2-e5 \S+; White is to move\.", conversation.answer("undo")[0])
    assert any("L  M  M  L" in line for line in conversation.answer("board"))
    assert re.fullmatch(r"Redone: e2-e5 \S+; White is to move\.", conversation.answer("redo")[0])
    assert conversation.answer("board") == board
    conversation.answer("undo")
    assert conversation.answer("undo")[0] == "Undone: no game is on the table."


def test_a_game_is_written_down_and_read_again():
    moves = "g2-h3 g9-f8 h3-d7"
    conversation = begin(f"position startpos moves {moves}")
    board = conversation.answer("board")
    position = "4ee4/3lmm4/5l4/3L6/10/10/10/10/3LMM4/4EE4 b"
    assert conversation.answer("id") == conversation.answer("position") == [position]
    said = conversation.answer("record")
    assert said == ["   1. g2-h3  g9-f8", "   2. h3-d7", f"position startpos moves {moves}"]
    conversation.answer("new")
    assert conversation.answer(said[-1])[1:][-12:] == board
    conversation.answer(position)
    assert (
        conversation.answer("f8-g8")[0] == "error: the lion on f8 cannot reach g8: it moves along diagonals"
    )
    conversation.answer("f8-g9")
    assert conversation.answer("record") == ["   1.        f8-g9", f"position {position} moves f8-g9"]


def test_a_position_that_was_wrapped_is_pasted_as_one_line():
    text = "position startpos moves g2-h3\n  g9-f8 h3-d7\nboard"
    assert begin().split(text) == ["position startpos moves g2-h3 g9-f8 h3-d7", "board"]


def test_a_game_is_saved_and_opened(tmp_path):
    file = tmp_path / "game.txt"
    conversation = begin("position startpos moves g2-h3 g9-f8 h3-d7")
    board = conversation.answer("board")
    assert conversation.answer(f"save {file}") == [
        f"Saved the game to {file}: 'open {file}' sets it up again."
    ]
    other = begin("new")
    opened = other.answer(f"open {file}")
    assert opened[0] == f"Opened {file}."
    assert opened[1] == "The game that was on is set aside: 'undo' brings it back. 'play' goes on from here."
    assert opened[2:] == board
    assert other.answer("undo")[0].startswith("Undone: you are back in the game")
    assert other.answer(f"open {tmp_path}")[0].startswith(f"error: {tmp_path} cannot be read: ")
    file.write_text("1. e4 e5\n")
    assert other.answer(f"open {file}") == [
        f"error: {file}: expected a line that begins with 'position', as 'save' writes it"
    ]
    file.write_text("position startpos moves e2-e9\n")
    assert other.answer(f"open {file}")[0].startswith("error: ")
    texts = [each.text for each in other.talk.suggest(f"open {tmp_path}/g")]
    assert texts == ["game.txt"]
    assert "rules" in [each.text for each in other.talk.suggest("help ")]


def test_another_player_is_set_as_in_backgammon():
    conversation = begin()
    assert conversation.answer("play against random")[0] == "You play White, random Black."
    assert conversation.answer("play against nobody") == [
        "error: expected one of engine|human|easy|medium|hard|search|random, got 'nobody'"
    ]
    assert conversation.answer("play against")[0].startswith("error: expected a player after 'play against'")
    assert conversation.answer("play against human")[0] == "You play both sides; White is to move."
    assert conversation.talk.toolbar(60) == " White to move | you play both sides | human | move 1"


@pytest.mark.parametrize("line", ["barca", "play barca", "new barca", "variant barca", "Barca"])
def test_the_name_of_a_game_goes_over_to_it(line):
    conversation = make_talk()
    assert conversation.answer(line)[0] == "ok set game.variant=barca"
    assert conversation.answer("backgammon") == ["ok set game.variant=backgammon"]
    assert conversation.mark_input(line) == [("command", line)]
    assert conversation.answer("barca")[0] == "ok set game.variant=barca"
    assert conversation.answer("barca") == ["You play barca already."]


def test_help_lists_the_games():
    conversation = make_talk()
    assert any("'help games'" in line for line in conversation.answer("help"))
    said = conversation.answer("help games")
    assert said == conversation.answer("help variants")
    assert any(line.split() == ["barca", "barca"] for line in said)
    assert conversation.answer("help barca")[0].startswith("  'barca' goes over to it")
    assert conversation.answer("help nackgammon")[0].startswith("  'set game.variant nackgammon' goes over")


def test_a_variant_is_not_gone_over_to_by_chance():
    conversation = make_talk("new 3")
    board = conversation.answer("board")
    assert conversation.answer("hypergammon") == ["'set game.variant hypergammon' goes over to hypergammon."]
    assert conversation.answer("backgammon") == ["You play backgammon already."]
    assert conversation.answer("board") == board
    conversation = make_talk("set game.variant nackgammon", "barca")
    assert conversation.answer("backgammon") == ["ok set game.variant=nackgammon"]


@pytest.mark.parametrize("word", ["score", "show", "back", "config", "cube", "analyse"])
def test_words_of_backgammon_are_told_whose_they_are(word):
    said = begin().answer(f"{word} x")
    assert len(said) == 1
    assert said[0].startswith(f"error: {word!r} is a command of backgammon, and this session plays barca: ")
    assert (
        make_talk("barca", "backgammon").answer("player")[0].startswith("error: 'player' is a command of b")
    )


def test_the_board_shows_where_an_animal_may_go_and_what_it_fears():
    said = begin("position 4ee4/4mml3/10/10/5l4/4M5/10/10/3L1ML3/4EE4 w").answer("legal e5")
    rows = {line[:2].strip(): line for line in said}
    assert rows["5"].startswith(" 5   +  +  +  +  M! x  x  +  +  +")
    assert rows["6"].startswith(" 6   .  .  .  .  x  l ")
    assert said[-2:] == ["    11 moves", "    may not go to f5, g5, e6, e7, which it fears"]
    marks = [mark.name for line in said if line.startswith(" 6") for mark in line.marks]
    assert "failure" in marks


def test_a_trapped_animal_may_go_where_it_fears_to_be():
    said = begin("position 4ee4/5ml3/10/10/10/10/m9/10/1l1L1M4/M1L1EE4 w").answer("legal a1")
    assert said[-1] == "    3 moves"
    assert not any("x" in line for line in said)


@pytest.mark.parametrize("columns", [34, 40, 60])
def test_a_narrow_terminal_has_the_notes_below_the_board(columns):
    conversation = begin("position startpos moves e2-e5 g9-f8 d2-e3 f8-d6", "level easy")
    conversation.game.columns = columns
    board = conversation.answer("board")
    assert max(map(len, board)) <= columns
    assert [str(line) for line in board[12:]] == [
        *("Black: 0 of 3 holes", "White to move", "last move f8-d6", "scared: e5", "White: 0 of 3 holes")
    ]
    assert max(map(len, conversation.answer("hint 2 depth=3")[:3])) <= columns
    assert max(map(len, conversation.answer("legal"))) <= columns


def test_the_depth_of_a_hint_is_that_of_the_level_or_the_one_that_is_asked_for():
    talk = begin("level easy", "new")
    assert talk.answer("hint 3")[4].strip().startswith("3 of 38 moves at depth 5, ")
    assert "1 of 38 moves at depth 2, " in talk.answer("hint 1 depth=2")[-1]
    assert talk.answer("eval depth=1")[-1].startswith("    depth 1, ")


def test_what_is_illegal_is_refused_with_its_reason():
    conversation = begin("new")
    assert conversation.answer("e2-k2") == [
        "error: there is no square k2: files are a to j, ranks 1 to 10, as in e2-e5"
    ]
    assert conversation.answer("e2-e2")[0].startswith("error: the mouse on e2 stands on e2 already")
    assert conversation.answer("zebra")[0].startswith(
        "error: expected a command or a move such as e1-a1, got 'zebra'"
    )
    assert conversation.answer("roll")[0].startswith("error: 'roll' is a command of backgammon")


def test_completion_offers_moves_commands_and_values():
    conversation = begin("new")

    def texts(line):
        return [suggestion.text for suggestion in conversation.talk.suggest(line)]

    assert texts("e2-e")[:2] == ["e2-e3", "e2-e4"]
    assert "hint" in texts("h")
    assert texts("play e2-e5") == ["e2-e5"]
    assert texts("level ") == ["easy", "medium", "hard"]
    assert texts("new ") == ["white", "black"]
    assert "engine.weights" in texts("set engine.")
    assert texts("set engine.level m") == ["medium"]
    assert "barca" in texts("set game.variant ")
    assert texts("go ") == ["depth", "movetime", "nodes"]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("hint 3", [("", ""), ("command", "hint"), ("", " 3")]),
        ("e2-e5", [("play", "e2-e5")]),
        ("e2-e9", [("", "e2-e9")]),
        ("e2", [("", "e2")]),
        ("zebra", [("unknown", "zebra")]),
    ],
)
def test_the_line_is_marked_as_it_is_typed(text, pieces):
    assert begin("new").mark_input(text) == pieces


def test_the_board_is_marked_for_colours():
    conversation = begin("position startpos moves e2-e5 e9-e6")
    board = conversation.answer("board")
    marked = {mark.name for line in board for mark in line.marks}
    assert marked == {"frame", "own", "other", "play", "dice"}
    for line in board:
        places = [place for mark in line.marks for place in (mark.start, mark.end)]
        assert places == sorted(places)
        assert all(0 <= place <= len(line) for place in places)


def test_progress_is_told_in_the_words_of_the_game():
    progress = begin().talk.progress()
    text = "depth 5 nodes 11179 time_ms 1300 multipv 1 score -29 pv e1-e4 g9-d6 e5-g5 c8-g4"
    assert progress.update(make_info(text)) == (
        "thinking: depth 5, best e1-e4 g9-d6 e5-g5 (-29), 11,179 positions, 1.3 s"
    )
    text = "depth 3 nodes 9 time_ms 400 multipv 1 score 999 win_in 2 pv e1-e4"
    assert "(win in 2)" in progress.update(make_info(text))


def test_a_stopped_search_still_moves():
    conversation = begin("new")
    control = WorkControl()
    control.stop()
    assert conversation.answer("e2-e5", control)[1].startswith("gammond plays ")


def test_help_explains_the_game_within_the_width_of_a_terminal():
    lines = begin().answer("help")
    assert lines[0].startswith("Three of your animals on watering holes")
    assert max(map(len, lines[:6])) < 80
    assert len(lines) <= 22
    assert begin().answer("help rules") == lines[:5]
    assert any(line.startswith("  hint [N]") for line in begin().answer("help all"))
    assert begin().answer("help level")[0].startswith("  level [easy|medium|hard] : set how strongly")
    assert begin().answer("help moves")[0].startswith("moves [N]")
    assert begin().answer("help hint")[-1].startswith("  depth=1..")
    assert begin().answer("?") == begin().answer("h") == lines
    assert begin().answer("q") == ["Goodbye."]


def test_news_of_backgammon_is_not_told_in_another_game():
    conversation = make_talk("new 3")
    assert conversation.talk.news
    conversation.answer("barca")
    assert not conversation.talk.news
    conversation.answer("backgammon")
    assert conversation.talk.news


def test_a_level_of_the_other_game_is_told_whose_it_is():
    assert make_talk().answer("level easy") == [
        "error: 'easy' is no level of backgammon but a value of barca: 'set game.variant barca' goes "
        "over to it"
    ]
    assert begin().answer("level expert") == [
        "error: 'expert' is no level of barca but a value of backgammon: 'set game.variant backgammon' "
        "goes over to it"
    ]
    assert begin("level easy").answer("level") == make_talk("barca", "level easy").answer("level")
    assert begin().answer("level tough")[0].startswith("error: expected one of easy|medium|hard")
