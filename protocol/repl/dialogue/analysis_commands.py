"""Commands that analyse an open match: its analysis in the background, and what its decisions lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gammond.engine.match_analysis.analysis import AnalysisSettings
from gammond.engine.match_analysis.decision_errors import XG_ERROR_POINTS
from gammond.engine.match_analysis.rollouts import QUICK_ROLLOUT, DecisionRollouts
from gammond.engine.options import Bounds, Field
from gammond.engine.rules.match import SEATS
from gammond.engine.rules.rules import Feature
from gammond.engine.search import MAX_PLIES
from gammond.engine.wording import format_count
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.core.arguments import choice_argument, integer_argument, rest_argument, switch_argument
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.dialogue.command import ReplCommand, in_group
from gammond.protocol.repl.game.games import show_place
from gammond.protocol.repl.game.repl_game import ReplGame
from gammond.protocol.repl.records.descriptions import describe_record
from gammond.protocol.repl.records.losses import find_costliest, format_losses, list_losses, summarize_losses
from gammond.protocol.repl.records.match_analysis import MatchAnalysis
from gammond.protocol.repl.records.open_record import OpenRecord

DEFAULT_ERROR_COUNT = 10
"""The number of decisions that ``errors`` lists."""

_MAX_LISTED = 10_000


def _analyse(
    game: ReplGame,
    control: WorkControl,
    what: str,
    plies: int | None,
    deepen: int | None,
    rollout: bool | None,
) -> list[str]:
    if what == "stop":
        was_running = game.records.stop_analysis()
        return ["The analysis has ended: what it found stays." if was_running else "No analysis goes on."]
    record, chosen = game.find_record(), game.session.engine_settings
    settings = AnalysisSettings(_find_default_plies(record) if plies is None else plies, deepen or 0)
    rollouts = DecisionRollouts(replace(QUICK_ROLLOUT, threads=chosen.threads)) if rollout else None
    games, before = _list_games(record, only_shown=what == "game"), game.records.analysis
    net = game.session.service.get_engine(chosen.net, chosen.threads).name if before is not None else ""
    if before is not None and before.has_done(record, games, settings, rollouts, net):
        return [f"It is analysed at {before.depth} already: 'errors' lists what was lost."]
    analysis = _begin_analysis(game, record, games, settings, rollouts)
    return [
        f"Analysing {format_count(analysis.total, 'decision')} at {analysis.depth} in the background.",
        "'errors' waits for it and lists what was lost, 'analyse stop' ends it.",
    ]


def _find_default_plies(record: OpenRecord) -> int:
    """Return how far ``analyse`` looks ahead by itself."""
    return AnalysisSettings().plies if record.match.rules.rules.supports(Feature.LOOK_AHEAD) else 0


def _list_games(record: OpenRecord, *, only_shown: bool = False) -> list[int]:
    """List the places of the games to analyse, from the shown one on."""
    shown, count = record.place.game, len(record.match.games)
    return [shown] if only_shown else [*range(shown, count), *range(shown)]


def _begin_analysis(
    game: ReplGame,
    record: OpenRecord,
    games: Sequence[int],
    settings: AnalysisSettings,
    rollouts: DecisionRollouts | None = None,
) -> MatchAnalysis:
    """Begin to analyse games of a match; another analysis ends."""
    game.records.stop_analysis()
    game.records.analysis = MatchAnalysis(game.session, record, games, settings, rollouts)
    return game.records.analysis


def _list_errors(game: ReplGame, control: WorkControl, which: str | None) -> list[str]:
    record = game.find_record()
    analysis = game.records.analysis
    if analysis is None or analysis.record is not record or not (analysis.is_running or analysis.error):
        analysis = None  # it is of another match, or has ended
    if analysis is None and not record.is_analysed:
        settings = AnalysisSettings(_find_default_plies(record))
        analysis = _begin_analysis(game, record, _list_games(record), settings)
    is_whole = analysis is None or analysis.wait(control)
    losses = list_losses(record)
    seat, least, count = _parse_error_filter(record, which or "")
    worst = find_costliest([each for each in losses if each.points >= least], seat, count)
    game.records.note_listed(record, [each.place for each in worst])
    more = []
    if analysis is not None and not is_whole:
        more = [f"The analysis goes on: {analysis.done} of {analysis.total} decisions are done."]
    jump = ["'error N' shows one of them on the board."] if worst else []
    summaries = [line for each in SEATS for line in summarize_losses(record, each)]
    cuts = [f"{cut}." for cut in record.analysed_match.cut_games]
    return [*summaries, *cuts, *format_losses(record, worst), *more, *jump]


def _parse_error_filter(record: OpenRecord, text: str) -> tuple[int | None, float, int]:
    """Return whose decisions ``errors`` lists, None for both players, from which loss on, and how many.

    Raises:
        CommandError: The text is neither a number of rows, nor a loss, nor a player.
    """
    word = text.strip().casefold()
    if not word:
        return None, 0.0, DEFAULT_ERROR_COUNT
    if word.isdecimal():
        return None, 0.0, int(Field("which", int, Bounds(1, _MAX_LISTED)).parse(word))
    if "." in word and word.replace(".", "", 1).isdecimal():
        return None, float(word), _MAX_LISTED
    for seat, name in enumerate(record.names):
        if word in (name.casefold(), CHECKER_MARKS[seat].casefold()):
            return seat, 0.0, DEFAULT_ERROR_COUNT
    raise CommandError(
        f"expected how many to list, a loss such as {XG_ERROR_POINTS}, or a player "
        f"({' or '.join(record.names)}), got {text[:20]!r}",
        field="which",
    )


def _show_error(game: ReplGame, control: WorkControl, number: int) -> list[str]:
    before = game.records.current
    record = game.records.select_listed(number)
    lines = show_place(game, record)
    if before not in (None, record):
        lines.append(f"This is another match: {describe_record(record)}")
    return lines


ANALYSIS_ROWS = in_group(
    "rate",
    ReplCommand(
        "analyse",
        "analyse the open match, or only the shown game, in the background; 'stop' ends that",
        _analyse,
        (
            choice_argument(
                "what", ("match", "game", "stop"), "what to analyse", default="match", is_required=False
            ),
            integer_argument(
                "plies",
                0,
                MAX_PLIES,
                f"look-ahead of every decision; {AnalysisSettings().plies} if left out",
                is_named=True,
            ),
            integer_argument(
                "deepen", 0, MAX_PLIES, "look-ahead of those that are close or wrong", is_named=True
            ),
            switch_argument("rollout", "whether those that are close or wrong after that are rolled out"),
        ),
    ),
    ReplCommand(
        "errors",
        "list the costliest decisions of the open match; one that is not analysed is analysed first",
        _list_errors,
        (
            rest_argument(
                "which",
                "N|POINTS|PLAYER",
                f"how many to list, {DEFAULT_ERROR_COUNT} if left out; all that lost POINTS, such as "
                f"{XG_ERROR_POINTS}, or more; those of one player",
                is_required=False,
            ),
        ),
    ),
    ReplCommand(
        "error",
        "show decision N of the last list of 'errors' or 'review', of this match if it has one",
        _show_error,
        (integer_argument("number", 1, _MAX_LISTED, "its number", is_required=True, metavar="N"),),
    ),
)
"""The rows of these commands, in the order of ``help``."""
