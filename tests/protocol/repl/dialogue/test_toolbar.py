import pytest

from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from gammond.protocol.repl.dialogue.toolbar import format_toolbar
from tests.protocol.repl.tables import make_session, make_talk
from tests.support.boards import position

WIDE = 200
LONG_NET = "strong-contact"


def shown(match, width=WIDE, *, net=LONG_NET, board=None, plays=False):
    talk = make_talk()
    talk.session.set_position(board or Position.start(), match)
    if plays:
        talk.game.human_seat = 1
    return format_toolbar(talk.game, net, width)


def test_the_toolbar_shows_turn_dice_pips_score_cube_net_and_level():
    talk = LineInterpreter(make_session())
    assert talk.talk.toolbar(80) == " no position: 'play' starts a game | net racing, expert"
    talk.answer("set game.length 5")
    talk.answer("newgame")
    assert talk.talk.toolbar(80) == (
        " O to roll or double | O 167 X 167 | 0-0 to 5 | cube 1 centred | racing expert"
    )
    talk.answer("dice 3 1")
    talk.answer("8/5 6/5")
    talk.answer("setcube value 2 owner p1")
    assert talk.talk.toolbar(WIDE).startswith(
        " X to roll or double | pips O 163, X 167 | 0-0 to 5 | cube 2 held by X | "
    )
    talk.answer("play")
    assert talk.talk.toolbar(WIDE).startswith(" X (you) to roll or double | ")


def test_the_toolbar_names_the_variant_and_a_solution_in_place_of_the_net():
    talk = make_talk("set game.variant nackgammon", "newgame")
    assert talk.talk.toolbar(WIDE).endswith(" | net nackgammon racing, expert")
    talk.answer("set game.variant hypergammon2")
    assert talk.talk.toolbar(WIDE).endswith(" | net hypergammon2, expert")


def test_the_toolbar_names_the_plies_where_the_settings_are_of_no_level():
    talk = make_talk("level master", "plies 3")
    assert talk.talk.toolbar(80).endswith(" | net racing, 3-ply")
    talk.answer("level beginner")
    assert talk.talk.toolbar(80).endswith(" | net racing, beginner")


@pytest.mark.parametrize(
    ("match", "turn"),
    [
        (MatchState(), " O to roll or double | "),
        (MatchState(cube=2, cube_owner=1), " O to roll | "),
        (MatchState(5, (4, 2), crawford=True), " O to roll | "),
        (MatchState(doubled=True), " X to take or drop | "),
        (MatchState(doubled=True, beavered=True, cube=2, cube_owner=1), " O to take or drop | "),
        (MatchState(resigned=2), " X to accept or reject | "),
        (MatchState(roll=(3, 1)), " O to play 3-1 | "),
    ],
)
def test_the_toolbar_says_who_is_to_act_and_how(match, turn):
    assert shown(match).startswith(turn)


@pytest.mark.parametrize(
    ("width", "line"),
    [
        (
            120,
            " X (gammond) to play 6-6 | pips O 167, X 167 | 10-14 to 15 Crawford | cube 1 centred"
            " | net strong-contact, expert",
        ),
        (90, " X (gammond) to play 6-6 | O 167 X 167 | 10-14 to 15 | cube 1 | strong-contact expert"),
        (80, " X (gammond) to play 6-6 | O 167 X 167 | 10-14 to 15 | cube 1 | expert"),
        (65, " X (gammond) to play 6-6 | O 167 X 167 | 10-14 to 15 | expert"),
        (60, " X (gammond) to play 6-6 | O 167 X 167 | 10-14 to 15"),
        (40, " X (gammond) to play 6-6 | O 167 X 167"),
        (30, " X (gammond) to play 6-6"),
        (10, " X (gammon"),
    ],
)
def test_where_room_is_short_parts_are_shortened_and_then_left_out(width, line):
    match = MatchState(15, (10, 14), crawford=True, on_roll=1, roll=(6, 6))
    game = make_talk().game
    game.session.set_position(Position.start(), match)
    game.human_seat = 0
    assert format_toolbar(game, LONG_NET, width) == line


def test_pips_go_with_their_seats_whoever_is_on_roll():
    board = position({6: 2}, {24: 1})
    assert "pips O 12, X 1 " in shown(MatchState(), board=board)
    assert "pips O 1, X 12 " in shown(MatchState(on_roll=1), board=board)


def test_a_short_line_without_a_position_fits_too():
    talk = make_talk()
    assert format_toolbar(talk.game, LONG_NET, 60) == (
        " no position: 'play' starts a game | strong-contact expert"
    )
    assert format_toolbar(talk.game, LONG_NET, 50) == " no position: 'play' starts a game | expert"
    assert format_toolbar(talk.game, LONG_NET, 40) == " no position: 'play' starts a game"


def test_a_dropped_game_is_over_on_the_toolbar():
    talk = make_talk("newgame", "double", "drop")
    assert talk.talk.toolbar(80).startswith(" game over | ")


def test_a_won_match_shows_its_final_score():
    talk = make_talk(rolls=[(6, 5)])
    talk.session.set_position(position({1: 1}, {24: 1}), MatchState(5, (4, 3)))
    for line in ("play", "roll", "1/off"):
        talk.answer(line)
    assert talk.talk.toolbar(80).startswith(" match over | ")
    assert " | 5-3 to 5 | " in talk.talk.toolbar(80)
