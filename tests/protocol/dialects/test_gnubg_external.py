"""The external-player dialect: lines caught on the wire from gnubg 1.07.001, and everything else.

SEAT_0 lines asked gnubg's player 0, whose checkers count negative, SEAT_1 lines player 1.
"""

import threading
from concurrent.futures import Future
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.levels import EvalSettings
from gammond.engine.errors import DataFileError, FormatError
from gammond.engine.formats.fibs_board import FibsDialect, decode_fibs_board, encode_fibs_board
from gammond.engine.play.decider import Decider
from gammond.engine.play.player import RandomPlayer
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.notation import parse_play
from gammond.engine.rules.position import Position
from gammond.protocol.core.connection import Connection
from gammond.protocol.core.jobs import LineJob, run_batch
from gammond.protocol.dialects.gnubg_evaluation import GnubgRules
from gammond.protocol.dialects.gnubg_external import MAX_REPLY_BYTES, GnubgService, connect, format_error_line
from gammond.protocol.state.readiness import QuickWork
from tests.protocol.talking import hear, take_jobs
from tests.support.boards import played_boards
from tests.support.evaluators import FixedEvaluator, RacingEvaluator, TornEvaluator, WatchedEvaluator
from tests.support.naive_ranking import rank_plays

SEAT_0_PLAY = (
    "board:gnubg:root:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:1:-5:4:0:0:0:-3:0:-5:0:0:0:1:1:0"
    ":-1:5:2:5:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_0_ON_THE_BAR = (
    "board:gnubg:root:3:0:0:-1:-2:0:0:0:0:5:0:3:0:0:1:-3:4:1:0:0:-4:0:-5:0:0:0:0:1:0"
    ":-1:5:3:5:3:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_0_BEARS_OFF = (
    "board:gnubg:root:5:0:4:0:1:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-4:-5:-5:0"
    ":-1:6:1:6:1:1:1:1:0:1:-1:0:25:14:1:0:0:0:0:0:0"
)
SEAT_0_IS_DOUBLED = (
    "board:root:gnubg:3:0:0:0:-2:-1:-1:1:2:4:0:2:0:0:0:-3:4:1:0:0:-3:-1:-4:0:0:1:0:0:0"
    ":1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_0_IS_BEAVERED = (
    "board:gnubg:root:0:0:12:0:-4:7:-2:3:1:2:0:-1:0:0:0:-2:0:0:0:0:0:-1:-4:0:0:0:0:-1:0"
    ":-1:0:0:0:0:4:1:0:1:1:-1:0:25:2:0:0:0:0:0:0:1"
)
SEAT_0_IN_THE_CRAWFORD_GAME = (
    "board:gnubg:root:5:0:4:0:-2:0:0:0:0:5:0:4:0:0:0:-5:4:0:0:0:-3:0:-5:1:0:0:0:1:0"
    ":-1:6:6:6:6:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
)
SEAT_1_PLAY = (
    "board:gnubg:root:5:0:0:0:0:0:1:0:0:4:0:3:0:-1:0:-5:4:0:0:0:-2:-2:-5:0:0:2:0:1:0"
    ":1:6:2:6:2:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_1_DANCES = (
    "board:gnubg:root:5:1:0:0:0:0:0:0:0:5:0:2:0:-1:0:-4:4:-1:0:0:-4:1:-5:1:0:0:0:0:2"
    ":1:6:6:6:6:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_1_IS_REDOUBLED = (
    "board:root:gnubg:5:0:1:0:0:0:0:0:0:5:0:2:0:-1:0:-4:4:-1:0:0:-4:1:-5:1:0:0:0:0:2"
    ":-1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_1_IS_BEAVERED = (
    "board:gnubg:root:0:0:0:0:0:0:0:0:-2:5:3:3:1:0:0:-2:0:-2:0:0:-2:2:-4:-1:0:-2:0:1:0"
    ":1:0:0:0:0:2:0:1:1:1:-1:0:25:0:0:0:0:0:0:0:1"
)
SEAT_1_AFTER_THE_CRAWFORD_GAME = (
    "board:gnubg:root:5:4:2:0:-1:0:0:-1:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:1:1"
)
WITH_DICE = [SEAT_0_PLAY, SEAT_0_ON_THE_BAR, SEAT_0_BEARS_OFF, SEAT_0_IN_THE_CRAWFORD_GAME, SEAT_1_PLAY]
EVERY_LINE = [value for name, value in sorted(globals().items()) if name.startswith("SEAT_")]


