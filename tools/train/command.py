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

from tools.common.command_group import CommandGroup

SUMMARY = "train nets: self-play, labels, fitting, validation"

COMMANDS = {
    "td": "tools.train.td.command",
    "label": "tools.train.labels.command",
    "fit": "tools.train.fitting.fit",
    "refine": "tools.train.fitting.refine",
    "barca-ascend": "tools.barca.ascend",
    "barca-fit": "tools.barca.fit",
    "vary": "tools.train.vary",
    "plot": "tools.train.runs.plot",
    "validation-set": "tools.train.validation.build_set",
    "validate": "tools.train.validation.validate",
    "cube-set": "tools.train.cube_decisions.build_set",
    "validate-cube": "tools.train.cube_decisions.validate",
    "peer-games": "tools.train.validation.peer_games",
    "class-shares": "tools.train.validation.class_shares",
}
"""Sub-command -> its module."""

_GROUP = CommandGroup(COMMANDS)
add_arguments = _GROUP.add_arguments
main = _GROUP.run
