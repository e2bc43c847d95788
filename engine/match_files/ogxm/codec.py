"""What the package ogxm makes of files, and what its documents say of seats, points and evaluations.

Documents are its JSON projection of OGXM 2. White is colour 1 and seat 0, and moves from point 1 to point 24;
point 0 is White's bar, 25 Black's.

Equities are written on the scale of a money game at the present cube, which the format calls cubeful. Files
of OpenGammon have match-winning chances in matches; the library says what the present cube wins and loses
there. Outcomes are those of the seat that acts, the three equities of a cube decision the doubler's.

*Source:* the package ogxm 2.3 (MIT): its docstrings, the fields that its library names, and what it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gammond.engine.errors import FormatError, UnsupportedError, missing_package
from gammond.engine.evaluation.results import CubeDecision, Evaluation, RankedPlay
from gammond.engine.rules.game_record import PlayAction
from gammond.engine.rules.moves import CheckerMove
from gammond.engine.rules.outcome import Outcome
from gammond.engine.rules.position import BAR, OFF, Position, fill_borne_off

if TYPE_CHECKING:
    from types import ModuleType

MAGIC = b"OGXM"

DOUBLE, TAKE, DROP = 21, 22, 23
RESIGN_GAME, RESIGN_MATCH, FORFEIT = 27, 28, 29
SET_POSITION, BEAVER, RACCOON, SETTLE = 31, 32, 33, 34
SET_CUBE, PASS = 36, 37
MARKERS = frozenset((24, 25, 26, 30))
"""Ends of games and matches, and nothing: they say no more than the game does."""

ROLLS = {
    (high, low): number
    for number, (low, high) in enumerate((low, high) for low in range(1, 7) for high in range(low, 7))
}
"""The actions that are rolls, by their dice, the higher one first."""

OWNERS = ("white", "black")

KEY = "x-gammond-"
"""The keys of our own annotations begin so: further headers, the moves of illegal plays, rolls
that were not played, missing games."""

HEADER, MOVES, UNPLAYED, MISSING = f"{KEY}header/", f"{KEY}moves", f"{KEY}unplayed", f"{KEY}missing"

VERSION = {"major": 2, "minor": 2}

NO_MOVES = "-"
"""What the annotation of an illegal play says where no checker moved."""

VARIANTS = ("backgammon", "nackgammon", "hypergammon", "longgammon")

CURRENCY = "cubeful"

_CHANCES = frozenset(("cubeful_match", "cubeless_match"))
_OUTCOME = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
_PLIES = re.compile(r"([0-9]{1,2})[- ]?ply")
_TRUNCATION = re.compile(r"rollout of ([0-9]{1,4}) plies")
_MAX_PRESET_CHARS = 60

Document = dict[str, Any]

_HEADER_BYTES = 16
_MAX_RESTARTS = 100
"""Places after damage at which a member may begin; each costs a copy of the rest of the file."""


def load_ogxm() -> ModuleType:
    """Return the package ogxm.

    Raises:
        UnsupportedError: It is not installed, or has no library for this platform.
    """
    try:
        import ogxm

        ogxm.load_library()
    except ImportError:
        raise missing_package(
            "files of OGXM need, on Linux with an x86-64 processor,", "ogxm", "ogxm", "match"
        ) from None
    except (OSError, RuntimeError) as error:
        raise UnsupportedError(
            f"the package ogxm has no library that runs here: {error}", field="match"
        ) from None
    return ogxm  # type: ignore[no-any-return]


def decode_members(data: bytes) -> Iterator[tuple[int, Document | str]]:
    """Yield the place and the document of each member of a file or a stream, or what is wrong there."""
    ogxm = load_ogxm()
    if int.from_bytes(data[4:6], "little") == 1:
        try:
            data = ogxm.v1_to_v2(data)
        except ogxm.OgxmError as error:
            yield 0, f"a file of OGXM 1 that is not valid: {error}"
            return
    at, restarts = 0, 0
    while at < len(data):
        size = int.from_bytes(data[at + 12 : at + _HEADER_BYTES], "little")
        member = data[at : at + size]
        if len(data) - at < max(size, _HEADER_BYTES):
            fault = f"a match of {max(size, _HEADER_BYTES):,} bytes, of which {len(data) - at:,} are there"
        elif broken := ogxm.verify(member)[0]:
            fault = f"a match that breaks the rules of OGXM ({broken})"
        else:
            try:
                yield at, ogxm.binary_to_json(member)
            except ogxm.OgxmError as error:
                yield at, f"a match that is not valid: {error}"
            at += size
            continue
        yield at, fault
        restarts += 1
        at = data.find(MAGIC, at + 1)
        if at < 0 or restarts > _MAX_RESTARTS:
            return


def encode_document(document: Document) -> bytes:
    """Encode a match.

    Raises:
        UnsupportedError: The format has no place for something in it.
    """
    ogxm = load_ogxm()
    try:
        if (broken := ogxm.v2_problem(document)) is None:
            return bytes(ogxm.json_to_binary(document))
    except ogxm.OgxmError as error:
        broken = str(error)
    raise UnsupportedError(
        f"something of this match has no place in ogxm, whose rules forbid it ({broken}): write it as sgf",
        field="match",
    )


def to_point(point: int, seat: int) -> int:
    """Return a point of a seat's own numbering as the format numbers it, or the other way round."""
    return BAR - point if seat == 0 else point