def asked(line: str, evaluator=None, rules=None) -> str:
    """The answer to one line as gnubg sends it."""
    return talk(played_by(evaluator or RacingEvaluator(), rules), f"{line}\n\0".encode())


def played_by(evaluator, rules=None, depth=None, **options) -> Connection:
    """The connection of a client to the player of an evaluator."""
    return connect(loaded(GnubgService(Decider(Engine(evaluator), depth), rules or GnubgRules(), **options)))


def loaded(service: GnubgService) -> Future[GnubgService]:
    loading = Future()
    loading.set_result(service)
    return loading


def talk(connection: Connection, data: bytes) -> str:
    hear(connection, data)
    answer_together([(connection, job) for job in take_jobs(connection)])
    return connection.data_to_send().decode()


def answer_together(asked: list[tuple[Connection, LineJob]]) -> None:
    for (connection, job), result in zip(asked, run_batch([job for _, job in asked]), strict=True):
        connection.receive_result(job, result)


@pytest.mark.parametrize("line", WITH_DICE)
def test_the_answer_to_dice_is_the_best_play_in_the_movers_numbering(line):
    answer = asked(line)
    board = decode_fibs_board(line, FibsDialect.GNUBG)
    ranked = Engine(RacingEvaluator()).rank_plays(board.position, board.match.roll, board.match)
    best = ranked.best.play
    assert parse_play(answer.removesuffix("\n"), board.position, board.match.roll) == best
    assert "*" not in answer
    assert "(" not in answer


def test_a_dance_is_answered_with_an_empty_line():
    assert asked(SEAT_1_DANCES) == "\n"


def test_the_doublers_position_is_evaluated_when_a_double_is_answered():
    seen = []
    for line in (SEAT_0_IS_DOUBLED, SEAT_1_IS_REDOUBLED):
        asked(line, WatchedEvaluator(seen.extend))
    first, second = map(Position, seen)
    # Seat 1, whose checkers count positive, doubled first: it has one on its 22 point. Then seat 0 redoubled,
    # while two of seat 1 were on the bar.
    assert first.board[0, 24] == 0
    assert (first.board[0, 4], first.board[0, 5], first.board[0, 6]) == (1, 2, 4)
    assert (second.board[0, 25], second.board[1, 25]) == (0, 2)


def write(**match) -> str:
    """The line of a match state at the start."""
    return encode_fibs_board(Position.start(), MatchState(**match), dialect=FibsDialect.GNUBG)


def list_dead_cubes(seat):
    """Lines where a seat may not double, or has nothing to gain by it."""
    trailing = (0, 4) if seat == 0 else (4, 0)
    return [
        write(length=5, score=trailing, crawford=True, on_roll=seat),
        write(length=5, score=trailing[::-1], on_roll=seat),
        write(length=1, on_roll=seat),
        write(cube=2, cube_owner=1 - seat, on_roll=seat),
    ]


