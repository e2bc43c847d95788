"""What the person's decisions of a game lost, by an analysis of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gammond.engine.errors import StateError
from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.rollouts import DecisionRollouts
from gammond.engine.wording import format_count
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.sentences import HUMAN_NAME
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.records.losses import find_costliest, format_losses, list_losses, summarize_losses
from gammond.protocol.repl.records.match_analysis import MatchAnalysis
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.state.session import Session

WORST_COUNT = 5
"""The number of decisions that a review shows."""


def review(game: ReplGame, control: WorkControl) -> list[str]:
    """Return what the person's decisions of this game, or the last one, lost; with two people both.

    It also says for how many decisions the engine had told its choice.

    Raises:
        StateError: There has been no game.
        GammondError: An evaluation failed.
    """
    if not game.session.log.actions:
        raise StateError("no game to review: 'play' or 'new' starts one", field="review")
    record = game.records.update_own(game.session.log)
    game.records.stop_analysis(of=record)
    number, engine = len(record.match.games) - 1, game.session.engine_settings
    settings = AnalysisSettings(engine.plies, filter_name=engine.filter_name)
    analysis = start_analysis(game.session, record, [number], settings)
    count, lines = len(game.advised), ["Stopped: nothing is reviewed."]
    if analysis.wait(control):
        seats = (record.names.index(HUMAN_NAME),) if HUMAN_NAME in record.names else (0, 1)
        losses = [each for each in list_losses(record) if each.place.game == number]
        worst = [each for seat in seats for each in find_costliest(losses, seat, WORST_COUNT)]
        game.records.note_listed(record, [each.place for each in worst])
        lines = [line for seat in seats for line in summarize_losses(record, seat, number)]
        lines += format_losses(record, worst)
    else:
        analysis.stop()
    if not count:
        return lines
    decisions = f"For {format_count(count, 'decision')} of this game"
    return [*lines, f"{decisions} the engine had told its choice: these figures are not yours alone."]


def start_analysis(
    session: Session,
    record: OpenRecord,
    games: Sequence[int],
    settings: AnalysisSettings,
    rollouts: DecisionRollouts | None = None,
) -> MatchAnalysis:
    """Begin to analyse games of a match in the background, by the engine of the session.

    Args:
        session: The table.
        record: The match.
        games: The places of the games, in the order in which they are analysed.
        settings: How deep; kept answers will do if the session takes them.
        rollouts: As for `MatchAnalysis`.

    Raises:
        DataFileError: The evaluator cannot be loaded.
    """
    chosen = session.engine_settings
    engine = session.service.get_engine(chosen.net, chosen.threads)
    settings = replace(settings, store=chosen.store)
    return MatchAnalysis(record, games, engine, settings, chosen.threads, rollouts)
