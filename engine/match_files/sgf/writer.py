"""Write matches as SGF (GM[6]) with their analysis, in the properties of GNU Backgammon, which shows it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gammond.engine.match_files.conventions import name_in_sgf
from gammond.engine.match_files.model import NO_NOTES, ActionNotes, RecordedGame, RecordedMatch, number_games
from gammond.engine.match_files.sgf import values
from gammond.engine.match_files.sgf.tree import format_sgf_node
from gammond.engine.match_files.sgf.values import (
    COLOURS,
    format_decision,
    format_moves,
    list_checkers,
)
from gammond.engine.rules.dice import encode_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
    SetAction,
)
from gammond.engine.rules.match import MAX_CUBE, MatchState
from gammond.engine.rules.moves import generate_plays
from gammond.engine.rules.position import Position
from gammond.engine.rules.rules import BACKGAMMON
from gammond.engine.runtime.version import NAME, read_version

_OWNERS = {None: "c", 0: "w", 1: "b"}

_Properties = dict[str, list[str]]


def format_sgf(match: RecordedMatch) -> str:
    """Format a match: a tree for each game, with what the notes say about its actions.

    A play is given an analysis only if it is among its candidates.

    Returns:
        The text, ending in a newline.
    """
    trees = []
    numbers = number_games(match.games)
    for number, game in zip(numbers, match.games, strict=True):
        root = _format_root(match, game, number, is_first=number == numbers[0])
        nodes = [root, *_list_nodes(game)]
        lines = (format_sgf_node(node) for node in nodes)
        trees.append("(" + "\n".join(lines) + ")\n")
    return "".join(trees)


def _format_root(match: RecordedMatch, game: RecordedGame, number: int, *, is_first: bool) -> _Properties:
    begun = game.initial_state
    info = {"length": match.length, "game": number - 1, "ws": begun.score[0], "bs": begun.score[1]}
    root: _Properties = {
        "FF": ["4"],
        "GM": ["6"],
        "CA": ["UTF-8"],
        "AP": [f"{NAME}:{read_version()}"],
        "MI": [f"{word}:{number}" for word, number in info.items()],
        "PW": [match.names[0]],
        "PB": [match.names[1]],
    }
    if is_first:
        root |= {
            name: [f"{rating:.6g}"]
            for name, rating in zip(("WR", "BR"), match.ratings, strict=True)
            if rating is not None
        }
        headers = {name: match.headers.get(header, "") for name, header in values.HEADERS.items()}
        headers["DT"] = headers["DT"].replace(".", "-")
        headers["GC"] = match.comment
        root |= {name: [value] for name, value in headers.items() if value}
        known = values.HEADERS.values()
        more = [f"{word}={said}" for word, said in match.headers.items() if word not in known]
        root |= {values.MORE_HEADERS: more} if more else {}
    rules = match.rules
    words = {
        values.NO_CUBE: rules.cube_limit == 1,
        "Crawford": rules.crawford and match.length > 0,
        values.CRAWFORD_GAME: begun.crawford,
        "Jacoby": rules.jacoby,
        name_in_sgf(game.rules.variant): game.rules.variant is not BACKGAMMON,
    }
    root["RU"] = [_join_words(words)]
    more_words = {word: getattr(rules, rule) is on for word, (rule, on) in values.MORE_RULE_WORDS.items()}
    more_words[f"{values.CUBE_LIMIT}{rules.cube_limit}"] = rules.cube_limit not in (1, MAX_CUBE)
    if any(more_words.values()):
        root[values.MORE_RULES] = [_join_words(more_words)]
    if begun.cube > 1 and begun.cube_owner is None:
        root["CV"] = [str(begun.cube)]
    if game.result is not None:
        last = game.actions[-1] if game.actions else None
        is_resigned = isinstance(last, ResignationAction)
        winner, points = COLOURS[game.result.winner], game.result.points
        root["RE"] = [f"{winner}+{points}{'R' * is_resigned}"]
        if isinstance(last, ResignationAction) and not last.is_stated:
            root[values.BY_RESULT] = ["1"]
    if game.comment:
        root["C"] = [game.comment]
    return root


def _join_words(words: Mapping[str, bool]) -> str:
    return ":".join(word for word, holds in words.items() if holds)


def _list_nodes(game: RecordedGame) -> Iterator[_Properties]:
    """Yield the nodes behind the root."""
    begun, first = game.initial_state, next(iter(game.actions), None)
    if game.position != game.rules.starting_position or begun.cube_owner is not None:
        yield from _format_table(game.position, begun)
    elif not isinstance(first, PlayAction | RollAction | DoubleAction) or first.seat != begun.on_roll:
        yield {"PL": [COLOURS[begun.on_roll]]}
    for place, (situation, action, _) in enumerate(game.replayed):
        notes = game.notes.get(place, NO_NOTES)
        comment = {"C": [notes.comment]} if notes.comment else {}
        match action:
            case SetAction(position, match):
                yield from _format_table(position, match)
                if comment:
                    yield comment
            case ResignationAction(seat, kind, is_accepted=False):
                yield {values.REJECTED_RESIGNATION: [f"{COLOURS[seat]}{kind}"]} | comment
            case ResignationAction() if comment:  # the result alone says that it was accepted
                yield comment
            case RollAction(seat, roll):
                can_move = generate_plays(situation.position, roll, game.rules)[0].moves
                unplayed = {} if can_move else {values.UNPLAYED_ROLL: ["1"]}
                yield {COLOURS[seat]: [encode_roll(roll)]} | unplayed | comment
            case PlayAction(seat, roll, play):
                written = f"{encode_roll(roll)}{format_moves(play.moves, seat)}"
                analysis = _format_analysis(notes, situation.match, action)
                yield {COLOURS[seat]: [written]} | analysis | comment
            case DoubleAction(seat):
                yield {COLOURS[seat]: ["double"]} | _format_cube(notes, situation.match) | comment
            case ResponseAction(seat, is_take):
                word = "take" if is_take else "drop"
                yield {COLOURS[seat]: [word]} | _format_cube(notes, situation.match) | comment


def _format_table(position: Position, match: MatchState) -> Iterator[_Properties]:
    white, black = list_checkers(position, match.on_roll)
    yield {"CP": [_OWNERS[match.cube_owner]]}
    yield {"CV": [str(match.cube)]}
    checkers = {name: letters for name, letters in (("AW", white), ("AB", black)) if letters}
    yield {"PL": [COLOURS[match.on_roll]], "AE": ["a:y"], **checkers}


def _format_analysis(notes: ActionNotes, match: MatchState, action: PlayAction) -> _Properties:
    """Format the analysis of a play, of its roll, and of not doubling before it."""
    analysis = _format_cube(notes, match)
    boards = [candidate.play.result for candidate in notes.candidates]
    if action.play.moves and action.play.result in boards:
        played = boards.index(action.play.result)
        before = match.before_roll()
        candidates = [
            values.format_candidate(each.play.moves, each.evaluation, before) for each in notes.candidates
        ]
        analysis["A"] = [str(played), *candidates]
    if notes.luck is not None:
        analysis["LU"] = [f"{notes.luck:.5f}"]
    if notes.luck_mark:
        seat = action.seat ^ ("un" in notes.luck_mark)
        analysis[f"G{COLOURS[seat]}"] = ["2" if notes.luck_mark.startswith("very") else "1"]
    if notes.play_mark in values.PLAY_MARKS:
        name, value = values.PLAY_MARKS[notes.play_mark]
        analysis[name] = [value]
    return analysis


def _format_cube(notes: ActionNotes, match: MatchState) -> _Properties:
    analysis: _Properties = {}
    if notes.cube is not None and not match.beavered:
        analysis["DA"] = [format_decision(notes.cube, match.before_roll())]
    if notes.cube_mark in values.CUBE_MARKS:
        name, value = values.CUBE_MARKS[notes.cube_mark]
        analysis[name] = [value]
    return analysis
