import pytest

from gammond.protocol.repl.answers.tables import (
    TABLE_WIDTH,
    UNSCALED_NOTE,
    format_cube_decision,
    format_loss,
    format_matrix,
    format_plays,
    format_points,
    format_resignation,
    format_response,
    format_rollout,
)

OUTCOME = {"win": 0.559, "win_g": 0.151, "win_bg": 0.006, "lose_g": 0.105, "lose_bg": 0.004, "equity": 0.1665}
BY = {"plies": 2, "net": "strong"}
LONGEST_PLAY = "24/23* 13/12* 10/9* 8/7*"


def move(rank, **values):
    return {"rank": rank, "play": "8/5 6/5", **OUTCOME, "plies": 2, **values}


def totals(**values):
    return {"count": 16, "shown": 2, **BY, **values}


def test_plays_are_compared_by_what_they_are_ranked_by():
    cubeful = format_plays([move(1, cubeful=0.3), move(2, cubeful=0.1)], totals())
    assert cubeful[2].split()[:4] == ["1", "2", "+0.300", "55.9"]
    assert cubeful[3].split()[:4] == ["2", "2", "+0.100", "-0.200"]
    money = format_plays([move(1), move(2, equity=-0.0335)], totals())
    assert money[3].split()[:4] == ["2", "2", "-0.034", "-0.200"]
    match = format_plays([move(1, mwc=0.5), move(2, mwc=0.4879)], totals())
    assert match[3].split()[:5] == ["2", "2", "48.79", "+0.167", "-1.21%"]


def test_the_last_lines_say_the_depth_of_the_list_how_it_ended_and_how_many_plays_are_not_of_it():
    *_, last = format_plays([move(1), move(2)], totals(stopped=True))
    assert last == "    2 of 16 plays at 2-ply, stopped early, net strong; cubeless money equity"
    *_, source, beyond = format_plays([move(1), move(2)], totals(searched=5))
    assert source == "    2 of 16 plays at 2-ply, net strong; cubeless money equity"
    assert beyond == "    not searched at 2-ply: 11 plays"
    assert format_plays([move(1), move(2)], totals(searched=15))[-1].endswith("2-ply: 1 play")


def test_titles_are_above_their_columns():
    upper, lower, row, _ = format_plays([move(1, cubeful=-0.25, mwc=0.5)], totals(shown=1))
    for title in ("mwc %", "equity", "gam", "bg"):
        end = lower.index(title) + len(title)
        assert row[end - 1] not in " ", title
    assert upper.split() == ["win", "lose"]
    assert lower.index("play") == row.index("8/5")


def test_in_a_narrow_window_rows_have_their_place_equity_and_play():
    lines = format_plays([move(1), move(2)], totals())
    upper, lower, best, second = (line.narrow for line in lines[:4])
    assert upper == ""
    assert lower.split() == ["equity", "behind", "play"]
    assert best.split() == ["1", lines[2].split()[2], "8/5", "6/5"]
    assert second.split() == ["2", *lines[3].split()[2:4], "8/5", "6/5"]
    assert lower.index("play") == best.index("8/5") == second.index("8/5")
    assert max(map(len, (lower, best, second))) < 40


@pytest.mark.parametrize("match", [{}, {"mwc": 0.9999, "cubeful": -1.0}])
def test_the_widest_rows_fit_a_terminal(match):
    certain = dict.fromkeys(("win", "win_g", "win_bg", "lose_g", "lose_bg"), 1.0)
    widest = {**certain, "play": LONGEST_PLAY, "equity": -3.0, **match}
    lines = format_plays([move(1, **widest), move(99, **widest)], totals())
    assert max(map(len, lines)) <= TABLE_WIDTH
    errors = {f"{key}_se": 0.0999 for key in (*certain, "cubeful", "mwc")}
    rolled = {**widest, **errors, "se": 0.0999, "trials": 100_000, "given_up": True}
    rolled |= {"rank": 32, "behind": 2.9999, "behind_se": 0.0999}
    summary = {"of": "moves", "trials": 1, "reason": "jsd", "seed": 2**63 - 1, "elapsed_ms": 99, **BY}
    lines = format_rollout([rolled], summary)
    assert max(map(len, lines[:-1])) <= TABLE_WIDTH


def test_cube_actions_are_compared_with_best_play():
    cube = {"action": "Redouble, pass", "double": True, "response": "drop"}
    cube |= {"no_double": 0.9, "take": 1.2, "drop": 1.0, "best": 1.0, **BY}
    assert format_cube_decision(cube) == [
        "                    equity  vs best",
        "    no redouble     +0.900   -0.100",
        "    redouble, take  +1.200   +0.200",
        "    redouble, pass  +1.000",
        "    Redouble, pass: not redoubling costs 0.100, taking a redouble costs 0.200.",
        "    at 2-ply, net strong",
    ]


def test_too_good_to_double_says_what_doubling_costs():
    cube = {"action": "Too good to double, pass", "double": False, "response": "drop"}
    cube |= {"no_double": 1.1, "take": 1.5, "drop": 1.0, "best": 1.1, "mwc_no_double": 0.6, **BY}
    lines = format_cube_decision({**cube, "mwc_take": 0.7, "mwc_drop": 0.58, "mwc_best": 0.6}, OUTCOME)
    assert lines[0].split() == ["equity", "mwc", "%", "vs", "best"]
    assert lines[1].split()[2:] == ["+1.100", "60.00"]
    assert lines[4] == "    Too good to double, pass: doubling costs 0.100, taking a double costs 0.500."
    assert lines[5] == "    win 55.9 % (gammon 15.1, backgammon 0.6), lose gammon 10.5, backgammon 0.4"


