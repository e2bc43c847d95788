"""What is known of an analysed match, by keys: for JSON and tables."""

from __future__ import annotations

from dataclasses import fields

from gammond.engine.cubeful.match_equity import MatchEquityTable
from gammond.engine.evaluation.results import Evaluation, is_on_scale
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decisions import AnalysedDecision, AnalysedResignation
from gammond.engine.match_analysis.statistics import (
    ErrorTotal,
    PlayerStatistics,
    StatisticsByPhase,
    round_value,
)
from gammond.engine.match_files.model import NO_NOTES, ActionNotes, describe_issues
from gammond.engine.rules.dice import encode_roll
from gammond.engine.rules.match import SEATS, MatchState
from gammond.engine.rules.notation import format_play


def describe_match(analysed: AnalysedMatch, max_candidates: int | None = None) -> dict[str, object]:
    """Return an analysed match by keys: seats are 0 and 1, games and moves count from 1.

    Args:
        analysed: The match.
        max_candidates: The most plays of each roll; None for all.
    """
    match = analysed.match
    named = {"file": analysed.name} if analysed.name else {}
    hashes = {"nets": dict(analysed.nets)} if analysed.nets else {}
    return {
        **named,
        "format": match.format,
        "names": list(match.names),
        "length": match.length,
        "headers": dict(match.headers),
        "score": list(analysed.score),
        "method": analysed.method,
        **hashes,
        "players": [
            {**_list_statistics(player), "phases": _list_phases(analysed.statistics_by_phase, seat)}
            for seat, player in enumerate(analysed.statistics)
        ],
        "games": [_list_game(number, game) for number, game in enumerate(analysed.statistics_of_games)],
        "luck_adjusted": round_value(analysed.luck_adjusted),
        "decisions": [list_decision(each, analysed.table, max_candidates) for each in analysed.decisions],
        "rolls": _list_rolls(analysed),
        "resignations": [
            {
                "game": each.game + 1,
                "action": each.place + 1,
                "seat": each.seat,
                "kind": each.kind,
                "accepted": each.is_accepted,
                "loss": round_value(each.loss.points),
                "answer_loss": round_value(each.answer_loss.points),
                "playing_on": round_value(each.worth.points),
                **_list_playing_on(each, analysed.table, max_candidates),
            }
            for each in analysed.resignations
        ],
        **({"cut": analysed.cut_games} if analysed.cut_games else {}),
        "issues": describe_issues(match.issues),
    }


def _list_rolls(analysed: AnalysedMatch) -> list[dict[str, object]]:
    table = analysed.table
    return [
        {"game": number + 1, "action": place + 1, "luck": _round_equity(luck, situation.match, table)}
        for number, game in enumerate(analysed.match.games)
        for place, (situation, _, _) in enumerate(game.replayed)
        if (luck := game.notes.get(place, NO_NOTES).luck) is not None
    ]


def _list_statistics(player: PlayerStatistics) -> dict[str, object]:
    listed: dict[str, object] = {"counted": player.counted_decisions}
    for each in fields(player):
        value = getattr(player, each.name)
        if each.name == "unscaled" and not value:
            continue
        if isinstance(value, ErrorTotal):
            value = {
                "count": value.count,
                "error": round_value(value.error_points),
                "error_mwc": round_value(value.error_mwc),
            }
        listed[each.name] = round_value(value) if isinstance(value, float) else value
    return listed


def _list_game(number: int, game: StatisticsByPhase) -> dict[str, object]:
    return {
        "game": number + 1,
        "players": [
            {
                **list_rating(player),
                "luck_points": round_value(player.luck_points),
                "luck_mwc": round_value(player.luck_mwc),
                "phases": _list_phases(game, seat),
            }
            for seat, player in enumerate(game.players)
        ],
    }


def _list_phases(part: StatisticsByPhase, seat: int) -> dict[str, object]:
    return {str(phase): list_rating(players[seat]) for phase, players in part.phases.items()}


def list_rating(player: PlayerStatistics) -> dict[str, object]:
    """Return what a part of a match says about a player."""
    return {
        "counted": player.counted_decisions,
        "performance_rating": round_value(player.performance_rating),
        "performance_rating_95": round_value(player.performance_rating_95),
        "error": round_value(player.total.error_points),
        "error_mwc": round_value(player.total.error_mwc),
        "errors": player.errors,
        "blunders": player.blunders,
        **({"unscaled": player.unscaled} if player.unscaled else {}),
    }


