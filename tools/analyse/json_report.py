"""An analysed match as one JSON object."""

from __future__ import annotations

import json
from dataclasses import fields

from engine.errors import UnsupportedError
from engine.formats.xgid import encode_xgid
from engine.match_analysis.statistics import ErrorTotal, PlayerStatistics
from engine.match_files.model import RecordedEvaluation
from engine.rules.match import SEATS
from engine.rules.notation import format_play
from tools.analyse.analysed_match import AnalysedDecision, AnalysedMatch

_DIGITS = 6


def format_json(analysed: AnalysedMatch) -> str:
    """Format an analysed match as a line of JSON: seats are 0 and 1, games and moves count from 1."""
    match = analysed.match
    document = {
        "file": analysed.name,
        "format": match.format,
        "names": list(match.names),
        "length": match.length,
        "headers": dict(match.headers),
        "score": list(analysed.score),
        "method": analysed.method,
        "players": [_list_statistics(player) for player in analysed.statistics],
        "luck_adjusted": _round(analysed.luck_adjusted),
        "decisions": [_list_decision(each) for each in analysed.decisions],
        "rolls": [
            {"game": place + 1, "action": number + 1, "luck": _round(notes.luck)}
            for place, game in enumerate(match.games)
            for number, notes in game.notes.items()
            if notes.luck is not None
        ],
        "issues": [str(issue) for issue in match.issues],
    }
    return json.dumps(document, ensure_ascii=False) + "\n"


def _list_statistics(player: PlayerStatistics) -> dict[str, object]:
    listed: dict[str, object] = {"counted": player.counted}
    for each in fields(player):
        value = getattr(player, each.name)
        if isinstance(value, ErrorTotal):
            value = {
                "count": value.count,
                "error": _round(value.error_points),
                "error_mwc": _round(value.error_mwc),
            }
        listed[each.name] = _round(value) if isinstance(value, float) else value
    return listed


def _list_decision(decision: AnalysedDecision) -> dict[str, object]:
    judged, notes, match = decision.judged, decision.notes, decision.situation.match
    try:
        xgid = encode_xgid(decision.situation.position, match.before_roll())
    except UnsupportedError:
        xgid = ""
    listed: dict[str, object] = {
        "game": judged.game + 1,
        "action": judged.action + 1,
        "move": decision.move,
        "seat": judged.seat,
        "decision": str(judged.judgement.choice),
        "xgid": xgid,
        "score": [match.score[seat] for seat in SEATS],
        "roll": decision.roll,
        "chosen": decision.chosen,
        "best": decision.best,
        "error": _round(judged.judgement.error_points),
        "error_mwc": _round(judged.error_mwc),
        "counts_for_xg": judged.judgement.counts_for_xg,
        "counts_for_gnubg": judged.judgement.counts_for_gnubg,
        "depth": decision.depth,
    }
    if decision.roll:
        listed["candidates"] = [
            {"play": format_play(each.play), **_list_evaluation(each.evaluation)} for each in notes.candidates
        ]
    elif notes.cube is not None:
        cube = notes.cube
        listed |= {
            "no_double": _round(cube.no_double),
            "double_take": _round(cube.double_take),
            "double_pass": _round(cube.double_pass),
        }
    return listed


def _list_evaluation(evaluation: RecordedEvaluation) -> dict[str, object]:
    outcome = evaluation.outcome
    return {
        "equity": _round(evaluation.equity),
        "depth": evaluation.depth,
        "outcome": None if outcome is None else [_round(chance) for chance in outcome],
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)
