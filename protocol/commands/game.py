"""The game: position, dice, plays, cube and resignations, undo and redo."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from gammond.engine.errors import GammondError, StateError, ValueRangeError
from gammond.engine.formats.match_id import encode_match_id
from gammond.engine.formats.position_id import encode_position_id
from gammond.engine.formats.position_text import FORMATS, describe_assumption, parse_position, read_pasted
from gammond.engine.formats.xgid import PREFIX as XGID_PREFIX
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_files.mat.writer import check_player_name
from gammond.engine.options import MAX_QUOTED_CHARS, Field
from gammond.engine.rules import cube_actions
from gammond.engine.rules.match import RESULT_NAMES, GameResult, MatchState
from gammond.engine.rules.moves import LegalPlays, estimate_plays, generate_plays
from gammond.engine.rules.notation import format_play, format_plays, parse_play
from gammond.engine.rules.outcome import classify_results
from gammond.engine.rules.position import BAR
from gammond.engine.rules.rules import Feature
from gammond.protocol.commands.board_drawing import draw_board
from gammond.protocol.commands.command import Values
from gammond.protocol.commands.evaluation import XGID_BYTES, list_id_values
from gammond.protocol.core.arguments import error_field
from gammond.protocol.core.errors import CommandError
from gammond.protocol.core.replies import make_ok_reply
from gammond.protocol.core.requests import Answer, Reply, ReplyValue, Work, WorkControl
from gammond.protocol.questions.question import MAX_QUICK_PLAYS, MAX_SHORT_PLAYS
from gammond.protocol.state.game_state import SEAT_NAMES
from gammond.protocol.state.offers import RESIGNATION_RESPONSES, RESPONSE_WORDS, check_no_offer
from gammond.protocol.state.session import Session

POSITION_FORMS = ("gnubgid", *FORMATS, "startpos")
_POSITION_FORM = Field("form", str, choices=POSITION_FORMS)

OFFER_ACTIONS: dict[str, Callable[[MatchState], MatchState | GameResult]] = {
    "double": cube_actions.double,
    "take": cube_actions.take,
    "beaver": cube_actions.beaver,
    "drop": cube_actions.pass_double,
    **{
        f"resign {name}": partial(cube_actions.resign, kind=kind) for kind, name in enumerate(RESULT_NAMES, 1)
    },
    "accept": cube_actions.accept,
    "reject": cube_actions.reject,
}
"""What `play` takes besides checker plays, by the words for it."""

_PLAY_BYTES = 75
"""What a legal play takes on the wire, about."""

_LIST_SIZE = 4
"""The size (`Work.size`) of a list of few legal plays; each four more add 1."""

OFFER_RESPONSES = (*RESPONSE_WORDS.values(), *RESIGNATION_RESPONSES)
"""Those of them that answer an offer."""


def parse_position_form(text: str) -> str:
    """Parse the word for the form of a position; the error for a position without one says what to send.

    Raises:
        ValueRangeError: It is no such word.
    """
    if text.lower() not in POSITION_FORMS and _is_position(text):
        raise ValueRangeError(
            f"expected the form before the position: send 'position gnubgid {text}'", field="form"
        )
    form: str = _POSITION_FORM.parse(text)
    return form


def _is_position(text: str) -> bool:
    try:
        parse_position(text)
    except GammondError:
        return False
    return True


def handle_position(session: Session, values: Values) -> Answer:
    """Set up a position in one of its forms."""
    form, text = values["form"], values["text"]
    if form == "startpos":
        if text is not None:
            raise CommandError("expected 'position startpos' and nothing after it", field="text")
        position, match = session.game.rules.starting_position, None
    elif text is None:
        raise CommandError(f"expected a position after 'position {form}'", field="text")
    else:
        with error_field("text"):
            decode = parse_position if form == "gnubgid" else FORMATS[form].decode
            position, match = read_pasted(text, decode)
            position = session.game.rules.variant.adopt_position(position)
    assumed = describe_assumption(text) if text is not None else ""
    session.set_position(position, match)
    remark: dict[str, ReplyValue] = {"assumed": assumed} if assumed else {}
    return make_ok_reply("position", game_to_values(session) | remark)


def game_to_values(session: Session) -> dict[str, ReplyValue]:
    """Return the game as keys: GNU position ID and match ID, and on request who is to act and the XGID."""
    game, values = session.game, dict[str, ReplyValue]()
    if game.position is not None:
        values["gnubgid"] = encode_position_id(game.position)
    values["matchid"] = encode_match_id(game.match)
    if session.keeps_match and game.position is not None and not (game.is_over or session.is_opening):
        values["to_act"] = SEAT_NAMES[game.match.to_act]
    return values | _xgid_to_values(session)


def _xgid_to_values(session: Session) -> dict[str, ReplyValue]:
    """Return the XGID of the game as a key, where the session wants it and there is one."""
    position, match = session.game.position, session.game.match
    if not session.engine_settings.has_xgids or position is None or match.resigned:
        return {}
    return {"xgid": encode_xgid(position, match).removeprefix(XGID_PREFIX)}


def handle_dice(session: Session, values: Values) -> Answer:
    """Set the dice."""
    is_opening = session.sets_opening_roll
    session.set_roll(values["dice"])
    return make_ok_reply("dice", _roll_to_values(session, is_opening))


def handle_roll(session: Session, _: Values) -> Answer:
    """Roll the session's dice."""
    is_opening = session.is_opening
    session.roll_dice()
    return [Reply("roll", values=_roll_to_values(session, is_opening))]