def list_steps(moves: Sequence[CheckerMove], seat: int) -> list[Document]:
    """Return the steps of a play."""
    return [{"from": to_point(source, seat), "pips": source - target} for source, target in moves]


def read_steps(steps: Sequence[Document], seat: int) -> list[CheckerMove]:
    """Return the checker moves of steps, in the mover's numbering; those beyond the board bear off."""
    sources = [(to_point(step["from"], seat), step["pips"]) for step in steps]
    return [(source, max(source - pips, OFF)) for source, pips in sources]


def format_board(position: Position, on_roll: int) -> list[int]:
    """Return the checkers of each place, those of White above 0, those of Black below."""
    white, black = position.board if on_roll == 0 else position.board[::-1]
    return [int(white[BAR - point]) * (point < BAR) - int(black[point]) * (point > 0) for point in range(26)]


def read_board(places: Sequence[int], on_roll: int, checkers: int) -> Position:
    """Return the position of `format_board`, as a seat sees it.

    Raises:
        FormatError: There are not 26 places.
        PositionError: It is impossible.
    """
    if len(places) != 26:
        raise FormatError(f"expected a board of 26 places, got {len(places)}", field="position")
    signed = np.clip(np.array(places, np.int64), -100, 100).astype(np.int8)
    board = np.zeros((2, 26), np.int8)
    board[0, 1:], board[1, 1:] = signed.clip(0)[24::-1][:25], (-signed).clip(0)[1:]
    fill_borne_off(board, ("White", "Black"), checkers)
    return Position(board if on_roll == 0 else board[::-1].copy(), checkers)


def read_scale(found: Document, currency: str) -> tuple[float, float] | None:
    """Return how the equities of a decision are written: the value of an even game, and of a point more.

    Args:
        found: The decision.
        currency: What its block counts in, where it does not say so itself.

    Returns:
        None where the decision does not say it.
    """
    if found.get("currency", currency) not in _CHANCES:
        return 0.0, 1.0
    lost, won = found.get("emg_anchors") or (0.0, 0.0)
    return ((won + lost) / 2, (won - lost) / 2) if won > lost else None


def read_evaluation(found: Document, equity: float, stake: float, *, swap: bool = False) -> Evaluation:
    """Read the evaluation of an alternative or a cube decision.

    Args:
        found: It.
        equity: Its equity, for the player that the model has it for.
        stake: What a point of its decision is written as.
        swap: Whether its outcome is the other player's.
    """
    level = found.get("level") or {}
    rollout = level.get("rollout") or {}
    error = found.get("rollout_se")
    chances, outcome = found.get("eval"), None
    if chances is not None:
        outcome = Outcome(*(float(chances[name]) for name in _OUTCOME))
    return Evaluation(
        equity,
        _swap_sides(outcome) if outcome and swap else outcome,
        _read_depth(level),
        None if error is None else error / stake,
        rollout.get("trials", 0),
    )


def _swap_sides(outcome: Outcome) -> Outcome:
    """Return an outcome as the other player sees it."""
    win, gammons, backgammons, lost, lost_more = outcome
    return Outcome(1 - win, lost, lost_more, gammons, backgammons)


def _read_depth(level: Document) -> str:
    preset: str = level.get("preset", "")
    if (plies := _PLIES.fullmatch(preset)) is not None:
        return f"{plies[1]}-ply"
    if preset:
        return preset
    if rollout := level.get("rollout"):
        plies_played = rollout.get("truncation_depth", 0)
        return f"rollout of {plies_played} plies" if plies_played else "rollout"
    return f"{level['checker_ply']}-ply" if "checker_ply" in level else ""


