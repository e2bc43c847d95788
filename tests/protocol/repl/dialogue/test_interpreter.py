import re

import pytest

from gammond.protocol.commands.table import COMMANDS
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.dialogue import commands
from gammond.protocol.repl.dialogue.commands import REPL_COMMANDS
from gammond.protocol.repl.dialogue.gnubg_words import EXPLANATIONS, TRANSLATIONS, translate
from gammond.protocol.repl.dialogue.interpreter import LineInterpreter
from tests.protocol.repl.tables import make_talk, session_without_nets


def test_commands_of_the_line_protocol_answer_as_on_the_wire():
    *_, line = make_talk("newgame", "dice 3 1").answer("moves 2")
    assert line == "moves count=16 shown=2 plies=0 net=racing"


def test_an_evaluation_is_written_for_people():
    chances, equity, source = make_talk("newgame").answer("eval")
    assert chances.startswith("    win 5")
    assert equity.startswith("    equity ")
    assert source == "    at 0-ply, net racing"


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


@pytest.mark.parametrize("line", ["quit", "exit", "q"])
def test_quit_and_its_other_names_leave(line):
    talk = make_talk()
    assert (talk.answer("   "), talk.has_ended) == ([], False)
    assert talk.answer(line) == ["Goodbye."]
    assert talk.has_ended


@pytest.mark.parametrize("line", ["?", "h"])
def test_other_names_of_help_explain(line):
    talk = make_talk()
    assert talk.answer(line) == talk.answer("help")
    assert talk.answer(f"{line} roll") == talk.answer("help roll")


@pytest.mark.parametrize("line", ["8/5 6/5", "play 8/5 6/5", "8-5, 6-5", "31: 8/5 6/5", "  6/5 8/5"])
def test_a_play_may_be_typed_as_it_is(line):
    talk = make_talk("newgame", "dice 3 1")
    assert talk.answer(line)[0] == "3-1: O plays 8/5 6/5."
    assert talk.session.game.match.on_roll == 1


WHAT_A_LINE_IS = "expected a command or a play such as 8/5 6/5, got "


@pytest.mark.parametrize(
    ("before", "line", "error"),
    [
        *(
            ((), line, "no position: 'play' starts a game, or paste a position")
            for line in ("roll", "board", "hint", "eval")
        ),
        *(
            (("newgame", "double", "drop"), line, "the game is over: 'new' starts another")
            for line in ("roll", "hint", "go chequer", "legal")
        ),
        *(
            (("newgame", "double"), line, "a double to 2 is pending: 'take', 'drop' or 'beaver'")
            for line in ("roll", "8/5 6/5")
        ),
        (("newgame",), "8/5 6/5", "no dice: 'roll' them, or set them with 'dice A B'"),
        (("newgame", "dice 3 1"), "hint 0", "expected a whole number 1..10000 for n, got '0'"),
        ((), "score 1", "expected 'score', got the extra argument '1'"),
        ((), "leave", "no game against the engine: 'play' starts one"),
        ((), "new 5x", "expected a whole number 0..32767 for length, got '5x'"),
        ((), "@a eval", "tags and JSON ..."),
        ((), '{"id": "1"}', "tags and JSON ..."),
        ((), "hnt", f"{WHAT_A_LINE_IS}... did you mean 'hint'?"),
        ((), "ROLL", f"{WHAT_A_LINE_IS}... did you mean 'roll'?"),
        ((), "psition x", f"{WHAT_A_LINE_IS}... did you mean 'position'?"),
        ((), "qqqqqq", f"{WHAT_A_LINE_IS}... 'help' lists the commands"),
        ((), "31", "expected a command or a play, got '31': set a roll with 'dice 3 1'"),
        ((), "play against", "expected a player after 'play against' ..."),
        ((), "XGID=-b--:0", "an XGID has 10 fields between colons, 'XGID=-b--:0' has 2"),
        ((), "position 4HPwATDgc/ABM", "a position ID has 14 characters ..."),
        ((), "4HPwATDgc/ABM", "a position ID has 14 characters ..."),
        ((), "4HPwATDgc/ABMAx", "a position ID has 14 characters ..."),
        ((), "4HPwATDgc/ABM:cAkAAAAAAAAE", "a position ID has 14 characters ..."),
        ((), "4HPwATDgc/ABMA:cAkAAAAAAAA", "... a match ID has 12 characters, 'cAkAAAAAAAA' has 11 ..."),
    ],
)
def test_an_error_says_what_to_do_in_the_words_of_the_repl(before, line, error):
    (said,) = make_talk(*before).answer(line)
    assert re.fullmatch(re.escape(f"error: {error}").replace(r"\.\.\.", ".*").replace(r"\ .*", ".*"), said)


