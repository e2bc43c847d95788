"""``gammond train``: fit nets to self-play and to labelled positions, and compare them."""

from __future__ import annotations

from tools.common.command_group import CommandGroup

SUMMARY = "train nets: self-play, labels, fitting, validation"

COMMANDS = {
    "td": "tools.train.td.command",
    "label": "tools.train.labels.command",
    "fit": "tools.train.fitting.fit",
    "refine": "tools.train.fitting.refine",
    "vary": "tools.train.vary",
    "plot": "tools.train.runs.plot",
    "validation-set": "tools.train.validation.build_set",
    "validate": "tools.train.validation.validate",
}
"""Sub-command -> its module."""

_GROUP = CommandGroup(COMMANDS)
add_arguments = _GROUP.add_arguments
main = _GROUP.run
