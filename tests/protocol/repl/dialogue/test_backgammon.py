import pytest

from gammond.protocol.repl.answers.replies import ERROR_MARK
from tests.protocol.repl.tables import make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (2, 1), (4, 3)]


def play_to_the_end(talk):
    """Let the engine decide for both sides until a game is over; return the last answer."""
    while not talk.session.game.is_over:
        answer = talk.answer("best")
        assert not answer[0].startswith(ERROR_MARK), answer
    return answer


def test_a_game_that_another_variant_ends_is_set_aside_and_undo_brings_it_back_with_its_decisions():
    talk = make_talk("new 3", "8/5 6/5", rolls=ROLLS)
    before = talk.session.game
    assert talk.answer("set game.variant hypergammon2") == [
        "ok set game.variant=hypergammon2",
        "Your game is set aside: 'undo' brings it back.",
        "hypergammon2 has 2 checkers a side: 'play' starts a game of it.",
    ]
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to roll."
    assert talk.session.game is before
    assert talk.answer("undo")[0] == "Undone: you are to play 3-1."


def test_a_game_is_set_aside_for_a_variant_with_as_many_checkers_too_and_the_position_stays():
    talk = make_talk("new 0", rolls=ROLLS)
    position = talk.session.game.position
    said = talk.answer("set game.variant nackgammon")
    assert said[:2] == ["ok set game.variant=nackgammon", "Your game is set aside: 'undo' brings it back."]
    assert "+13-14-15-16-17-18-" in said[3]
    assert talk.session.game.position is position
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to play 3-1."
    assert talk.answer("get game.variant") == ["value game.variant backgammon"]


def test_a_position_that_goes_with_its_variant_is_said_and_a_score_that_stays():
    talk = make_talk("newgame", "set game.score_p0 2")
    assert talk.answer("set game.variant hypergammon1") == [
        "ok set game.variant=hypergammon1",
        "The position is gone: 'undo' brings it back.",
        "hypergammon1 has 1 checker a side: 'play' starts a game of it at this score, 'new 0' anew.",
    ]
    assert talk.answer("undo")[0] == "Undone."
    assert talk.session.game.position is not None


@pytest.mark.parametrize("before", [(), ("set game.variant hypergammon2",)])
def test_the_variant_that_is_played_already_is_set_without_a_word(before):
    talk = make_talk(*before)
    variant = talk.session.game.rules.variant.name
    assert talk.answer(f"set game.variant {variant}") == [f"ok set game.variant={variant}"]


def test_games_of_two_variants_are_taken_up_again_in_turn():
    talk = make_talk("new 3", "set game.variant hypergammon1", "new 1", rolls=[(3, 1), (4, 2), (6, 5)])
    assert talk.session.game.rules.variant.name == "hypergammon1"
    talk.answer("set game.variant backgammon")
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to play 4-2."
    assert talk.session.game.rules.variant.name == "hypergammon1"
    assert talk.answer("undo")[0] == "Undone: you are back in the game, and you are to play 3-1."
    assert talk.session.game.rules.variant.name == "backgammon"


def test_help_describes_the_variant_that_is_played_and_any_that_is_named():
    talk = make_talk()
    assert not any("You play" in line for line in talk.answer("help"))
    talk.answer("set game.variant hypergammon2")
    *others, last = talk.answer("help")
    assert others == make_talk().answer("help")
    assert last == (
        "You play hypergammon2: 2 checkers a side, at the start on 24:1 23:1 (point:checkers), all else as "
        "in backgammon. All positions are solved: in money play, plays and doubles are rated without an "
        "error. 'set game.variant backgammon' goes back."
    )
    go_over, about = talk.answer("help nackgammon")
    assert go_over.startswith("  'set game.variant nackgammon' goes over to nackgammon")
    assert about == (
        "  nackgammon: 15 checkers a side, at the start on 24:2 23:2 13:4 8:3 6:4 (point:checkers), all else "
        "as in backgammon."
    )


def test_what_was_played_last_is_no_news_once_the_game_is_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    talk = make_talk("set game.variant hypergammon1", "new 1", rolls=[(2, 1), *[(6, 5)] * 20])
    assert talk.talk.news
    play_to_the_end(talk)
    assert talk.game.news
    assert talk.talk.news == []
    assert talk.answer("save game.mat") == ["Saved 1 game to game.mat."]
    talk.answer("undo")
    assert talk.answer("redo")[0] == "Redone: the game is over."