def read_decision(found: Document, currency: str, *, is_response: bool = False) -> CubeDecision | None:
    """Read a cube decision; None if it lacks an equity.

    Args:
        found: The decision.
        currency: Of its block.
        is_response: Whether its outcome is that of the player who responds.
    """
    scale = read_scale(found, currency)
    values = [found.get(f"{name}_equity") for name in ("no_double", "double_take", "double_pass")]
    if None in values or scale is None:
        return None
    even, stake = scale
    held, taken, passed = ((float(value or 0) - even) / stake for value in values)
    evaluation = read_evaluation(found, held, stake, swap=is_response)
    if evaluation.outcome is None:
        evaluation = Evaluation(held)
    return CubeDecision.of_choices(evaluation, Evaluation(taken), Evaluation(passed))


def format_decision(
    decision: CubeDecision, *, is_double: bool = False, is_take: bool | None = None
) -> Document:
    """Format a cube decision.

    Args:
        decision: It.
        is_double: Whether the player doubled.
        is_take: Whether a double was taken; None for the decision to double.
    """
    no_double, double_take, double_pass = decision.equities
    written: Document = {
        "no_double_equity": no_double,
        "double_take_equity": double_take,
        "double_pass_equity": double_pass,
    }
    if is_take is not None:
        written |= {
            "correct_action": str(decision.response),
            "played_action": "take" if is_take else "pass",
            "equity_loss": decision.find_response_error(is_take=is_take),
        }
    else:
        should_double = decision.double > no_double
        written |= {
            "correct_action": "double" if should_double else "no_double",
            "played_action": "double" if is_double else "no_double",
            "should_double": should_double,
            "equity_loss": decision.find_doubling_error(is_double=is_double),
        }
    return written | _format_evaluation(decision.no_double, swap=is_take is not None)


def format_alternatives(candidates: Sequence[RankedPlay], action: PlayAction) -> Document:
    """Format the plays that were considered for a roll.

    The format wants plays of one depth together, best first, and the one that was made among the first of
    them; otherwise it only says what that one lost. The trials of rollouts are one number for each depth.
    """
    groups: dict[str, dict[bytes, RankedPlay]] = {}
    for candidate in candidates:
        if candidate.play.moves:
            result = candidate.play.result.board.tobytes()
            if not any(result in group for group in groups.values()):
                groups.setdefault(candidate.evaluation.depth, {})[result] = candidate
    if not groups:
        return {}
    played = action.play.result.board.tobytes()
    first, *others = groups.values()
    alternatives: list[Document] = []
    for group in (first, *others):
        trials = max(each.evaluation.trials for each in group.values())
        for result, each in sorted(group.items(), key=lambda pair: -pair[1].evaluation.equity):
            if result == played and group is not first:
                continue
            written: Document = {
                "move": list_steps(each.play.moves, action.seat),
                "equity": each.evaluation.equity,
                "is_played": result == played,
            }
            alternatives.append(written | _format_evaluation(each.evaluation, trials=trials))
    formatted: Document = {"alternatives": alternatives}
    left_out = next((group[played] for group in others if played in group), None)
    if left_out is not None:
        best = alternatives[0]["equity"]
        formatted["equity_loss"] = max(best - left_out.evaluation.equity, 0)
    return formatted


def _format_evaluation(evaluation: Evaluation, *, trials: int = 0, swap: bool = False) -> Document:
    written: Document = {}
    if evaluation.outcome is not None:
        values = _swap_sides(evaluation.outcome) if swap else evaluation.outcome
        written["eval"] = dict(zip(_OUTCOME, values, strict=True))
    level: Document = {}
    if evaluation.depth:
        level["preset"] = evaluation.depth[:_MAX_PRESET_CHARS]
    if (plies := _PLIES.fullmatch(evaluation.depth)) is not None:
        level |= {"checker_ply": int(plies[1]), "cube_ply": int(plies[1])}
    if trials := trials or evaluation.trials:
        truncated = _TRUNCATION.fullmatch(evaluation.depth)
        level["rollout"] = {"trials": trials, "truncation_depth": int(truncated[1]) if truncated else 0}
        if evaluation.error is not None:
            written["rollout_se"] = evaluation.error
    if level:
        written["level"] = level
    return written