def test_words_for_the_cube_act_for_the_side_whose_turn_it_is():
    talk = make_talk("newgame")
    assert talk.answer("redouble")[0] == "O doubles to 2. 'take', 'drop' or 'beaver'?"
    assert talk.answer("play take")[0] == "X takes. The cube is at 2."
    assert talk.answer("double") == ["error: the opponent owns the cube: only its owner may double"]
    assert talk.answer("resign gammon")[0] == "O offers to resign a gammon, 4 points. 'accept' or 'reject'?"
    assert talk.answer("reject")[0] == "X rejects the resignation; the game continues."


def test_a_dropped_game_is_over_on_the_board_too():
    talk = make_talk("newgame", "double")
    lines = talk.answer("drop")
    assert lines[:2] == ["X passes.", "O wins a single game, 1 point."]
    assert not any("on roll" in line or "doubles" in line for line in lines[2:])
    assert talk.answer("roll") == ["error: the game is over: 'new' starts another"]


def test_boards_and_tables_are_drawn_and_sentences_are_not():
    talk = make_talk("newgame", "dice 3 1")
    assert all(isinstance(line, PreformattedLine) for line in talk.answer("board"))
    *table, net_line = talk.answer("hint")
    assert all(isinstance(line, PreformattedLine) for line in table)
    assert not isinstance(net_line, PreformattedLine)
    assert not isinstance(talk.answer("score")[0], PreformattedLine)


def test_a_position_that_cannot_be_set_up_leaves_the_game_on():
    talk = make_talk("play", rolls=[(3, 1)])
    assert talk.answer("position nonsense")[0].startswith("error: ")
    assert talk.game.is_running
    talk.answer("position startpos")
    assert talk.game.human_seat is None


def test_the_engine_plays_when_a_setting_gives_it_the_turn():
    talk = make_talk("play", rolls=[(3, 1), (5, 2)])
    lines = talk.answer("set game.turn p1")
    assert lines[1].startswith("5-2: gammond plays ")


def test_help_lists_words_and_commands_and_explains_each():
    talk = make_talk()
    overview = talk.answer("help")
    assert len(overview) <= 22
    assert all(f" {name}" in "".join(overview) for name in REPL_COMMANDS)
    everything = "\n".join(talk.answer("help all"))
    for word in REPL_COMMANDS.values():
        assert f"  {word.usage} : {word.summary}" in everything
        assert word.summary in talk.answer(f"help {word.name}")[0]
    listed = everything.partition("line protocol")[2]
    assert all(
        (f" {name}," in listed or f" {name}." in listed) != (name in REPL_COMMANDS) for name in COMMANDS
    )
    assert talk.answer("help eval")[0].endswith("show winning chances and equities before the roll")
    assert "  rollout [moves|position|cube|continue] [trials=N] [plies=N] ... : " in everything
    assert "  kind=single" not in talk.answer("help resign")[1]
    assert any(line.startswith("  stop_jsd=0..") for line in talk.answer("help rollout"))
    assert talk.answer("help dice")[0] == "dice A B"
    talk.answer("set engine.ply 2")
    assert talk.answer("help engine.ply") == [
        "set engine.ply VALUE",
        "depth in UBGI's count, plies + 1",
        "int 1..5; now 2, 1 at the start",
    ]
    assert talk.answer("help nothing")[0].startswith("error: no command 'nothing'")


def test_each_word_is_in_one_group_of_the_help():
    groups = make_talk().answer("help")[1:-2]
    grouped = [name for line in groups for name in line[10:].split()]
    assert len(grouped) == len(set(grouped))
    assert set(REPL_COMMANDS) <= set(grouped) <= {*REPL_COMMANDS, *COMMANDS}


XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10"
GNUBG_BOARD = """
 GNU Backgammon
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: gnubg
 | X           O    |   | O              X |     0 points
 | X           O    |   | O              X |     Rolled 31
 | X           O    |   | O                |
 | X                |   | O                |
 | X                |   | O                |
v|                  |BAR|                  |     (Cube: 1)
 | O                |   | X                |
 | O                |   | X                |
 | O           X    |   | X                |
 | O           X    |   | X              O |
 | O           X    |   | X              O |     0 points
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: me
"""
IDENTIFIED_BOARD = GNUBG_BOARD.replace(
    " GNU Backgammon\n",
    " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cIkFAAAAAAAE\n",
)


