"""``gammond measure``: what levels, pruning, cut-offs and the cube are worth, and strength against speed."""

from __future__ import annotations

from tools.common.command_group import CommandGroup

SUMMARY = "measure errors, pruning, cut-offs, cube efficiency and strength"

COMMANDS = {
    "levels": "tools.measure.levels",
    "pruning": "tools.measure.pruning",
    "cutoffs": "tools.measure.cutoffs",
    "cube": "tools.measure.cube.command",
    "frontier": "tools.measure.frontier.command",
}
"""Sub-command -> its module."""

_GROUP = CommandGroup(COMMANDS)
add_arguments = _GROUP.add_arguments
main = _GROUP.run
