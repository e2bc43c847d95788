"""``gammond heritage``: the ways of learning of the five founding documents, and studies of them.

docs/lab/history.md describes each document and what came of it.
"""

from __future__ import annotations

from gammond.tools.common.command_group import CommandGroup

SUMMARY = "train the players of the founding documents"

COMMANDS = {
    "expert-moves": "gammond.tools.heritage.gengammon.expert_moves.command",
    "mimic": "gammond.tools.heritage.gengammon.command",
    "classic": "gammond.tools.heritage.computational_backgammon.command",
    "classic-report": "gammond.tools.heritage.computational_backgammon.report",
    "climb": "gammond.tools.heritage.heuristic_engine.command",
    "climb-study": "gammond.tools.heritage.heuristic_engine.study",
    "heuristic-net": "gammond.tools.heritage.phase_features.command",
    "ascend": "gammond.tools.heritage.astros.command",
}
"""Sub-command -> its module."""

COMMAND = CommandGroup(COMMANDS)
