"""The records of a match in eXtreme Gammon's files as typed values."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

from engine.rules.position import Board


@dataclass(frozen=True)
class XgMatchHeader:
    """The first record.

    Attributes:
        names: Of players 1 and 2.
        length: Points of the match; 0 for money.
        variation: 0 backgammon, 1 nackgammon, 2 hypergammon, 3 longgammon.
        crawford: Whether the Crawford rule is on.
        jacoby: Whether the Jacoby rule is on.
        beavers: Whether beavers are allowed.
        automatic_doubles: Whether equal opening dice turn the cube.
        cube_limit: The logarithm of the highest cube; 0 where the file has none.
        ratings: Of both players; None where there is none.
        experience: Of both players.
        date: When it was played; None if the file does not say.
        event: The event, the same for `location`, `round` and `transcriber`; empty if there is none.
        location: Where, or on which site.
        round: The round.
        transcriber: Who entered it.
        version: The version of the file.
        comment_before: The number of the comment at the beginning, -1 for none.
        comment_after: The number of the comment at the end, -1 for none.
    """

    names: tuple[str, str]
    length: int
    variation: int
    crawford: bool
    jacoby: bool
    beavers: bool
    automatic_doubles: bool
    cube_limit: int
    ratings: tuple[float | None, float | None]
    experience: tuple[int, int]
    date: datetime.datetime | None
    event: str
    location: str
    round: str
    transcriber: str
    version: int
    comment_before: int
    comment_after: int


@dataclass(frozen=True)
class XgGameHeader:
    """The record before each game.

    Attributes:
        number: The number of the game.
        score: Points of players 1 and 2.
        crawford: Whether it is the Crawford game.
        board: ``int8[2, 26]``, the position in which it begins, player 1 first.
        automatic_doubles: How often the cube was turned before the first roll.
        comment_before: The number of the comment at the beginning, -1 for none.
        comment_after: The number of the comment at the end, -1 for none.
    """

    number: int
    score: tuple[int, int]
    crawford: bool
    board: Board
    automatic_doubles: int
    comment_before: int
    comment_after: int


@dataclass(frozen=True, slots=True)
class XgEvaluation:
    """An evaluation by eXtreme Gammon, for the side whose play or cube decision it is.

    Attributes:
        outcomes: Win, win gammon or better, win backgammon, lose gammon or worse, lose backgammon.
        equity: Its equity; cubeful for plays, cubeless for cube decisions.
        level: The number of its level.
    """

    outcomes: tuple[float, float, float, float, float]
    equity: float
    level: int


@dataclass(frozen=True)
class XgCubeEvaluation:
    """The evaluation of a cube decision.

    Attributes:
        no_double: The equity of rolling, normalised to the cube before a double as the others are.
        double_take: The equity of a double that is taken.
        double_pass: The equity of a double that is passed.
        rolling: The chances without a double, with the cubeless equity.
        doubled: The chances after a double, with the cubeless equity; None if missing.
    """

    no_double: float
    double_take: float
    double_pass: float
    rolling: XgEvaluation
    doubled: XgEvaluation | None


@dataclass(frozen=True)
class XgCube:
    """The record before each roll.

    Attributes:
        seat: 0 for player 1, 1 for player 2: who may double.
        double: 1 a double, 0 none, negative where no decision was to be made.
        take: 1 a take, 0 a pass, 2 a beaver, negative if there was no double.
        raccoon: 1 if the beaver was answered by a raccoon.
        cube: The logarithm of the cube, positive if player 1 owns it, negative if player 2 does.
        board: ``int8[2, 26]``, player 1 first.
        evaluation: None if it was not analysed.
        error: What the decision to double or not loses by eXtreme Gammon; None if it does not say.
        error_take: What the response loses; None if it does not say.
        comment: The number of its comment, -1 for none.
    """

    seat: int
    double: int
    take: int
    raccoon: int
    cube: int
    board: Board
    evaluation: XgCubeEvaluation | None
    error: float | None
    error_take: float | None
    comment: int


@dataclass(frozen=True, slots=True)
class XgCandidate:
    """A play that eXtreme Gammon evaluated.

    Attributes:
        result: ``int8[2, 26]``, the position after it, the side that played first.
        evaluation: Its evaluation.
    """

    result: Board
    evaluation: XgEvaluation


@dataclass(frozen=True)
class XgPlay:
    """The record of a roll and its play.

    Attributes:
        seat: 0 for player 1, 1 for player 2: who rolled.
        dice: Both dice, as the file has them.
        board: ``int8[2, 26]``, the position before it, player 1 first.
        result: ``int8[2, 26]``, the position after it, the side that played first.
        candidates: The plays that were evaluated, the best by eXtreme Gammon first.
        error: What the play loses by eXtreme Gammon; None if it does not say.
        luck: The luck of the roll by eXtreme Gammon; None if it does not say.
        is_played: Whether the roll was played.
        cube: The logarithm of the cube, positive if player 1 owns it, negative if player 2 does.
        comment: The number of its comment, -1 for none.
    """

    seat: int
    dice: tuple[int, int]
    is_played: bool
    cube: int
    board: Board
    result: Board
    candidates: tuple[XgCandidate, ...]
    error: float | None
    luck: float | None
    comment: int


@dataclass(frozen=True)
class XgGameFooter:
    """The record after each game.

    Attributes:
        score: Points of players 1 and 2 after it.
        winner: 0 for player 1, 1 for player 2; None if neither is named.
        points: What it was worth.
        termination: 0 a pass, 1 to 3 a game, gammon, backgammon; 100 more if resigned, 1000 if settled.
    """

    score: tuple[int, int]
    winner: int | None
    points: int
    termination: int


@dataclass(frozen=True)
class XgMatchFooter:
    """The last record.

    Attributes:
        score: Points of players 1 and 2.
        winner: 0 for player 1, 1 for player 2; None if neither is named.
        ratings: Of both players after the match; None where there is none.
    """

    score: tuple[int, int]
    winner: int | None
    ratings: tuple[float | None, float | None]


XgRecord = XgMatchHeader | XgGameHeader | XgCube | XgPlay | XgGameFooter | XgMatchFooter
