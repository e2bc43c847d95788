"""What is at the session's table: games begun, left and taken up again, positions, places of open matches."""

from __future__ import annotations

from dataclasses import replace

from gammond.engine.errors import StateError
from gammond.engine.formats.position_text import (
    START,
    describe_assumption,
    find_position,
    parse_position,
    read_pasted,
)
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.position import Position, swap_sides
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.wording import format_count
from gammond.protocol.commands.board_drawing import CHECKER_MARKS
from gammond.protocol.commands.session_game import find_setting, put_setting
from gammond.protocol.core.requests import WorkControl
from gammond.protocol.repl.answers.checkers import format_checkers, is_checkers, parse_checkers, read_checkers
from gammond.protocol.repl.answers.sentences import (
    describe_offer,
    describe_position,
    describe_turn,
    make_sentence,
)
from gammond.protocol.repl.game.playing import continue_game
from gammond.protocol.repl.game.repl_game import ReplGame, SavedGame, SetAsideGame, ShownPlace
from gammond.protocol.repl.game.views import find_chances_evaluator, show_score
from gammond.protocol.repl.records.descriptions import describe_place
from gammond.protocol.repl.records.open_record import OpenRecord
from gammond.protocol.state.game_state import SEAT_NAMES


def start_game(
    game: ReplGame, control: WorkControl, length: int | None = None, *, human_begins: bool | None = None
) -> list[str]:
    """Begin a game from the start: each side rolls one die, and the higher begins with both.

    Args:
        game: The table.
        control: Stops and watches the engine's turn.
        length: Begin a match to so many points, 0 for money play. Left out, the score stays, and a match that
            is won is followed by another of its length.
        human_begins: Whether the person begins, or the opponent, in place of that opening roll; of two people
            O, or X.

    Raises:
        GammondError: The evaluator cannot be loaded; the table is as it was.
    """
    session = game.session
    session.make_decider_loader()()
    aside, was_running, human = game.describe_game(), game.is_running, game.human_seat or 0
    match = session.game.match
    if length is not None:
        start = MatchState(length, on_roll=match.on_roll, jacoby=match.jacoby, beavers=match.beavers)
        session.push_state(replace(session.game, match=start, final_score=None))
    game.begin(human)
    names = game.names
    if human_begins is None:
        session.start_game(names)
        own, other = session.roll_opening(human)
        starter = human if own > other else 1 - human
        rolls = make_sentence(names[human], "roll", f"{own}, {names[1 - human]} {other}")
        starts = make_sentence(names[starter], "start", f"with {max(own, other)}-{min(own, other)}")
        game.news = [f"{rolls} {starts}"]
    else:
        starter = human if human_begins else 1 - human
        session.start_game(names, starter)
        game.news = [make_sentence(names[starter], "begin")]
    if aside is not None:
        game.set_aside(aside)
    remark = ["The game that was on is set aside: 'undo' brings it back."] if was_running else []
    return [*remark, *game.news, *continue_game(game, control)]


def play_from_here(game: ReplGame, control: WorkControl) -> list[str]:
    """Play against the engine: on from the position for the seat to act, or from the start without one.

    Raises:
        StateError: A game is on.
        GammondError: The evaluator cannot be loaded; the table is as it was.
    """
    session, table = game.session, game.session.game
    if table.position is None or table.is_over:
        return start_game(game, control)
    if game.is_running:
        raise StateError(
            "a game is in progress: play it, 'leave' it, or start another with 'new'", field="play"
        )
    session.make_decider_loader()()
    game.begin(table.match.to_act)
    session.log = session.log.begin(table, game.names)
    offer = describe_offer(table.match)
    back = [] if game.records.current is None else ["'back' returns to the match that is open."]
    sides = " and ".join(CHECKER_MARKS) if game.has_two_humans else CHECKER_MARKS[table.match.to_act]
    return [
        f"You play {sides} from here.",
        *back,
        *([f"{offer[0].upper()}{offer[1:]}."] if offer else []),
        *continue_game(game, control),
    ]


