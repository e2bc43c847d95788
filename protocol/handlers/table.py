"""The game on the table: position, dice, plays, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import count

from engine import cube_actions
from engine.errors import ValueRangeError
from engine.formats.fibs_board import decode_fibs_board
from engine.formats.match_id import encode_match_id
from engine.formats.position_id import encode_position_id
from engine.formats.reading import read_position
from engine.formats.xgid import decode_xgid
from engine.match import RESULTS, GameResult, MatchState
from engine.moves import Play, legal_plays
from engine.notation import format_play, parse_play
from engine.outcome import LOSE_BG, LOSE_G, finished_outcomes
from engine.position import BAR, Position
from protocol.arguments import SHOWN, blaming
from protocol.board_drawing import draw_board
from protocol.command import Call
from protocol.errors import CommandError
from protocol.offers import check_no_offer
from protocol.replies import ok
from protocol.requests import Answer, Control, Reply, Value, Work
from protocol.session import GameState, Session
from protocol.settings import SEATS

POSITION_FORMS = ("gnubgid", "xgid", "fibs", "startpos")

ACTIONS: dict[str, Callable[[MatchState], MatchState | GameResult]] = {
    "double": cube_actions.double,
    "take": cube_actions.take,
    "beaver": cube_actions.beaver,
    "drop": cube_actions.drop,
    **{f"resign {name}": partial(cube_actions.resign, kind=kind) for kind, name in enumerate(RESULTS, 1)},
    "accept": cube_actions.accept,
    "reject": cube_actions.reject,
}
"""What `play` takes besides checker plays, by the words for it."""

ANSWERS = ("take", "beaver", "drop", "accept", "reject")
"""Those of them that answer an offer."""


def handle_position(call: Call) -> Answer:
    """Set up a position in one of its forms."""
    form, text = call.values["form"], call.values["text"]
    if form == "startpos":
        if text is not None:
            raise CommandError("expected 'position startpos' and nothing after it", field="text")
        position, match = Position.start(), None
    elif text is None:
        raise CommandError(f"expected a position after 'position {form}'", field="text")
    else:
        with blaming("text"):
            position, match = _READERS[form](text)
    call.session.set_position(position, match)
    return ok("position", game_values(call.session.game))


def _read_fibs(text: str) -> tuple[Position, MatchState]:
    board = decode_fibs_board(text)
    return board.position, board.match


_READERS: dict[str, Callable[[str], tuple[Position, MatchState | None]]] = {
    "gnubgid": read_position,
    "xgid": decode_xgid,
    "fibs": _read_fibs,
}


def game_values(game: GameState) -> dict[str, Value]:
    """Return a game as keys: GNU position ID and match ID."""
    values: dict[str, Value] = {}
    if game.position is not None:
        values["gnubgid"] = encode_position_id(game.position)
    return values | {"matchid": encode_match_id(game.match)}


def handle_dice(call: Call) -> Answer:
    """Put dice on the board."""
    call.session.set_roll(call.values["dice"])
    return ok("dice", _dice_values(call.session))


def handle_roll(call: Call) -> Answer:
    """Roll the session's own dice."""
    call.session.roll_dice()
    return [Reply("roll", values=_dice_values(call.session))]


def _dice_values(session: Session) -> dict[str, Value]:
    roll = session.game.match.roll
    return {} if roll is None else {"die1": roll[0], "die2": roll[1]}


def handle_newgame(call: Call) -> Answer:
    """Set up the starting position for another game."""
    call.session.new_game()
    return ok("newgame", game_values(call.session.game))


def handle_legal(call: Call) -> Answer:
    """List the legal plays, all or those that move a checker from a point."""
    position, roll = call.session.need_roll()
    doubles, point = call.session.game.doubles, call.values["point"]
    if point is not None and not position.board[0, point]:
        raise ValueRangeError(f"there is no checker on {_point_text(point)} to play", field="point")

    def run(_: Control) -> list[Reply]:
        plays = legal_plays(position, roll, doubles)
        if point is not None:
            plays = [play for play in plays if _leaves(play, position, point)]
        return [*map(_play_line, plays, count(1)), Reply("legal", values={"count": len(plays)})]

    return Work(run)


def parse_point(text: str) -> int:
    """Read a point that a checker can be moved from, the bar as 25.

    Raises:
        ValueRangeError: It is none.
    """
    if text == "bar":
        return BAR
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:3]) < BAR:
        raise ValueRangeError(f"expected a point 1..24 or bar, got {text[:SHOWN]!r}", field="point")
    return int(text)


def _point_text(point: int) -> str:
    return "the bar" if point == BAR else str(point)


def _leaves(play: Play, position: Position, point: int) -> bool:
    """Whether a play, as it is written, moves a checker away from a point."""
    return bool(play.result.board[1, point] < position.board[0, point])


def _play_line(play: Play, number: int) -> Reply:
    values: dict[str, Value] = {
        "number": number,
        "play": format_play(play),
        "gnubgid": encode_position_id(play.result),
    }
    return Reply("play", values=values, is_final=False)


def handle_play(call: Call) -> Answer:
    """Make a play and turn the table to the other seat, or do something with the cube or a resignation.

    At once, since what follows depends on it: at worst 20 ms, among the 2,000 plays that a double can have.
    """
    session, words = call.session, " ".join(call.values["play"].split())
    if words in ACTIONS:
        result = _act(session, words)
    elif words.partition(" ")[0] == "resign":
        kinds = "|".join(RESULTS)
        raise CommandError(f"expected 'play resign {kinds}', got {words[:SHOWN]!r}", field="play")
    else:
        words, result = _play_checkers(session, call.values["play"])
    return ok("play", {"play": words, **game_values(session.game), **_result_values(result)})


def _act(session: Session, words: str) -> GameResult | None:
    """Do something with the cube or a resignation; return how the game ended if it did."""
    position, match = session.need_game(), session.game.match
    if words not in ANSWERS:
        session.need_usual_doubles("games are played with the cube, and given up,")
    following = ACTIONS[words](match)
    if isinstance(following, MatchState):
        session.go_to(position, following)
        return None
    session.go_to(position, match.without_offers(), is_given_up=True)
    return following


def _play_checkers(session: Session, text: str) -> tuple[str, GameResult | None]:
    """Make a play; return how it is written, and how the game ended if it did."""
    position, roll = session.need_roll()
    match = session.game.match
    check_no_offer(match)
    with blaming("play"):
        play = parse_play(text, position, roll, session.game.doubles)
    session.play(play)
    if not play.result.is_over:
        return format_play(play), None
    lost = finished_outcomes(play.result.board[None])[0]
    kind = 1 + int(lost[LOSE_G]) + int(lost[LOSE_BG])
    return format_play(play), match.result(match.on_roll, kind)


def _result_values(result: GameResult | None) -> dict[str, Value]:
    """Return how a game ended as keys; none while it goes on."""
    if result is None:
        return {}
    return {"winner": SEATS[result.winner], "result": result.name, "points": result.points}


def handle_undo(call: Call) -> Answer:
    """Take back the last change of the game."""
    call.session.undo()
    return ok("undo", game_values(call.session.game))


def handle_redo(call: Call) -> Answer:
    """Do again what was taken back last."""
    call.session.redo()
    return ok("redo", game_values(call.session.game))


def handle_board(call: Call) -> Answer:
    """Draw the board."""
    position = call.session.need_position()
    drawn = draw_board(position, call.session.game.match)
    return [*(Reply("board", line, is_final=False) for line in drawn), Reply("boardok")]
