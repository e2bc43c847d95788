"""``gammond train``: fit nets to self-play and to labelled positions, and compare them.

Which trainer?

    td               begin here: a net from nothing, by self-play, in minutes
    refine           a net gets better by its look-ahead, in hours (torch)
    label, then fit  the same in two steps, for other shapes (torch)

What comes out is a folder. It plays as run:FOLDER at once, and gammond export FOLDER --name NAME gives it a
name for --net, set engine.net and play against. The other commands compare, draw and check runs; trainers of
the founding documents are in gammond heritage.
"""

from __future__ import annotations

from gammond.tools.common.command_group import CommandGroup
from gammond.tools.common.wings import find_wings
from gammond.tools.train.wing import WING

SUMMARY = "train nets: self-play, labels, fitting, validation"

COMMANDS = {
    **WING.trainers,
    "label": "gammond.tools.train.labels.command",
    **{name: wing.trainers[name] for wing in find_wings() for name in wing.train_commands},
    "vary": "gammond.tools.train.vary",
    "plot": "gammond.tools.train.runs.plot",
    "validation-set": "gammond.tools.train.validation.build_set",
    "validate": "gammond.tools.train.validation.validate",
    "cube-set": "gammond.tools.train.cube_decisions.build_set",
    "validate-cube": "gammond.tools.train.cube_decisions.validate",
    "cube-efficiencies": "gammond.tools.train.cube_decisions.fit_efficiencies",
    "peer-games": "gammond.tools.train.validation.peer_games",
    "class-shares": "gammond.tools.train.validation.class_shares",
}
"""Sub-command -> its module."""

COMMAND = CommandGroup(COMMANDS)
