"""Rollouts on the wire."""

from __future__ import annotations

import re
import threading
import time

import pytest

from gammond.engine.analysis.engine import Engine
from gammond.engine.analysis.rollout_requests import make_rollout_evaluators
from gammond.engine.rollout import RolloutSettings, roll_out_position
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position
from gammond.protocol.core.replies import format_reply
from gammond.protocol.dialects.line_client import connect
from gammond.protocol.state.rollout_store import RolloutStore
from gammond.protocol.state.session import Session
from tests.engine.cubeful.cubes import result_value
from tests.protocol import talking
from tests.protocol.talking import hear, make_connection, pump
from tests.support.evaluators import RacingEvaluator
from tests.support.replies import read_values

ENGINE = Engine(RacingEvaluator())
SHORT = "trials=36 truncate=4"
SETTINGS = RolloutSettings(trials=36, truncation=4)


def talk(text, connection=None):
    """Lines that come back, without progress, which comes by the clock."""
    return [line for line in talking.talk(text, connection) if not line.startswith("info ")]


@pytest.fixture
def connection():
    made = make_connection()
    talk("newgame", made)
    return made


def timeless(lines):
    """Lines without the time they took."""
    return [re.sub(r"elapsed_ms=\d+", "", line) for line in lines]


def number(value):
    return pytest.approx(float(value), abs=2e-6)


def test_a_position_is_rolled_out_with_all_its_numbers(connection):
    estimate, final = map(read_values, talk(f"rollout position {SHORT}", connection))
    game = ENGINE.make_cube_game(MatchState())
    found, _ = roll_out_position(Position.start(), make_rollout_evaluators(ENGINE), SETTINGS, game=game)
    for place, name in enumerate(("win", "win_g", "win_bg", "lose_g", "lose_bg")):
        assert found.outcome[place] == number(estimate[name])
        assert found.outcome_errors[place] == number(estimate[f"{name}_se"])
    assert (found.cubeless_equity, found.cubeless_error) == (
        number(estimate["equity"]),
        number(estimate["se"]),
    )
    assert (found.equity, found.error) == (number(estimate["cubeful"]), number(estimate["cubeful_se"]))
    assert (estimate["of"], final["of"], final["trials"]) == ("position", "position", "36")
    assert (final["reason"], final["seed"], final["plies"]) == ("trials", "0", "0")
    assert int(final["elapsed_ms"]) >= 0
    assert "mwc" not in estimate


def test_without_a_cube_to_turn_there_is_no_take_to_roll_out(connection):
    talk("set game.cube 2\nset game.cube_owner p1", connection)
    estimate, final = map(read_values, talk(f"rollout cube {SHORT}", connection))
    assert (estimate["of"], final["action"]) == ("no_double", "No cube action")
    assert "gain" not in final


def test_a_match_is_rolled_out_in_chances_to_win_it(connection):
    talk("set game.length 5\nset game.score_p1 2", connection)
    with_cube, without = (
        read_values(talk(f"rollout position {SHORT} cubeful={flag}", connection)[0])
        for flag in ("true", "false")
    )
    game = ENGINE.make_cube_game(MatchState(length=5, score=(0, 2)))
    lost, won = result_value(game, -1), result_value(game, 1)
    chance = lost + (float(with_cube["cubeful"]) + 1) / 2 * (won - lost)
    assert float(with_cube["mwc"]) == pytest.approx(chance, abs=1e-5)
    assert float(with_cube["mwc_se"]) > 0
    assert "cubeful" not in without
    assert 0.2 < float(without["mwc"]) < float(with_cube["mwc"]) + 0.1


def test_the_cube_counts_as_the_session_says(connection):
    talk("set engine.cubeful false", connection)
    assert "cubeful" not in read_values(talk(f"rollout {SHORT}", connection)[0])
    assert "cubeful" in read_values(talk(f"rollout {SHORT} cubeful=true", connection)[0])
    assert "cubeful" in read_values(talk(f"rollout cube {SHORT}", connection)[0])


