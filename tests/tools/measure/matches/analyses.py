"""A match with analyses that say what the tests want."""

from dataclasses import replace

from gammond.engine.cubeful.match_equity import load_default_table
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.model import ActionNotes
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResponseAction
from gammond.engine.rules.moves import legal_plays
from gammond.engine.rules.outcome import Outcome
from tests.engine.match_files.played_games import MAT_MATCH

OUTCOME = Outcome(0.5, 0.125, 0.0625, 0.25, 0.0)
(MATCH,) = parse_mat(MAT_MATCH)


def evaluate(equity, error=None):
    return Evaluation(equity, OUTCOME, "2-ply", error)


def analyse(losses, cube=(0.5, 1.0)):
    """The match with a loss for each of its plays, by its place, and one view of its double."""
    notes = {}
    for place, (situation, action, _) in enumerate(MATCH.games[0].replayed):
        if isinstance(action, PlayAction):
            plays = legal_plays(situation.position, action.roll)
            others = [play for play in plays if play.result != action.play.result][:1]
            lost = losses.get(place, 0.0)
            candidates = [RankedPlay(action.play, evaluate(-lost))]
            better = [RankedPlay(play, evaluate(0.0 if lost else -1.0)) for play in others]
            notes[place] = ActionNotes(candidates=(*better, *candidates) if lost else (*candidates, *better))
        elif isinstance(action, DoubleAction | ResponseAction):
            notes[place] = ActionNotes(cube=CubeDecision.of_choices(*map(Evaluation, cube)))
    game = replace(MATCH.games[0], notes=notes)
    return AnalysedMatch("match", replace(MATCH, games=(game,)), "test", load_default_table())
