"""Writes files of eXtreme Gammon for tests of the reader, by the specification and not by its layouts."""

import struct
import zlib

import numpy as np

from gammond.engine.rules.game_record import (
    DoubleAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    replay,
)
from gammond.engine.rules.moves import legal_plays

OUTCOME = 0.5, 0.125, 0.0625, 0.25, 0.03125
STEP = 0.0625

_TYPES = {"bool": ("?", 1), "byte": ("B", 1), "shortint": ("b", 1), "smallint": ("h", 2), "word": ("H", 2),
          "integer": ("i", 4), "dword": ("I", 4), "single": ("f", 4), "double": ("d", 8)}  # fmt: skip
_FIELDS = {
    0: """
    SPlayer1 string40; SPlayer2 string40; MatchLength integer; Variation integer; Crawford bool; Jacoby
    bool; Beaver bool; AutoDouble bool; Elo1 double; Elo2 double; exp1 integer; exp2 integer; Date double;
    SEvent string128; GameId integer; CompLevel1 integer; CompLevel2 integer; CountForElo bool;
    AddtoProfile1 bool; AddtoProfile2 bool; SLocation string128; GameMode integer; Imported bool; SRound
    string128; Invert integer; version integer; Magic integer; MoneyInitG integer; MoneyInitScore integer*2;
    Entered bool; Counted bool; UnratedImp bool; CommentHeaderMatch integer; CommentFooterMatch integer;
    IsMoneyMatch bool; WinMoney single; LoseMoney single; Currency integer; FeeMoney single; TableStake
    single; SiteId integer; CubeLimit integer; AutoDoubleMax integer; Transcribed bool; Event word*129;
    Player1 word*129; Player2 word*129; Location word*129; Round word*129; TimeSetting integer*8;
    TotTimeDelay integer*4; Transcriber word*129
    """,
    1: """
    score1 integer; score2 integer; CrawfordApply bool; PosInit position; GameNumber integer; InProgress
    bool; CommentHeaderGame integer; CommentFooterGame integer; NumberOfAutoDouble integer
    """,
    2: """
    Actif integer; double integer; Take integer; BeaverR integer; RaccoonR integer; CubeB integer; Position
    position; D.Pos position; D.Level integer; D.Score integer*2; D.Cube integer; D.CubePos integer;
    D.Jacoby smallint; D.Crawford smallint; D.met smallint; D.FlagDouble smallint; D.isBeaver smallint;
    D.Eval single*7; D.equB single; D.equDouble single; D.equDrop single; D.LevelRequest smallint;
    D.DoubleChoice3 smallint; D.EvalDouble single*7; ErrCube double; DiceRolled string2; ErrTake double;
    RolloutindexD integer; CompChoiceD integer; AnalyzeC integer; ErrBeaver double; ErrRaccoon double;
    AnalyzeCR integer; inValid integer; TutorCube shortint; TutorTake shortint; ErrTutorCube double;
    ErrTutorTake double; FlaggedDouble bool; CommentCube integer; EditedCube bool; TimeDelayCube bool;
    TimeDelayCubeDone bool; NumberOfAutoDoubleCube integer; TimeBot integer; TimeTop integer
    """,
    3: """
    PositionI position; PositionEnd position; ActifP integer; Moves integer*8; Dice integer*2; CubeA
    integer; ErrorM double; NMoveEval integer; D.Pos position; D.Dice integer*2; D.Level integer; D.Score
    integer*2; D.Cube integer; D.CubePos integer; D.Crawford integer; D.Jacoby integer; D.NMoves integer;
    D.PosPlayed shortint*832; D.Moves shortint*256; D.EvalLevel smallint*64; D.Eval single*224; D.Flags
    byte*4; Played bool; ErrMove double; ErrLuck double; CompChoice integer; InitEq double; RolloutindexM
    integer*32; AnalyzeM integer; AnalyzeL integer; InvalidM integer; PositionTutor position; Tutor
    shortint; ErrTutorMove double; Flagged bool; CommentMove integer; Editedmove bool; TimeDelayMove dword;
    TimeDelayMoveDone dword; NumberOfAutoDoubleMove integer; Filler integer*4
    """,
    4: """
    Score1g integer; Score2g integer; CrawfordApplyg bool; Winner integer; Pointswon integer; Termination
    integer; ErrResign double; ErrTakeResign double; Eval double*7; EvalLevel integer
    """,
    5: """
    Score1m integer; Score2m integer; WinnerM integer; Elo1m double; Elo2m double; exp1m integer; exp2m
    integer; Datem double
    """,
}


