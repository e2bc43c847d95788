"""``gammond measure``: what levels and pruning are worth, strength against speed, and analyses."""

from __future__ import annotations

from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.wings import find_wings

SUMMARY = "measure errors, pruning, strength, analyses of matches"

COMMANDS = {
    "levels": "gammond.tools.measure.levels",
    "pruning": "gammond.tools.measure.pruning",
    **{name: module for wing in find_wings() for name, module in wing.measure_commands.items()},
    "alphabeta": "gammond.tools.measure.alphabeta",
    "frontier": "gammond.tools.measure.frontier",
    "matches": "gammond.tools.measure.matches.command",
    "agreement": "gammond.tools.measure.matches.agreement",
}
"""Sub-command -> its module."""

COMMAND = CommandGroup(COMMANDS)
