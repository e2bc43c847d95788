"""What is written as OGXM is read again as it was."""

import random
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import NO_NOTES, ActionNotes
from gammond.engine.match_files.ogxm.reader import parse_ogxm
from gammond.engine.match_files.ogxm.writer import format_ogxm
from gammond.engine.match_files.sgf.reader import parse_sgf
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.match_files.writing import write_match
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction, RollAction
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.rules import HYPERGAMMON, HYPERGAMMON_2, NACKGAMMON, STANDARD_RULES, Rules
from tests.engine.match_files.faulty_matches import ILLEGAL
from tests.engine.match_files.generated_matches import Draw

pytest.importorskip("ogxm")

LENGTHS = st.sampled_from([0, 0, 1, 3, 7])
GAMES = st.sampled_from([STANDARD_RULES, *map(Rules, (NACKGAMMON, HYPERGAMMON))])
OUTCOME = Outcome(0.5, 0.125, 0.01, 0.25, 0.02)


def order_dice(action):
    if isinstance(action, PlayAction | RollAction):
        return replace(action, roll=tuple(sorted(action.roll, reverse=True)))
    return action


def turns_at_once(game, count):
    return any(
        all(isinstance(action, DoubleAction) for action in game.actions[place : place + count])
        for place in range(len(game.actions) - count + 1)
    )


def normalise(match):
    """Return a match as it is read: dice have no order, and what is played is allowed."""
    games = []
    for game in match.games:
        silent = {
            place
            for place, action in enumerate(game.actions)
            if isinstance(action, ResponseAction)
            and turns_at_once(replace(game, actions=game.actions[place - 2 : place]), 2)
        }
        notes = {place: notes for place, notes in game.notes.items() if place not in silent}
        games.append(replace(game, actions=tuple(map(order_dice, game.actions)), notes=notes))
    rules = replace(
        match.rules,
        beavers=match.rules.beavers or any(turns_at_once(game, 2) for game in games),
        raccoons=match.rules.raccoons or any(turns_at_once(game, 3) for game in games),
    )
    begun = [
        replace(game, initial_state=replace(game.initial_state, beavers=rules.beavers)) for game in games
    ]
    return replace(match, games=tuple(begun), rules=rules, format="ogxm")


def list_games(match):
    return [(game.initial_state, game.position, game.actions, game.result) for game in match.games]


def annotate(match, seed=0):
    """Return a match with an analysis of all its decisions, in numbers that the format has exactly."""
    rng = random.Random(seed)

    def evaluate(equity, depth="2-ply", trials=0):
        return Evaluation(equity, OUTCOME, depth, 0.001 if trials else None, trials)

    def note(situation, action):
        decision = CubeDecision.of_choices(evaluate(0.5), Evaluation(rng.choice((0.25, 0.75))))
        if isinstance(action, DoubleAction | ResponseAction):
            return replace(NO_NOTES, cube=None if situation.match.beavered else decision)
        if not isinstance(action, PlayAction) or not action.is_legal or not action.play.moves:
            return NO_NOTES
        plays = {
            play.result: play for play in [action.play, *legal_plays(situation.position, action.roll)[:3]]
        }
        candidates = tuple(
            RankedPlay(play, evaluate(0.5 - place / 4, *depth))
            for play, place, depth in zip(
                plays.values(),
                range(4),
                [("rollout", 360)] * 2 + [("XG Roller+",)] + [("0-ply",)],
                strict=False,
            )
        )
        return ActionNotes("well", candidates, rng.choice((None, decision)), 0.125)

    games = []
    for game in match.games:
        notes = {place: note(*step[:2]) for place, step in enumerate(game.replayed)}
        games.append(replace(game, notes={place: each for place, each in notes.items() if each != NO_NOTES}))
    return replace(match, games=tuple(games), headers=match.headers | {"Annotator": "some program"})