@pytest.mark.parametrize(
    "text",
    [
        XGID,
        f"position '{XGID}'",
        f"{XGID} and X to play 31",
        XGID.removeprefix("XGID="),
        "11jjjjjhhhccccc:ooddddd88866666:N0N:31:W:R:2:1:5:0",
        "GNUbg ID: 4HPwATDgc/ABMA:cIkFAAAAAAAE",
        "Position ID: 4HPwATDgc/ABMA Match ID: cIkFAAAAAAAE",
        "position Position ID: 4HPwATDgc/ABMA Match ID: cIkFAAAAAAAE",
        "4HPwATDgc/ABMA cIkFAAAAAAAE",
        "set xgid " + XGID,
    ],
)
def test_a_position_is_read_in_any_form_bare_or_after_its_command(text):
    talk = make_talk()
    assert talk.answer(text)[0].startswith("Position set: X is to play 3-1; ")
    assert talk.session.game.match.roll == (3, 1)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("hint", ["hint"]),
        ("newgame\n\n  dice 3 1\n8/5 6/5\n", ["newgame", "dice 3 1", "8/5 6/5"]),
        (IDENTIFIED_BOARD, ["Position ID: 4HPwATDgc/ABMA Match ID: cIkFAAAAAAAE"]),
        (f"{XGID}\nX:you  O:me\nScore is X:2 O:1\n | X  O |\nhint 3\n8/5 6/5", [XGID, "hint 3", "8/5 6/5"]),
    ],
)
def test_pasted_lines_are_answered_one_by_one_and_of_a_page_the_position_counts(text, lines):
    assert make_talk().split(text) == lines


@pytest.mark.parametrize(
    ("typed", "ours"),
    [
        ("new match 5", "new 5"),
        ("new session", "new 0"),
        ("move 8/5 6/5", "8/5 6/5"),
        ("pipcount", "pip"),
        ("show pipcount", "pip"),
        ("show board", "board"),
        ("show", "board"),
        ("set dice 31", "dice 3 1"),
        ("new match to 3", "new 3"),
        ("pip count", "pip"),
        ("show dice", "show turn"),
        ("hint --plies 1", "hint plies=1"),
        ("hint 2 plies 1 --filter=tiny", "hint 2 plies=1 filter=tiny"),
        ("rollout --min-trials 1", "rollout min_trials=1"),
    ],
)
def test_words_of_gnubg_do_what_ours_do(typed, ours):
    talks = [make_talk("newgame", "dice 3 1", rolls=[(3, 1)] * 9) for _ in range(2)]
    assert talks[0].answer(typed) == talks[1].answer(ours)


@pytest.mark.parametrize("word", EXPLANATIONS)
def test_words_that_only_gnubg_has_say_what_to_do(word):
    assert make_talk().answer(f"{word} game")[0] == f"error: there is no {word!r} here: {EXPLANATIONS[word]}"
    assert EXPLANATIONS[word] in make_talk().answer(f"help {word}")[0]


def test_what_the_table_of_gnubg_words_promises_is_understood():
    for theirs, ours in TRANSLATIONS.items():
        first = theirs.split(",")[0]
        name = {"PLAY": "play"}.get(ours, ours.split()[0])
        assert name in {**REPL_COMMANDS, **COMMANDS}, ours
        translated = translate(first.replace(" N", " 2").replace("A B", "3 1").replace("NAME", "p1"))
        assert translated != first or make_talk().talk.aliases[first.split()[0]] == name


@pytest.mark.parametrize("word", ["rules", "jacoby", "beavers", "show rules", "show jacoby", "Jacoby"])
def test_the_rules_in_force_are_shown_by_their_words(word):
    talk = make_talk("set game.beavers off")
    assert talk.answer(word)[0] == "Money play: no Jacoby rule, no beavers."
    talk.answer("set game.length 5")
    assert talk.answer(word)[0].startswith("A 5-point match: the Crawford rule;")


@pytest.mark.parametrize(
    ("typed", "rules"),
    [
        ("jacoby on", "Jacoby rule, beavers"),
        ("set jacoby on", "Jacoby rule, beavers"),
        ("beavers off", "no Jacoby rule, no beavers"),
        ("set beavers 0", "no Jacoby rule, no beavers"),
        ("set beavers 3", "no Jacoby rule, beavers"),
    ],
)
def test_rules_of_money_play_are_set_by_their_words_and_shown_with_board_and_score(typed, rules):
    talk = make_talk("newgame")
    talk.answer(typed)
    assert talk.answer("score")[0].endswith(f"; {rules}.")
    assert any(line.endswith(f" {rules}") for line in talk.answer("board"))
    assert talk.answer("show")[8].endswith(f" {rules}")


@pytest.mark.parametrize("word", ["crawford", "jacoby", "beavers", "raccoon", "raccoons"])
def test_help_explains_the_rules_of_the_cube(word):
    (said,) = make_talk().answer(f"help {word}")
    assert said.strip().removesuffix("s").startswith(word.removesuffix("s"))
    assert said.strip().partition(": ")[2] in "\n".join(make_talk().answer("help rules"))


def test_a_raccoon_is_no_answer_to_a_beaver_here_and_that_is_said():
    talk = make_talk("newgame", "double", "beaver")
    for word in ("raccoon", "raccoons"):
        (said,) = talk.answer(word)
        assert said.endswith("here 'take' or 'drop' answers a beaver")
    assert talk.session.game.match.beavered


