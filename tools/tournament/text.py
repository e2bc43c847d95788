"""The results of a tournament for people: a few lines for two players, a cross table for more."""

from __future__ import annotations

import math

from gammond.engine.play.lockstep import MAX_TURNS
from gammond.engine.runtime.version import read_version
from gammond.engine.statistics import ValueWithError
from gammond.engine.wording import format_count
from gammond.nets.catalogue import find_pruner
from gammond.tools.tournament.report import PairReport, PlayerReport, TournamentReport
from gammond.tools.tournament.statistics.scores import MeanEstimate

_SMALL_P = 1e-4
_PERCENT = 100
_LARGE_RATIO = 1e4


def format_report(report: TournamentReport) -> str:
    """Format a report on at least one pair."""
    lines = [_format_header(report), *_format_nets(report)]
    lines += [f"  {remark}" for remark in report.rules.remarks]
    lines += _format_two_players(report) if len(report.players) == 2 else _format_cross_table(report)
    return "\n".join(lines) + "\n"


def _format_header(report: TournamentReport) -> str:
    rules = report.rules
    each = "" if len(report.players) == 2 else " of each pair"
    games = report.pairs[0].games if len(report.players) == 2 else report.games
    until = f", or until an SPRT of {report.test.name} ends" if report.test and each else ""
    played = f"{games:,} paired {rules.name}{each}{until}"
    return f"gammond {read_version()}, seed {rules.seed}, {played}, {report.seconds:.1f} s"


def _format_nets(report: TournamentReport) -> list[str]:
    nets = {net: sha256 for player in report.players for net, sha256 in player.nets.items()}
    pruning = set(find_pruner().net_hashes)
    own: set[str] = set()
    for player in report.players:
        own |= player.nets.keys() - pruning or player.nets.keys()
    return [
        f"  net {net} sha256 {sha256[:16]}{'' if net in own else ' (pruning)'}"
        for net, sha256 in nets.items()
    ]


def _format_two_players(report: TournamentReport) -> list[str]:
    (pair,) = report.pairs
    width = max(16, len(pair.first), len(pair.second))
    has_gammons = report.rules.has_gammons
    lines = [f"{'':{width}}{'wins':>10}" + f"{'gammons':>10}{'backgammons':>13}" * has_gammons]
    for name, won in ((pair.first, pair.first_wins), (pair.second, pair.second_wins)):
        gammons = f"{won.gammons:10,}{won.backgammons:13,}" * has_gammons
        lines.append(f"{name:{width}}{won.wins:10,}{gammons}")
    better = report.players[1] if report.anchor == pair.first else report.players[0]
    lines += [
        f"{pair.first} wins {_format_win_share(pair)} % of {report.rules.game_noun}, "
        f"Elo of {better.name} {_format_elo(better)} relative to {report.anchor}",
        f"95 % interval {pair.score.low:+.4f} to {pair.score.high:+.4f}; "
        f"p-value of equal strength {_format_p_value(pair.p_score)}, "
        f"by wins only {_format_p_value(pair.p_wins)}",
    ]
    if pair.lengths is not None:
        lines.append(f"draws {_format_draws(pair)} %, {_format_moves(pair)} moves a game")
    lines += _format_endless(report)
    if report.test is not None:
        lines.append(f"SPRT of {report.test.name}: {_format_verdict(report, pair)}")
    return [*lines, f"{pair.first} scores {_format_score(pair.score)} {report.rules.score_unit}"]


def _format_cross_table(report: TournamentReport) -> list[str]:
    """Format a cross table with the strongest first, and a line for each pair."""
    players = sorted(
        report.players, key=lambda each: -math.inf if math.isnan(each.elo) else each.elo, reverse=True
    )
    width = max(len(player.name) for player in players) + 4
    lines = [
        f"{'':{width}}{'Elo':>18}{'score':>18}"
        + "".join(f"{place:>9}" for place in range(1, len(players) + 1))
    ]
    for place, player in enumerate(players, 1):
        cells = "".join(f"{_format_against(report, player, other):>9}" for other in players)
        title = f"{place:>2}  {player.name}"
        score = f"{ValueWithError(player.score, player.score_error):+.4f}"
        lines.append(f"{title:{width}}{_format_elo(player):>18}{score:>18}{cells}")
    lines += [
        f"Elo relative to {report.anchor}, from games won; scores in {report.rules.score_unit}, "
        "row against column",
        "",
    ]
    return lines + _format_pairs(report) + _format_endless(report)


