"""Match files, and a person's own games, stepped through on the board."""

from __future__ import annotations

import re
import threading
import time
from dataclasses import replace

import pytest

from gammond.engine.errors import UnsupportedError
from gammond.engine.match_analysis.analysis import count_decisions
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rollout import RolloutSettings
from gammond.engine.runtime.version import read_version
from gammond.protocol.core.replies import format_reply
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.replies import PreformattedLine
from gammond.protocol.repl.dialogue import analysis_commands
from gammond.protocol.repl.records import match_analysis
from gammond.protocol.repl.records.open_records import make_own_match
from gammond.protocol.repl.terminal.pages import fit_tables, wrap_line
from tests.engine.match_files.played_games import MAT_GAME
from tests.engine.match_files.test_position_report import XG_PLAYS
from tests.protocol.repl.tables import make_talk

ROLLS = [(3, 1), (5, 2), (6, 4), (2, 1), (5, 4), (4, 3), (6, 2)]
LINES = ("8/5 6/5", "double", "take", "roll", "13/8 24/22", "roll", "24/14", "resign", "accept")
MATCH = f" 5 point match\n\n Game 1\n{MAT_GAME}"
SECOND_GAME = """
 Game 2
 michy : 0                             Thomas Low : 1
  1) 31: 8/5 6/5                       52: 13/8 24/22
  2) 64: 24/14
"""


@pytest.fixture
def file(tmp_path):
    """A match of two games, the second of which breaks off."""
    file = tmp_path / "match.mat"
    file.write_text(MATCH + SECOND_GAME)
    return file


ANALYSED = {}
"""Analyses that a test has made: evaluator, settings and match -> the match with its notes."""


@pytest.fixture(autouse=True)
def analyse_once(monkeypatch):
    """Analyse the same match with the same settings once for all tests."""
    analyse = match_analysis.analyse_match

    def analyse_or_recall(engine, match, settings, *, progress, **options):
        key = engine.name, settings, repr(match)
        if key not in ANALYSED:
            ANALYSED[key] = analyse(engine, match, settings, progress=progress, **options)
        total = count_decisions(match)
        progress(total, total)
        return ANALYSED[key]

    monkeypatch.setattr(match_analysis, "analyse_match", analyse_or_recall)


def opened(file, *lines):
    return make_talk(f"open {file}", *lines)


def first_line(talk, line):
    return talk.answer(line)[0]


def list_rows(lines):
    """Return the rows of a list of errors."""
    return [line for line in lines if re.match(r" +[0-9]+ +[0-9]\.[0-9]{3} ", line)]


def test_a_file_is_opened_with_its_players_and_stepped_through_to_its_end(file):
    talk = make_talk()
    lines = talk.answer(f'open "{file}"')
    assert lines[0] == "michy and Thomas Low: 2 games of a 5-point match."
    assert lines[1] == "Game 1 of 2, move 1 of 7. 6-4: Thomas Low plays 24/18 13/9."
    assert "X: Thomas Low" in lines[3]
    assert "rolled 6-4" in "".join(lines)
    seen = []
    while not (lines := talk.answer("next"))[0].startswith("error"):
        seen.append(lines[0])
    assert lines == ["error: this is the end of the match"]
    assert seen[8:13] == [
        "Game 1 of 2, move 6 of 7. 3-1: michy plays bar/22 23/22.",
        "Game 1 of 2, move 6 of 7. Thomas Low doubles to 2.",
        "Game 1 of 2, move 7 of 7. michy passes.",
        "Game 1 of 2: Thomas Low wins a single game, 1 point. michy 0, Thomas Low 1.",
        "Game 2 of 2, move 1 of 2. 3-1: michy plays 8/5 6/5.",
    ]
    assert seen[-1] == "Game 2 of 2: there is no more of it."
    back = []
    while not (lines := talk.answer("previous"))[0].startswith("error"):
        back.append(lines[0])
    assert lines == ["error: this is the beginning of the match"]
    assert back[:-1] == seen[-2::-1]
    assert back[-1].startswith("Game 1 of 2, move 1 of 7.")


