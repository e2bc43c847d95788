"""``gammond heritage``: the ways of learning of the five founding documents, and studies of them.

docs/lab/history.md describes each document and what came of it.
"""

from __future__ import annotations

from tools.common.command_group import CommandGroup

SUMMARY = "train the players of the founding documents"

COMMANDS = {
    "expert-moves": "tools.heritage.gengammon.expert_moves.command",
    "mimic": "tools.heritage.gengammon.command",
    "classic": "tools.heritage.computational_backgammon.command",
    "classic-report": "tools.heritage.computational_backgammon.report",
    "climb": "tools.heritage.heuristic_engine.command",
    "climb-study": "tools.heritage.heuristic_engine.study",
    "heuristic-net": "tools.heritage.phase_features.command",
    "ascend": "tools.heritage.barca.command",
}
"""Sub-command -> its module."""

_GROUP = CommandGroup(COMMANDS)
add_arguments = _GROUP.add_arguments
main = _GROUP.run
