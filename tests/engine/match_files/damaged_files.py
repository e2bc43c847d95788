"""Correct matches of every format with one damaged row, and what is asked of reading them."""

import itertools
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

from gammond.engine.errors import GammondError
from gammond.engine.match_files.mat.reader import parse_mat
from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.match_files.model import IssueKind, RecordedGame, RecordedMatch
from gammond.engine.match_files.ogxm.codec import decode_members, encode_document
from gammond.engine.match_files.ogxm.writer import format_ogxm
from gammond.engine.match_files.reading import read_matches
from gammond.engine.match_files.xg.records import GAME_FOOTER
from gammond.engine.play.cube_games import play_game
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
from gammond.engine.rules.match import MatchState
from gammond.engine.rules.moves import Play
from tests.engine.match_files.played_games import Dicer, dice
from tests.engine.match_files.row_damages import OGXM_DAMAGES, PARTY_DAMAGES, TEXT_DAMAGES, XG_DAMAGES, Damage
from tests.engine.match_files.sites import site_files
from tests.engine.match_files.test_same_match import write_sgf
from tests.engine.match_files.xg import xg_files

NAMES = site_files.NAMES
MATCHES = 100
"""Matches by seed."""

SECONDS = 5.0
"""The longest that a file may take, of processor time."""

Rows = Sequence[Any]


@cache
def play_games(seed: int) -> tuple[RecordedGame, ...]:
    """Play up to three games of a match, or of a session where the seed is a multiple of 4, some resigned."""
    rng = random.Random(seed)
    begun: MatchState | None = MatchState(length=0 if seed % 4 == 0 else rng.choice((2, 3, 5, 7)))
    games: list[RecordedGame] = []
    while begun is not None and len(games) < 3:
        begun = replace(begun, on_roll=rng.randrange(2))
        players = Dicer(rng.random(), 0.1), Dicer(rng.random(), 0.1)
        game = play_game(players, begun, dice(1000 * seed + len(games)))
        games.append(_resign(game, rng) if rng.random() < 0.5 else game)
        begun = begun.after_game(games[-1].result.winner, games[-1].result.points)
    return tuple(games)


def _resign(game: RecordedGame, rng: random.Random) -> RecordedGame:
    """Let the seat that is next resign after some play."""
    plays = [place for place, action in enumerate(game.actions) if isinstance(action, PlayAction)]
    if len(plays) < 2:
        return game
    actions = game.actions[: rng.choice(plays[:-1]) + 1]
    situation = GameSituation(game.rules.starting_position, game.initial_state)
    for action in actions:
        situation = situation.apply(action)
    resignation = ResignationAction(situation.match.to_act, rng.choice((1, 1, 2)))
    result = situation.apply(resignation).result
    assert result is not None
    return replace(game, actions=(*actions, resignation), result=result)


_RESULT = re.compile(r"(?i)wins?\b|\bRE\[|_SCORE[12]=")


def _states_result_in_words(row: str) -> bool:
    return _RESULT.search(row) is not None


@dataclass(frozen=True)
class DamagedFormat:
    """A format of which rows are damaged.

    Attributes:
        write: Returns the rows of games, and the first one that is damaged.
        join: Returns the file that rows make.
        damages: The damages, by name.
        states_result: Whether a row states the result of a game.
        has_positions: Whether every row of a play states where the checkers stand.
        is_money_only: Whether it has no matches, nor says who won.
        sign: The last rows of every file that is recognised.
    """

    write: Callable[[Sequence[RecordedGame]], tuple[Rows, int]]
    join: Callable[[Rows], bytes]
    damages: Mapping[str, Damage]
    states_result: Callable[[Any], bool] = _states_result_in_words
    has_positions: bool = False
    is_money_only: bool = False
    sign: Rows = ()


def _in_lines(write: Callable[[Sequence[RecordedGame]], str]) -> Callable[..., tuple[Rows, int]]:
    def write_rows(games: Sequence[RecordedGame]) -> tuple[Rows, int]:
        rows = write(games).splitlines()
        return rows, next(at for at, row in enumerate(rows) if re.search(r"\d\d:|[WB]\[\d\d|\(\d \d\)", row))

    return write_rows


def _join_lines(rows: Rows) -> bytes:
    return "\n".join(rows).encode()


def _write_party(games: Sequence[RecordedGame]) -> tuple[Rows, int]:
    """Return the rows of PartyGammon, the entries of a game one by one."""
    return site_files.write_party(games).replace("#", "\n#").splitlines(), 4


def _join_party(rows: Rows) -> bytes:
    return "\n".join(rows).replace("\n#", "#").encode()


def _write_xg(games: Sequence[RecordedGame]) -> tuple[Rows, int]:
    return xg_files.write_games(NAMES, games, analysed=len(games[0].actions) % 2 == 0), 0


