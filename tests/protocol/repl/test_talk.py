import pytest

from protocol.repl.talk import Talk
from protocol.repl.words import WORDS
from tests.boards import position
from tests.protocol.repl.tables import make_session, make_talk, session_without_nets


def test_an_empty_line_says_nothing():
    assert make_talk().answer("   ") == []


def test_commands_of_the_line_protocol_answer_as_on_the_wire():
    talk = make_talk("newgame")
    (line,) = talk.answer("eval")
    assert line.startswith("eval win=0.5")
    assert line.endswith("plies=0 net=racing")


def test_the_board_is_drawn_after_each_change_and_only_then():
    talk = make_talk()
    drawn = talk.answer("newgame")
    assert drawn[0].startswith("ok newgame gnubgid=4HPwATDgc/ABMA")
    assert "+13-14-15-16-17-18-" in drawn[2]
    assert "+12-11-10--9--8--7-" in drawn[14]
    assert len(drawn) == 1 + 15
    assert len(talk.answer("get game.length")) == 1
    assert len(talk.answer("dice 9 9")) == 1
    assert len(talk.answer("board")) == 15


def test_settings_before_a_position_draw_no_board():
    assert make_talk().answer("set game.length 5") == ["ok set game.length=5"]


def test_the_board_is_seen_by_the_person_in_a_game():
    talk = make_talk("play", rolls=[(3, 1), (5, 2)])
    drawn = talk.answer("8/5 6/5")
    assert any(line.endswith("O: you") for line in drawn[-5:])
    assert any(line.endswith("X: gammond") for line in drawn[:5])


@pytest.mark.parametrize("line", ["8/5 6/5", "play 8/5 6/5", "8-5, 6-5", "31: 8/5 6/5", "  6/5 8/5"])
def test_a_play_may_be_typed_as_it_is(line):
    talk = make_talk("newgame", "dice 3 1")
    assert talk.answer(line)[0] == "3-1: O plays 8/5 6/5."
    assert talk.session.game.match.on_roll == 1


def test_a_play_without_dice_says_what_is_missing():
    assert make_talk("newgame").answer("8/5 6/5") == [
        "error bad_state dice: no dice: send 'dice A B' or 'roll' first"
    ]


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("hnt", "did you mean 'hint'?"),
        ("ROLL", "did you mean 'roll'?"),
        ("psition x", "did you mean 'position'?"),
    ],
)
def test_an_unknown_word_gets_the_nearest_one(typed, hint):
    (line,) = make_talk().answer(typed)
    assert line.startswith("error bad_command command: expected a command or a play such as 8/5 6/5, got ")
    assert line.endswith(hint)


def test_a_word_near_to_nothing_points_to_help_and_a_bare_roll_to_dice():
    assert make_talk().answer("qqqqqq")[0].endswith("'help' lists the commands")
    assert make_talk().answer("31")[0].endswith("a roll is set by 'dice 3 1'")


def test_tags_and_json_are_left_to_programs():
    for line in ("@a eval", '{"id": "1"}'):
        assert make_talk().answer(line)[0].startswith("error unsupported command: tags and JSON")


def test_arguments_of_words_are_checked_like_those_of_commands():
    talk = make_talk("newgame", "dice 3 1")
    assert talk.answer("hint 0") == ["error bad_value n: expected a whole number 1..10000, got '0'"]
    assert talk.answer("score 1")[0] == "error bad_command arguments: expected 'score', got '1' besides"


def test_hint_ranks_plays_with_equity_chances_and_plies():
    lines = make_talk("newgame", "dice 3 1").answer("hint 2")
    assert lines[0].split() == [
        "equity",
        "behind",
        "win",
        "%",
        "gammon",
        "bg",
        "lose",
        "g",
        "lose",
        "bg",
        "play",
    ]
    assert lines[1].split()[0] == "1"
    assert len(lines) == 4
    assert lines[3].strip() == "2 of 16 plays, cubeless money equity at 0 plies, net racing"


def test_setting_up_another_position_ends_the_game_against_the_engine():
    talk = make_talk("play", rolls=[(3, 1)])
    assert talk.game.is_running
    assert talk.answer("position nonsense")[0].startswith("error")
    assert talk.game.is_running
    lines = talk.answer("position startpos")
    assert lines[1] == "The game against the engine ends here, the position stays."
    assert talk.game.human is None


def test_the_engine_plays_when_a_setting_gives_it_the_turn():
    talk = make_talk("play", rolls=[(3, 1), (5, 2)])
    lines = talk.answer("set game.turn p1")
    assert lines[1].startswith("5-2: gammond plays ")


def test_help_lists_words_and_commands_and_explains_each():
    talk = make_talk()
    everything = "\n".join(talk.answer("help"))
    for word in WORDS.values():
        assert f"  {word.usage} : {word.summary}" in everything
        assert word.summary in talk.answer(f"help {word.name}")[0]
    assert "  eval [plies=0..99] : evaluate the position before the roll" in everything
    assert talk.answer("help dice")[0] == "dice A B"
    assert talk.answer("help nothing")[0].startswith("error bad_command command: no command 'nothing'")


def test_quit_ends_the_talk():
    talk = make_talk()
    assert not talk.has_ended
    assert talk.answer("quit") == ["ok quit"]
    assert talk.has_ended


def test_without_nets_the_game_is_refused_and_the_table_still_works():
    talk = Talk(session_without_nets())
    assert talk.answer("play") == ["error data_file net: the net td128-contact is missing"]
    assert talk.session.game.position is None
    talk.answer("newgame")
    talk.answer("dice 3 1")
    assert talk.answer("hint") == ["error data_file net: the net td128-contact is missing"]
    assert talk.answer("8/5 6/5")[0] == "3-1: O plays 8/5 6/5."
    assert "net missing" in talk.toolbar()


def test_a_fault_of_the_program_answers_that_line_and_the_talk_goes_on(monkeypatch):
    talk = make_talk("newgame", "dice 3 1")

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setattr(talk.game, "hint", fail)
    assert talk.answer("hint")[0].startswith("error internal server:")
    assert talk.answer("8/5 6/5")[0].endswith("plays 8/5 6/5.")


def test_the_toolbar_shows_turn_dice_pips_score_cube_net_and_plies():
    talk = Talk(make_session())
    assert talk.toolbar() == " no position: 'play' begins a game | net racing, 0 plies"
    talk.answer("set game.length 5")
    talk.answer("newgame")
    assert talk.toolbar() == (
        " O to roll | pips O 167, X 167 | 0-0 to 5 | cube 1 in the middle | net racing, 0 plies"
    )
    talk.answer("dice 3 1")
    talk.answer("8/5 6/5")
    talk.answer("setcube value 2 owner p1")
    assert talk.toolbar().startswith(" X to roll | pips O 163, X 167 | 0-0 to 5 | cube 2 held by X")
    talk.answer("play")
    assert talk.toolbar().startswith(" X (you) to roll | ")


def test_a_finished_game_shows_on_the_toolbar():
    talk = make_talk()
    talk.session.set_position(position({1: 1}, {24: 1}))
    talk.answer("dice 6 5")
    answer = talk.answer("1/off")
    assert answer[1] == "O wins a single game, 1 point."
    assert talk.toolbar().startswith(" game over | ")
