"""A terminal of some size in which ``gammond`` runs, on a screen that can be read: tmux."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
WAIT_S = 60.0


class Screen:
    """A terminal of some size in which ``gammond`` runs.

    Args:
        folder: The data folder of this ``gammond``, in which it is started too.
        columns: Of the terminal.
        rows: Of the terminal.
        module: What runs in it.
        environment: Further variables.
    """

    def __init__(
        self, folder: Path, columns: int, rows: int, *, module: str = "gammond", **environment: str
    ) -> None:
        self._socket = str(folder / "tmux")
        settings = {"GAMMOND_DATA": str(folder), "PYTHONPATH": str(ROOT), **environment}
        command = ["env", *(f"{name}={value}" for name, value in settings.items())]
        command += [sys.executable, "-m", module]
        size = ("-x", str(columns), "-y", str(rows))
        self._tmux("-f", os.devnull, "new", "-d", *size, "-c", str(folder), shlex.join(command))
        self._tmux("set", "-g", "remain-on-exit", "on")
        self.wait_for("gammond> ")

    def _tmux(self, *arguments: str, text: str | None = None) -> str:
        done = subprocess.run(
            ["tmux", "-S", self._socket, *arguments], capture_output=True, text=True, check=True, input=text
        )
        return done.stdout

    def type(self, *keys: str) -> None:
        """Press keys: text, or names as tmux has them."""
        self._tmux("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Paste text, bracketed as terminals do it."""
        self._tmux("load-buffer", "-", text=text)
        self._tmux("paste-buffer", "-p")

    def lines(self, *options: str) -> list[str]:
        """Return what is on the screen; with the option ``-e``, with the codes of its colours."""
        return self._tmux("capture-pane", "-p", *options).rstrip("\n").split("\n")

    @property
    def has_ended(self) -> bool:
        """Whether what ran in it has ended; tmux then writes a last row that says so."""
        return self._tmux("display-message", "-p", "#{pane_dead}").strip() == "1"

    def find_cursor(self) -> tuple[int, int]:
        """Return the column and row of the cursor, from 0."""
        column, row = self._tmux("display-message", "-p", "#{cursor_x} #{cursor_y}").split()
        return int(column), int(row)

    def wait_for(self, text: str) -> list[str]:
        """Wait until a text is on the screen, and a prompt below it; return the screen.

        Raises:
            AssertionError: It does not come.
        """

        def is_there(lines: list[str]) -> bool:
            found = [place for place, line in enumerate(lines) if text.rstrip() in line]
            prompts = [place for place, line in enumerate(lines) if line.rstrip() == "gammond>"]
            # the last row is the line below the prompt
            return bool(found and prompts) and found[-1] <= prompts[-1] < len(lines) - 1

        return self.wait_until(is_there, f"{text!r} did not come")

    def wait_for_input(self, text: str, row: int | None = None) -> None:
        """Wait until what was typed stands at the prompt, in a row if one is given.

        Raises:
            AssertionError: It does not come.
        """
        rows = slice(row, None if row is None else row + 1)
        wanted = f"gammond> {text}".rstrip()
        self.wait_until(
            lambda lines: any(line.rstrip() == wanted for line in lines[rows]),
            f"{text!r} is not at the prompt",
        )

    def wait_until(self, is_there: Callable[[list[str]], bool], failure: str) -> list[str]:
        """Wait until a screen is as it should be; return it.

        Raises:
            AssertionError: It does not become so.
        """
        end_s = time.monotonic() + WAIT_S
        while not is_there(lines := self.lines()):
            if time.monotonic() > end_s:
                raise AssertionError(f"{failure}: {lines}")
            time.sleep(0.05)
        return lines

    def close(self) -> None:
        """End the terminal and what runs in it."""
        subprocess.run(["tmux", "-S", self._socket, "kill-server"], check=False, capture_output=True)