def play_against(game: ReplGame, control: WorkControl, player: str) -> list[str]:
    """Set the opponent, and begin a game or continue the present one.

    Args:
        game: The table.
        control: Stops and watches the other player's turn.
        player: What ``engine.player`` takes.

    Raises:
        GammondError: There is no such player, or it cannot be loaded.
    """
    put_setting(game.session, find_setting(game.session, "engine.player"), player)
    if not game.is_running:
        return play_from_here(game, control)
    opponent = "with people in both seats" if game.has_two_humans else f"against {player}"
    source = [f"Winning chances by {find_chances_evaluator(game).name}."] if game.shows_chances else []
    return [f"The game continues {opponent}.", *source, *continue_game(game, control)]


def resume(game: ReplGame, control: WorkControl, kept: SavedGame) -> list[str]:
    """Go on with a game of an earlier session, with its opponent, level and tutor.

    Args:
        game: The table.
        control: Stops and watches the engine's turn.
        kept: The game; its decisions can be taken back.
    """
    session, earlier = game.session, kept.game
    session.engine_settings = kept.engine
    game.tutor.set_limit(kept.tutor)
    game.shows_chances = kept.shows_chances
    for table in (*earlier.decisions, earlier.table):
        session.push_state(table)
        session.log = earlier.log.back_to(table)  # to which `undo` goes back with the table
    game.begin(earlier.human_seat)
    game.restore(earlier)
    if game.is_running:
        variant = earlier.table.rules.variant
        left = "game" if variant == BACKGAMMON else f"game of {variant.name}"
        start = f"Going on with the {left} that you left: {describe_turn(earlier.table.match)}."
        start += " ('new' starts another.)"
    elif game.is_match_over:
        start = "Your match is over: 'review' and 'save FILE' still take it, 'new' starts another."
    else:
        start = "Going on after the last game: 'new' starts the next one."
    tutor = [] if game.tutor.limit is None else game.tutor.describe()
    return [start, *show_score(game), *tutor, *continue_game(game, control)]


def leave(game: ReplGame) -> list[str]:
    """End the game against the engine; the position stays, and `undo` goes back to the game.

    Raises:
        StateError: None is on.
    """
    aside = game.describe_game()
    if aside is None:
        raise StateError("no game against the engine: 'play' starts one", field="leave")
    game.leave_for(aside)
    return ["You have left the game: the position stays, 'undo' goes back to the game."]


def take_up_variant(game: ReplGame, aside: SetAsideGame | None, *, had_position: bool) -> list[str]:
    """Set a game aside for another variant, which the session plays now; return sentences that say so.

    Args:
        game: The table.
        aside: The game as it was before that; None for none.
        had_position: Whether there was a position before.
    """
    said, table = game.leave_for(aside), game.session.game
    if table.position is not None:
        return said
    variant = table.rules.variant
    gone = [] if said or not had_position else ["The position is gone: 'undo' brings it back."]
    sides = format_count(variant.checkers, "checker")
    begin = "'play' starts a game of it" + (" at this score, 'new 0' anew" if any(table.score) else "")
    return [*said, *gone, f"{variant.name} has {sides} a side: {begin}."]


def show_place(game: ReplGame, record: OpenRecord) -> list[str]:
    """Put the shown place of an open match on the table; `undo` goes back to what was on it.

    Args:
        game: The table.
        record: The match.

    Returns:
        What is said of the place, and of a game that was set aside for it.
    """
    said = describe_place(record)
    game.records.recent = record
    aside = game.describe_game()
    if aside is None and game.shown_place is not None:
        undo(game, WorkControl())
        aside = game.describe_game()
        game.leave_for(aside)
    else:
        said += game.leave_for(aside)
    if aside is None and game.shown is not None:
        aside = game.shown.aside
    game.shown = ShownPlace(record, record.make_table(), aside)
    game.session.push_state(game.shown.table)
    game.news = said[:1]
    return said