def test_answers_to_a_double_are_seen_by_the_side_that_answers():
    take = {"seat": "p1", "response": "take", "take": -0.5, "drop": -1.0, **BY}
    assert format_response(take)[1:4] == [
        "    take            -0.500",
        "    pass            -1.000   -0.500",
        "    Take: passing costs 0.500.",
    ]
    beaver = format_response({**take, "response": "beaver", "take": 0.25})
    assert beaver[1] == "    beaver          +0.250"
    assert beaver[3] == "    Beaver: passing costs 1.250."


def test_a_resignation_is_compared_with_the_value_of_playing_on():
    offer = {"offer": "single", "accept": False, "cubeful": -1.25, "mwc": 0.3, **BY}
    assert format_resignation(offer)[0] == (
        "    Reject: playing on is worth +1.250 to the side that answers, MWC 70.00 %."
    )


@pytest.mark.parametrize("away", [2, 9, 24, 25, 37, 64])
def test_a_matrix_of_any_size_fits_and_its_columns_are_below_their_numbers(away):
    rows = [{"away": own, "actions": "N" * (away - 1) + "D"} for own in range(1, away + 1)]
    summary = {"away": away, "cube": 1, "money": "P", **BY}
    title, head, *table = format_matrix(rows, summary)
    assert max(map(len, (title, head, *table))) <= TABLE_WIDTH
    for number in head.split():
        place = head.index(f" {number}") + len(number) if number != "10" else head.index("10") + 1
        codes = table[0][6 : place + 1].replace(" ", "")
        assert len(codes) == int(number)


@pytest.mark.parametrize(("cube", "double"), [(1, "double"), (2, "redouble")])
def test_a_matrix_of_redoubles_says_so(cube, double):
    row = {"away": 2, "actions": "N", "no_double": [0.1], "double": [0.2]}
    *_, legend = lines = format_matrix([row], {"away": 1, "cube": cube, "money": "P", **BY})
    assert f"N no {double}, D {double}/take, P {double}/pass" in legend
    assert any(f"equities of no {double}, and below it of a {double} " in line for line in lines)


def test_numbers_are_rounded_without_a_minus_before_nothing():
    assert format_points(-0.0004) == "+0.000"
    assert format_points(-0.0006) == "-0.001"


def test_a_rollout_of_plays_marks_pruned_ones():
    errors = {f"{key}_se": 0.01 for key in ("win", "win_g", "win_bg", "lose_g", "lose_bg")}
    best = {"rank": 1, "play": "8/5 6/5", **OUTCOME, **errors, "se": 0.02, "trials": 216, "given_up": False}
    other = {**best, "rank": 2, "play": "24/20", "equity": -0.1, "behind": 0.2665, "behind_se": 0.03}
    other |= {"trials": 108, "given_up": True}
    summary = {"of": "moves", "trials": 216, "reason": "stopped", "seed": 7, "elapsed_ms": 1234, **BY}
    lines = format_rollout([best, other], summary)
    assert lines[3].split() == ["±", "0.020", "1.0", "1.0", "1.0", "1.0", "1.0", "216", "trials"]
    assert lines[4].split()[:3] == ["2", "-0.100", "-0.267"]
    assert lines[5].endswith("  108 trials, pruned")
    assert lines[5].split()[1:3] == ["0.020", "0.030"]
    assert lines[6] == "    stopped, seed 7, 1.2 s, 2-ply, net strong; cubeless money equity"


def test_a_single_trial_has_no_errors():
    estimate = {"of": "position", **OUTCOME, "trials": 1}
    summary = {"of": "position", "trials": 1, "reason": "trials", "seed": 0, "elapsed_ms": 1, **BY}
    lines = format_rollout([estimate], summary)
    assert lines[3].split() == ["±", "1", "trial"]


def test_equities_at_a_score_where_points_have_no_scale_are_not_written():
    assert [format_points(value) for value in (None, 10.0, -0.0001)] == ["n/a", "+10.000", "+0.000"]


def test_a_loss_is_in_chances_of_the_match_where_points_have_no_scale():
    assert [format_loss(each) for each in (0.1234, -0.0001)] == ["0.123", "0.000"]
    assert [format_loss(each, is_points=False) for each in (0.1234, -0.00001)] == [
        "12.34 % MWC",
        "0.00 % MWC",
    ]
    cube = {"mwc_best": 0.9, "mwc_no_double": 0.9, "mwc_take": 0.7, "mwc_drop": 0.8, "unscaled": True, **BY}
    lines = format_cube_decision({"action": "No double, take", "double": False, "response": "take", **cube})
    assert [line.split()[-3:] for line in lines[1:4]] == [
        ["double", "n/a", "90.00"],
        ["n/a", "70.00", "-20.00%"],
        ["n/a", "80.00", "-10.00%"],
    ]
    assert lines[4].endswith("doubling costs 20.00 % MWC, passing a double costs 10.00 % MWC.")
    assert lines[5].strip() == UNSCALED_NOTE