def test_a_rollout_plays_the_dice_on_the_board_unless_asked_otherwise(connection):
    assert read_values(talk(f"rollout {SHORT}", connection)[-1])["of"] == "position"
    talk("dice 6 1", connection)
    lines = talk(f"rollout {SHORT}", connection)
    assert read_values(lines[-1])["of"] == "moves"
    assert sum(line.startswith("candidate ") for line in lines) == 5
    assert read_values(talk(f"rollout position {SHORT}", connection)[-1])["of"] == "position"


@pytest.mark.parametrize("what", ["position", "cube", "moves"])
def test_threads_change_no_byte(connection, what, monkeypatch):
    monkeypatch.setattr("gammond.protocol.commands.rollouts.count_usable_cores", lambda: 8)
    talk("dice 3 1", connection)
    line = f"rollout {what} trials=220 truncate=2 min_trials=108 candidates=3"
    one, many = (timeless(talk(f"{line} threads={threads}", connection)) for threads in (1, 8))
    assert one == many


@pytest.mark.parametrize("what", ["position", "cube", "moves"])
def test_a_rollout_that_is_continued_is_the_single_longer_one(connection, what):
    talk("dice 3 1", connection)
    rest = "truncate=2 min_trials=108 seed=5" + " candidates=3" * (what == "moves")
    whole = timeless(talk(f"rollout {what} trials=300 {rest}", connection))
    talk(f"rollout {what} trials=50 {rest}\nrollout continue trials=130", connection)
    talk("newgame", connection)
    assert timeless(talk("rollout continue trials=300", connection)) == whole


def test_one_that_has_its_trials_comes_back_as_it_is(connection):
    first = timeless(talk(f"rollout {SHORT}", connection))
    assert timeless(talk("rollout continue trials=36", connection)) == first


def test_fewer_trials_than_there_are_are_refused_and_it_can_still_be_continued(connection):
    talk(f"rollout {SHORT}", connection)
    refused = talk("rollout continue trials=10", connection)[-1]
    assert refused.startswith("error bad_value trials: expected 36 trials or more")
    assert read_values(talk("rollout continue trials=40", connection)[-1])["trials"] == "40"


def test_it_ends_by_its_rules(connection):
    talk("dice 3 1", connection)
    by_jsd = talk("rollout trials=5000 truncate=2 min_trials=108 stop_jsd=0.1", connection)
    assert read_values(by_jsd[-1])["reason"] == "jsd"
    assert int(read_values(by_jsd[-1])["trials"]) % 108 == 0
    assert "given_up=true" in by_jsd[-2]
    by_error = read_values(
        talk("rollout position trials=5000 truncate=3 min_trials=108 stop_error=1", connection)[-1]
    )
    assert (by_error["reason"], by_error["trials"]) == ("error", "108")


def test_seeds_and_luck_change_the_numbers_and_not_what_is_asked(connection):
    usual, other, plain = (
        read_values(talk(f"rollout {SHORT} {option}", connection)[0]) for option in ("", "seed=9", "vr=false")
    )
    assert usual["win"] != other["win"]
    assert float(usual["se"]) < float(plain["se"])


def test_a_single_trial_has_no_errors(connection):
    line = talk("rollout trials=1 truncate=1", connection)[0]
    assert "_se=" not in line
    assert "nan" not in line


def stopped(connection, line, after):
    """Send a rollout, stop it once ``after`` accepts a progress line.

    Returns:
        All lines, and the seconds of the processor that it worked on.
    """
    hear(connection, line.encode() + b"\n")
    job = connection.next_job()
    reported = []

    def report(reply):
        reported.append(reply)
        if after(format_reply(reply)):
            job.control.stop()
            reported.append(time.process_time())

    result = job.run(report)
    delay_s = time.process_time() - reported[-1]
    connection.receive_result(job, result)
    return [reply for reply in reported if not isinstance(reply, float)], connection.data_to_send(), delay_s