EVEN, GOOD, POOR = (0.5, 0.1, 0, 0.1, 0), (0.75, 0.2, 0, 0.1, 0), (0.3, 0, 0, 0, 0)
TOO_GOOD, LOST = (0.95, 0.8, 0, 0, 0), (0, 0, 0, 1, 1)
BEAVERS, NO_JACOBY = GnubgRules(beavers=True), GnubgRules(jacoby=False)
DOUBLED, BEAVERED = (SEAT_0_IS_DOUBLED, SEAT_1_IS_REDOUBLED), (SEAT_0_IS_BEAVERED, SEAT_1_IS_BEAVERED)
TO_ROLL, MONEY_DOUBLED = (write(on_roll=0), write(on_roll=1)), [write(doubled=True, on_roll=1)]
DEAD_CUBES = [*list_dead_cubes(0), *list_dead_cubes(1)]
CUBE_ACTIONS = {
    "a double is evaluated for the doubler": [
        (DOUBLED, (0.7, 0.1, 0, 0.1, 0), "take"),
        (DOUBLED, GOOD, "drop"),
    ],
    "a beaver is taken unless the game is lost": [
        (BEAVERED, (0.45, 0, 0, 0.1, 0), "take"),
        (BEAVERED, (0.05, 0, 0, 0.1, 0), "drop"),
    ],
    "gnubg is beavered where that was allowed": [
        (MONEY_DOUBLED, POOR, "take"),
        (MONEY_DOUBLED, POOR, "beaver", BEAVERS),
        ([SEAT_0_IS_DOUBLED], POOR, "take", BEAVERS),
    ],
    "a good position is doubled": [(TO_ROLL, GOOD, "double"), (TO_ROLL, EVEN, "roll")],
    "Jacoby is assumed": [(TO_ROLL, TOO_GOOD, "double"), (TO_ROLL, TOO_GOOD, "roll", NO_JACOBY)],
    "a dead cube is left alone": [(DEAD_CUBES, (0.78, 0, 0, 0, 0), "roll")],
    "the trailer doubles at once": [([SEAT_1_AFTER_THE_CRAWFORD_GAME], (0.4, 0.1, 0, 0.1, 0), "double")],
    "a lost game is played on": [(DOUBLED, LOST, "take"), (BEAVERED, LOST, "drop"), (TO_ROLL, LOST, "roll")],
    "automatic doubles": [  # which gnubg plays if they are on
        ([write(cube=2)], GOOD, "double"),
        ([write(cube=2)], EVEN, "roll"),
        ([write(cube=2, doubled=True)], (0.9, 0.2, 0, 0, 0), "drop"),
    ],
}


@pytest.mark.parametrize("rows", CUBE_ACTIONS.values(), ids=CUBE_ACTIONS)
def test_the_cube_is_handled_for_the_side_that_is_asked(rows):
    for lines, outcome, answer, *rules in rows:
        for line in lines:
            assert asked(line, FixedEvaluator(*outcome), *rules) == f"{answer}\n"


def test_gammons_do_not_count_when_a_single_game_wins_the_match():
    start, roll = Position.start(), (6, 4)
    ranked = rank_plays(TornEvaluator(), start, roll)
    for match in (MatchState(roll=roll), MatchState(length=1, roll=roll)):
        answer = asked(encode_fibs_board(start, match, dialect=FibsDialect.GNUBG), TornEvaluator())
        assert (parse_play(answer, start, roll) == ranked[0].play) is match.is_money


def test_lines_are_answered_in_order_however_they_are_cut():
    dialect = played_by(RacingEvaluator())
    wire = b"".join(f"{line}\n\0".encode() for line in EVERY_LINE)
    whole = talk(dialect, wire)
    assert whole.count("\n") == len(EVERY_LINE)
    assert "".join(talk(dialect, wire[i : i + 1]) for i in range(len(wire))) == whole


def test_names_may_hold_any_bytes_but_a_colon():
    dialect = played_by(RacingEvaluator())
    named = SEAT_0_PLAY.encode().replace(b"gnubg", b"J\xf6rg \xe2\x98\x83")
    assert talk(dialect, named + b"\n\0") == asked(SEAT_0_PLAY)


def test_the_commands_of_gnubgs_own_server_are_answered():
    dialect = played_by(FixedEvaluator(0.5, 0, 0, 0, 0), software="gammond 1")
    assert talk(dialect, b"version\n") == "Interface: 2\nRFBF: 0\nEngine: fixed\nSoftware: gammond 1\n"
    other = connect(loaded(GnubgService(Decider(Engine(RacingEvaluator()), player=RandomPlayer(3)))))
    assert "\nEngine: random:seed=3\n" in talk(other, b"version\n")
    assert talk(dialect, b"help\n").startswith("\tboard:")
    assert talk(dialect, b"SET debug on\nset debug off\n") == "Debug output ON\nDebug output OFF\n"
    assert talk(dialect, b"set debug maybe\n").startswith("Error: ")
    assert talk(dialect, b"exit\nversion\n") == ""
    assert dialect.is_done


