"""Writes games in the formats of game servers, as far as tests of their readers need it."""

import re
from itertools import pairwise

from gammond.engine.match_files.mat.writer import format_mat
from gammond.engine.rules.game_record import DoubleAction, PlayAction, ResignationAction

NAMES = "one", "two"


def write_oldmoves(games):
    """FIBS: the second player's moves are in the first one's numbering."""
    lines = []
    for game in games:
        length = game.initial_state.length
        of_length = f" in a {length} point match" if length else ""
        lines += ["Score is {}-{}{}.".format(*game.initial_state.score, of_length), "one is X - two is O", ""]
        for action in game.actions:
            lines.append(f"{'XO'[action.seat]}: {_oldmoves_words(action)}")
            if isinstance(action, ResignationAction):
                lines.append(f"{'OX'[action.seat]}: accepts.")
        winner, points = game.result.winner, game.result.points
        lines += [f"{'XO'[winner]}: wins {points} point{'s' * (points > 1)}.", ""]
    return "\n".join(lines)


def _oldmoves_words(action):
    if isinstance(action, DoubleAction):
        return "doubles"
    if isinstance(action, ResignationAction):
        return "wants to resign."
    if not isinstance(action, PlayAction):
        return "accepts" if action.is_take else "rejects"
    moves = [_oldmoves_move(*move, action.seat) for move in action.play.moves]
    return "({} {}) {}".format(*action.roll, " ".join(moves) or "can't move")


def _oldmoves_move(source, target, seat):
    first = "bar" if source == 25 else str(25 - source if seat else source)
    return f"{first}-{'off' if target == 0 else 25 - target if seat else target}"


def write_sgg(games):
    """GamesGrid: each roll comes before its play, and the columns are told apart by tabs."""
    length = games[0].initial_state.length
    lines = ["one vs. two", "Monday November 23, 2026", "GamesGrid Backgammon Server"]
    lines += [
        "ELO: 1725.61 1234 1689.20 567",
        "Jacoby: No",
        f"Beavers: {'No' if length else 'Yes'}",
        "Crawford: Yes",
    ]
    for number, game in enumerate(games, 1):
        left, right = game.initial_state.score
        star = "*" * game.initial_state.crawford
        of_length = f"/{length}" if length else ""
        lines += [f"Game {number}.{left}{star}-{right}{of_length}", ""]
        row = 1
        for before, action in pairwise((None, *game.actions)):
            row += before is not None and action.seat <= before.seat
            tabs = "\t" * (1 + action.seat)
            lines += [f"{row}{tabs}{words}" for words in _sgg_words(action)]
        lines += [f"{NAMES[game.result.winner]} wins {game.result.points} points.", ""]
    return "\n".join(lines)


def _sgg_words(action):
    if isinstance(action, DoubleAction):
        return [f"Double to {action.cube}"]
    if isinstance(action, ResignationAction):
        return ["Resign"]
    if not isinstance(action, PlayAction):
        return ["Accept" if action.is_take else "Pass"]
    roll = "{}{}: ".format(*action.roll)
    moves = ", ".join(_slashed(action.play))
    return [roll, roll + moves] if moves else [f"{roll}O-O"]


def _slashed(play, bar="bar", off="off"):
    return [f"{bar if source == 25 else source}/{target or off}" for source, target in play.moves]


def write_tmg(games):
    """TrueMoneyGames: numbered records, those of the second player with a minus."""
    length = games[0].initial_state.length
    lines = ["MatchID: 1", "Player1: 1001 one 100.00", "Player2: 1002 two 100.00", "Startdate: 2026-11-23"]
    lines += ["Jacoby: 0", "Beavers: 1", "Crawford: 1", "Cube: 1", f"Length: {length}", "Variant: 1", ""]
    for number, game in enumerate(games, 1):
        lines.append("Game {}: {}-{}".format(number, *game.initial_state.score))
        records = [(action.seat, words) for action in game.actions for words in _tmg_words(action)]
        records.append((game.result.winner, f"{13 + game.result.kind} {game.result.points} wins"))
        lines += [f"  {'-' * seat}{row} {words}" for row, (seat, words) in enumerate(records, 1)]
        lines.append("")
    return "\n".join(lines)


def _tmg_words(action):
    if isinstance(action, DoubleAction):
        return [f"5 Double to {action.cube}"]
    if isinstance(action, ResignationAction):
        return []
    if not isinstance(action, PlayAction):
        return ["7 Take" if action.is_take else "10 Pass"]
    return ["1 {}{}:".format(*action.roll), f"4 {' '.join(_slashed(action.play, off='0')) or '0/0'}"]


def write_party(games):
    """PartyGammon: a game in one line of keys and values."""
    lines = ["boardid=1", f"MATCHLENGTH={games[0].initial_state.length}"]
    for number, game in enumerate(games, 1):
        entries = [f"{action.seat + 1} {_party_words(action)}" for action in game.actions]
        after = game.initial_state.score_after(game.result.winner, game.result.points)
        values = {"PLAYER_1": "one", "PLAYER_2": "two", "GAMEPLAY": "#".join(entries)}
        values |= {"SCORE1": after[0], "SCORE2": after[1]}
        lines += [f"GAME_{number}_{key}={value}" for key, value in values.items()]
    return "\n".join(lines) + "\n"


def _party_words(action):
    if isinstance(action, DoubleAction):
        return "Double"
    if isinstance(action, ResignationAction):
        return "Resign"
    if not isinstance(action, PlayAction):
        return "Take" if action.is_take else "Drop"
    return "12 Rolls {}{} {}".format(*action.roll, " ".join(_slashed(action.play)))


def write_empire(games):
    """GammonEmpire: names, the rows of a .mat file, and what was won."""
    lines = []
    for game in games:
        lines += ["one two", *_list_mat_rows(game), f"win {game.result.points}"]
    return "\n".join(lines) + "\n"


def _list_mat_rows(game):
    """The rows of a game in a .mat file, without its head and result."""
    rows = [line for line in format_mat(NAMES, [game]).splitlines() if re.match(r" *[0-9]+\)", line)]
    return [re.sub(r"\s+Wins .*", "", row) for row in rows]