@pytest.mark.parametrize(
    ("lines", "place"),
    [
        (("next 3",), "Game 1 of 2, move 3 of 7."),
        (("next 5", "previous 2"), "Game 1 of 2, move 3 of 7."),
        (("next 9999",), "Game 2 of 2: there is no more of it."),
        (("next game",), "Game 2 of 2, move 1 of 2."),
        (("next 3", "next game", "previous game"), "Game 1 of 2, move 1 of 7."),
        (("move 6", "next roll"), "Game 2 of 2, move 1 of 2."),
        (("last game", "previous roll"), "Game 1 of 2, move 6 of 7."),
        (("move 6", "next"), "Game 1 of 2, move 6 of 7. Thomas Low doubles to 2."),
        (("last",), "Game 2 of 2: there is no more of it."),
        (("last", "first"), "Game 1 of 2, move 1 of 7."),
        (("last", "first game"), "Game 2 of 2, move 1 of 2."),
        (("last game",), "Game 1 of 2: Thomas Low wins a single game"),
        (("game 2", "move 2"), "Game 2 of 2, move 2 of 2."),
        (("next 3", "undo", "back"), "Game 1 of 2, move 3 of 7."),
        (("next 3", "newgame", "next"), "Game 1 of 2, move 3 of 7."),
        (("next rolled", "next move", "next"), "Game 1 of 2, move 3 of 7."),
    ],
)
def test_each_word_goes_to_its_place(file, lines, place):
    talk = opened(file, *lines[:-1])
    assert first_line(talk, lines[-1]).startswith(place)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("game 3", "expected a game 1..2 of this match, got 3"),
        ("move 12", "expected a move 1..7 of game 1, got 12"),
        ("previous game", "there is no game before this one"),
        ("next error", "no decision after this one lost 0.02 or more: 'analyse' looks for them"),
        ("next blunder", "no decision after this one lost 0.08 or more: 'analyse' looks for them"),
        ("next often", "expected a number, roll, game, error, blunder, or nothing, got 'often'"),
        ("match 2", "expected an open match, 1..1, got 2: 'match' lists them"),
        ("error 1", "no decision to show: 'errors' or 'review' lists them first"),
        ("save x.xg", "expected a name that ends in .mat, .sgf or .ogxm, got .xg: "),
    ],
)
def test_a_place_that_is_not_there_is_refused_and_nothing_changes(file, line, message):
    talk = opened(file)
    before = talk.session.game
    assert first_line(talk, line).startswith(f"error: {message}")
    assert talk.session.game is before


@pytest.mark.parametrize("line", ["next", "errors", "analyse", "comment", "move 1", "open"])
def test_without_a_match_and_without_a_game_there_is_nothing_to_step_through(line):
    assert first_line(make_talk(), line).startswith("error: no match to step through: 'open FILE' opens")


def test_a_roll_that_was_not_played_is_no_place(tmp_path):
    file = tmp_path / "match.mat"
    file.write_text(
        " 3 point match\n\n Game 1\n A : 0    B : 0\n  1) 31: 8/5 6/5    52: ????\n  Wins 1 point\n"
    )
    talk = opened(file)
    assert first_line(talk, "move 2") == (
        "Game 1 of 1, move 2 of 2. B offers to resign a single game. A accepts."
    )
    assert talk.session.game.match.roll == (5, 2)
    assert first_line(talk, "previous").startswith("Game 1 of 1, move 1 of 2. 3-1: A plays 8/5 6/5.")


def test_what_is_no_match_file_says_so(tmp_path):
    (tmp_path / "text").write_text("nothing")
    talk = make_talk()
    (line,) = talk.answer(f"open {tmp_path / 'text'}")
    assert line.startswith(f"error: {tmp_path / 'text'}: expected a match file (")
    assert first_line(talk, f"open {tmp_path / 'none'}").startswith(f"error: {tmp_path / 'none'} cannot be")
    assert first_line(talk, f"open {tmp_path}").startswith("error: ")
    assert first_line(talk, "match").startswith("error: no match is open")
    assert first_line(talk, "close").startswith("error: no match is open")
    assert first_line(talk, "back").startswith("error: no match is open")


def test_positions_of_a_file_are_opened_too(tmp_path):
    file = tmp_path / "positions.txt"
    file.write_text(f"{XG_PLAYS}\n{XG_PLAYS}")
    talk = make_talk()
    assert talk.answer(f"open {file}")[:2] == [
        "2 positions of a 7-point match.",
        "Position 1 of 2: X is to play 3-1; O 6, X 3 to 7, cube 1 centred.",
    ]
    assert talk.answer("hint 1")[2].startswith(" 1   0 ")
    assert first_line(talk, "next").startswith("Position 2 of 2: X is to play 3-1")
    assert first_line(talk, "8/5 6/5") == "3-1: Ann Lee plays 8/5 6/5."
    assert first_line(talk, "game 1").startswith("Position 1 of 2")