def test_the_cube_and_the_turn_are_shown():
    assert make_talk("newgame").answer("show turn") == ["O is to roll."]
    assert make_talk("set game.doubles two", "newgame").answer("show cube") == ["These rules have no cube."]
    assert make_talk("position gnubgid AAAAhgAAAAAAAA").answer("show turn") == ["The game is over."]
    assert make_talk().answer("show cube")[0].startswith("error: no position")


def test_each_id_that_is_shown_is_read_again():
    for line in make_talk("newgame", "dice 3 1", "8/5 6/5").answer("id"):
        assert make_talk().answer(line)[0] == "Position set: X is to roll; money play, cube 1 centred."


def test_without_nets_the_game_is_refused_and_the_table_still_works():
    talk = LineInterpreter(session_without_nets())
    assert talk.answer("play") == ["error: the net strong-contact is missing"]
    assert talk.session.game.position is None
    talk.answer("newgame")
    talk.answer("dice 3 1")
    assert talk.answer("hint") == ["error: the net strong-contact is missing"]
    assert talk.answer("8/5 6/5")[0] == "3-1: O plays 8/5 6/5."
    assert "net missing" in talk.talk.toolbar(120)


def test_a_fault_of_the_program_answers_that_line_and_the_talk_goes_on(monkeypatch):
    talk = make_talk("newgame", "dice 3 1")

    def fail(*_):
        raise ZeroDivisionError

    monkeypatch.setitem(commands._SHOWN, "score", fail)
    assert talk.answer("score")[0].startswith("error: internal error")
    assert talk.answer("8/5 6/5")[0].endswith("plays 8/5 6/5.")


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("set player", "'play against NAME' sets the opponent"),
        ("set player 0 gnubg", "'play against NAME' sets the opponent"),
        ("roll 6 6", "'dice 6 6' sets a roll"),
        ("set tutor on", "The tutor objects to"),
        ("set level 2", "expected one of beginner|"),
        ("set plies 1", "Level world-class"),
        ("show engine", "Level expert"),
    ],
)
def test_settings_that_are_words_here_are_understood_or_say_what_to_type(line, advice):
    assert advice in make_talk().answer(line)[0]


def test_of_a_score_that_stays_nothing_is_said_where_there_is_none_or_it_does_not():
    remark = "A position ID has no score: match, score and cube are as they were."
    assert remark not in make_talk("new 0", rolls=[(3, 1)]).answer("4HPwATDgc/ABMA")
    assert remark not in make_talk("new 5", rolls=[(3, 1)]).answer("4HPwATDgc/ABMA:cAkAAAAAAAAE")


LETTER = "Dear all,\nwhat would you have played here?\nI thought of 8/5 6/5 at once.\nBest wishes,\nAnn"


def draw_start(*before):
    return "\n".join(make_talk(*before, "newgame").talk.show_board())


@pytest.mark.parametrize("page", [GNUBG_BOARD, LETTER, draw_start(), draw_start("set game.variant barca")])
@pytest.mark.parametrize("game", ["backgammon", "barca"])
def test_a_pasted_page_that_means_nothing_is_one_error(page, game):
    talk = make_talk(f"set game.variant {game}")
    lines = talk.split(page)
    assert len(lines) == 1
    (answer,) = talk.answer(lines[0])
    count = sum(1 for line in page.splitlines() if line.strip())
    assert answer.startswith(f"error: expected commands, moves or positions, got {count} lines that are none")
    assert answer.endswith(
        "beside it, and 'edit' sets up checkers" if game == "backgammon" else "the commands"
    )


def test_a_page_with_a_position_or_with_commands_gives_these():
    talk = make_talk()
    identified = f"{GNUBG_BOARD}\nPosition ID: 4HPwATDgc/ABMA"
    assert talk.split(identified) == ["Position ID: 4HPwATDgc/ABMA"]
    *commands, page = "newgame", "dice 3 1", GNUBG_BOARD
    lines = talk.split("\n".join(("newgame", page, "dice 3 1")))
    assert [lines[0], lines[2]] == commands
    assert "\n" in lines[1]


@pytest.mark.parametrize(
    "lines",
    [
        ["newgame", "fly", "dice 3 1", "flee"],
        ["hypergammon", "barca", "help games", "variants"],
        ["O 24:2 6:5 X bar:1 6:5", "4HPwATDgc/ABMA", "startpos"],
        ["show board", "swap", "roll 3 1", "pips"],
        ["@tag eval", "{}", "@"],
        ["8/5 6/5", "31: 8/5 6/5", "pass"],
    ],
)
def test_lines_that_mean_something_are_answered_one_by_one(lines):
    assert make_talk().split("\n".join(lines)) == lines