def _format_pairs(report: TournamentReport) -> list[str]:
    names = [f"{pair.first} - {pair.second}" for pair in report.pairs]
    width = max(len(name) for name in names)
    has_gammons = report.rules.has_gammons
    gammons = f"{'gammons, %':>16}{'backgammons, %':>18}" * has_gammons
    lengths = f"{'draws, %':>10}{'moves':>14}" * report.has_lengths
    header = (
        f"{'':{width}}{report.rules.game_noun:>10}{'score':>20}{'wins, %':>16}{gammons}{lengths}{'p':>10}"
    )
    lines = [header]
    for name, pair in zip(names, report.pairs, strict=True):
        first, second = pair.first_wins, pair.second_wins
        gammons = _format_both_shares(pair, first.gammons, second.gammons)
        backgammons = _format_both_shares(pair, first.backgammons, second.backgammons)
        gammons = f"{gammons:>16}{backgammons:>18}" * has_gammons
        if pair.lengths is not None:
            lengths = f"{_format_draws(pair):>10}{_format_moves(pair):>14}"
        verdict = f"  {_format_verdict(report, pair)}" if report.test is not None else ""
        lines.append(
            f"{name:{width}}{pair.games:10,}{_format_score(pair.score):>20}{_format_win_share(pair):>16}{gammons}"
            f"{lengths}{_format_p_value(pair.p_score):>10}{verdict}"
        )
    return lines


def _format_endless(report: TournamentReport) -> list[str]:
    """Tell which games did not end, pair by pair."""
    return [
        f"{pair.first} - {pair.second}: {format_count(pair.endless, 'game')} did not end within "
        f"{MAX_TURNS:,} turns; without them and those with the same dice, {pair.games:,} count"
        for pair in report.pairs
        if pair.endless
    ]


def _format_against(report: TournamentReport, player: PlayerReport, other: PlayerReport) -> str:
    pair = report.find_pair(player.name, other.name) if player is not other else None
    if pair is None:
        return "."
    return f"{pair.score.mean if pair.first == player.name else -pair.score.mean:+.3f}"


def _format_score(score: MeanEstimate) -> str:
    return f"{score.figure:+.4f}"


def _format_elo(player: PlayerReport) -> str:
    return f"{ValueWithError(player.elo, player.elo_error):+.1f}"


def _format_win_share(pair: PairReport) -> str:
    return f"{pair.win_share.figure.scale(_PERCENT):.2f}"


def _format_draws(pair: PairReport) -> str:
    assert pair.lengths is not None
    return f"{_PERCENT * pair.lengths.draws / pair.games:.2f}"


def _format_moves(pair: PairReport) -> str:
    assert pair.lengths is not None
    return f"{pair.lengths.moves.figure:.1f}"


def _format_both_shares(pair: PairReport, first: int, second: int) -> str:
    return f"{_PERCENT * first / pair.games:.2f} - {_PERCENT * second / pair.games:.2f}"


def _format_p_value(p: float) -> str:
    return f"< {_SMALL_P:.4f}" if p < _SMALL_P else f"{p:.4f}"


def _format_verdict(report: TournamentReport, pair: PairReport) -> str:
    assert report.test is not None
    assert pair.ratio is not None
    low, high = report.test.llr_bounds
    ratio = f"{pair.ratio:.2f}" if abs(pair.ratio) < _LARGE_RATIO else f"{pair.ratio:.0e}"
    return (
        f"{pair.verdict} after {pair.games:,} {report.rules.game_noun}, "
        f"LLR {ratio} of {low:.2f} to {high:.2f}"
    )
