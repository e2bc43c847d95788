"""What the decisions of an open match lost: each of them, those of a player in all, and the costliest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gammond.engine.match_analysis.decision_errors import (
    XG_BLUNDER_POINTS,
    XG_ERROR_POINTS,
    Choice,
    classify_loss,
)
from gammond.engine.match_analysis.decisions import AnalysedDecision, AnalysedResignation
from gammond.engine.match_reports.ratings import explain_unscaled
from gammond.engine.rules.dice import Roll, format_roll
from gammond.engine.rules.match import RESULT_NAMES
from gammond.engine.wording import format_count, shorten_names
from gammond.protocol.repl.answers.replies import Mark, PreformattedLine
from gammond.protocol.repl.answers.sentences import begin_sentence
from gammond.protocol.repl.answers.tables import TABLE_WIDTH
from gammond.protocol.repl.records.open_record import OpenRecord, Place

SHOWN_POINTS = 0.0005
"""A smaller loss is none, to three decimals."""

_LEAST_PLAYER_WIDTH = 10
"""Of the column with names, however long the others are."""

_RATINGS = {"error": ", an error", "blunder": ", a blunder"}


@dataclass(frozen=True)
class DecisionLoss:
    """What a decision of a match lost.

    Attributes:
        place: Where it was made.
        seat: Who made it.
        move: The number of its move in the game; both sides have one of each number.
        roll: The dice of a play; None for others.
        done: The decision: a play, ``no double``, ``redouble``, ``resign gammon``.
        best: The best one.
        points: What it lost against the best one.
        depth: How deep it was analysed; empty where that is not known.
        is_legal: Whether the rules allow it; what they forbid lost nothing.
    """

    place: Place
    seat: int
    move: int
    roll: Roll | None
    done: str
    best: str
    points: float
    depth: str
    is_legal: bool = True


def rate_loss(points: float) -> str:
    """Return how bad a loss is, as the end of a clause, ``, a blunder``; empty for a small one."""
    return _RATINGS.get(classify_loss(points), "")


def list_losses(record: OpenRecord) -> list[DecisionLoss]:
    """List the decisions of a match that has notes: unforced plays, cube actions and rolls without a double.

    Resignations and their answers are among them if they lost something.
    """
    analysed = record.analysed_match
    found = [
        describe_loss(each)
        for each in analysed.decisions
        if each.choice is not Choice.PLAY or each.counts_for_gnubg
    ]
    for resignation in analysed.resignations:
        found += _describe_resignation(resignation)
    return sorted(found, key=lambda each: each.place)


def describe_loss(decision: AnalysedDecision) -> DecisionLoss:
    """Return what a decision lost; one not to double was made before the roll of its place."""
    return DecisionLoss(
        Place(decision.game, decision.place, is_rolled=decision.choice is not Choice.NO_DOUBLE),
        decision.seat,
        decision.move,
        decision.roll,
        decision.chosen_name,
        decision.best_name,
        decision.loss.size,
        decision.depth,
        decision.is_legal,
    )


def _describe_resignation(resigned: AnalysedResignation) -> list[DecisionLoss]:
    place, move = Place(resigned.game, resigned.place), resigned.move
    notes, roll = resigned.notes, resigned.match.roll
    depth = notes.cube.no_double.depth if notes.cube else ""
    if notes.candidates:
        depth = notes.candidates[0].evaluation.depth
    answers = ("accept", "reject") if resigned.is_accepted else ("reject", "accept")
    found = []
    lost, answer_lost = resigned.loss.size, resigned.answer_loss.size
    if lost >= SHOWN_POINTS:
        done = f"resign {RESULT_NAMES[resigned.kind - 1]}"
        found.append(DecisionLoss(place, resigned.seat, move, roll, done, "play on", lost, depth))
    if answer_lost >= SHOWN_POINTS:
        found.append(DecisionLoss(place, 1 - resigned.seat, move, None, *answers, answer_lost, depth))
    return found


def summarize_losses(record: OpenRecord, seat: int, game: int | None = None) -> list[str]:
    """Return what a player lost in all, in two lines; another for resignations, which no statistics count.

    Args:
        record: The match.
        seat: The player's.
        game: The place of the game to look at, from 0; None for the whole match.
    """
    analysed = record.analysed_match
    of_game = analysed.statistics_by_phase if game is None else analysed.statistics_of_games[game]
    player = of_game.players[seat]
    resigned = sum(
        (each.loss if each.seat == seat else each.answer_loss).size
        for each in analysed.resignations
        if game in (None, each.game)
    )
    lines = []
    if resigned >= SHOWN_POINTS:
        lines = [f"Resignations and answers to them, which no statistics count, lost {resigned:.3f}."]
    name = begin_sentence(record.names[seat])
    if not player.total.count:
        return [f"{name}: no decision.", *lines]
    rating = "" if player.performance_rating is None else f", PR {player.performance_rating:.1f}"
    if unscaled := explain_unscaled([player]):
        lines = [unscaled, *lines]
    blunders = "1 of them a blunder" if player.blunders == 1 else f"{player.blunders} of them blunders"
    return [
        f"{name}: {player.total.error_points or 0.0:.3f} points lost{rating}; "
        f"{format_count(player.counted_decisions, 'decision')} counted.",
        f"{format_count(player.errors, 'error')} ({XG_ERROR_POINTS} or more), {blunders} "
        f"({XG_BLUNDER_POINTS} or more); {record.source}.",
        *lines,
    ]


def find_costliest(losses: Sequence[DecisionLoss], seat: int | None, count: int) -> list[DecisionLoss]:
    """Return the decisions that lost most, the worst first, without those that lost nothing.

    Args:
        losses: Of decisions.
        seat: Of whom; None for both players.
        count: How many.
    """
    losing = (each for each in losses if each.points >= SHOWN_POINTS and seat in (None, each.seat))
    return sorted(losing, key=lambda each: -each.points)[:count]


def format_losses(record: OpenRecord, losses: Sequence[DecisionLoss]) -> list[str]:
    """Return a table of decisions, numbered from 1; no line without any."""
    if not losses:
        return []
    head = f" {'':>2}    {'loss':>6}  "
    places = [("game", "move"), *((str(each.place.game + 1), str(each.move)) for each in losses)]
    done = [("roll", "decision", "better")]
    done += [(format_roll(each.roll), each.done, each.best) for each in losses]
    room = TABLE_WIDTH - len(head) - sum(_measure_columns(places)) - sum(_measure_columns(done))
    shown = shorten_names(record.names, max(room, _LEAST_PLAYER_WIDTH))
    names = [("player",), *((shown[each.seat],) for each in losses)]
    table = [(*place, *name, *what) for place, name, what in zip(places, names, done, strict=True)]
    widths = _measure_columns(table)
    texts = ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in table]
    lines = [PreformattedLine(f"{head}{texts[0]}".rstrip(), narrow=f"{head}decision")]
    for number, (each, text) in enumerate(zip(losses, texts[1:], strict=True), 1):
        start = f" {number:>2}    "
        loss = f"{each.points:>6.3f}"
        mark = Mark(len(start), len(start + loss), classify_loss(each.points))
        narrow = PreformattedLine(f"{start}{loss}  {each.done}", [mark])
        lines.append(PreformattedLine(_cut(f"{start}{loss}  {text}".rstrip()), [mark], narrow))
    return list(lines)


def _measure_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the widths of the columns of a table, with the blanks behind them."""
    return [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]


def _cut(line: str) -> str:
    return line if len(line) <= TABLE_WIDTH else f"{line[: TABLE_WIDTH - 3]}..."