def test_until_the_net_is_loaded_boards_wait_and_commands_that_need_none_do_not():
    loading = Future()
    dialect = connect(loading)
    assert talk(dialect, b"help\nset debug off\n").splitlines()[1:] == ["Debug output OFF"]
    threading.Timer(0.2, loading.set_result, (GnubgService(Decider(Engine(RacingEvaluator()))),)).start()
    answers = talk(dialect, f"{SEAT_0_PLAY}\n\0version\n".encode()).splitlines()
    assert answers[:2] == [asked(SEAT_0_PLAY).strip(), "Interface: 2"]
    assert asked("exit") == talk(connect(Future()), b"exit\n") == ""


def test_a_board_that_waits_for_the_net_can_be_stopped_and_is_told_why_there_is_none():
    waiting = connect(Future())
    ((_, job),) = read_questions(waiting, [SEAT_0_PLAY])
    job.control.stop()
    answer_together([(waiting, job)])
    assert waiting.data_to_send() == b"Error: stopped before the net was loaded\n"
    failing = Future()
    failing.set_exception(DataFileError("the net is damaged"))
    assert talk(connect(failing), f"{SEAT_0_PLAY}\n".encode()) == "Error: the net is damaged\n"


def test_an_evaluation_is_six_numbers_of_the_player_on_roll():
    evaluator = FixedEvaluator(0.6, 0.2, 0.01, 0.1, 0.005)
    line = SEAT_0_IS_BEAVERED.replace(":1:1:-1:0:25", ":0:1:-1:0:25")
    expected = "0.600000 0.200000 0.010000 0.100000 0.005000 0.305000\n"
    for options in ("", " plies 0", " PLIES 0 CUBE OFF", " cubeless jacobyrule on beavers off"):
        assert asked(f"evaluation fibsboard {line}{options}", evaluator) == expected
    cubeful = float(asked(f"evaluation fibsboard {line} cubeful", evaluator).split()[-1])
    assert cubeful < 0.305
    crawford = SEAT_0_IN_THE_CRAWFORD_GAME
    assert asked(f"evaluation fibsboard {crawford} cube on crawfordrule on", evaluator) == asked(
        f"evaluation fibsboard {crawford} cube off", evaluator
    )
    assert asked(f"evaluation fibsboard {crawford} cube on crawfordrule off", evaluator) != asked(
        f"evaluation fibsboard {crawford} cube on", evaluator
    )


def test_an_evaluation_of_money_play_has_jacoby_as_the_request_says_or_else_as_the_rules():
    evaluator, question = (
        FixedEvaluator(0.6, 0.2, 0.01, 0.1, 0.005),
        f"evaluation fibsboard {write()} cubeful",
    )
    shown = [asked(question, evaluator, rules) for rules in (GnubgRules(), NO_JACOBY)]
    assert shown == [asked(f"{question} jacobyrule {word}", evaluator) for word in ("on", "off")]
    assert shown[0] != shown[1]


def test_an_evaluation_has_the_plies_of_the_request_or_else_of_the_player():
    board = decode_fibs_board(SEAT_1_PLAY, FibsDialect.GNUBG)
    match = MatchState(on_roll=1, jacoby=True, beavers=False)
    line = encode_fibs_board(board.position, match, dialect=FibsDialect.GNUBG)
    engine = Engine(RacingEvaluator())
    shown = {}
    for plies in (0, 1, 2):
        for options, is_cubeful in (("cube off", False), ("cube on", True)):
            evaluated = engine.evaluate(board.position, match, EvalSettings(plies, is_cubeful=is_cubeful))
            value = evaluated.decision.no_double.equity if is_cubeful else evaluated.equity
            expected = " ".join(f"{number:.6f}" for number in (*evaluated.outcome, value)) + "\n"
            question = f"evaluation fibsboard {line}"
            assert (
                talk(played_by(RacingEvaluator()), f"{question} plies {plies} {options}\n".encode())
                == expected
            )
            dialect = played_by(RacingEvaluator(), depth=EvalSettings(plies))
            assert talk(dialect, f"{question} {options}\n".encode()) == expected
            shown[plies, options] = expected
    assert len(set(shown.values())) == len(shown)