def test_nothing_in_a_file_reaches_the_terminal_as_it_is(tmp_path):
    (match,) = parse_mat(MATCH)
    notes = {0: ActionNotes(comment="\x1b[2Jgone\u202e")}
    games = (replace(match.games[0], notes=notes),)
    file = tmp_path / "match.sgf"
    file.write_text(format_sgf(replace(match, names=("\x1b[31mA" + "b" * 50, "\x07"), games=games)))
    talk = make_talk()
    lines = [line for said in (f"open {file}", "comment", "match", "errors") for line in talk.answer(said)]
    assert all(line.isprintable() for line in lines)
    assert max(len(line) for line in lines if isinstance(line, PreformattedLine)) <= 80
    assert any("gone" in line for line in lines)


def test_comments_are_shown_long_ones_in_short(tmp_path):
    (match,) = parse_mat(MATCH)
    long = "A plan. " * 60
    notes = {0: ActionNotes(comment="Why not?\nOr so."), 1: ActionNotes(comment=long)}
    games = (replace(match.games[0], notes=notes, comment="A short game."),)
    file = tmp_path / "match.sgf"
    file.write_text(format_sgf(replace(match, games=games)))
    talk = opened(file)
    assert talk.answer("comment") == ["A short game.", "Why not?", "Or so."]
    lines = talk.answer("next")
    assert lines[1].startswith("A plan. A plan.")
    assert lines[2] == "... ('comment' shows all of it)"
    assert talk.answer("comment") == [long.strip()]
    talk.answer("next")
    assert talk.answer("comment") == ["There is no comment here."]


def test_the_errors_of_both_players_are_listed_and_shown_on_the_board(file):
    talk = opened(file)
    lines = talk.answer("errors")
    players = [line.partition(":")[0] for line in lines if " points lost, PR " in line]
    assert players == ["michy", "Thomas Low"]
    rows = list_rows(lines)
    assert 3 < len(rows) <= 10
    assert [int(row.split()[0]) for row in rows] == list(range(1, len(rows) + 1))
    losses = [float(row.split()[1]) for row in rows]
    assert losses == sorted(losses, reverse=True)
    for number, row in enumerate(rows, 1):
        place, *said = talk.answer(f"error {number}")
        _, loss, game, move, *_ = row.split()
        assert place.startswith(f"Game {game} of 2, move {move} of ")
        assert any(f" lost {loss}" in line for line in said)
    assert len(list_rows(talk.answer("errors 2"))) == 2
    assert first_line(talk, "error 3") == "error: expected a number 1..2 of the last list, got 3"


def test_a_hint_at_an_analysed_decision_is_the_analysis_with_the_play_that_was_made(file):
    talk = opened(file, "move 5")
    fresh = talk.answer("hint")
    talk.answer("errors 1")
    lost = float(re.search(r" lost (0\.[0-9]{3})", talk.answer("move 1")[1])[1])
    lines = talk.answer("hint 1")
    (played,) = [line for line in lines if "(played" in line]
    assert float(played.split()[2]) == pytest.approx(-lost, abs=0.0011)
    assert lines[2].split()[0] == "1"
    assert lines[-1].endswith("plays by the analysis (2-ply); 'hint plies=N' searches anew")
    assert "plays at 1-ply, net racing" in talk.answer("hint 1-ply")[-2]
    assert talk.answer("hint 2 plies=1") == talk.answer("hint 2 1-ply")
    talk.answer("move 5")
    assert talk.answer("hint plies=0") == fresh


def test_a_kept_hint_shows_plays_of_another_depth_apart_without_a_difference(file):
    talk = opened(file, "errors 1", "move 1")
    whole = talk.answer("hint 10")
    title = whole.index("    not searched at 2-ply:")
    compared, others = whole[2:title], whole[title + 1 : -1]
    assert [line.split()[0] for line in compared] == [str(rank) for rank in range(1, len(compared) + 1)]
    assert len(compared) >= 5
    assert all("-ply" not in line for line in compared)
    assert others
    assert all(line.startswith("   ") and not line[9:16].strip() and "-ply)" in line for line in others)
    assert "    not searched at 2-ply:" not in talk.answer("hint")


