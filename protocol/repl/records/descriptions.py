"""What is said of an open match, and of the place in it that is shown."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gammond.engine.evaluation.results import is_on_scale
from gammond.engine.match_analysis.decision_errors import classify_loss
from gammond.engine.match_files.model import NO_NOTES, IssueKind
from gammond.engine.rules.cube_actions import name_double
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.notation import NO_MOVE_TEXT, format_play
from gammond.engine.wording import escape_unprintable, format_count, shorten_names
from gammond.protocol.repl.answers.replies import Mark, MarkedLine, PreformattedLine
from gammond.protocol.repl.answers.sentences import (
    HUMAN_NAME,
    begin_sentence,
    describe_game,
    describe_result,
    make_sentence,
)
from gammond.protocol.repl.answers.tables import format_points
from gammond.protocol.repl.records.losses import (
    SHOWN_POINTS,
    DecisionLoss,
    describe_loss,
    list_losses,
    rate_loss,
)
from gammond.protocol.repl.records.open_record import OpenRecord

_SHOWN_ISSUES = 3
_ISSUE_LENGTH = 150
_COMMENT_ROWS = 2
_COMMENT_WIDTH = 78
_MOVES_WIDTH = 36
_HEADERS = ("Event", "Round", "Site", "EventDate")


def describe_record(record: OpenRecord) -> str:
    """Return who plays a match, and its length: ``kit and tom: 5 games of a 7-point match.``."""
    match = record.match
    kind = f"a {match.length}-point match" if match.length else "money play"
    if all(map(record.is_position, range(len(match.games)))):
        return f"{format_count(len(match.games), 'position')} of {kind}."
    names = f"{begin_sentence(record.names[0])} and {record.names[1]}"
    return f"{names}: {format_count(len(match.games), 'game')} of {kind}."


def describe_opened(record: OpenRecord) -> list[str]:
    """Return what a match file has: players, length, where it was played, its faults in short."""
    match = record.match
    said = [escape_unprintable(match.headers[name]) for name in _HEADERS if match.headers.get(name)]
    lines = [" ".join([describe_record(record), *([f"{', '.join(said)}."] if said else [])])]
    said_otherwise = IssueKind.NO_RESULT, IssueKind.MISSING
    faults = [issue for issue in match.issues if issue.kind not in said_otherwise]
    lines += [
        f"Damaged: {escape_unprintable(str(issue))[:_ISSUE_LENGTH]}" for issue in faults[:_SHOWN_ISSUES]
    ]
    if len(faults) > _SHOWN_ISSUES:
        lines.append(f"and {format_count(len(faults) - _SHOWN_ISSUES, 'more fault')}")
    cuts = record.analysed_match.cut_games
    lines += [f"{escape_unprintable(cut)}." for cut in cuts[:_SHOWN_ISSUES]]
    if len(cuts) > _SHOWN_ISSUES:
        lines.append(f"and {format_count(len(cuts) - _SHOWN_ISSUES, 'more game')} cut")
    if record.is_analysed:
        lines.append("It is analysed: 'errors' lists what was lost, 'analyse' analyses it anew.")
    return lines


def describe_place(record: OpenRecord) -> list[str]:
    """Return what was done at the shown place, what that lost, how lucky it was, and comments in short."""
    place, step = record.place, record.find_step()
    game = record.match.games[place.game]
    where = f"Game {place.game + 1} of {len(record.match.games)}"
    if step.action is None:
        result = step.situation.result
        if record.is_position(place.game):
            number = f"Position {place.game + 1} of {len(record.match.games)}"
            return [f"{number}: {describe_game(record.make_table())}", *_shorten_comments(record)]
        missing = [f"Missing: {each}." for each in game.missing]
        if result is None:
            return [f"{where}: there is no more of it.", *missing]
        points = game.initial_state.score_after(result.winner, result.points)
        ending = describe_result(record.names[result.winner], RESULT_NAMES[result.kind - 1], result.points)
        score = f"{begin_sentence(record.names[0])} {points[0]}, {record.names[1]} {points[1]}."
        if (ruled := game.ruled_result) is not None:
            by_rules = describe_result(record.names[ruled.winner], RESULT_NAMES[ruled.kind - 1], ruled.points)
            missing.append(f"That is what the file says; by the rules: {by_rules}")
        return [f"{where}: {ending} {score}", *missing]
    move = f"move {step.move} of {record.count_moves(place.game)}"
    match = step.situation.match
    done = make_sentence(record.names[match.on_roll], "roll", "without a double")
    if place.is_rolled:
        done = _describe_action(record, step.action, match)
    lines = [f"{where}, {move}. {done}", *_describe_decisions(record)]
    return [*lines, *_shorten_comments(record)]


def list_moves(record: OpenRecord, number: int) -> list[str]:
    """Return the moves of a game in two columns, the seats', a row for each number of a move.

    Args:
        record: The match.
        number: The place of the game in it.
    """
    game, rows = record.match.games[number], dict[int, tuple[list[str], list[str]]]()
    for situation, action, move in game.replayed:
        seat = situation.match.on_roll if isinstance(action, SetAction) else action.seat
        rows.setdefault(move, ([], []))[seat].append(_name_action(record, action))
    names = shorten_names(record.names, _MOVES_WIDTH - 2)
    lines = [f"{'':5}{names[0]:{_MOVES_WIDTH}}{names[1]}"]
    for move, cells in rows.items():
        left, right = ("; ".join(cell) for cell in cells)
        lines.append(f"{move:3}  {left:{_MOVES_WIDTH}}{right}".rstrip())
    return [*map(PreformattedLine, lines), *(f"Missing: {each}." for each in game.missing)]


def _name_action(record: OpenRecord, action: GameAction) -> str:
    """Return an action in a word or two, as it stands in the column of its seat."""
    match action:
        case PlayAction(_, roll, play, is_legal):
            return f"{format_roll(roll)}: {format_play(play, is_legal=is_legal)}"
        case RollAction(_, roll):
            return f"{format_roll(roll)}:"
        case DoubleAction(_, cube):
            return f"doubles to {cube}"
        case ResponseAction(_, is_take):
            return "takes" if is_take else "passes"
        case ResignationAction(_, kind, is_stated=False):
            return f"loses a {RESULT_NAMES[kind - 1]}, by the result"
        case ResignationAction(_, kind, is_accepted):
            return f"resigns a {RESULT_NAMES[kind - 1]}{'' if is_accepted else ', rejected'}"
        case _:
            return "set up by hand" if record.is_own else "set by the file"


def _shorten_comments(record: OpenRecord) -> list[str]:
    """Return the comments at the shown place, as far as they fit above the board."""
    shown = [part for comment in list_comments(record) for part in textwrap.wrap(comment, _COMMENT_WIDTH)]
    if len(shown) > _COMMENT_ROWS:
        return [*shown[: _COMMENT_ROWS - 1], "... ('comment' shows all of it)"]
    return shown


def list_comments(record: OpenRecord) -> list[str]:
    """List the lines of the comments at the shown place; at the beginning, those on match and game too."""
    match, place = record.match, record.place
    game = match.games[place.game]
    texts = [game.notes.get(place.action, NO_NOTES).comment]
    if place == record.list_places_of(place.game)[0]:
        texts = [*([match.comment] if place.game == 0 else []), game.comment, *texts]
    return [escape_unprintable(line) for text in texts for line in text.splitlines() if line.strip()]


def _describe_loss(record: OpenRecord, loss: DecisionLoss) -> MarkedLine:
    """Return what a decision lost, in a sentence."""
    source = record.describe_depth(loss.place.game, loss.depth)
    if not loss.is_legal:
        return MarkedLine(f"The play is illegal, and no error is counted; best: {loss.best}{source}.")
    if loss.points < SHOWN_POINTS:
        return MarkedLine(f"Nothing is better{source}.")
    rating = rate_loss(loss.points)
    done = loss.done if loss.done.startswith("bar") else f"{loss.done[:1].upper()}{loss.done[1:]}"
    start = f"{done} lost {loss.points:.3f}"
    mark = Mark(0, len(start + rating), classify_loss(loss.points))
    return MarkedLine(f"{start}{rating}; better: {loss.best}{source}.", [mark])


def _describe_decisions(record: OpenRecord) -> Sequence[str]:
    """Return a line for each decision at the shown place that is analysed, the luck of the roll behind it."""
    place = record.place
    losses = [describe_loss(each) for each in record.find_decisions(place)]
    if isinstance(record.find_step().action, ResignationAction):
        losses = [loss for loss in list_losses(record) if loss.place == place]
    if not place.is_rolled:
        losses = [loss for loss in losses if not loss.place.is_rolled]
    shown = [loss for loss in losses if loss.points >= SHOWN_POINTS or loss is losses[-1]]
    lines = [_describe_loss(record, loss) for loss in shown]
    luck = record.match.games[place.game].notes.get(place.action, NO_NOTES).luck
    if luck is None or not place.is_rolled:
        return lines
    worth = record.analysed_match.table.mwc_per_point(record.find_step(place).situation.match)
    said = f"Luck: {format_points(luck if is_on_scale(luck, worth) else None)}."
    if not lines:
        return [said]
    return [*lines[:-1], MarkedLine(f"{lines[-1]} {said}", lines[-1].marks)]


def _describe_action(record: OpenRecord, action: GameAction, match: MatchState) -> str:
    names = record.names
    match action:
        case PlayAction(seat, roll, play, is_legal):
            text = format_play(play, is_legal=is_legal)
            verb, rest = ("cannot move", "") if text == NO_MOVE_TEXT else ("play", text)
            done = make_sentence(names[seat], verb, rest)
            is_you = names[seat] == HUMAN_NAME
            return f"{format_roll(roll)}: {done[0].lower() if is_you else done[0]}{done[1:]}"
        case DoubleAction(seat, cube):
            return make_sentence(names[seat], name_double(match), f"to {cube}")
        case ResponseAction(seat, is_take):
            return make_sentence(names[seat], "take" if is_take else "pass")
        case ResignationAction(seat, kind, is_accepted):
            what = f"a {'single game' if kind == 1 else RESULT_NAMES[kind - 1]}"
            if not action.is_stated:
                return make_sentence(names[seat], "lose", f"{what}, by the result in the file")
            offer = make_sentence(names[seat], "offer", f"to resign {what}")
            answer = make_sentence(names[1 - seat], "accept" if is_accepted else "reject")
            return f"{offer} {begin_sentence(answer)}"
        case _:
            return f"Checkers, cube or turn are set {'up by hand' if record.is_own else 'by the file'}."