def test_an_evaluation_of_a_match_has_the_match_winning_chance():
    evaluator, line = (
        FixedEvaluator(0.6, 0.2, 0.01, 0.1, 0.005),
        SEAT_0_IS_DOUBLED.replace(":1:1:1:-1:0", ":0:1:1:-1:0"),
    )
    board = decode_fibs_board(line, FibsDialect.GNUBG)
    for option, is_cubeful in (("off", False), ("on", True)):
        evaluated = Engine(evaluator).evaluate(
            board.position, board.match, EvalSettings(is_cubeful=is_cubeful)
        )
        expected = evaluated.decision.no_double.mwc if is_cubeful else evaluated.mwc
        assert asked(f"evaluation fibsboard {line} cube {option}", evaluator).split()[-1] == f"{expected:.6f}"


def test_plays_and_cube_actions_are_those_of_the_players_depth():
    boards = played_boards(RacingEvaluator(), 4000, seed=9)[:25]
    answers = {plies: [] for plies in (0, 1)}
    for plies, found in answers.items():
        dialect, engine = played_by(RacingEvaluator(), depth=EvalSettings(plies)), Engine(RacingEvaluator())
        for number, board in enumerate(boards):
            match = MatchState(length=5, on_roll=number % 2, roll=(number % 6 + 1, number // 6 + 1))
            position = Position(board)
            line = encode_fibs_board(position, match, dialect=FibsDialect.GNUBG)
            answer = talk(dialect, f"{line}\n".encode()).removesuffix("\n")
            assert len(answer) < MAX_REPLY_BYTES
            best = engine.rank_plays(position, match.roll, match, EvalSettings(plies)).best.play
            assert parse_play(answer or "pass", position, match.roll) == best
            rolling = replace(match, roll=None)
            line = encode_fibs_board(position, rolling, dialect=FibsDialect.GNUBG)
            word = talk(dialect, f"{line}\n".encode())
            decision = engine.evaluate(position, rolling, EvalSettings(plies)).decision
            assert word == ("double\n" if decision.should_double else "roll\n")
            found += [answer, word]
    assert answers[0] != answers[1]


def test_a_search_that_is_cut_short_gives_a_legal_play_but_no_evaluation():
    dialect = played_by(RacingEvaluator(), depth=EvalSettings(4))
    board = decode_fibs_board(SEAT_1_PLAY, FibsDialect.GNUBG)
    line = encode_fibs_board(Position.start(), MatchState(), dialect=FibsDialect.GNUBG)
    asked = read_questions(dialect, [SEAT_1_PLAY, line, f"evaluation fibsboard {line}"])
    for _, job in asked:
        job.control.stop()
    answer_together(asked)
    play, double, evaluation = dialect.data_to_send().decode().splitlines()
    assert parse_play(play, board.position, board.match.roll)
    assert double in ("roll", "double")
    assert evaluation == "Error: stopped before 4-ply was finished"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("fibsboard", "expected a board: line or a command"),
        ("evaluation", "expected 'evaluation fibsboard"),
        ("evaluation fibsboard board:1:2", "expected 'evaluation fibsboard"),
        (f"evaluation fibsboard {SEAT_0_PLAY} plies 7", "expected a whole number 0..4 for plies, got '7'"),
        (f"evaluation fibsboard {SEAT_0_PLAY} plies", "expected a whole number 0..4 for plies, got no value"),
        (
            f"evaluation fibsboard {SEAT_0_PLAY} cube maybe",
            "expected one of on|off|cubeful|cubeless for cube, got 'maybe'",
        ),
        (
            f"evaluation fibsboard {SEAT_0_PLAY} quickly on",
            "expected an option of evaluation (plies, cube, crawfordrule, jacobyrule, beavers), got 'quick",
        ),
        ("board:", "a FIBS board has 52 fields"),
        (SEAT_0_PLAY.replace(":5:2:5:2:", ":7:2:7:2:"), "dice"),
        (SEAT_0_PLAY.replace("root:3:0:0", "root:3:3:0"), "match"),
        (SEAT_0_PLAY + "\x01", "control byte"),
        ("x" * 5000, "expected a line of at most"),
    ],
)
def test_what_cannot_be_answered_gets_one_error_line_that_says_why(line, words):
    answer = asked(line, FixedEvaluator(0.5, 0, 0, 0, 0))
    assert answer.startswith("Error: ")
    assert words in answer
    assert answer.count("\n") == 1