def make_record(kind, **values):
    """Write a record; dots in the names of the specification's inner records are underscores."""
    raw, at = bytearray(2560), 9
    raw[8] = kind
    for field in _FIELDS[kind].split(";"):
        name, form = field.split()
        value = values.pop(name.replace(".", "_"), None)
        if form.startswith("string"):
            size = int(form[6:])
            content = (value or "").encode("cp1252")[:size]
            raw[at : at + 1 + len(content)] = bytes([len(content)]) + content
            at += size + 1
            continue
        word, _, count = form.replace("position", "shortint*26").partition("*")
        code, size = _TYPES[word]
        place = 4 if name == "D.Pos" else size  # an inner record begins on a multiple of four
        at = -(-at // place) * place
        if value is not None:
            numbers = np.ravel(value).tolist()
            struct.pack_into(f"<{len(numbers)}{code}", raw, at, *numbers)
        at += size * int(count or 1)
    assert not values, f"no such fields: {sorted(values)}"
    assert at <= len(raw)
    return bytes(raw)


def make_file(records, comments=(), *, picture=b"picture", end=None, checksum=None):
    """Pack records and comments; `end` cuts the file, `checksum` stands in its index for the true ones."""
    content = b"".join(records)
    parts = {"temp.xg": content, "temp.xgi": content[:2560] + content[-2560:]}
    if comments:
        parts["temp.xgc"] = "\r\n".join(comments).encode("cp1252")
    packed, index, place = b"", b"", 0
    for name, part in parts.items():
        stream = zlib.compress(part)
        head = bytes([len(name)]) + name.encode().ljust(255, b"\0")
        stated = zlib.crc32(part) if checksum is None else checksum
        index += head + bytes(256) + struct.pack("<IIIIxxxx", len(part), len(stream), place, stated)
        packed, place = packed + stream, place + len(stream)
    stream = zlib.compress(index)
    trailer = struct.pack(
        "<IIIIII12x", zlib.crc32(packed + stream), len(parts), 1, len(stream), len(packed), 1
    )
    header = struct.pack("<4sIIqI16x", b"RGMH", 1, 8232, 0, len(picture))
    header += "A title".encode("utf-16-le").ljust(8192, b"\0")
    return (header + picture + packed + stream + trailer)[:end]


def wide(text):
    """Return the two-byte characters of a text."""
    raw = text.encode("utf-16-le")
    return struct.unpack(f"<{len(raw) // 2}H", raw)


def places(board):
    """Return the 26 places of a board, the first row's side positive."""
    own, other = board[0].astype(int), board[1].astype(int)
    row = own - other[::-1]
    row[0], row[25] = -other[25], own[25]
    return row


def make_header(names=("one", "two"), length=0, **values):
    """Write a match header of the present version."""
    defaults = {
        "Player1": wide(names[0]), "Player2": wide(names[1]), "MatchLength": length or 99999,
        "Crawford": True, "Beaver": True, "version": 32, "Magic": 0x494C4D44, "Elo1": 1600.0, "Elo2": 1712.5,
        "CubeLimit": 10, "CommentHeaderMatch": -1, "CommentFooterMatch": -1,
    }  # fmt: skip
    return make_record(0, **{**defaults, **values})


def make_game_header(number, match, board, **values):
    """Write a game header; the board is as player 1 sees it."""
    defaults = {
        "score1": match.score[0], "score2": match.score[1], "CrawfordApply": match.crawford,
        "GameNumber": number, "PosInit": places(board), "CommentHeaderGame": -1, "CommentFooterGame": -1,
    }  # fmt: skip
    return make_record(1, **{**defaults, **values})


def write_games(names, games, *, analysed=True, plays_listed=4, **header):
    """Write games as eXtreme Gammon does; analysed, each play has `STEP` less than the one before it.

    Returns:
        The records.
    """
    records = [make_header(names, games[0].initial_state.length, **header)]
    for number, game in enumerate(games, 1):
        records += _write_game(number, game, analysed, plays_listed)
    last = games[-1]
    score = last.initial_state.score_after(last.result.winner, last.result.points)
    records.append(
        make_record(5, Score1m=score[0], Score2m=score[1], WinnerM=1 if score[0] > score[1] else -1)
    )
    return records


def _write_game(number, game, analysed, plays_listed):
    begun, start = game.initial_state, game.rules.starting_position
    yield make_game_header(number, begun, start.board)
    actions = list(replay(GameSituation(start, begun), game.actions))
    is_cube_written = False
    for i, (situation, action) in enumerate(actions):
        match, position = situation.match, situation.position
        if isinstance(action, DoubleAction) and not match.doubled:
            yield write_cube(
                position, match, 1, analysed, answers=[later for _, later in actions[i + 1 : i + 3]]
            )
            is_cube_written = True
        elif isinstance(action, PlayAction):
            if not is_cube_written:
                yield write_cube(
                    position, match, 0 if i and match.may_double(match.on_roll) else -2, analysed
                )
            yield write_play(position, match, action, analysed, plays_listed)
            is_cube_written = False
    result = game.result
    score = begun.score_after(result.winner, result.points)
    resigned = isinstance(game.actions[-1], ResignationAction)
    yield make_record(
        4, Score1g=score[0], Score2g=score[1], Winner=1 - 2 * result.winner, Pointswon=result.points,
        Termination=result.kind + 100 * resigned,
    )  # fmt: skip


def evaluation(equity):
    """Return the seven numbers of an evaluation."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = OUTCOME
    return [lose_backgammon, lose_gammon, 1 - win, win, win_gammon, win_backgammon, equity]


def _count_cube(match):
    """Return the logarithm of the cube, negative if player 2 owns it."""
    log = match.cube.bit_length() - 1
    return 0 if match.cube_owner is None else log * (1 - 2 * match.cube_owner)


def _see_as_player_1(position, seat):
    return position.board if seat == 0 else position.board[::-1]


def write_cube(position, match, double, analysed=True, answers=(), **values):
    """Write the record before a roll: 1 a double with its answers, 0 none, -2 no decision."""
    take, raccoon = -1, -1
    if answers:
        take = 2 if isinstance(answers[0], DoubleAction) else int(answers[0].is_take)
        raccoon = int(take == 2 and isinstance(answers[1], DoubleAction))
    evaluated = {
        "D_Pos": places(position.board), "D_Level": 1001, "D_Eval": evaluation(0.25), "D_equB": 0.5,
        "D_equDouble": 0.75, "D_equDrop": 1.0, "D_EvalDouble": evaluation(0.375),
    }  # fmt: skip
    defaults = {
        "Actif": 1 - 2 * match.on_roll, "double": double, "Take": take, "RaccoonR": raccoon,
        "CubeB": _count_cube(match), "Position": places(_see_as_player_1(position, match.on_roll)),
        "ErrCube": -1000.0, "ErrTake": -1000.0, "CommentCube": -1,
    }  # fmt: skip
    return make_record(2, **{**defaults, **(evaluated if analysed and double >= 0 else {}), **values})


def write_play(position, match, action, analysed=True, plays_listed=4, **values):
    """Write the record of a roll and its play, the best but one of those listed, if there is a choice."""
    others = [play for play in legal_plays(position, action.roll) if play.result != action.play.result]
    listed = [*others[:1], action.play, *others[1 : plays_listed - 1]]
    evaluated = {
        "D_Pos": places(position.board), "NMoveEval": len(listed), "D_NMoves": len(listed),
        "D_PosPlayed": np.ravel([places(play.result.board[::-1]) for play in listed]),
        "D_EvalLevel": [3, 0] * len(listed),
        "D_Eval": np.ravel([evaluation(0.5 - STEP * i) for i in range(len(listed))]),
        "ErrMove": -STEP * listed.index(action.play), "ErrLuck": 0.125,
        "AnalyzeL": 3,
    }  # fmt: skip
    defaults = {
        "PositionI": places(_see_as_player_1(position, action.seat)), "ActifP": 1 - 2 * action.seat,
        "PositionEnd": places(action.play.result.board[::-1]), "Dice": action.roll,
        "CubeA": _count_cube(match), "Played": True, "CommentMove": -1, "AnalyzeL": -1,
    }  # fmt: skip
    return make_record(3, **{**defaults, **(evaluated if analysed else {}), **values})
