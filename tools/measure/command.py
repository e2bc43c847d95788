"""``gammond measure``: what levels, pruning and the cube are worth, strength against speed, and analyses."""

from __future__ import annotations

from tools.common.command_group import CommandGroup

SUMMARY = "measure errors, pruning, cubes, strength, analyses of matches"

COMMANDS = {
    "levels": "tools.measure.levels",
    "pruning": "tools.measure.pruning",
    "cutoffs": "tools.measure.cutoffs",
    "alphabeta": "tools.measure.alphabeta",
    "cube": "tools.measure.cube.command",
    "frontier": "tools.measure.frontier.command",
    "matches": "tools.measure.matches.command",
}
"""Sub-command -> its module."""

_GROUP = CommandGroup(COMMANDS)
add_arguments = _GROUP.add_arguments
main = _GROUP.run