def test_a_finished_game_is_an_error_not_a_move():
    board = np.zeros((2, 26), np.int8)
    board[0, 0], board[1, 3] = 15, 15
    line = encode_fibs_board(Position(board), MatchState(roll=(3, 1)), dialect=FibsDialect.GNUBG)
    assert "game is over" in asked(line)


def test_a_fault_of_the_evaluator_is_an_error_line_and_the_next_line_is_served(caplog):
    dialect = played_by(WatchedEvaluator(lambda _: 1 // 0))
    assert talk(dialect, f"{SEAT_0_PLAY}\n\0".encode()) == "Error: internal fault (ZeroDivisionError)\n"
    assert talk(dialect, b"version\n").startswith("Interface")
    assert "ZeroDivisionError" in caplog.text


def test_an_error_line_is_printable_short_and_never_bare():
    """A bare ``Error:`` is read as a play by gnubg, which it can crash on."""
    assert format_error_line("") == "Error: no answer"
    assert format_error_line("two\nlines\x07 and ü") == "Error: two?lines? and ?"
    assert len(format_error_line("x" * 1000)) < MAX_REPLY_BYTES


OPTIONS = (
    "",
    " plies 0 cube on",
    " plies 0 cube off jacobyrule off",
    " cubeless jacobyrule on",
    " cubeful crawfordrule off",
    " plies 1 cube on",
    " plies 9",
    " plies",
)


def read_questions(connection: Connection, lines: list[str]) -> list[tuple[Connection, LineJob]]:
    hear(connection, "".join(f"{line}\n" for line in lines).encode())
    return [(connection, job) for job in take_jobs(connection)]


def test_questions_together_get_the_answers_that_each_gets_alone():
    lines = [f"evaluation fibsboard {line}{options}" for line in EVERY_LINE for options in OPTIONS]
    centred = SEAT_0_PLAY.replace(":5:2:5:2:1:1:1:", ":0:0:0:0:2:1:1:")
    lines += [f"evaluation fibsboard {centred} cube {word}" for word in ("on", "off")]
    lines += [
        *EVERY_LINE,
        "version",
        "rubbish",
        "evaluation fibsboard board:x",
        "set debug on",
        lines[0][:-5],
    ]
    quick_work = QuickWork()
    for flag in (False, True):
        quick_work.add(("evaluation", flag))
    dialects, others = (
        [
            played_by(RacingEvaluator(), rules, quick_work=quick_work)
            for rules in (None, GnubgRules(jacoby=False))
        ]
        for _ in range(2)
    )
    alone = [talk(dialect, f"{line}\n".encode()) for dialect in dialects for line in lines]
    answer_together([each for dialect in others for each in read_questions(dialect, lines)])
    assert "".join(dialect.data_to_send().decode() for dialect in others) == "".join(alone)
    bad_options, beavers, more = 2 * len(EVERY_LINE), 2 * (len(OPTIONS) - 2), 4
    assert sum(answer.startswith("Error") for answer in alone) == 2 * (bad_options + beavers + more)


def test_questions_of_one_match_state_are_evaluated_in_one_call():
    sizes = []
    decider = Decider(Engine(WatchedEvaluator(lambda boards: sizes.append(len(boards)))))
    quick_work = QuickWork()
    quick_work.add(("evaluation", False))
    service = loaded(GnubgService(decider, quick_work=quick_work))
    dialects = [connect(service) for _ in range(3)]
    board = SEAT_0_PLAY.replace(":3:0:0:", ":0:0:0:", 1)
    other_turn = board.replace(":-1:5:2:5:2:", ":1:0:0:0:0:")
    lines = [f"evaluation fibsboard {line} plies 0 cube off" for line in (board, other_turn)]
    answer_together([each for dialect in dialects for each in read_questions(dialect, lines)])
    assert sizes == [2], "the six questions have two different positions"


def test_a_question_is_quick_once_its_kind_was_quick():
    quick_work = QuickWork()
    dialect = played_by(RacingEvaluator(), quick_work=quick_work)
    lines = [f"evaluation fibsboard {SEAT_0_PLAY}{options}" for options in OPTIONS[:2] + OPTIONS[5:6]]
    lines += [SEAT_0_PLAY, SEAT_0_IS_DOUBLED]
    assert are_quick(dialect, lines) == [False] * 5
    for kind in KINDS:
        quick_work.add(kind)
    assert are_quick(dialect, lines) == [True, True, False, True, True]


def test_questions_that_look_ahead_are_never_quick():
    quick_work = QuickWork()
    for kind in KINDS:
        quick_work.add(kind)
    deep = played_by(RacingEvaluator(), depth=EvalSettings(1), quick_work=quick_work)
    decider = Decider(Engine(RacingEvaluator()), player=RandomPlayer())
    player = connect(loaded(GnubgService(decider, quick_work=quick_work)))
    lines = [SEAT_0_PLAY, SEAT_0_IS_DOUBLED]
    assert are_quick(deep, [*lines, f"evaluation fibsboard {SEAT_0_PLAY} cube on"]) == [False] * 3
    assert are_quick(player, lines) == [False] * 2


KINDS = [(name, flag) for name in ("evaluation", "plays", "cube") for flag in (False, True)]
"""The kinds of quick work."""


def are_quick(connection: Connection, lines: list[str]) -> list[bool]:
    return [job.work.is_quick for _, job in read_questions(connection, lines)]


FIELDS = st.lists(
    st.one_of(st.integers(-16, 16).map(str), st.sampled_from(["", "x", "9999", "-", "\u0661"])),
    min_size=45,
    max_size=56,
)
GARBAGE = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=120).map(str.encode),
    FIELDS.map(lambda fields: ("board:a:b:" + ":".join(fields)).encode()),
    st.tuples(st.sampled_from(EVERY_LINE), st.integers(0, 180), st.binary(max_size=3)).map(
        lambda cut: cut[0].encode()[: cut[1]] + cut[2] + cut[0].encode()[cut[1] + len(cut[2]) :]
    ),
    st.sampled_from([b"set ", b"evaluation fibsboard ", b"version "]).flatmap(
        lambda word: st.binary(max_size=80).map(lambda rest: word + rest)
    ),
)