def test_a_hint_at_an_analysed_cube_action_is_the_analysis_of_it_for_the_side_that_acts(file):
    talk = opened(file, "errors 1", "last game", "previous")
    answer, fresh = talk.answer("hint"), talk.answer("hint plies=2")
    assert [line.split("  ")[2] for line in answer[1:3]] == ["take", "pass"]
    assert [line[:26] for line in answer[1:3]] == [line[:26] for line in fresh[1:3]]
    assert "    pass was done; best: take" in answer
    assert answer[-1] == "    by the analysis (2-ply); 'hint plies=N' searches anew"
    talk.answer("previous")
    double = talk.answer("hint")
    assert [line.split("  ")[2] for line in double[1:4]] == ["no double", "double, take", "double, pass"]
    assert any(line.startswith("    double was done; best: ") for line in double)
    own, other = (float(re.search(r"win ([0-9.]+)", "".join(said))[1]) for said in (answer, double))
    assert own + other == pytest.approx(100, abs=0.11)


REDOUBLED = """ 5 point match

 Game 1
 ann : 0                               bob : 0
  1) 31: 8/5 6/5                       64: 24/18 13/9
  2)  Doubles => 2                      Takes
  3) 31: 24/23 13/10                    Doubles => 4
  4)  Takes                            21: 13/11 6/5
  5) 52: 13/8 6/4                      31: 8/5 6/5
"""


def test_a_double_of_a_cube_that_has_an_owner_is_a_redouble_wherever_a_match_is_read(tmp_path):
    file = tmp_path / "redoubled.mat"
    file.write_text(REDOUBLED)
    talk = opened(file, "errors 1")
    listed = [line for line in talk.answer("errors 100") if "redouble" in line]
    assert listed
    assert not any(re.search(r"\bdouble", line) for line in listed)
    for _ in range(20):
        said = talk.answer("next")
        if "redoubles to 4" in said[0]:
            break
    assert any(line.startswith("Redouble lost ") for line in said)
    lines = talk.answer("hint")
    assert [line.split("  ")[2] for line in lines[1:4]] == ["no redouble", "redouble, take", "redouble, pass"]
    assert any(line.startswith("    redouble was done; best: no redouble") for line in lines)


def test_errors_of_one_player_or_from_a_loss_on_are_listed(file):
    talk = opened(file, "errors")
    rows = list_rows(talk.answer("errors 100"))
    least = float(rows[2].split()[1])
    listed = list_rows(talk.answer(f"errors {least:.3f}"))
    assert 2 <= len(listed) <= 3
    assert [line.split() for line in listed] == [line.split() for line in rows[: len(listed)]]
    for name in ("michy", "thomas low"):
        lines = list_rows(talk.answer(f"errors {name}"))
        assert lines
        assert all(f" {name} " in line.lower() for line in lines)
    assert talk.answer("errors X")[-2] == talk.answer("errors Thomas Low")[-2]
    assert first_line(talk, "errors nobody") == (
        "error: expected how many to list, a loss such as 0.02, or a player (michy or Thomas Low), "
        "got 'nobody'"
    )


def test_what_is_analysed_is_not_analysed_anew(file):
    talk = opened(file, "analyse plies=0", "errors")
    done = ["It is analysed at 0-ply already: 'errors' lists what was lost."]
    assert talk.answer("analyse plies=0") == talk.answer("analyse game plies=0") == done
    assert first_line(talk, "analyse plies=0 deepen=1").startswith("Analysing ")
    talk.answer("analyse stop")
    assert first_line(talk, "analyse plies=0").startswith("Analysing ")


def test_each_match_has_its_own_list_of_errors(file, tmp_path):
    other = tmp_path / "other.mat"
    other.write_text(MATCH)
    talk = opened(file, "errors 3", f"open {other}", "errors 1")
    assert first_line(talk, "error 2") == "error: expected a number 1..1 of the last list, got 2"
    talk.answer("match 1")
    assert first_line(talk, "error 3").startswith("Game ")
    assert talk.game.records.current is talk.game.records.records[0]
    talk.answer("match 2")
    assert first_line(talk, "error 1").startswith("Game 1 of 1")
    assert talk.game.records.current is talk.game.records.records[1]
    talk = opened(file, "errors", f"open {other}")
    lines = talk.answer("error 1")
    assert lines[0].startswith("Game ")
    assert "This is another match: michy and Thomas Low: 2 games of a 5-point match." in lines


