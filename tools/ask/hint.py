"""Find the best action in one position: ranked plays, the cube decision, or the answer to an offer.

    gammond hint 4HPwATDgc/ABMA --dice 3 1
    gammond hint "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10" --plies 2

With dice, in the position or as --dice, it ranks the plays; without dice it says whether to double; where a
double or a resignation is pending, how to answer it. In Barca it ranks the moves, at 5 plies unless told.

    gammond hint --variant barca startpos moves e2-e5 e9-e6 --plies 3
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar

from gammond.engine.analysis.levels import DEFAULT_CANDIDATES
from gammond.engine.search import FILTERS
from gammond.protocol.games import OTHER_GAMES
from gammond.protocol.repl.answers.analysis import show_hint
from gammond.protocol.state.game_state import GameState
from gammond.protocol.state.session import EngineSettings
from gammond.tools.ask.question import AnyGameOptions, answer_opinion, answer_question
from gammond.tools.common.command_options import ToolCommand, option
from gammond.tools.common.position_arguments import Dice

SUMMARY = "best plays of a roll, cube decision, or answer to an offer"


class HintOptions(AnyGameOptions, frozen=True, kw_only=True):
    """The question for the best action."""

    takes_dice: ClassVar[bool] = True

    dice: Dice | None = None
    filter: Annotated[str, option("move filter (default the level's)", choices=tuple(FILTERS))] | None = None
    plays: Annotated[int, option("plays to show", "N", ge=1)] = DEFAULT_CANDIDATES

    def change_settings(self, settings: EngineSettings) -> EngineSettings:
        """Return how a session evaluates, with what the options say."""
        changed = super().change_settings(settings)
        return changed if self.filter is None else replace(changed, filter_name=self.filter)


def run(options: HintOptions) -> int:
    """Run the tool; its errors are those of `answer_question`."""
    if options.variant in OTHER_GAMES:
        from gammond.tools.ask import other_games  # questions about backgammon do without it

        depth = other_games.HINT_PLIES if options.plies is None else options.plies
        fields = {"want": ["eval", "moves"], "max_moves": options.plays}
        return other_games.answer_question(options, f"hint {options.plays}", fields, depth)
    if options.player is not None:
        return answer_opinion(options, options.player, options.plays)
    return answer_question(
        options,
        lambda session, control: show_hint(session, control, options.plays),
        lambda session: _make_query(session.game, options.plays),
    )


def _make_query(game: GameState, plays: int) -> dict[str, object]:
    if game.match.roll is not None:
        return {"want": ["moves"], "max_moves": plays}
    return {"want": ["eval", "cube"], "cubeful": True}


COMMAND = ToolCommand(HintOptions, run)