def _roll_to_values(session: Session, is_opening: bool) -> dict[str, ReplyValue]:
    """Return the dice as keys; those that begin a game of a kept match with the seat that begins."""
    match = session.game.match
    assert match.roll is not None  # they are set, or rolled
    die1, die2 = match.roll
    if is_opening:
        die1, die2 = (die1, die2) if match.on_roll == 0 else (die2, die1)  # that of p0 first
        seat: dict[str, ReplyValue] = {"seat": SEAT_NAMES[match.on_roll]}
    else:
        seat = {}
    return {"die1": die1, "die2": die2, **seat, **_xgid_to_values(session)}


def handle_newgame(session: Session, values: Values) -> Answer:
    """Set up the starting position for another game."""
    first = values["first"]
    session.start_game(first_seat=None if first is None else SEAT_NAMES.index(first))
    return make_ok_reply("newgame", game_to_values(session))


def read_legal_plays(session: Session, point: int | None) -> Callable[[], LegalPlays]:
    """Return what finds the legal plays of the roll.

    Args:
        session: Whose game it is.
        point: For those alone that move a checker from this point, 25 for the bar; None for all.

    Raises:
        StateError: As `Session.require_roll`.
        ValueRangeError: There is no checker on the point.
    """
    position, roll = session.require_roll()
    rules = session.game.rules
    if point is not None and not position.board[0, point]:
        got = "the bar" if point == BAR else point
        raise ValueRangeError(f"expected a point with a checker, got {got}", field="point")

    def find() -> LegalPlays:
        plays = generate_plays(position, roll, rules)
        if point is None:
            return plays
        return plays.take(np.flatnonzero(plays.boards[:, 1, point] < position.board[0, point]))

    return find


def handle_legal(session: Session, values: Values) -> Answer:
    """List the legal plays, all or those that move a checker from a point."""
    find, (position, roll) = read_legal_plays(session, values["point"]), session.require_roll()
    match, has_xgids = session.game.match, session.engine_settings.has_xgids
    quick_work, kind = session.service.quick_work, ("legal", session.game.rules.doubles)

    def run(control: WorkControl) -> list[Reply]:
        with quick_work.time(kind):
            plays = find()
        lines = control.run_in_blocks(len(plays), lambda block: list_plays(plays.take(block), block.start))
        return [*lines, Reply("legal", values={"count": len(lines)})]

    def list_plays(plays: LegalPlays, start: int) -> list[Reply]:
        rows = zip(format_plays(plays), list_id_values(plays.boards, match, has_xgids), strict=True)
        return [
            Reply("play", values={"number": number, "play": text, **ids}, is_final=False)
            for number, (text, ids) in enumerate(rows, start + 1)
        ]

    count = estimate_plays(position, roll)
    return Work(
        run,
        is_long=count > MAX_SHORT_PLAYS,
        is_quick=count <= MAX_QUICK_PLAYS and kind in quick_work,
        size=_LIST_SIZE + count // 4,
        answer_bytes=(_PLAY_BYTES + XGID_BYTES * has_xgids) * count,
    )


def parse_point(text: str) -> int:
    """Parse a point from which a checker can move, the bar as 25.

    Raises:
        ValueRangeError: It is none.
    """
    if text.lower() == "bar":
        return BAR
    number = int(text) if text.isascii() and text.isdigit() and len(text) <= MAX_QUOTED_CHARS else 0
    if not 1 <= number < BAR:
        raise ValueRangeError(
            f"expected a point 1..24 or bar, got {text[:MAX_QUOTED_CHARS]!r}", field="point"
        )
    return number