def test_a_roll_without_a_double_is_shown_before_the_roll_and_its_play_comes_next(file):
    talk = opened(file, "errors")
    record = talk.game.records.current
    record.place = record.place._replace(action=8, is_rolled=False)
    lines = talk.answer("back")
    assert lines[0] == "Game 1 of 2, move 5 of 7. Thomas Low rolls without a double."
    assert talk.session.game.may_double
    assert talk.answer("hint")[1].startswith("    no double")
    assert first_line(talk, "next").startswith("Game 1 of 2, move 5 of 7. 5-1: Thomas Low plays")
    assert first_line(talk, "previous").startswith("Game 1 of 2, move 5 of 7.")


def test_names_stay_at_the_table_while_other_plays_are_tried_from_a_place(file):
    talk = opened(file, "move 5", "next")
    tried = talk.answer("bar/24* 13/8")
    assert tried[0] == "5-1: Thomas Low plays bar/24* 13/8."
    assert "X: Thomas Low" in "".join(tried)
    assert first_line(talk, "dice 4 2") == "ok dice die1=4 die2=2"
    assert "O: michy" in "".join(talk.answer("board"))
    assert first_line(talk, "best").startswith("4-2: michy plays ")
    assert first_line(talk, "double").startswith("Thomas Low doubles to 2.")
    assert first_line(talk, "show turn").startswith("michy ")
    talk.answer("undo")
    assert first_line(talk, "roll").startswith("Thomas Low rolls ")
    talk.answer("newgame")
    assert "michy" not in "".join(talk.answer("board"))


def test_next_error_goes_from_one_costly_decision_to_the_next(file):
    talk = opened(file, "errors")
    seen = []
    while not (lines := talk.answer("next error"))[0].startswith("error"):
        seen.append(lines)
    assert seen
    assert all(re.search(r" lost (0\.[1-9]|0\.0[2-9]|[1-9])", "".join(lines)) for lines in seen)
    assert lines == ["error: no decision after this one lost 0.02 or more"]
    assert talk.answer("previous error")[0].startswith("Game ") or len(seen) == 1


def test_an_analysis_goes_on_in_the_background_and_its_games_are_shown_as_they_are_done(file, monkeypatch):
    go_on, analyse = threading.Event(), match_analysis.analyse_match

    def wait(engine, match, *rest, **options):
        if match.games[0].number == 2:
            assert go_on.wait(60)
        return analyse(engine, match, *rest, **options)

    monkeypatch.setattr(match_analysis, "analyse_match", wait)
    talk = opened(file)
    lines = talk.answer("analyse plies=0")
    assert re.fullmatch(r"Analysing [0-9]+ decisions at 0-ply in the background\.", lines[0])
    while not talk.game.records.current.is_analysed:
        time.sleep(0.01)
    assert re.search(r"game 1 move 1, analysed [0-9]+/[0-9]+", talk.talk.toolbar(120))
    assert "Luck: " in talk.answer("next")[1]
    assert "Luck: " not in "".join(talk.answer("last"))
    control, reports = WorkControl(lambda reply: (reports.append(format_reply(reply)), control.stop())), []
    lines = talk.answer("errors", control)
    assert re.fullmatch(r"info analysed [0-9]+ of [0-9]+ time_ms [0-9]+", reports[0])
    assert re.match(r"The analysis goes on: [0-9]+ of [0-9]+ decisions are done\.", lines[-2])
    go_on.set()
    lines = talk.answer("errors")
    assert not any("goes on" in line for line in lines)
    assert "analysed" not in talk.talk.toolbar(120)
    assert "Luck: " in "".join(talk.answer("game 2"))


def test_decisions_that_are_close_or_wrong_are_rolled_out_in_the_background(file, monkeypatch):
    quick = RolloutSettings(trials=4, truncation=2, min_trials=2)
    monkeypatch.setattr(analysis_commands, "QUICK_ROLLOUT", quick)
    talk = opened(file)
    lines = talk.answer("analyse game plies=0 rollout=true")
    assert lines[0].endswith(" decisions at 0-ply, then rollouts in the background.")
    assert "0-ply, then rollouts, net racing" in "".join(talk.answer("errors"))
    again = talk.answer("analyse game plies=0 rollout=true")
    assert again == ["It is analysed at 0-ply, then rollouts already: 'errors' lists what was lost."]
    record = talk.game.records.current
    trials = {
        each.evaluation.trials for notes in record.match.games[0].notes.values() for each in notes.candidates
    }
    assert trials == {0, 4}
    assert talk.answer("analyse game plies=0")[0].startswith("Analysing ")
    assert talk.game.records.analysis.wait(WorkControl())


