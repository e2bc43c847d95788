"""What GNU Backgammon says of matches and of single decisions: its analysis, and its rollouts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gammond.engine.errors import FormatError
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.match_files.model import ActionNotes, RecordedGame, RecordedMatch
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.sgf.writer import format_sgf
from gammond.engine.rules.dice import Roll
from gammond.engine.rules.game_record import DoubleAction, GameAction, GameSituation, PlayAction
from gammond.engine.rules.moves import Play
from gammond.engine.rules.outcome import Outcome
from gammond.tools.gnubg.console import GnubgOutput, ask_gnubg

_TIMEOUT_S = 590.0
_GIVEN, _ANSWERED = "given.sgf", "answered.sgf"
_UNKNOWN = Evaluation(0.0, Outcome(0.5, 0.0, 0.0, 0.0, 0.0), "0-ply")
_ROLLOUT_SETTINGS = ("set rollout chequerplay plies 0", "set rollout cubedecision plies 0")
"""The rest are gnubg's own: games to their end, with the cube, variance reduction and quasi-random dice."""


def analyse_with_gnubg(match: RecordedMatch, plies: int, folder: Path) -> tuple[RecordedMatch, GnubgOutput]:
    """Let gnubg analyse a match, in one thread; return it with gnubg's notes, and what it said.

    Args:
        match: The match; its notes are not given on.
        plies: The look-ahead of plays and cube decisions; rolls are analysed at 0-ply.
        folder: For the files that go to and fro.

    Raises:
        UnsupportedError: gnubg is not installed, or ended with a fault.
        LimitError: It took longer than ten minutes.
        FormatError: It did not read the same actions.
    """
    kind = "match" if match.length else "session"
    commands = (
        *(f"set analysis {what} evaluation plies {plies}" for what in ("chequerplay", "cubedecision")),
        f"set jacoby {'on' if match.rules.jacoby else 'off'}",
        f"load match {_GIVEN}",
        f"analyse {kind}",
        f"save {kind} {_ANSWERED}",
    )
    bare = replace(match, games=tuple(replace(game, notes={}) for game in match.games))
    answered, output = _exchange(bare, commands, folder)
    if [game.actions for game in answered.games] != [game.actions for game in match.games]:
        raise FormatError("gnubg does not read the same actions of the match", field="match")
    return answered, output


@dataclass(frozen=True)
class GnubgRoller:
    """Lets gnubg roll out decisions of a match, the choices of each with the same dice.

    Its methods raise an `UnsupportedError` if gnubg is not installed or ends with a fault, a `LimitError` if
    it takes longer than ten minutes, and a `FormatError` if it gives no rollout.

    Attributes:
        match: The match: its names, length and rules.
        trials: Games of each choice.
        seed: Of the dice.
        folder: For the files that go to and fro.
    """

    match: RecordedMatch
    trials: int
    seed: int
    folder: Path

    def roll_out_plays(
        self, situation: GameSituation, roll: Roll, plays: Sequence[Play]
    ) -> tuple[RankedPlay, ...]:
        """Roll out different plays, and return them with their equities, the best first."""
        action = PlayAction(situation.match.on_roll, roll, plays[0])
        notes = ActionNotes(candidates=tuple(RankedPlay(play, _UNKNOWN) for play in plays))
        places = " ".join(str(number + 1) for number in range(len(plays)))
        return self._roll_out(situation, action, notes, f"analyse rollout move {places}").candidates

    def roll_out_cube(self, situation: GameSituation) -> CubeDecision:
        """Roll out no double and a double that is taken; one that waits for its answer is not yet made."""
        action = DoubleAction(situation.match.on_roll, 2 * situation.match.cube)
        notes = ActionNotes(cube=CubeDecision.of_choices(_UNKNOWN, _UNKNOWN))
        cube = self._roll_out(situation, action, notes, "analyse rollout cube").cube
        if cube is None:
            raise FormatError("gnubg gave no rollout of a cube decision", field="match")
        return cube

    def _roll_out(
        self, situation: GameSituation, action: GameAction, notes: ActionNotes, command: str
    ) -> ActionNotes:
        """Roll out the choices of the one action of a game that begins there."""
        state = replace(situation.match.before_roll(), doubled=False)
        rules = self.match.rules.rules
        game = RecordedGame(1, state, situation.position, (action,), None, rules, {0: notes})
        commands = (
            *_ROLLOUT_SETTINGS,
            f"set rollout trials {self.trials}",
            f"set rollout seed {self.seed}",
            f"load match {_GIVEN}",
            command,
            f"save match {_ANSWERED}",
        )
        answered, _ = _exchange(replace(self.match, games=(game,)), commands, self.folder)
        found = answered.games[0].notes.get(0) if answered.games else None
        if found is None:
            raise FormatError("gnubg gave no rollout of a decision", field="match")
        return found


def _exchange(
    match: RecordedMatch, commands: Sequence[str], folder: Path
) -> tuple[RecordedMatch, GnubgOutput]:
    """Give gnubg a match with commands; return what it saved, and what it said."""
    (folder / _GIVEN).write_text(format_sgf(match), "utf-8")
    (folder / _ANSWERED).unlink(missing_ok=True)
    output = ask_gnubg(commands, folder, _TIMEOUT_S)
    (answered,) = read_matches(folder / _ANSWERED)
    return answered, output
