"""Run the terminal as ``gammond`` does, with the rolls of the page for players: ``python -m`` this module."""

from __future__ import annotations

import sys

from gammond.protocol.repl.terminal import prompt_loop
from gammond.protocol.state.player_registry import NO_FILE_PLAYERS
from gammond.protocol.state.session import Session
from tests.protocol.repl.tables import ScriptedDice

ROLLS = [(3, 1), (5, 2)]
"""The rolls of each transcript."""


class ScriptedSession(Session):
    """A session whose dice show the rolls."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.dice = ScriptedDice(ROLLS)


if __name__ == "__main__":
    prompt_loop.Session = ScriptedSession
    sys.exit(prompt_loop.run_repl(NO_FILE_PLAYERS))