def test_an_analysis_tells_how_far_its_rollouts_are(file, monkeypatch):
    go_on = threading.Event()

    def roll_out(engine, match, *rest, progress, **options):
        progress(12, 648)
        assert go_on.wait(60)
        return match

    monkeypatch.setattr(match_analysis, "roll_out_decisions", roll_out)
    talk = opened(file, "analyse game plies=0 rollout=true")
    while talk.game.records.analysis.trials is None:
        time.sleep(0.01)
    assert "trials 12/648" in talk.talk.toolbar(140)
    control, reports = WorkControl(lambda reply: (reports.append(format_reply(reply)), control.stop())), []
    talk.answer("errors", control)
    assert re.fullmatch(r"info trials 12 of 648 time_ms [0-9]+", reports[0])
    go_on.set()
    talk.answer("analyse stop")


def test_an_analysis_can_be_stopped(file):
    talk = opened(file, "analyse plies=0")
    talk.answer("analyse stop")
    assert not talk.game.records.analysis.is_running
    assert talk.answer("analyse stop") == ["No analysis goes on."]
    assert first_line(talk, "analyse plies=9").startswith("error: ")


def test_an_analysis_that_fails_says_why_once(file, monkeypatch):
    def fail(*arguments, **options):
        raise UnsupportedError("not these rules")

    talk = opened(file)
    with monkeypatch.context() as patch:
        patch.setattr(match_analysis, "analyse_match", fail)
        talk.answer("analyse")
        assert talk.answer("errors") == ["error: not these rules"]
    assert talk.answer("errors")[0].startswith("michy: ")


def test_an_analysis_is_by_the_file_unless_it_names_gammond(file, tmp_path):
    talk = opened(file, "errors", f"save {tmp_path / 'match.sgf'}")
    (match,) = read_matches(str(tmp_path / "match.sgf"))
    assert match.headers["Annotator"] == f"gammond {read_version()}, {talk.game.records.current.source}"
    other = tmp_path / "other.sgf"
    other.write_text(format_sgf(replace(match, headers={"Annotator": "Bill"})))
    assert make_talk(f"open {other}").answer("errors")[1].endswith("; by the file.")
    assert make_talk(f"open {other}", f"save {other}x.sgf").game.records.current.source == "by the file"
    (again,) = read_matches(f"{other}x.sgf")
    assert again.headers == {"Annotator": "Bill"}


def test_the_analysis_of_a_file_is_shown_until_another_takes_its_place(file, tmp_path):
    talk = opened(file, "errors", f"save {tmp_path / 'match.sgf'}")
    other = make_talk()
    assert "It is analysed: " in "".join(other.answer(f"open {tmp_path / 'match.sgf'}"))
    assert f"; by gammond {read_version()}, 2-ply, net racing, in the file." in other.answer("errors")[1]
    listed = [line for line in talk.answer("errors") if " errors (" not in line]
    assert [line for line in other.answer("errors") if " errors (" not in line] == listed
    assert " (by the file, 2-ply)" in "".join(other.answer("error 1"))
    assert " (2-ply)" in "".join(talk.answer("error 1"))
    other.answer("analyse plies=0")
    assert "; 0-ply, net racing." in "".join(other.answer("errors"))


def test_play_goes_on_from_the_match_with_its_score(file):
    talk = make_talk(f"open {file}", "game 2", "next 2", "play", rolls=[(6, 5), (3, 2), (4, 1), (5, 5)])
    assert talk.answer("24/14")[0] == "You play 24/14."
    assert talk.session.game.match.score == (0, 1)


def test_what_is_tried_in_a_match_says_how_to_return_to_it(file):
    talk, said = opened(file, "next"), "'back' returns to the match that is open."
    for line in ("best", "13/10"):
        lines = talk.answer(line)
        assert said in lines[:2]
        assert said not in talk.answer("roll")
        assert first_line(talk, "back").startswith("Game 1 of 2, move 2 of 7.")