def handle_play(session: Session, values: Values) -> Answer:
    """Make a play and pass the turn, or act on the cube or a resignation.

    This runs at once, since what follows depends on it: at worst 0.4 ms, with the 2,000 plays of a double.
    """
    words, result = act(session, values["play"])
    return make_ok_reply(
        "play", {"play": words, **game_to_values(session), **_result_to_values(session, result)}
    )


def act(session: Session, text: str) -> tuple[str, GameResult | None]:
    """Make a play, or act on the cube or a resignation, as the seat to act.

    Args:
        session: Whose game it is.
        text: What ``play`` takes.

    Returns:
        What was done, a play as it is written usually, and how the game ended if it did.

    Raises:
        GammondError: The rules do not allow it now, or it means nothing; nothing is changed.
    """
    words = " ".join(text.lower().split())
    if words in OFFER_ACTIONS:
        return words, _take_action(session, words)
    if words.partition(" ")[0] == "resign":
        kinds = "|".join(RESULT_NAMES)
        raise CommandError(f"expected 'play resign {kinds}', got {words[:MAX_QUOTED_CHARS]!r}", field="play")
    return _play_checkers(session, text)


def _take_action(session: Session, words: str) -> GameResult | None:
    """Act on the cube or a resignation; return the result if the game ended."""
    position, match = session.require_game(), session.game.match
    if words not in OFFER_RESPONSES:
        session.check_supports(Feature.RESIGNATION if words.startswith("resign") else Feature.CUBE)
    if words not in OFFER_RESPONSES and session.is_opening:
        raise StateError("the opening roll comes first: send 'roll' or 'dice A B'", field="dice")
    if words == "double" or (match.resigned and words not in RESIGNATION_RESPONSES):
        check_no_offer(match)
    following = OFFER_ACTIONS[words](match)
    if isinstance(following, MatchState):
        session.push_action(words, position, following)
        return None
    session.push_action(words, position, match.without_offers(), following, is_conceded=True)
    return following


def _play_checkers(session: Session, text: str) -> tuple[str, GameResult | None]:
    """Make a play; return its notation, and the result if the game ended."""
    position, roll = session.require_roll()
    match, result = session.game.match, None
    check_no_offer(match)
    with error_field("play"):
        play = parse_play(text, position, roll, session.game.rules)
    if play.result.is_over:
        result = match.game_result(match.on_roll, int(classify_results(play.result.board[None])[0]))
    words = format_play(play)
    session.push_action(words, play.result, match.next_turn(), result)
    return words, result


def _result_to_values(session: Session, result: GameResult | None) -> dict[str, ReplyValue]:
    """Return how a game ended as keys, with the score if the session counts it; none while it lasts."""
    if result is None:
        return {}
    values: dict[str, ReplyValue] = {
        "winner": SEAT_NAMES[result.winner],
        "result": result.name,
        "points": result.points,
    }
    if session.keeps_match:
        values |= {f"score_{name}": session.game.score[seat] for seat, name in enumerate(SEAT_NAMES)}
        values["crawford"] = session.game.match.crawford and session.game.final_score is None
        if session.game.final_score is not None:
            values["match_winner"] = SEAT_NAMES[result.winner]
    return values


def handle_save(session: Session, values: Values) -> Answer:
    """Give the record of the match that the session keeps."""
    log, names = session.log, (values["p0"], values["p1"])
    for seat, name in zip(SEAT_NAMES, names, strict=True):
        with error_field(seat):
            check_player_name(name)

    def run(_: WorkControl) -> list[Reply]:
        text, count = log.format(names)
        lines = [Reply("mat", line, is_final=False, text_key="text") for line in text.splitlines()]
        return [*lines, *make_ok_reply("save", {"games": count})]

    return Work(run)


def handle_undo(session: Session, _: Values) -> Answer:
    """Undo the last change of the game."""
    session.undo()
    return make_ok_reply("undo", game_to_values(session))


def handle_redo(session: Session, _: Values) -> Answer:
    """Redo what was undone last."""
    session.redo()
    return make_ok_reply("redo", game_to_values(session))


def handle_board(session: Session, _: Values) -> Answer:
    """Draw the board."""
    position = session.require_position()
    drawn = draw_board(position, session.game.match)
    return [*(Reply("board", line, is_final=False, text_key="text") for line in drawn), Reply("boardok")]