def list_decision(
    decision: AnalysedDecision, table: MatchEquityTable, max_candidates: int | None = None
) -> dict[str, object]:
    """Return a decision by keys.

    Args:
        decision: The decision.
        table: Gives match-winning chances.
        max_candidates: The most plays; None for all.
    """
    notes, match = decision.notes, decision.situation.match
    listed: dict[str, object] = {
        "game": decision.game + 1,
        "action": decision.place + 1,
        "move": decision.move,
        "seat": decision.seat,
        "phase": str(decision.phase),
        "decision": str(decision.choice),
        "xgid": encode_xgid(decision.situation.position, match.before_roll()),
        "score": [match.score[seat] for seat in SEATS],
        "roll": encode_roll(decision.roll) if decision.roll else "",
        "chosen": decision.chosen,
        **({} if decision.is_legal else {"illegal": True}),
        "best": decision.best,
        "error": round_value(decision.loss.points),
        "error_mwc": round_value(decision.loss.mwc),
        "counts_for_xg": decision.counts_for_xg,
        "counts_for_gnubg": decision.counts_for_gnubg,
        "depth": decision.depth,
        **_list_trials(decision.trials, decision.standard_error),
    }
    if decision.roll:
        return listed | _list_plays(notes, match, table, max_candidates)
    return listed | _list_cube(notes, match, table)


def _list_plays(
    notes: ActionNotes, match: MatchState, table: MatchEquityTable, max_candidates: int | None
) -> dict[str, object]:
    """Return the plays of a roll that were considered."""
    return {
        "candidates": [
            {"play": format_play(each.play), **_list_evaluation(each.evaluation, match, table)}
            for each in notes.candidates[:max_candidates]
        ]
    }


def _list_cube(notes: ActionNotes, match: MatchState, table: MatchEquityTable) -> dict[str, object]:
    """Return the equities of a cube decision, and what the position is worth without a double."""
    cube = notes.cube
    if cube is None:
        return {}
    listed: dict[str, object] = {}
    for name, equity in zip(("no_double", "double_take", "double_pass"), cube.equities, strict=True):
        listed |= {name: _round_equity(equity, match, table)}
        listed |= {f"{name}_mwc": round_value(table.mwc_of(equity, match))}
    for name, evaluation in (("no_double", cube.no_double), ("double_take", cube.double_take)):
        if evaluation is not None and evaluation.trials:
            listed[f"{name}_se"] = round_value(evaluation.error)
    return listed | {"outcome": _list_outcome(cube.no_double)}


def _list_playing_on(
    resignation: AnalysedResignation, table: MatchEquityTable, max_candidates: int | None
) -> dict[str, object]:
    """Return what the engine thinks of playing on, as in the decision that would have come."""
    notes, match = resignation.notes, resignation.match
    if match.roll:
        return _list_plays(notes, match, table, max_candidates)
    return {"depth": notes.cube.no_double.depth if notes.cube else "", **_list_cube(notes, match, table)}


def _list_evaluation(evaluation: Evaluation, match: MatchState, table: MatchEquityTable) -> dict[str, object]:
    return {
        "equity": _round_equity(evaluation.equity, match, table),
        "mwc": round_value(table.mwc_of(evaluation.equity, match)),
        "depth": evaluation.depth,
        "outcome": _list_outcome(evaluation),
        **_list_trials(evaluation.trials, evaluation.error),
    }


def _round_equity(equity: float, match: MatchState, table: MatchEquityTable) -> float | None:
    """Return an equity as documents have it; None where it is on no scale."""
    return round_value(equity) if is_on_scale(equity, table.mwc_per_point(match)) else None


def _list_trials(trials: int, error: float | None) -> dict[str, object]:
    """Return what a rollout has beside its equity; nothing for a search."""
    return {"se": round_value(error), "trials": trials} if trials else {}


def _list_outcome(evaluation: Evaluation | None) -> list[float | None] | None:
    if evaluation is None or evaluation.outcome is None:
        return None
    return [round_value(chance) for chance in evaluation.outcome]
