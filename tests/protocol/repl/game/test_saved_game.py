"""The game in progress in a file, and the start that goes on with it."""

from __future__ import annotations

import pytest
from filelock import FileLock

from gammond.engine.errors import DataFileError
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.game.saved_game import read_game, write_kept
from tests.protocol.repl.tables import answer_and_leave, make_session, make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (2, 1), (5, 4), (4, 3), (6, 2)]


def restart(talk, folder, *, rolls=ROLLS):
    """Write the game of a talk, and go on with it in another session; return the talk and what it shows."""
    file = folder / "game.json"
    write_kept(file, talk.game.describe_kept())
    session = make_session(rolls)
    fresh = LineInterpreter(session)
    return fresh, fresh.resume(read_game(file, session.engine_settings))


def test_a_game_goes_on_as_it_was_left(tmp_path):
    talk = make_talk("level beginner", "new 5", "8/5 6/5", rolls=ROLLS)
    fresh, lines = restart(talk, tmp_path)
    assert lines[0] == "Going on with the game that you left: you are to roll. ('new' starts another.)"
    assert lines[1] == "You 0, gammond 0 in a 5-point match, cube 1 centred."
    assert lines[2:] == talk.answer("board")
    assert fresh.session.game == talk.session.game
    assert fresh.session.engine_settings.level == "beginner"
    assert fresh.answer("roll")[0] == "You roll 3-1."


@pytest.mark.parametrize(
    ("lines", "kept", "again"),
    [
        (
            ("set game.variant hypergammon1", "new 5"),
            "The game is kept: the next 'gammond' goes on with it.",
            "Going on with the game of hypergammon1 that you left: you are to play",
        ),
        (
            ("new 5", "8/5 6/5", "resign"),
            "The match is kept: the next 'gammond' goes on with it.",
            "Going on after the last game: 'new' starts the next one.",
        ),
        (
            ("new 1", "resign"),
            "The match is kept: the next 'gammond' can still review and save it.",
            "Your match is over: 'review' and 'save FILE' still take it, 'new' starts another.",
        ),
    ],
)
def test_leaving_says_what_is_kept_and_the_next_start_what_goes_on(tmp_path, lines, kept, again):
    file, talk = tmp_path / "game.json", make_talk(rolls=ROLLS)
    assert answer_and_leave(file, *lines, talk=talk)[-1] == kept
    score, fresh = talk.session.game.match.score, make_talk(rolls=ROLLS)
    assert answer_and_leave(file, talk=fresh)[0].startswith(again)
    assert fresh.session.game.match.score == score
    fresh.answer("new")
    assert fresh.session.game.match.score == ((0, 0) if lines[0] == "new 1" else score)


@pytest.mark.parametrize("lines", [(), ("new 5", "leave"), ("newgame",)])
def test_without_a_game_nothing_is_kept(lines):
    assert make_talk(*lines, rolls=ROLLS).game.describe_kept() is None


def test_what_was_done_in_it_can_be_undone_reviewed_and_saved(tmp_path):
    talk = make_talk("play against human", "8/5 6/5", "roll", "13/8 24/22", rolls=ROLLS)
    review = talk.answer("review")
    fresh, _ = restart(talk, tmp_path)
    assert fresh.answer("review") == review
    for line in ("double", "drop"):
        fresh.answer(line)
    assert fresh.answer(f"save {tmp_path / 'x.mat'}")[0].startswith("Saved 1 game to ")
    for turn in ("answer the double", "roll", "play 5-2", "play 3-1"):
        assert fresh.answer("undo")[0].endswith(f" to {turn}.")


def test_where_the_engine_had_told_its_choice_is_kept(tmp_path):
    talk = make_talk("new 0", "best", rolls=[(3, 1), (5, 2), (6, 4)])
    again, _ = restart(talk, tmp_path)
    assert again.answer("review")[-1] == talk.answer("review")[-1]
    assert "told its choice" in again.answer("review")[-1]