@settings(max_examples=100)
@given(GARBAGE)
def test_garbage_gets_error_lines_or_legal_answers_and_nothing_else(data):
    dialect = played_by(FixedEvaluator(0.5, 0.1, 0, 0.1, 0))
    for line in data.replace(b"\0", b"\n").split(b"\n"):
        answer = talk(dialect, line + b"\n")
        assert answer.isascii()
        assert len(answer) <= MAX_REPLY_BYTES
        if line.startswith(b"board:") and not answer.startswith("Error: "):
            assert_fits(line.decode("ascii", "replace"), answer)


def test_answers_are_logged_at_debug_while_a_client_debugs(caplog):
    dialect = played_by(RacingEvaluator())
    with caplog.at_level("DEBUG", logger="gammond.protocol"):
        answers = talk(dialect, f"set debug on\n{SEAT_0_PLAY}\nboard:x\nset debug off\nversion\n".encode())
    _, play, error, *_ = answers.splitlines()
    logged = [record.args for record in caplog.records]
    assert logged == [
        ("set debug on", "Debug output ON"),
        ("board:x", error),
        (SEAT_0_PLAY, play),
    ]


def test_no_client_fills_the_log_of_a_server_that_logs_at_info(caplog):
    with caplog.at_level("INFO", logger="gammond.protocol"):
        talk(played_by(RacingEvaluator()), f"set debug on\n{SEAT_0_PLAY}\nboard:x\n".encode())
    assert not caplog.records


def test_a_line_that_looks_like_a_tag_is_an_error_like_any_other():
    for line in (b"@a version", b"@a \x01", b"{}"):
        assert talk(played_by(RacingEvaluator()), line + b"\n").startswith("Error: expected ")


def assert_fits(text: str, answer: str) -> None:
    if answer in ("roll\n", "double\n", "take\n", "drop\n"):
        return
    try:
        board = decode_fibs_board(text, FibsDialect.GNUBG)
    except FormatError:
        pytest.fail(f"{answer!r} answers a line that cannot be read")
    assert parse_play(answer.strip() or "pass", board.position, board.match.roll)