def _write_ogxm(games: Sequence[RecordedGame]) -> tuple[Rows, int]:
    """Return the document, and of each game what it says without its plies, and these."""
    (match,) = parse_mat(format_mat(NAMES, games))
    stated = [replace(game, actions=tuple(map(_state, game.actions))) for game in match.games]
    _, document = next(decode_members(format_ogxm(replace(match, games=tuple(stated)))))
    rows = [document | {"games": []}]
    for game in document["games"]:
        rows += [game | {"plies": []}, *game["plies"]]
    return rows, 1


def _state(action: GameAction) -> GameAction:
    """Return an action; a resignation as one that the file states, which its result then cannot deny."""
    return replace(action, is_stated=True) if isinstance(action, ResignationAction) else action


def _join_ogxm(rows: Rows) -> bytes:
    document = rows[0] | {"games": []}
    for row in rows[1:]:
        if "plies" in row:
            document["games"].append(row | {"plies": []})
        else:
            shown = {name: value for name, value in row.items() if not name.startswith("ogid")}
            document["games"][-1]["plies"].append(shown)
    return encode_document(document)


FORMATS = {
    "mat": DamagedFormat(_in_lines(lambda games: format_mat(NAMES, games)), _join_lines, TEXT_DAMAGES),
    "sgf": DamagedFormat(_in_lines(write_sgf), _join_lines, TEXT_DAMAGES),
    "oldmoves": DamagedFormat(_in_lines(site_files.write_oldmoves), _join_lines, TEXT_DAMAGES),
    "sgg": DamagedFormat(_in_lines(site_files.write_sgg), _join_lines, TEXT_DAMAGES),
    "tmg": DamagedFormat(_in_lines(site_files.write_tmg), _join_lines, TEXT_DAMAGES),
    "party": DamagedFormat(_write_party, _join_party, PARTY_DAMAGES),
    "empire": DamagedFormat(
        _in_lines(site_files.write_empire),
        _join_lines,
        TEXT_DAMAGES,
        lambda row: True,
        is_money_only=True,
        sign=["win 3"],
    ),
    "xg": DamagedFormat(
        _write_xg,
        xg_files.make_file,
        XG_DAMAGES,
        lambda record: record[8] == GAME_FOOTER,
        has_positions=True,
    ),
    "ogxm": DamagedFormat(_write_ogxm, _join_ogxm, OGXM_DAMAGES, lambda row: "plies" in row),
}


class Source(NamedTuple):
    """A correct file: its rows, the first of them that is damaged, and what is read from it."""

    rows: Rows
    first: int
    whole: RecordedMatch


@cache
def write_source(format_name: str, seed: int) -> Source:
    """Write a match."""
    form = FORMATS[format_name]
    rows, first = form.write(play_games(4 * seed if form.is_money_only else seed))
    (whole,) = read_matches(form.join(rows))
    assert not whole.issues, (format_name, seed, whole.issues)
    return Source(rows, first, whole)


def damage(format_name: str, name: str, seed: int, match: int) -> tuple[Rows, int]:
    """Return rows of which one is damaged, and its place, which is behind the last where none can be."""
    rows, first, _ = write_source(format_name, match)
    rng = random.Random(f"{name} {seed}")
    for at in rng.sample(range(first, len(rows)), len(rows) - first):
        changed = FORMATS[format_name].damages[name](rows[at], rng)
        if changed != [rows[at]]:
            return [*rows[:at], *changed, *rows[at + 1 :]], at
    return rows, len(rows)


class Reading(NamedTuple):
    """How a damaged file was read.

    Attributes:
        outcome: ``same`` (nothing is lost or other), ``noted`` (all decisions but those of the row are there,
            and an issue says what is not), ``cut`` (some behind the row are left out, which an issue says),
            ``unreadable``, or ``impossible`` where nobody can write such a file.
        faults: What must not be, a line each.
    """

    outcome: str
    faults: Sequence[str] = ()


def check(format_name: str, name: str, seed: int, match: int = 1) -> Reading:
    """Read a damaged file, and compare it with the whole one."""
    form, source = FORMATS[format_name], write_source(format_name, match)
    whole = source.whole
    rows, at = damage(format_name, name, seed, match)
    try:
        content = form.join(rows)
    except GammondError:
        return Reading("impossible")
    began = time.process_time()
    try:
        matches = read_matches(content)
    except GammondError as error:
        is_head = at == 0 and format_name == "xg"
        return Reading("unreadable", () if is_head else [f"unreadable: {error.message}"])
    faults = []
    if (seconds := time.process_time() - began) > SECONDS:
        faults.append(f"takes {seconds:.1f} s")
    games = _number_games([game for each in matches for game in each.games], whole)
    issues = [issue for each in matches for issue in each.issues]
    noted = {issue.game for issue in issues}
    changed = [game for game in whole.games if not _is_same(games.get(game.number), game)]
    outcome = "noted" if issues or changed else "same"
    for game in changed:
        is_last = game is whole.games[-1] or form.is_money_only
        states_result = at < len(source.rows) and form.states_result(source.rows[at])
        faults += _compare_results(game, games.get(game.number), noted, states_result, is_last)
        is_cut, fault = _compare_actions(format_name, match, at, game, games.get(game.number))
        outcome = "cut" if is_cut else outcome
        faults += fault
    is_missing = any(issue.kind is IssueKind.MISSING for issue in issues)
    if (outcome == "cut" or any(game.is_cut for game in games.values())) and not is_missing:
        faults.append("cut without an issue")
    return Reading(outcome, [f"{fault} ({'; '.join(map(str, issues))})" for fault in faults])


