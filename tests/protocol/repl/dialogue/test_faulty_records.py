"""Match files with illegal plays, gaps and results against the rules, stepped through on the board."""

from __future__ import annotations

import pytest

from tests.engine.match_files.faulty_matches import CUT, GAP, ILLEGAL
from tests.protocol.repl.tables import make_talk

RULED_OTHERWISE = ILLEGAL.replace("      Wins 1 point", "      Wins 2 points")


@pytest.fixture
def open_text(tmp_path):
    """Open a match from its text."""

    def open_match(text):
        file = tmp_path / "match.mat"
        file.write_text(text)
        talk = make_talk()
        talk.answer(f"open {file}")
        return talk

    return open_match


def test_an_illegal_play_is_marked_where_it_was_made_and_its_checkers_are_moved(open_text):
    talk = open_text(ILLEGAL)
    assert any(line.endswith("2-1: 14/10 (illegal)") for line in talk.answer("log"))
    talk.answer("move 2")
    before = talk.game.find_record().make_table().position
    assert talk.answer("next")[0] == "Game 1 of 2, move 2 of 6. 2-1: bob plays 14/10 (illegal)."
    talk.answer("next")
    after = talk.game.find_record().make_table().position
    assert after.board[1][10] == 1
    assert after.board[1][14] == 0
    assert after != before


def test_the_best_play_is_said_beside_an_illegal_one(open_text):
    talk = open_text(ILLEGAL)
    talk.answer("analyse plies=0")
    assert not any("illegal" in line for line in talk.answer("errors"))
    talk.answer("move 2")
    lines = talk.answer("next")
    assert lines[1].startswith("The play is illegal, and no error is counted; best: ")
    hint = talk.answer("hint 3")
    assert "    14/10 (illegal) was played" in hint
    assert not any("(played" in line for line in hint)


def test_what_is_missing_is_said_where_a_game_is_listed_ends_and_is_analysed(open_text):
    missing = "move 2 could not be read, and all after it is left out."
    talk = open_text(CUT)
    talk.answer("game 2")
    assert talk.answer("log")[-1] == f"Missing: {missing}"
    ending, said, *_ = talk.answer("last")
    assert (ending, said) == (
        "Game 2 of 2: bob wins a single game, 1 point. ann 0, bob 2.",
        f"Missing: {missing}",
    )
    talk.answer("analyse plies=0")
    assert f"Game 2 is cut: {missing}" in talk.answer("errors")


def test_a_file_is_opened_with_its_faults_and_what_they_cost(open_text, tmp_path):
    lines = open_text(CUT).answer(f"open {tmp_path / 'match.mat'}")
    assert [line.partition(": illegal")[0] for line in lines[1:3]] == [
        "Damaged: line 6, game 1, move 2",
        "Damaged: line 12, game 2, move 2",
    ]
    assert lines[3] == "Game 2 is cut: move 2 could not be read, and all after it is left out."


def test_the_result_of_the_file_and_that_of_the_rules_are_shown(open_text):
    lines = open_text(RULED_OTHERWISE).answer("last")
    assert lines[0] == "Game 2 of 2: ann wins a gammon, 2 points. ann 4, bob 0."
    assert lines[1] == "That is what the file says; by the rules: ann wins a single game, 1 point."


def test_a_position_that_a_file_has_is_not_called_set_by_hand(open_text):
    talk = open_text(GAP)
    assert any("set by the file" in line for line in talk.answer("log"))
    assert talk.answer("move 2")[0] == "Game 1 of 1, move 2 of 3. Checkers, cube or turn are set by the file."