@pytest.mark.parametrize("line", ["eval", "cube"])
def test_what_is_about_the_position_before_the_roll_says_so_where_the_dice_are_out(file, line):
    talk = opened(file, "move 5")
    roll = talk.session.game.match.roll
    said = "    before the roll: the {}-{} does not count ('hint' takes it)".format(*roll)
    assert talk.answer(line)[0] == said
    talk.game.records.current.place = talk.game.records.current.place._replace(is_rolled=False)
    talk.answer("back")
    assert "does not count" not in "".join(talk.answer(line))


def test_several_matches_are_open_at_a_time(file, tmp_path):
    other = tmp_path / "other.mat"
    other.write_text(MATCH.replace("michy", "somebody"))
    talk = opened(file, "next", f"open {other}")
    assert talk.answer("match") == [
        "    1  michy and Thomas Low: 2 games of a 5-point match.",
        "*   2  somebody and Thomas Low: 1 game of a 5-point match.",
    ]
    assert talk.answer("match 1")[1].startswith("Game 1 of 2, move 2 of 7.")
    assert talk.answer("close")[:2] == [
        "Closed: michy and Thomas Low: 2 games of a 5-point match.",
        "'back' shows somebody and Thomas Low: 1 game of a 5-point match.",
    ]
    assert first_line(talk, "next").startswith("Game 1 of 1, move 2 of 7.")


def test_saved_matches_are_the_same_in_each_format_and_files_are_not_overwritten(file, tmp_path):
    talk = opened(file)
    assert talk.answer(f"save {tmp_path / 'copy.mat'}") == [f"Saved 2 games to {tmp_path / 'copy.mat'}."]
    assert talk.answer(f"save {tmp_path / 'copy.sgf'}") == [f"Saved 2 games to {tmp_path / 'copy.sgf'}."]
    (match,), (mat,), (sgf,) = (
        read_matches(str(each)) for each in (file, tmp_path / "copy.mat", tmp_path / "copy.sgf")
    )
    assert match.games == mat.games == sgf.games
    talk.answer("errors")
    said = talk.answer(f"save {tmp_path / 'copy.sgf'}")
    assert said == [f"Saved 2 games to {tmp_path / 'copy.sgf'}, with the analysis."]
    assert first_line(talk, f"save {file}").startswith(f"error: {file} already exists")


def people(*lines, rolls=ROLLS):
    return make_talk("play against human", *lines, rolls=rolls)


def test_the_games_of_the_table_are_a_match_like_that_of_their_file(tmp_path):
    talk = people(*LINES)
    file = tmp_path / "match.mat"
    talk.answer(f"save {file}")
    (match,) = read_matches(str(file))
    own = make_own_match(talk.session.log)
    assert [each.actions for each in own.games] == [each.actions for each in match.games]
    assert own.games[0].result == match.games[0].result


def test_a_game_in_progress_is_stepped_through_and_undo_goes_back_to_it():
    talk = make_talk("new 5", "8/5 6/5", rolls=ROLLS)
    table = talk.session.game
    assert talk.answer("previous")[0].startswith("Game 1 of 1, move 1 of 1. 5-2: gammond plays ")
    assert talk.answer("previous")[0] == "Game 1 of 1, move 1 of 1. 3-1: you play 8/5 6/5."
    assert first_line(talk, "previous") == "error: this is the beginning of the match"
    talk.answer("last")
    assert first_line(talk, "next") == "error: this is as far as your game went"
    assert first_line(talk, "undo").startswith("Undone: you are back in the game")
    assert talk.session.game is table
    assert talk.answer("previous")[0].startswith("Game 1 of 1, move 1 of 1.")


def test_a_game_that_is_set_aside_for_a_match_is_still_kept(file):
    talk = make_talk("new 5", "8/5 6/5", rolls=ROLLS)
    table = talk.session.game
    for line in (f"open {file}", "next", "13/10", "next", "error 1"):
        talk.answer(line)
        assert talk.game.describe_kept().game.table is table
    talk.answer("undo")
    while talk.game.human_seat is None:
        talk.answer("undo")
    assert talk.session.game is table


def test_the_analysis_of_a_game_in_progress_serves_while_the_game_stays_as_it_is():
    talk = make_talk("new 5", "8/5 6/5", "analyse plies=0", rolls=ROLLS)
    assert "; 0-ply, net racing." in "".join(talk.answer("errors"))
    record = talk.game.records.current
    talk.answer("errors")
    assert talk.game.records.current is record
    for line in ("roll", "best"):
        talk.answer(line)
    talk.answer("errors")
    assert talk.game.records.current is not record
    assert len(talk.game.records.records) == 1