def _number_games(games: Sequence[RecordedGame], whole: RecordedMatch) -> dict[int, RecordedGame]:
    """Return games by their true numbers: those that they have, or their order where none is missing."""
    if len(games) == len(whole.games):
        return {game.number: read for read, game in zip(games, whole.games, strict=True)}
    return {game.number: game for game in games}


def _is_same(read: RecordedGame | None, game: RecordedGame) -> bool:
    return read is not None and (read.actions, read.result) == (game.actions, game.result)


def _compare_results(
    game: RecordedGame, read: RecordedGame | None, noted: set[int], states_result: bool, is_last: bool
) -> Iterator[str]:
    if read is None:
        yield f"game {game.number} is lost"
        return
    assert game.result is not None
    if read.result is None:
        if not (is_last or (states_result and read.number in noted)):  # what ends the file can be lost
            yield f"game {game.number} has no result"
        return
    is_kept = (read.result.winner, read.result.points) == (game.result.winner, game.result.points)
    if not is_kept and not (states_result and (is_last or read.number in noted)):
        yield f"game {game.number}: expected {game.result}, got {read.result}"


def _compare_actions(
    format_name: str, match: int, at: int, game: RecordedGame, read: RecordedGame | None
) -> tuple[bool, list[str]]:
    """Return whether decisions behind a row are left out, and what must not be."""
    number, before, through = count_actions(format_name, match, at)
    if read is None:
        return True, []
    has, had = _list_decisions(read.actions), _list_decisions(game.actions)
    if game.number != number:
        return False, [f"game {game.number} has other decisions"] if has != had else []
    faults = []
    if has[:before] != had[:before]:
        faults.append(f"game {number}: {before} decisions come before the damage, not all are kept")
    following = had[through:]
    is_cut = has[len(has) - len(following) :] != following
    if is_cut and (FORMATS[format_name].has_positions or not read.is_cut):
        faults.append(f"game {number}: {len(following)} decisions come after the damage, not all are kept")
    return is_cut, faults


def _list_decisions(actions: Sequence[GameAction]) -> list[object]:
    """Return what was decided, without where it was; how a game was given up is part of its result."""
    decisions: list[object] = []
    for action in actions:
        match action:
            case PlayAction():
                decisions.append((action.seat, action.roll, _sum_moves(action.play)))
            case DoubleAction():
                decisions.append((action.seat, "double"))
            case SetAction() | ResignationAction() | ResponseAction(is_take=False):
                continue
            case _:
                decisions.append(action)
    return decisions


def _sum_moves(play: Play) -> dict[int, int]:
    """Return how many checkers a play brings to each place."""
    brought: Counter[int] = Counter()
    for source, target in play.moves:
        brought.update({source: -1})
        brought.update({target: 1})
    return {place: count for place, count in brought.items() if count}


@cache
def count_actions(format_name: str, match: int, at: int) -> tuple[int, int, int]:
    """Return the number of the game of a row, how many decisions are before the row, and through it."""
    rows = write_source(format_name, match).rows
    game, before, _ = _count_last_game(format_name, rows[:at])
    after, through, is_rolled = _count_last_game(format_name, rows[: at + 1])
    return after, before if after == game else 0, through + is_rolled


def _count_last_game(format_name: str, rows: Rows) -> tuple[int, int, bool]:
    """Return the number of the last game, how many decisions it has, and whether a roll is not played."""
    form = FORMATS[format_name]
    try:
        matches = read_matches(form.join([*rows, *form.sign]))
    except GammondError:
        return 0, 0, False
    games = [game for match in matches for game in match.games]
    if not games:
        return 0, 0, False
    actions = games[-1].actions
    decisions = [action for action in actions if not isinstance(action, RollAction)]
    return games[-1].number, len(_list_decisions(decisions)), len(decisions) < len(actions)


def list_cases(first: int = 0) -> Iterator[tuple[str, str, int, int]]:
    """Yield the format, the damage, its seed and the match of cases, without end."""
    for seed in itertools.count(first):
        for format_name, form in FORMATS.items():
            for name in form.damages:
                yield format_name, name, seed, seed % MATCHES
