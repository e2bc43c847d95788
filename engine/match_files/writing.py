"""Write matches as files, and say what a format leaves out of a match."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gammond.engine.errors import LimitError
from gammond.engine.match_files.model import (
    ActionNotes,
    RecordedGame,
    RecordedMatch,
    number_games,
)
from gammond.engine.match_files.reading import FORMATS, MatchFormat
from gammond.engine.rules.game_record import (
    PlayAction,
    ResignationAction,
    RollAction,
)

MATCH_FORMATS: dict[str, MatchFormat] = {
    name: each for name in ("mat", "sgf", "ogxm") for each in FORMATS if each.name == name
}
"""By their names, in which their files end."""

ANALYSED_FORMATS = tuple(name for name, each in MATCH_FORMATS.items() if each.has_analysis)
"""The names of those in which analysed matches are written."""

_RULES = {
    "crawford": "the Crawford rule",
    "jacoby": "the Jacoby rule",
    "beavers": "the rule about beavers",
    "raccoons": "the rule about raccoons",
    "automatic_doubles": "the rule about automatic doubles",
    "cube_limit": "the limit of the cube",
}


def write_match(match: RecordedMatch, name: str) -> tuple[bytes, list[str]]:
    """Write a match in a format, so that it can be read again.

    Args:
        match: The match.
        name: One of `MATCH_FORMATS`.

    Returns:
        The file, and what of the match is not in it, as `list_losses` says.

    Raises:
        FormatError: It has no game.
        UnsupportedError: The format has no place for something without which it is another match.
        LimitError: It is longer than readers take.
    """
    content = MATCH_FORMATS[name].write(match)
    read = MATCH_FORMATS[name].parse(content)
    games = len(read[0].games) if read else 0
    if len(read) != 1 or games < len(match.games):
        raise LimitError(
            f"expected a match that can be read again as {name}, got {len(match.games):,} games, of which "
            f"readers take {games:,}: write them as several files",
            field="games",
        )
    return content, list_losses(match, read[0])


def list_losses(match: RecordedMatch, read: RecordedMatch) -> list[str]:
    """List what of a match is not in another one, which was written and read again."""
    one, other = match.rules, read.rules
    losses = [what for rule, what in _RULES.items() if getattr(one, rule) != getattr(other, rule)]
    losses += [f"header {word}" for word, said in match.headers.items() if read.headers.get(word) != said]
    if match.names != read.names:
        losses.append("characters of names")
    for number, game, again in zip(number_games(match.games), match.games, read.games, strict=False):
        losses += _list_losses_of_game(number, game, again)
    losses += _count_losses("comments", _list_comments(match), _list_comments(read))
    analysed, kept = _list_analysed(match), _list_analysed(read)
    losses += _count_losses("analysed decisions", analysed, kept)
    if kept and (depths := _collect_depths(analysed) - _collect_depths(kept)):
        losses.append(f"the depths {', '.join(sorted(depths))}")
    return losses + _count_losses("rejected resignations", _list_rejected(match), _list_rejected(read))


def _list_losses_of_game(number: int, game: RecordedGame, read: RecordedGame) -> Iterator[str]:
    """Yield what of a game is not in the one that was read again."""
    if _list_done(game) != _list_done(read):
        yield f"actions of game {number}"
    if game.result != read.result:
        yield f"the result of game {number}"
    if game.missing != read.missing:
        yield f"that game {number} is cut"


def _list_done(game: RecordedGame) -> list[object]:
    """List the actions of a game but resignations, plays by what they lead to, dice in no order."""
    done: list[object] = []
    for each in game.actions:
        if isinstance(each, PlayAction):
            done.append((each.seat, sorted(each.roll), each.play.result, each.is_legal))
        elif isinstance(each, RollAction):
            done.append((each.seat, sorted(each.roll)))
        elif not isinstance(each, ResignationAction):
            done.append(each)
    return done


def _count_losses(what: str, whole: Collection[object], kept: Collection[object]) -> list[str]:
    lost = len(whole) - len(kept)
    return [f"{lost:,} {what if lost > 1 else what.removesuffix('s')}"] if lost > 0 else []


def _list_notes(match: RecordedMatch) -> Iterator[ActionNotes]:
    return (notes for game in match.games for notes in game.notes.values())


def _list_comments(match: RecordedMatch) -> list[str]:
    """List the lines of all comments: one may be joined to another."""
    of_games = (game.comment for game in match.games)
    said = [match.comment, *of_games, *(notes.comment for notes in _list_notes(match))]
    return [line for comment in said for line in comment.splitlines()]


def _list_rejected(match: RecordedMatch) -> list[ResignationAction]:
    actions = (action for game in match.games for action in game.actions)
    return [each for each in actions if isinstance(each, ResignationAction) and not each.is_accepted]


def _list_analysed(match: RecordedMatch) -> list[ActionNotes]:
    """List what was said about plays that could be chosen, and about the cube."""
    return [
        notes
        for notes in _list_notes(match)
        if notes.cube or any(candidate.play.moves for candidate in notes.candidates)
    ]


def _collect_depths(analysed: Iterable[ActionNotes]) -> set[str]:
    evaluations = [each.evaluation for notes in analysed for each in notes.candidates]
    evaluations += [notes.cube.no_double for notes in analysed if notes.cube is not None]
    return {each.depth for each in evaluations if each.depth}