def test_games_with_doubles_as_two_moves_are_analysed_by_their_plays():
    talk = make_talk("set game.doubles two", "new 0", "dice 6 6", "24/18(2)", rolls=[(3, 1), (5, 2)])
    assert talk.answer("review")[0].endswith("; 1 decision counted.")
    assert re.fullmatch(r"gammond: .*; 1 decision counted\.", talk.answer("errors")[2])
    lines = talk.answer("first")
    assert lines[0] == "Game 1 of 1, move 1 of 1. 6-6: you play 24/18(2)."
    assert re.search(r"lost 0\.[0-9]{3}|Nothing is better", lines[1])
    assert first_line(talk, "analyse plies=1")
    assert first_line(talk, "errors").startswith("error: look-ahead is not supported")


def test_a_position_set_in_the_midst_of_a_game_is_in_its_record():
    talk = people("8/5 6/5", "set game.cube 2", "set game.cube_owner p1", "roll", "13/8 24/22")
    talk.answer("open")
    shown = [first_line(talk, "previous") for _ in range(3)]
    assert shown[1].endswith("Checkers, cube or turn are set up by hand.")
    assert talk.answer("errors")[0].startswith("O: ")


def test_what_a_resignation_lost_is_shown_where_it_was_made():
    talk = people("8/5 6/5", "resign gammon", "accept", "review")
    rows = [line for line in talk.answer("errors") if " resign gammon " in line]
    loss = rows[0].split()[1]
    lines = talk.answer(f"error {rows[0].split()[0]}")
    assert lines[0] == "Game 1 of 1, move 1 of 1. X offers to resign a gammon. O accepts."
    assert lines[1] == f"Resign gammon lost {loss}, a blunder; better: play on (0-ply)."


def test_the_own_match_is_saved_with_its_analysis_and_with_a_game_in_progress(tmp_path):
    file = tmp_path / "mine.sgf"
    talk = make_talk("new 5", "8/5 6/5", "review", rolls=ROLLS)
    assert talk.answer(f"save {file}") == [f"Saved 1 game to {file}, with the analysis."]
    (match,) = read_matches(str(file))
    assert len(match.games[0].actions) == 2
    assert match.games[0].notes[0].candidates


def test_a_review_leaves_the_open_match_where_it_is_and_its_rows_go_to_the_own_game(file):
    talk = make_talk("new 5", "8/5 8/7", f"open {file}", "next 2", "undo", "review", rolls=ROLLS)
    assert talk.answer("match")[1].startswith("*   2  michy")
    assert first_line(talk, "back").startswith("Game 1 of 2, move 2 of 7.")
    assert first_line(talk, "error 1").startswith("Game 1 of 1, move 1 of 1. 3-1: you play ")
    assert talk.answer("match")[0].startswith("*   1  You and gammond")
    assert first_line(talk, "close").startswith("Closed: You and gammond")
    assert first_line(talk, "back").startswith("Game 1 of 2, move 2 of 7.")


def test_the_list_of_errors_is_narrow_in_a_narrow_terminal(file):
    rows = [line for line in opened(file).answer("errors") if isinstance(line, PreformattedLine)]
    narrow = fit_tables(rows, 50)
    assert len(narrow) == len(rows)
    assert max(map(len, narrow)) <= 40
    assert [line.split()[:2] for line in narrow[1:]] == [line.split()[:2] for line in rows[1:]]


def test_lines_of_a_place_fit_above_the_board_on_80_by_24(file):
    talk = opened(file, "errors")
    place = talk.game.records.current
    for each in place.list_places():
        place.place = each
        rows = [part for line in talk.answer("back") for part in wrap_line(line, 80)]
        assert len(rows) <= 22
        assert max(map(len, rows)) <= 80


def test_the_moves_of_a_game_are_listed_in_the_columns_of_the_seats(file):
    talk = make_talk("play against human", *LINES[:4], "resign gammon", "reject", rolls=ROLLS)
    assert [line.split() for line in talk.answer("log")] == [
        ["O", "X"],
        ["1", "3-1:", "8/5", "6/5", "doubles", "to", "2"],
        ["2", "takes", "resigns", "a", "gammon,", "rejected"],
    ]
    talk = opened(file, "game 2")
    assert [line.split()[0] for line in talk.answer("log")] == ["michy", "1", "2"]
    assert make_talk().answer("log")[0].startswith("error: no match to step through")
