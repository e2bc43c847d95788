"""GNU Backgammon's program without its window: commands go in, what it says comes out."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gammond.engine.errors import LimitError, UnsupportedError
from gammond.tools.gnubg import require_gnubg

TIMEOUT_S = 120.0

_SETTINGS = (
    "set automatic game off",
    "set automatic roll off",
    "set confirm new off",
    "set confirm save off",
    "set threads 1",
)
_REPORT_TIME = ">import time; print('processor seconds', time.process_time())"
_TIME = re.compile(r"^processor seconds ([0-9.]+)$", re.MULTILINE)
_TAIL_CHARS = 200
_COMMANDS_FILE = "commands.gnubg"


@dataclass(frozen=True)
class GnubgOutput:
    """What gnubg made of some commands.

    Attributes:
        text: All that it wrote.
        processor_s: The processor time that it took; None where it has no Python inside.
    """

    text: str
    processor_s: float | None

    @property
    def version(self) -> str:
        """What gnubg calls itself."""
        return self.text.partition("\n")[0].strip()


def ask_gnubg(
    commands: Sequence[str], folder: Path, timeout_s: float = TIMEOUT_S, *, on_terminal: bool = False
) -> GnubgOutput:
    """Let gnubg carry out commands in one thread, with its own settings and no question asked.

    Args:
        commands: As a person would type them; files are below the folder.
        folder: Where it runs, and what it takes for the user's home.
        timeout_s: How long it may take.
        on_terminal: Whether it writes to a terminal: only there it says what rollouts come to.

    Raises:
        UnsupportedError: It is not installed, or it ended with a fault.
        LimitError: It took longer.
    """
    text = "".join(f"{line}\n" for line in (*_SETTINGS, *commands, _REPORT_TIME, "quit", "y"))
    command = [require_gnubg(), "-t", "-q", "-r"]
    if on_terminal:  # commands come from a file: the terminal would echo them
        (folder / _COMMANDS_FILE).write_text(text, "utf-8")
        command, text = _wrap_in_terminal([*command, "-c", _COMMANDS_FILE]), ""
    try:
        ended = subprocess.run(
            command,
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_s,
            cwd=folder,
            env={**os.environ, "HOME": str(folder), "LC_ALL": "C"},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitError(f"gnubg was not done within {timeout_s:.0f} s", field="gnubg") from None
    if ended.returncode:
        raise UnsupportedError(
            f"gnubg ended with status {ended.returncode}: {ended.stdout[-_TAIL_CHARS:]!r}", field="gnubg"
        )
    found = _TIME.search(ended.stdout)
    return GnubgOutput(ended.stdout, float(found[1]) if found else None)


def ask_gnubg_python(program: str, script: Path, questions: object, timeout_s: float) -> Any:  # noqa: ANN401
    """Let the Python inside gnubg answer questions by a script.

    Args:
        program: gnubg.
        script: Run by it, with the paths of the questions and of its answers, as JSON, in the environment
            variables ``QUESTIONS`` and ``ANSWERS``.
        questions: For the script.
        timeout_s: How long it may take.

    Returns:
        The answers; None if there are none, as from a gnubg without Python.

    Raises:
        LimitError: It took longer.
    """
    with tempfile.TemporaryDirectory(prefix="gammond-gnubg-") as folder:
        asked, answered = Path(folder, "questions.json"), Path(folder, "answers.json")
        asked.write_text(json.dumps(questions))
        try:
            subprocess.run(
                [program, "-t", "-q", "-p", str(script)],
                env={**os.environ, "QUESTIONS": str(asked), "ANSWERS": str(answered)},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise LimitError(f"gnubg was not done within {timeout_s:.0f} s", field="gnubg") from None
        return json.loads(answered.read_text()) if answered.exists() else None


def _wrap_in_terminal(command: Sequence[str]) -> list[str]:
    """Return a command that runs another one on a terminal of its own, and returns its status."""
    script = shutil.which("script")
    if script is None:
        raise UnsupportedError("gnubg needs the program 'script' here (Debian: bsdutils)", field="gnubg")
    return [script, "-qec", shlex.join(command), os.devnull]
