"""The games of the HTML report: every play and cube decision with its board and the engine's values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gammond.engine.evaluation.results import RankedPlay, is_on_scale
from gammond.engine.formats.board_svg import draw_board
from gammond.engine.formats.xgid import encode_xgid
from gammond.engine.match_analysis.analysed_match import AnalysedMatch
from gammond.engine.match_analysis.decision_errors import Choice
from gammond.engine.match_analysis.decisions import AnalysedDecision
from gammond.engine.match_files.model import NO_NOTES, RecordedGame, ReplayedAction, split_by_depth
from gammond.engine.match_reports.html_parts import (
    escape_text,
    format_comment,
    format_difference,
    format_interval,
    format_points,
    format_verdict,
    list_names,
    name_place,
)
from gammond.engine.match_reports.ratings import format_rating
from gammond.engine.rules.cube_actions import name_cube_action, name_double
from gammond.engine.rules.dice import format_roll
from gammond.engine.rules.game_record import (
    DoubleAction,
    GameAction,
    PlayAction,
    ResignationAction,
    ResponseAction,
    RollAction,
)
from gammond.engine.rules.match import RESULT_NAMES, MatchState
from gammond.engine.rules.notation import format_play
from gammond.engine.wording import format_count

_LISTED_PLAYS = 5


def format_games(analysed: AnalysedMatch) -> Iterator[str]:
    """Yield the games, each as an element that opens and closes."""
    games = zip(analysed.match.games, analysed.decisions_of_games, strict=True)
    for number, (game, decisions) in enumerate(games):
        yield _format_game(analysed, number, game, decisions)


def format_key(analysed: AnalysedMatch) -> str:
    """Format what boards and tables of the games have in common."""
    names = list_names(analysed)
    return (
        f'<p class="soft">{names[0]} has the light checkers, {names[1]} the dark ones; who is to decide sits '
        "at the bottom. Chances are in %: all wins, of them gammons and backgammons, then the same of losses."
        "</p>"
    )


def _format_game(
    analysed: AnalysedMatch, number: int, game: RecordedGame, decisions: list[AnalysedDecision]
) -> str:
    names, state = list_names(analysed), game.initial_state
    score = ", ".join(f"{name} {points}" for name, points in zip(names, state.score, strict=True))
    result = "no result"
    if game.result is not None:
        points = f"{format_count(game.result.points, 'point')}"
        result = f"{names[game.result.winner]} wins {points} ({game.result.name})"
    if (ruled := game.ruled_result) is not None:
        points = format_count(ruled.points, "point")
        result += f" by the file, {names[ruled.winner]} {points} ({ruled.name}) by the rules"
    marks = [each.loss.mark for each in decisions]
    wrong = f"errors {sum(map(bool, marks))}, blunders {marks.count('blunder')}{', cut' * game.is_cut}"
    crawford = ", Crawford game" if state.crawford else ""
    by_place: dict[int, list[AnalysedDecision]] = defaultdict(list)
    for decision in decisions:
        by_place[decision.place].append(decision)
    rows = [
        f'<details id="g{number + 1}"{" open" * (len(analysed.match.games) == 1)}><summary>'
        f"<h3><strong>Game {number + 1}</strong>: {score}{crawford}; {result}; {wrong}</h3></summary>",
        *(f"<p>Missing: {escape_text(each)}.</p>" for each in game.missing),
        format_comment(game.comment),
        _format_phases(analysed, number),
    ]
    for place, replayed in enumerate(game.replayed):
        rows.append(_format_action(analysed, number, place, replayed, by_place[place]))
    return f"{''.join(rows)}</details>"


def _format_phases(analysed: AnalysedMatch, number: int) -> str:
    """Format the performance ratings of a game, in all and by phase."""
    game, names = analysed.statistics_of_games[number], list_names(analysed)
    parts = []
    for seat, name in enumerate(names):
        phases = [
            f"{phase} {format_rating(players[seat])}"
            for phase, players in game.phases.items()
            if players[seat].counted_decisions or players[seat].unscaled
        ]
        if phases:
            parts.append(f"PR of {name}: {format_rating(game.players[seat])} ({', '.join(phases)}).")
    return f'<p class="soft">{" ".join(parts)}</p>' if parts else ""


def _format_action(
    analysed: AnalysedMatch,
    game: int,
    place: int,
    replayed: ReplayedAction,
    decisions: list[AnalysedDecision],
) -> str:
    situation, action, move = replayed
    match, notes = situation.match, analysed.match.games[game].notes.get(place, NO_NOTES)
    title = f"{move}. {_describe_action(list_names(analysed), match, action)}"
    address = f"g{game + 1}a{place + 1}"
    if isinstance(action, PlayAction | DoubleAction | ResponseAction):
        address = name_place(game, move, action.seat)
    verdicts = " ".join(
        "cube " * (each.choice is Choice.NO_DOUBLE) + format_verdict(each.loss)
        for each in decisions
        if each.loss.mark
    )
    heading = f"<h4>{title}</h4> {verdicts}"
    facts = "".join(_format_decision(analysed, each) for each in decisions) + format_comment(notes.comment)
    if isinstance(action, ResponseAction | ResignationAction) and not notes.candidates:
        # It answers a position that has just been drawn.
        return f'<article id="{address}">{heading}{facts}</article>'
    shown = match.with_roll(action.roll) if isinstance(action, PlayAction | RollAction) else match
    board = draw_board(
        situation.position, shown, f"Board: {title}", is_dark=match.on_roll == 1, names=analysed.match.names
    )
    luck = "" if notes.luck is None else f"Luck of the roll {_format_scaled(analysed, match, notes.luck)} "
    xgid = "" if shown.resigned else f"<code>{encode_xgid(situation.position, shown)}</code>"
    facts += f'<p class="soft">{luck}{xgid}</p>'
    return f'<article id="{address}">{heading}<div class="sides">{board}<div>{facts}</div></div></article>'


def _describe_action(names: tuple[str, str], match: MatchState, action: GameAction) -> str:
    """Return what was done, as the title of its board.

    Args:
        names: Of both players, for a page.
        match: The match state before it.
        action: What was done.
    """
    match action:
        case PlayAction(seat, roll, play, is_legal):
            return f"{names[seat]}: {format_roll(roll)} {format_play(play, is_legal=is_legal)}"
        case RollAction(seat, roll):
            return f"{names[seat]}: {format_roll(roll)}, not played"
        case DoubleAction(seat, cube):
            return f"{names[seat]} {name_double(match)}s to {cube}"
        case ResponseAction(seat, is_take):
            return f"{names[seat]} {'takes' if is_take else 'passes'}"
        case ResignationAction(seat, kind, is_stated=False):
            return f"{names[seat]} loses a {RESULT_NAMES[kind - 1]}, by the result in the file"
        case ResignationAction(seat, kind, is_accepted):
            answer = "accepted" if is_accepted else "rejected"
            return f"{names[seat]} resigns a {RESULT_NAMES[kind - 1]}: {answer}"
        case _:
            return "the position is set"


def _format_decision(analysed: AnalysedMatch, decision: AnalysedDecision) -> str:
    """Format what the engine thinks of a decision."""
    match decision.choice:
        case Choice.PLAY:
            return _format_plays(analysed, decision)
        case Choice.NO_DOUBLE | Choice.DOUBLE:
            return _format_cube(analysed, decision)
        case _:
            return f"<p>Best: {decision.best}.</p>"


def _format_plays(analysed: AnalysedMatch, decision: AnalysedDecision) -> str:
    """Format the best plays, and the one that was made; empty where there was no choice."""
    candidates, match = decision.notes.candidates, decision.situation.match
    is_legal = decision.is_legal
    if len(candidates) < 2 and is_legal:
        return ""
    compared, others, others_name = split_by_depth(candidates)
    worth = decision.loss.mwc_per_point
    blocks: list[list[str]] = [[], []]
    for rank, each in enumerate((*compared, *others), 1):
        is_made, is_compared = each is decision.made_candidate, rank <= len(compared)
        if rank > _LISTED_PLAYS and not is_made:
            continue
        words = (" (played)" if is_made else "") + ("" if is_compared else f" {each.evaluation.depth}")
        lost = compared[0].evaluation.equity - each.evaluation.equity
        difference = format_difference(lost) if is_on_scale(lost, worth) else "\N{EN DASH}"
        equity = _format_equity(analysed, match, each.evaluation.equity, each.evaluation.error)
        blocks[not is_compared].append(
            f"<tr{' class=made' * is_made}><th scope=row>{format_play(each.play)}{words}"
            f"{equity}<td>{difference if 1 < rank <= len(compared) else ''}<td>"
            f"{_format_chances(each)}"
        )
    mwc = "" if match.is_money else "<th scope=col>MWC %"
    title = f"<tbody><tr><th scope=rowgroup class=text colspan={4 if match.is_money else 5}>{others_name}:"
    breach = "" if is_legal else "; the play that was made is illegal, and no error is counted"
    return (
        f"<table><caption>Plays, {_format_depth(decision)}{breach}</caption><thead><tr>"
        f"<th scope=col class=text>Play<th scope=col>Equity{mwc}<th scope=col>Difference"
        "<th scope=col>Wins (gammons, bg) / losses"
        f"<tbody>{''.join(blocks[0])}{title * bool(blocks[1])}{''.join(blocks[1])}</table>"
    )


def _format_cube(analysed: AnalysedMatch, decision: AnalysedDecision) -> str:
    """Format the equities of a cube decision: as a table, or as a line where nothing was near."""
    cube, match = decision.notes.cube, decision.situation.match
    assert cube is not None
    best, taken = decision.best_name, cube.double_take
    errors = cube.no_double.error, taken and taken.error, None
    actions = (name_cube_action(name, match) for name in ("no double", "double, take", "double, pass"))
    equities = dict(zip(actions, zip(cube.equities, errors, strict=True), strict=True))
    if decision.choice is Choice.NO_DOUBLE and not (decision.counts_for_gnubg or decision.loss.mark):
        listed = ", ".join(
            f"{name} {_format_scaled(analysed, match, equity)}" for name, (equity, _) in equities.items()
        )
        return f'<p class="soft">Cube: {listed}; best: {best}.</p>'
    rows = "".join(
        f"<tr><th scope=row>{name}{_format_equity(analysed, match, *equity)}"
        for name, equity in equities.items()
    )
    mwc = "" if match.is_money else "<th scope=col>MWC %"
    return (
        f"<table><caption>Cube, {_format_depth(decision)}; best: {best}</caption><thead><tr>"
        f"<th scope=col class=text>Action<th scope=col>Equity{mwc}<tbody>{rows}</table>"
    )


def _format_depth(decision: AnalysedDecision) -> str:
    """Format how a decision was analysed."""
    return f"{decision.depth}, {decision.trials:,} trials" if decision.trials else decision.depth


def _format_equity(
    analysed: AnalysedMatch, match: MatchState, equity: float, error: float | None = None
) -> str:
    """Format the cells of an equity: itself with its 95 % interval, and in a match the winning chance."""
    mwc = analysed.table.mwc_of(equity, match)
    spread = "" if error is None else f"\N{NO-BREAK SPACE}{format_interval(error)}"
    shown = _format_scaled(analysed, match, equity)
    return f"<td>{shown}{spread}" + ("" if mwc is None else f"<td>{100 * mwc:.2f}")


def _format_scaled(analysed: AnalysedMatch, match: MatchState, points: float) -> str:
    """Format an equity; a dash where it is on no scale."""
    is_scaled = is_on_scale(points, analysed.table.mwc_per_point(match))
    return format_points(points) if is_scaled else "\N{EN DASH}"


def _format_chances(candidate: RankedPlay) -> str:
    outcome = candidate.evaluation.outcome
    if outcome is None:
        return ""
    win, gammon, backgammon, lose_gammon, lose_backgammon = (100 * chance for chance in outcome)
    sides = ((win, gammon, backgammon), (100 - win, lose_gammon, lose_backgammon))
    nbsp = "\N{NO-BREAK SPACE}"
    return " / ".join(f"{every:.1f}{nbsp}({gammons:.1f},{nbsp}{rest:.1f})" for every, gammons, rest in sides)
