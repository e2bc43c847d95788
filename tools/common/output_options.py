"""Options that name what a tool writes, and the one that lets it overwrite.

Which options these are the program says by their type, so that a check of all of them forgets none.
"""

from __future__ import annotations

import argparse

from gammond.tools.common.command_options import written_path

__all__ = ["add_force_option", "written_path"]


def add_force_option(parser: argparse._ActionsContainer, also: str = "") -> None:
    """Declare ``--force``.

    Args:
        parser: Of the tool, or a group of its options.
        also: What else it does.
    """
    text = "overwrite files that exist, though never those that are read"
    parser.add_argument("--force", action="store_true", help=f"{text}{also and f'; {also}'}")