@settings(max_examples=10)
@given(length=LENGTHS, rules=GAMES, seed=st.integers(0, 1 << 30))
def test_a_file_keeps_actions_results_rules_headers_ratings_and_comments(length, rules, seed):
    match = normalise(Draw(length, rules, comments=True, sets=True, illegal_plays=True).make_match(seed))
    (read,) = parse_ogxm(format_ogxm(match))
    assert replace(read, issues=()) == match
    (by_sgf,) = parse_sgf(format_sgf(read))
    assert list_games(by_sgf) == list_games(match)


@pytest.mark.parametrize("length", [0, 5])
def test_an_analysis_is_kept(length):
    match = normalise(annotate(Draw(length).make_match(3)))
    content, losses = write_match(match, "ogxm")
    assert losses == []
    (read,) = parse_ogxm(content)
    assert read == match
    again, _ = write_match(read, "ogxm")
    assert again == content


def test_games_that_are_missing_leave_the_score_of_the_next_one():
    match = normalise(Draw(7).make_match(2))
    assert len(match.games) > 2
    excerpt = replace(match, games=(match.games[0], *match.games[2:]))
    (read,) = parse_ogxm(format_ogxm(excerpt))
    assert list_games(read) == list_games(excerpt)
    with pytest.raises(UnsupportedError, match="a score that falls"):
        format_ogxm(replace(match, games=match.games[::-1]))


def test_what_has_no_place_is_named():
    match = annotate(Draw(0, rejected=True, illegal_plays=True).make_match(4))
    (played,) = parse_mat(ILLEGAL)
    game = annotate(played).games[0]
    place = next(place for place, action in enumerate(game.actions) if not getattr(action, "is_legal", True))
    notes = {**game.notes, place: game.notes[max(game.notes)]}
    _, losses = write_match(replace(played, games=(replace(game, notes=notes),)), "ogxm")
    assert losses == ["1 analysed decision"]
    _, losses = write_match(match, "ogxm")
    assert [loss.split(" ", 1)[1] for loss in losses] == ["rejected resignations"]


def test_a_play_of_less_depth_than_the_best_keeps_what_it_lost():
    game = normalise(annotate(Draw(0).make_match(3))).games[0]
    place = next(place for place, notes in game.notes.items() if len(notes.candidates) > 2)
    first, *others, last = game.notes[place].candidates
    assert first.play == game.actions[place].play
    assert last.evaluation.depth != first.evaluation.depth
    turned = (
        last._replace(evaluation=last.evaluation._replace(equity=0.75)),
        *others,
        first._replace(evaluation=first.evaluation._replace(equity=0.5)),
    )
    match = Draw(0).make_match(3)
    notes = {place: replace(game.notes[place], candidates=turned)}
    (read,) = parse_ogxm(format_ogxm(replace(match, games=(replace(game, notes=notes),))))
    *_, kept = read.games[0].notes[place].candidates
    assert (kept.play, kept.evaluation) == (first.play, Evaluation(0.5))


def test_a_variant_that_the_format_does_not_know_and_a_match_without_games_are_refused():
    with pytest.raises(UnsupportedError, match="no place for hypergammon2, only for backgammon"):
        format_ogxm(Draw(3, Rules(HYPERGAMMON_2)).make_match(1))
    with pytest.raises(FormatError, match="expected a match with games"):
        format_ogxm(replace(Draw(3).make_match(1), games=()))


def test_without_the_package_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ogxm", None)
    with pytest.raises(UnsupportedError, match=r"the package ogxm: pip install '.\[ogxm\]'"):
        format_ogxm(Draw(3).make_match(1))


def test_long_comments_headers_and_dates_are_kept():
    said = "\n".join("ü" * 60 for _ in range(200))
    headers = {
        "Event": "e" * 200,
        "Round": "Swiss, second",
        "Site": "Oslo",
        "EventDate": "2024.06.20",
        "EventTime": "14:05",
        "Transcriber": "somebody",
        "Match ID": "77",
    }
    match = replace(normalise(Draw(3).make_match(1)), comment=said, headers=headers)
    (read,) = parse_ogxm(format_ogxm(match))
    assert read == match