def test_what_follows_an_undo_in_it_is_recorded_and_kept_again(tmp_path):
    talk = make_talk("play against human", "8/5 6/5", "roll", "13/8 24/22", rolls=ROLLS)
    fresh, _ = restart(talk, tmp_path)
    before = fresh.session.log
    fresh.answer("undo")
    assert fresh.session.log.actions == before.actions[:1]
    fresh.answer("undo")
    assert fresh.session.log.actions == ()
    fresh.answer("redo")
    for line in ("13/8 24/22", "double", "drop"):
        fresh.answer(line)
    assert [action.text for action in fresh.session.log.actions] == [
        "8/5 6/5",
        "24/22 13/8",
        "double",
        "drop",
    ]
    assert fresh.answer(f"save {tmp_path / 'x.mat'}")[0].startswith("Saved 1 game to ")
    again, lines = restart(fresh, tmp_path)
    assert lines[0] == "Going on after the last game: 'new' starts the next one."
    assert again.session.log.format() == fresh.session.log.format()


def test_a_game_with_no_record_of_it_is_kept_all_the_same(tmp_path):
    talk = make_talk("play against human", "8/5 6/5", rolls=ROLLS)
    talk.session.log = type(talk.session.log)()
    fresh, lines = restart(talk, tmp_path)
    assert lines[0].startswith("Going on with the game that you left")
    assert fresh.session.log == talk.session.log


def test_the_tutor_is_on_again_and_says_so(tmp_path):
    talk = make_talk("tutor 0.05", "chances", "new 5", rolls=ROLLS)
    fresh, lines = restart(talk, tmp_path)
    assert "The tutor objects to decisions that lose 0.050 points or more." in lines
    assert fresh.game.tutor.limit == 0.05
    assert fresh.game.shows_chances
    fresh, lines = restart(make_talk("new 5", rolls=ROLLS), tmp_path)
    assert not any("tutor" in line for line in lines)


def test_a_match_that_is_over_can_still_be_reviewed_and_saved(tmp_path):
    talk = make_talk("plies 1", "new 1", "8/5 6/5", "resign", rolls=ROLLS)
    review = talk.answer("review")
    fresh, lines = restart(talk, tmp_path)
    assert lines[1] == "You 0, gammond 1 in a 1-point match."
    assert fresh.session.engine_settings.plies == 1
    assert fresh.answer("review") == review
    assert fresh.answer(f"save {tmp_path / 'x.mat'}")[0].startswith("Saved 1 game to ")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": 7}', "\x00\xff", "[" * 100_000])
def test_a_damaged_file_is_refused_with_its_name(tmp_path, text):
    file = tmp_path / "game.json"
    file.write_text(text)
    with pytest.raises(DataFileError, match=r"the saved game .*game\.json cannot be read"):
        read_game(file, make_session().engine_settings)


def test_only_one_terminal_keeps_its_game(tmp_path):
    file = tmp_path / "game.json"
    with FileLock(f"{file}.lock"):
        said = answer_and_leave(file, "new 5", talk=make_talk(rolls=ROLLS))
    assert said[0].startswith("Games are not kept: another terminal is open")
    assert not file.exists()


def test_a_game_that_cannot_be_kept_says_so_and_a_damaged_one_is_left_behind(tmp_path):
    (tmp_path / "file").write_text("")
    assert answer_and_leave(tmp_path / "file" / "game.json")[0].startswith("Games are not kept")
    file = tmp_path / "game.json"
    file.write_text("{}")
    said = answer_and_leave(file, "new 5", talk=make_talk(rolls=ROLLS))
    assert said[0].startswith("error: the saved game ")
    assert said[0].endswith("game.json.unread, and the next game is kept in its place")
    assert file.with_name("game.json.unread").read_text() == "{}"
    assert answer_and_leave(file, talk=make_talk(rolls=ROLLS))[0].startswith("Going on")