def test_progress_comes_as_it_goes_and_a_stop_gives_what_is_complete(connection):
    reported, data, delay_s = stopped(connection, "rollout trials=100000", lambda text: "se" in text)
    assert all(
        re.fullmatch(
            r"info trials \d+ of 100000 time_ms \d+( equity -?\d\.\d{6}( se \d\.\d{6})?)?",
            format_reply(reply),
        )
        for reply in reported
    )
    final = read_values(data.decode().splitlines()[-1])
    assert final["reason"] == "stopped"
    assert 0 < int(final["trials"]) < 100_000
    assert delay_s < 0.5
    more = read_values(talk(f"rollout continue trials={int(final['trials']) + 1}", connection)[-1])
    assert (more["reason"], int(more["trials"])) == ("trials", int(final["trials"]) + 1)


def test_progress_on_plays_names_the_best_so_far(connection):
    talk("dice 3 1", connection)
    reported, _, _ = stopped(connection, "rollout trials=15000", lambda text: "pv" in text)
    assert re.search(r" equity -?\d\.\d+( se \d\.\d+)? pv (\d+/\d+ ?)+$", format_reply(reported[-1]))


def test_a_stop_before_anything_is_complete_is_an_error_and_leaves_nothing_to_go_on_with(connection):
    talk(f"rollout {SHORT}", connection)
    hear(connection, b"rollout trials=100000\n")
    assert pump(connection, stops_long=True)[-1].startswith("error stopped ")
    (answer,) = talk("rollout continue trials=72", connection)
    assert answer.startswith("error bad_state what: the last rollout did not finish")


def test_going_on_waits_for_the_rollout_before_it(connection):
    hear(connection, b"rollout trials=72 truncate=4\nrollout continue trials=100\n")
    first, second = connection.next_job(), connection.next_job()
    results = {}
    waiting = threading.Thread(target=lambda: results.update(second=second.run(lambda reply: None)))
    waiting.start()
    results["first"] = first.run(lambda reply: None)
    waiting.join()
    assert b" trials=100 reason=trials" in results["second"]
    assert b" trials=72 reason=trials" in results["first"]


def test_a_stopped_wait_leaves_the_rollout_that_was_waited_for_to_go_on_with(connection):
    hear(
        connection,
        b"rollout trials=100000 truncate=4\nrollout continue trials=100000\nrollout continue trials=100000\n",
    )
    first, second, third = (connection.next_job() for _ in range(3))
    for job in (second, third):
        job.control.stop()
        connection.receive_result(job, job.run(lambda reply: None))
    connection.receive_result(
        first, first.run(lambda reply: first.control.stop() if "se" in reply.values else None)
    )
    final = read_values(connection.data_to_send().decode().splitlines()[-3])
    assert final["reason"] == "stopped"
    more = read_values(talk(f"rollout continue trials={int(final['trials']) + 1}", connection)[-1])
    assert (more["reason"], int(more["trials"])) == ("trials", int(final["trials"]) + 1)


def test_the_oldest_rollouts_are_forgotten_when_all_clients_together_keep_too_much(connection):
    service = connection.handler.session.service
    other = connect(Session(service, 2))
    talk("newgame", other)
    service.rollout_store = RolloutStore(max_bytes=150 * 48)
    talk("rollout trials=100 truncate=1", connection)
    talk("rollout trials=50 truncate=1", other)
    assert read_values(talk("rollout continue trials=60", other)[-1])["trials"] == "60"
    (answer,) = talk("rollout continue trials=110", connection)
    assert answer.startswith("error bad_state what: the last rollout was removed to make room for others")
    assert read_values(talk("rollout continue trials=70", other)[-1])["trials"] == "70"
    talk("rollout trials=40 truncate=1", connection)
    assert read_values(talk("rollout continue trials=50", connection)[-1])["trials"] == "50"


def test_a_request_that_is_refused_leaves_the_last_rollout_as_it_was(connection):
    talk(f"rollout {SHORT}", connection)
    for line in (
        "rollout trials=0",
        "rollout moves",
        "rollout continue",
        "rollout continue trials=9 vr=true",
    ):
        assert talk(line, connection)[0].startswith("error "), line
    final = read_values(talk("rollout continue trials=40", connection)[-1])
    assert (final["of"], final["trials"]) == ("position", "40")