def undo(game: ReplGame, control: WorkControl) -> list[str]:
    """Take back the last change; in a game, all since the person's last decision, this included.

    Decisions are plays, and what is done with the cube or a resignation; a roll is none.

    Raises:
        StateError: There is nothing to take back.
    """
    game.news = []
    if game.human_seat is None:
        if not (lines := _take_up(game)):
            game.session.undo()
            lines = _take_up(game) or ["Undone."]
        return lines
    if not game.decisions and (lines := _take_up(game, anywhere=True)):
        return lines
    return [f"Undone: {describe_turn(game.undo_decision().match)}."]


def _take_up(game: ReplGame, *, anywhere: bool = False) -> list[str]:
    """Take up the game that was set aside last, as `ReplGame.take_up`; return what is said of it."""
    taken = game.take_up(anywhere=anywhere)
    if taken is None:
        return []
    if taken.table.is_over:
        return ["Undone: you are back at the end of the game.", *show_score(game)]
    return [f"Undone: you are back in the game, and {describe_turn(taken.table.match)}."]


def redo(game: ReplGame, control: WorkControl) -> list[str]:
    """Do again what `undo` took back last.

    Raises:
        StateError: Nothing was taken back, or something was done since.
    """
    game.news = []
    if game.human_seat is None:
        game.session.redo()
        return ["Redone."]
    reached = game.redo_decision()
    turn = describe_turn(reached.match) if game.is_running else "the game is over"
    return [f"Redone: {turn}.", *continue_game(game, control)]


def paste_position(game: ReplGame, text: str) -> list[str]:
    """Set up a position in any form.

    Args:
        game: The table; a game that is on is set aside.
        text: The position, with words around it if it has its label.

    Raises:
        GammondError: The text is no position; the table is as it was.
    """
    session, in_match = game.session, game.session.game.match.length > 0
    variant = session.game.rules.variant
    if is_checkers(text):
        position, seat = read_checkers(text, variant.checkers)
        described, *aside = _set_up(game, position)
        if session.game.match.on_roll != seat:
            put_setting(session, find_setting(session, "game.turn"), SEAT_NAMES[seat])
            described = describe_position(session.game)
        return [described, *aside]
    written = find_position(text) or (START if text.lower() == START else text)
    position, match = read_pasted(written, parse_position)
    described, *aside = _set_up(game, variant.adopt_position(position), match)
    assumed = describe_assumption(written)
    remark = [f"{assumed[0].upper()}{assumed[1:]}."] if assumed else []
    if in_match and match is None:
        remark += ["A position ID has no score: match, score and cube are as they were."]
    return [described, *remark, *aside]


def edit_position(game: ReplGame, checkers: str | None) -> list[str]:
    """Set up the checkers, or offer those on the table to be changed.

    Args:
        game: The table; a game that is on is set aside.
        checkers: As `parse_checkers` reads them; None to put those on the board into the next prompt.

    Raises:
        GammondError: The text is malformed, or the position impossible; the table is as it was.
    """
    table = game.session.game
    position = table.position or table.rules.starting_position
    board = position.board if table.match.on_roll == 0 else swap_sides(position.board)
    if checkers is None:
        game.draft = f"edit {format_checkers(board)}"
        return ["Change the line and press Enter; each side counts from its own home:", game.draft]
    count = table.rules.variant.checkers
    edited = parse_checkers(checkers, board, count)
    seen = Position(edited if table.match.on_roll == 0 else swap_sides(edited), count)
    described, *aside = _set_up(game, seen)
    remark = "'dice A B' sets a roll, 'set game.turn p0' or 'p1' gives the turn to O or X."
    return [described, remark, *aside]


def _set_up(game: ReplGame, position: Position, match: MatchState | None = None) -> list[str]:
    """Set up a position; return its description, then what became of the game that was on."""
    aside = game.describe_game()
    game.session.set_position(position, match)
    return [describe_position(game.session.game), *game.leave_for(aside)]
