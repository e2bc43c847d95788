"""Write matches as OGXM with their analysis and comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from gammond.engine.errors import FormatError, UnsupportedError
from gammond.engine.match_files.model import ANNOTATOR, NO_NOTES, ActionNotes, RecordedGame, RecordedMatch
from gammond.engine.match_files.ogxm import codec
from gammond.engine.match_files.ogxm.codec import (
    Document,
    encode_document,
    format_alternatives,
    format_board,
    format_decision,
    list_steps,
)
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    GameSituation,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import MAX_CUBE, RESULT_NAMES, SEATS, MatchState
from gammond.engine.rules.notation import format_moves_plain

_MAX_TEXT_BYTES = 4096
_MAX_BYTES = {"event": 120, "stage": 60, "city": 80}
_RATING_SYSTEM = "elo"
_DATE = re.compile(r"([0-9]{4})[.-]([0-9]{2})[.-]([0-9]{2})")
_TIME = re.compile(r"([0-9]{1,2}):([0-9]{2})")
_ROUND = re.compile("[1-9][0-9]?")


def format_ogxm(match: RecordedMatch) -> bytes:
    """Format a match.

    Of an analysis, the evaluations are written; marks, and what a take was worth by itself, are not, nor is
    anything about a play against the rules. The dice have no order in the format.

    Raises:
        FormatError: It has no game.
        UnsupportedError: The format has no place for something in it, or the package ogxm is not installed.
    """
    if not match.games:
        raise FormatError("expected a match with games, got none", field="games")
    return encode_document(_MatchWriter(match).write())


class _MatchWriter:
    """Makes the document of a match."""

    def __init__(self, match: RecordedMatch) -> None:
        self._match = match
        self._annotations: list[Document] = []
        self._ply = 0

    def write(self) -> Document:
        """Return the document."""
        match, rules = self._match, self._match.rules
        variant = rules.rules.variant.name
        if variant not in codec.VARIANTS:
            raise UnsupportedError(
                f"ogxm has no place for {variant}, only for {', '.join(codec.VARIANTS)}", field="rules"
            )
        most_turns = _count_turns(match)
        document: Document = {
            "ogxm": codec.VERSION,
            "match_length": match.length,
            "variant": variant,
            "player_white": match.names[0],
            "player_black": match.names[1],
            "crawford": rules.crawford and match.length > 0,
            "jacoby": rules.jacoby,
            "beavers": (rules.beavers and match.length == 0) or most_turns > 1,
            "raccoons": rules.raccoons or most_turns > 2,
            "auto_doubles": rules.automatic_doubles,
        }
        if rules.cube_limit != MAX_CUBE:
            document["cube_limit"] = rules.cube_limit
        for owner, rating in zip(codec.OWNERS, match.ratings, strict=True):
            if rating is not None:
                document[f"{owner}_profile"] = {"rating": rating, "rating_system": _RATING_SYSTEM}
        if match.has_analysis:
            document["analysis_info"] = {"currency": codec.CURRENCY}
        self._annotate("match", 0, match.comment)
        self._write_headers(document)
        document["games"] = self._list_games(document)
        order = ("match", "game", "ply").index
        self._annotations.sort(
            key=lambda each: (order(each["scope"]), each["ref"], "key" not in each, each.get("key", ""))
        )
        if self._annotations:
            document["annotations"] = self._annotations
        return document

    def _write_headers(self, document: Document) -> None:
        headers = dict(self._match.headers)
        number = headers.get("Round", "")
        if _ROUND.fullmatch(number):
            document["round"] = int(headers.pop("Round"))
        for header, name in (("Event", "event"), ("Site", "city"), ("Round", "stage")):
            if 0 < len(headers.get(header, "").encode()) <= _MAX_BYTES[name]:
                document[name] = headers.pop(header)
        document |= _read_date(headers)
        if "analysis_info" in document and headers.get(ANNOTATOR):
            document["analysis_info"]["model_name"] = headers.pop(ANNOTATOR)
        for header, said in headers.items():
            self._say("match", 0, said, f"{codec.HEADER}{header}")

    def _list_games(self, document: Document) -> list[Document]:
        """Return the games, and empty ones for what the scores say of those that are missing."""
        first = self._match.games[0].initial_state
        score = list(first.score)
        document |= {
            f"{owner}_score_start": points
            for owner, points in zip(codec.OWNERS, score, strict=True)
            if points
        }
        if first.is_post_crawford:
            document["crawford_played_before_start"] = True
        games: list[Document] = []
        for game in self._match.games:
            for seat in SEATS:
                missing = game.initial_state.score[seat] - score[seat]
                if missing < 0:
                    raise UnsupportedError(
                        f"ogxm has no place for a score that falls, as that before game {game.number} does",
                        field="games",
                    )
                if missing:
                    self._say("game", len(games), str(missing), codec.MISSING)
                    games.append({"winner": seat, "points_won": missing, "plies": []})
            score = list(game.initial_state.score)
            games.append(self._write_game(len(games), game))
            if game.result is not None:
                won = game.initial_state.score_after(game.result.winner, game.result.points)
                score = list(won)
        return [{"game_index": place} | game for place, game in enumerate(games)]

    def _write_game(self, place: int, game: RecordedGame) -> Document:
        begun = game.initial_state
        written: Document = {}
        plies: list[Document] = []
        if game.position != game.rules.starting_position:
            board = format_board(game.position, begun.on_roll)
            written |= {"is_default_board": False, "initial_board": board}
        if isinstance(
            next(iter(game.actions), None), DoubleAction
        ):  # the format wants a turn before a double
            plies.append(_make_ply(1 - begun.on_roll, codec.PASS))
            self._ply += 1
        if begun.cube > 1 and begun.cube_owner is None and begun.is_money:
            written["auto_doubles"] = begun.cube.bit_length() - 1
        elif begun.cube > 1:
            written["initial_cube_value"] = begun.cube
            if begun.cube_owner is not None:
                written["initial_cube_owner"] = codec.OWNERS[begun.cube_owner]
        self._annotate("game", place, game.comment)
        for number, (situation, action, _) in enumerate(game.replayed):
            notes = game.notes.get(number, NO_NOTES)
            for ply in self._list_plies(situation, action, notes):
                plies.append(ply)
                self._ply += 1
            self._annotate("ply", max(self._ply - 1, 0), notes.comment)
        written["plies"] = plies
        if game.result is not None:
            written |= {"winner": game.result.winner, "points_won": game.result.points}
        return written

    def _list_plies(
        self, situation: GameSituation, action: GameAction, notes: ActionNotes
    ) -> Iterator[Document]:
        match action:
            case PlayAction(seat, roll, play, is_legal=True):
                analysis = format_alternatives(notes.candidates, action) | _format_beside(notes)
                moves = list_steps(play.moves, seat)
                yield _make_ply(
                    seat, codec.ROLLS[max(roll), min(roll)], analysis, moves=moves
                ) | _format_dice(roll)
            case PlayAction(seat, roll, play):
                said = format_moves_plain(play) if play.moves else codec.NO_MOVES
                self._say("ply", self._ply, said, codec.MOVES)
                board = format_board(play.result, 1 - seat)
                yield _make_ply(
                    1 - seat, codec.SET_POSITION, illegal=True, set_position=board
                ) | _format_dice(roll)
            case RollAction(seat, roll):
                self._say("ply", self._ply, "1", codec.UNPLAYED)
                ply = _make_ply(seat, codec.ROLLS[max(roll), min(roll)], _format_beside(notes), moves=[])
                yield ply | {"unplayed_roll": True} | _format_dice(roll)
            case DoubleAction(seat):
                doubled, beavered = situation.match.doubled, situation.match.beavered
                number = codec.RACCOON if beavered else codec.BEAVER if doubled else codec.DOUBLE
                cube = notes.cube if number != codec.RACCOON else None
                is_take = True if doubled else None
                yield _make_ply(
                    seat,
                    number,
                    {} if cube is None else format_decision(cube, is_double=True, is_take=is_take),
                )
                if number == codec.RACCOON:  # the format gives the cube to the seat that turned it last
                    yield _set_cube(situation.apply(action).match)
            case ResponseAction(seat, is_take):
                if situation.match.beavered:
                    if not is_take:  # no other end of a beaver than a settlement costs so much
                        yield _make_ply(seat, codec.SETTLE, settle_value=-2 * situation.match.cube)
                    return
                analysis = {} if notes.cube is None else format_decision(notes.cube, is_take=is_take)
                yield _make_ply(seat, codec.TAKE if is_take else codec.DROP, analysis)
            case ResignationAction(seat, kind, is_accepted=True, is_stated=True):
                yield _make_ply(seat, codec.RESIGN_GAME, resign_value=RESULT_NAMES[kind - 1])
            case SetAction(position, match):
                board = format_board(position, match.on_roll)
                yield _make_ply(match.on_roll, codec.SET_POSITION, set_position=board)
                before = situation.match
                if (match.cube, match.cube_owner) != (before.cube, before.cube_owner):
                    yield _set_cube(match)

    def _say(self, scope: str, ref: int, value: str, key: str = "") -> None:
        """Add an annotation: one of our own by its key, or a comment."""
        said = {"scope": scope, "ref": ref, "value": value}
        self._annotations.append(said | {"key": key} if key else said)

    def _annotate(self, scope: str, ref: int, comment: str) -> None:
        """Add a comment, in as many pieces as it needs."""
        piece: list[str] = []
        size = 0
        for line in comment.splitlines():
            for start in range(0, max(len(line), 1), _MAX_TEXT_BYTES // 4):
                part = line[start : start + _MAX_TEXT_BYTES // 4]
                if piece and size + len(part.encode()) + 1 > _MAX_TEXT_BYTES:
                    self._say(scope, ref, "\n".join(piece))
                    piece, size = [], 0
                piece.append(part)
                size += len(part.encode()) + 1
        if any(piece):
            self._say(scope, ref, "\n".join(piece))


def _count_turns(match: RecordedMatch) -> int:
    """Return how often a cube was turned at once: 2 for a beaver, 3 for a raccoon."""
    most = 0
    for game in match.games:
        count = 0
        for action in game.actions:
            count = count + 1 if isinstance(action, DoubleAction) else 0
            most = max(most, count)
    return most


def _make_ply(seat: int, action: int, analysis: Document | None = None, **more: object) -> Document:
    ply: Document = {"color": 1 - seat, "action_id": action, **more}
    return ply | {"analysis": analysis} if analysis else ply


def _format_dice(roll: tuple[int, int]) -> Document:
    return {"d1": roll[0], "d2": roll[1]}


def _format_beside(notes: ActionNotes) -> Document:
    """Format the cube decision before a roll, and its luck."""
    written: Document = {}
    if notes.cube is not None:
        written["cube_decision"] = format_decision(notes.cube)
    if notes.luck is not None:
        written["roll"] = {"luck": notes.luck}
    return written


def _set_cube(match: MatchState) -> Document:
    ply = _make_ply(match.on_roll, codec.SET_CUBE, cube_value=match.cube)
    return ply if match.cube_owner is None else ply | {"cube_owner": codec.OWNERS[match.cube_owner]}


def _read_date(headers: dict[str, str]) -> Document:
    """Take the date, and the time if there is one, out of headers."""
    date = _DATE.fullmatch(headers.get("EventDate", ""))
    time = _TIME.fullmatch(headers.get("EventTime", ""))
    if date is None:
        return {}
    hours, minutes = (int(time[1]), int(time[2])) if time else (0, 0)
    try:
        began = datetime(int(date[1]), int(date[2]), int(date[3]), hours, minutes, tzinfo=UTC)
    except ValueError:
        return {}
    if began.year < 1970:
        return {}
    headers.pop("EventDate")
    written: Document = {"started_at": int(began.timestamp()) * 1000}
    if time:
        headers.pop("EventTime")
        return written
    return written | {"date_precision": "day"}