@pytest.mark.parametrize(
    ("line", "start"),
    [
        ("rollout stop_jsd=1e3", "error bad_value stop_jsd:"),
        ("rollout candidates=0", "error bad_value candidates:"),
        ("rollout play=8/5", "error bad_state dice:"),
        ("rollout position play=8/5", "error bad_value play: 'rollout position' has no candidates"),
        (
            "rollout position candidates=3",
            "error bad_value candidates: 'rollout position' has no candidates: remove 'candidates'",
        ),
        ("rollout moves 3", "error bad_command arguments:"),
        ("rollout moves", "error bad_state dice:"),
        ("rollout cube cubeful=false", "error bad_value cubeful:"),
        ("rollout continue", "error bad_command trials:"),
        ("rollout continue trials=9", "error bad_state what: no rollout to continue"),
        ("rollout continue trials=9 seed=1", "error bad_command seed:"),
    ],
)
def test_a_bad_request_names_its_field(connection, line, start):
    assert talk(line, connection)[-1].startswith(start)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ('play="13/10 6/5" play=8/5,6/5', {"13/10 6/5", "8/5 6/5"}),
        ('play="31: 6/5, 8/5"', {"8/5 6/5"}),
    ],
)
def test_plays_that_are_named_are_rolled_out_alone(connection, options, named):
    talk("dice 3 1", connection)
    *lines, final = map(read_values, talk(f"rollout trials=12 truncate=2 {options}", connection))
    assert {line["play"] for line in lines} == named
    assert (final["of"], final["trials"]) == ("moves", "12")
    whole = talk("rollout trials=12 truncate=2 candidates=32", connection)
    by_play = {each["play"]: each for each in map(read_values, whole[:-1])}
    for line in lines:
        assert line["cubeful"] == by_play[line["play"]]["cubeful"]


def test_named_plays_stand_beside_the_best_ones_where_candidates_are_asked_for(connection):
    talk("dice 3 1", connection)
    best = [read_values(line)["play"] for line in talk(f"rollout {SHORT} candidates=2", connection)[:-1]]
    for named, rows in (("24/23 13/10", 3), (best[0], 2)):
        *lines, _ = map(read_values, talk(f'rollout {SHORT} play="{named}" candidates=2', connection))
        assert {line["play"] for line in lines} == {named, *best}
        assert len(lines) == rows


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("play=8/4,6/5", "bad_value play: '8/4,6/5': 8/4 cannot be played with 3 left"),
        ("play=frog", "bad_value play: 'frog': expected a move such as 8/5"),
        (
            "play=8/5,6/5 play=6/5,8/5",
            "bad_value play: expected plays that differ, '6/5,8/5' leads to the same position as '8/5,6/5'",
        ),
        ('play="8/5 6/5', "bad_command play: expected a closing quote of play, got '\"8/5 6/5'"),
        ('play="8/5"6/5', "bad_command play: expected a blank behind the closing quote of play"),
        ("play=8/5,6/5 " * 33, "limit play: expected at most 32 plays, got 33"),
    ],
)
def test_a_play_that_cannot_be_rolled_out_is_named(connection, options, message):
    talk("dice 3 1", connection)
    (answer,) = talk(f"rollout {SHORT} {options}", connection)
    assert answer.startswith(f"error {message}")


@pytest.mark.parametrize(
    ("most", "line"),
    [
        (50, "rollout trials={} play=8/5,6/5 play=13/10,6/5"),
        (25, "rollout trials={} candidates=4"),
        (50, "rollout cube trials={}"),
        (100, "rollout position trials={}"),
    ],
)
def test_games_of_all_plays_together_are_no_more_than_the_cap(most, line):
    small = make_connection(rollout_games=100)
    talk("newgame\ndice 3 1", small)
    assert talk(line.format(most + 1), small)[0].startswith("error limit trials:")
    assert talk(f"{line.format(most)} truncate=1", small)[-1].startswith("rollout")


def test_going_on_is_capped_too():
    small = make_connection(rollout_games=100)
    talk("newgame\nrollout position trials=30 truncate=1", small)
    assert talk("rollout continue trials=101", small)[0].startswith("error limit trials:")
    assert read_values(talk("rollout continue trials=40", small)[-1])["trials"] == "40"
