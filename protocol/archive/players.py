"""What the matches of the archive say about players: results, performance rating, Elo, and lists of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from math import inf

import numpy as np

from gammond.engine.match_analysis.elo import estimate_elo
from gammond.engine.match_analysis.statistics import RatingTotal, round_value
from gammond.protocol.archive.archive import GameArchive
from gammond.protocol.archive.database import ArchiveDatabase
from gammond.protocol.archive.records import OpponentKind
from gammond.protocol.tables.names import NOBODY, fold_name

LEAST_AGE_S = 2.0
"""How long a list is given again at least."""

PERIODS_S = {"all": inf, "week": 7 * 86_400.0}
"""How long ago the matches of a list may have ended, in seconds, by the word for it."""

_AGE_FACTOR = 20.0
"""A list is given again for so many times what it took to compute: lists take a twentieth of a core."""


MIN_COUNTED = 100
"""Counted decisions from which on a performance rating has a place in the list: some three matches to 5."""

MOVING_COUNTED = 500
"""Counted decisions of a moving performance rating."""

MAX_LISTED = 100
"""Players of a list: those with the most matches."""

MAX_HISTORY = 1000
"""Matches of a player's history of ratings, the last ones."""

_SUMS = (
    *("sum(s.counted) AS counted", "sum(s.error) AS error", "sum(s.counted_error) AS counted_error"),
    *("sum(s.squares) AS squares", "sum(s.blunders) AS blunders", "sum(s.luck) AS luck"),
    "count(s.counted) AS analysed",
)
_COUNTS = "m.is_rated AND NOT m.has_help"
"""What says how well somebody plays: moves taken back, or made by the engine, are nobody's own."""

_MARKS = ", ".join("?" * len(NOBODY))
_RESULTS = (
    "count(*) AS matches, count(s.score) AS ended, coalesce(sum(s.score = 1), 0) AS won, "
    "coalesce(sum(s.score = 0.5), 0) AS drawn"
)
_COLUMNS = ", ".join([_RESULTS, *(each.replace(" AS", f" FILTER (WHERE {_COUNTS}) AS") for each in _SUMS)])


_Entrant = tuple[str, str]
"""One of a list: the kind of player, and the name as `fold_name` returns it."""


def list_players(database: ArchiveDatabase, variant: str, since_s: float = 0.0) -> dict[str, object]:
    """Return the lists of persons and of players of the engine, by keys.

    Elo is by Bradley and Terry's model, each match or game of money play one result, whatever its length; who
    has the most results is 0.

    Args:
        database: The archive.
        variant: Matches of this variant count.
        since_s: Those that ended then or later, in seconds of the Unix epoch.
    """
    rows = database.execute(
        f"SELECT s.kind AS kind, s.folded AS folded, s.name AS name, max(m.id) AS last, {_COLUMNS} "
        "FROM seats s JOIN matches m ON m.id = s.match WHERE m.variant = ? AND m.ended >= ? "
        f"AND NOT (s.kind = ? AND s.folded IN ({_MARKS})) "
        "GROUP BY s.kind, s.folded ORDER BY ended DESC, last DESC LIMIT ?",
        (variant, since_s, OpponentKind.PERSON, *NOBODY, 2 * MAX_LISTED),
    ).fetchall()
    entrants = [(row["kind"], row["folded"]) for row in rows]
    elo = _estimate_elo(database, variant, since_s, entrants)
    lists: dict[str, list[dict[str, object]]] = {kind: [] for kind in OpponentKind}
    for row, entrant in zip(rows, entrants, strict=True):
        listed = lists[row["kind"]]
        if len(listed) < MAX_LISTED:
            listed.append({"name": row["name"], **_describe_sums(row), **elo.get(entrant, _NO_ELO)})
    anchor = next((row["name"] for row, who in zip(rows, entrants, strict=True) if who in elo), None)
    return {
        "variant": variant,
        "players": lists[OpponentKind.PERSON],
        "levels": lists[OpponentKind.ENGINE],
        "elo_of_0": anchor,
        "min_counted": MIN_COUNTED,
    }


class Leaderboard:
    """Gives the lists of an archive; safe to use from several threads, of which one at a time computes.

    Args:
        archive: The archive.
        clock: Seconds that never go back.
        wall_clock: Seconds of the Unix epoch.
    """

    def __init__(
        self,
        archive: GameArchive,
        clock: Callable[[], float] = time.monotonic,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._archive = archive
        self._clock = clock
        self._wall_clock = wall_clock
        self._lock = threading.Lock()
        self._lists: dict[tuple[str, str], tuple[float, dict[str, object]]] = {}

    def get(self, variant: str, period: str = "all") -> dict[str, object]:
        """Return the lists of a variant, as `list_players`.

        Args:
            variant: One of those that there are.
            period: One of `PERIODS_S`.

        Raises:
            DataFileError: The archive cannot be read.
        """
        with self._lock:
            until_s, lists = self._lists.get((variant, period), (-1.0, {}))
            began_s = self._clock()
            if began_s >= until_s:
                since_s = max(self._wall_clock() - PERIODS_S[period], 0.0)
                lists = self._archive.read(lambda database: list_players(database, variant, since_s))
                now_s = self._clock()
                self._lists[variant, period] = (
                    now_s + max(LEAST_AGE_S, _AGE_FACTOR * (now_s - began_s)),
                    lists,
                )
            return lists


def describe_player(database: ArchiveDatabase, name: str, variant: str) -> dict[str, object] | None:
    """Return what is known of a person, with the ratings of the analysed matches in order, by keys.

    Args:
        database: The archive.
        name: The person's.
        variant: Matches of this variant count.

    Returns:
        None for a name without a match of any variant, or that nobody gave himself.
    """
    folded = fold_name(name)
    if folded in NOBODY:
        return None
    known = database.execute(
        "SELECT s.name, m.variant AS variant FROM seats s JOIN matches m ON m.id = s.match "
        "WHERE s.folded = ? AND s.kind = ? GROUP BY m.variant ORDER BY max(m.id) DESC",
        (folded, OpponentKind.PERSON),
    ).fetchall()
    if not known:
        return None
    row = database.execute(
        f"SELECT {_COLUMNS} FROM seats s JOIN matches m ON m.id = s.match "
        "WHERE s.folded = ? AND s.kind = ? AND m.variant = ?",
        (folded, OpponentKind.PERSON, variant),
    ).fetchone()
    return {
        "name": known[0]["name"],
        "variant": variant,
        "variants": [each["variant"] for each in known],
        **_describe_sums(row),
        "opponents": _list_opponents(database, folded, variant),
        "ratings": _list_ratings(database, folded, variant),
        "min_counted": MIN_COUNTED,
        "moving_counted": MOVING_COUNTED,
    }


def describe_rating(total: RatingTotal) -> dict[str, object]:
    """Return a performance rating with half the width of its 95 % interval, by keys."""
    return {
        "counted": total.counted,
        "performance_rating": round_value(total.performance_rating),
        "performance_rating_95": round_value(total.performance_rating_95),
    }


def _describe_sums(row: object) -> dict[str, object]:
    values = dict(row)  # type: ignore[call-overload]
    return {
        "matches": values["matches"],
        "won": values["won"],
        "drawn": values["drawn"],
        "lost": values["ended"] - values["won"] - values["drawn"],
        "analysed": values["analysed"],
        **describe_rating(make_total(row)),
        "blunders": values["blunders"] or 0,
        "luck": round_value(values["luck"]),
    }


def make_total(row: object) -> RatingTotal:
    """Return the rating of a row of sums, or of one seat."""
    values = dict(row)  # type: ignore[call-overload]
    return RatingTotal(
        values["counted"] or 0,
        values["error"] or 0.0,
        values["counted_error"] or 0.0,
        values["squares"] or 0.0,
    )


def _list_opponents(database: ArchiveDatabase, folded: str, variant: str) -> list[dict[str, object]]:
    """Return the results against each opponent, the most frequent ones first."""
    rows = database.execute(
        "SELECT o.kind AS kind, o.name AS name, max(m.id), count(*) AS matches, sum(s.score = 1) AS won, "
        "sum(s.score = 0.5) AS drawn, sum(s.score = 0) AS lost FROM seats s JOIN matches m ON m.id = s.match "
        "JOIN seats o ON o.match = s.match AND o.seat = 1 - s.seat "
        "WHERE s.folded = ? AND s.kind = ? AND m.variant = ? "
        "GROUP BY o.kind, o.folded ORDER BY matches DESC, o.folded LIMIT ?",
        (folded, OpponentKind.PERSON, variant, MAX_LISTED),
    )
    keys = ("kind", "name", "matches", "won", "drawn", "lost")
    return [{key: row[key] or 0 if key in keys[2:] else row[key] for key in keys} for row in rows]


def _list_ratings(database: ArchiveDatabase, folded: str, variant: str) -> list[dict[str, object]]:
    """Return the analysed matches, the oldest first, each with the rating of the last decisions up to it."""
    rows = database.execute(
        "SELECT m.id AS id, m.ended AS ended, s.* FROM seats s JOIN matches m ON m.id = s.match "
        f"WHERE s.folded = ? AND s.kind = ? AND m.variant = ? AND s.counted IS NOT NULL AND {_COUNTS} "
        "ORDER BY m.id DESC LIMIT ?",
        (folded, OpponentKind.PERSON, variant, MAX_HISTORY),
    ).fetchall()[::-1]
    totals = [make_total(row) for row in rows]
    listed, first = list[dict[str, object]](), 0
    for place, row in enumerate(rows):
        while sum(each.counted for each in totals[first + 1 : place + 1]) >= MOVING_COUNTED:
            first += 1
        moving = sum(totals[first : place + 1], RatingTotal())
        listed.append(
            {
                **{"id": row["id"], "ended": row["ended"], "score": row["score"]},
                **describe_rating(totals[place]),
                "luck": round_value(row["luck"]),
                **{f"moving_{key}": value for key, value in describe_rating(moving).items()},
            }
        )
    return listed


_NO_ELO: dict[str, object] = {"elo": None, "elo_error": None}


def _estimate_elo(
    database: ArchiveDatabase, variant: str, since_s: float, entrants: list[_Entrant]
) -> dict[_Entrant, dict[str, object]]:
    """Return Elo with its standard error, of all whom results connect with the first."""
    places = {entrant: place for place, entrant in enumerate(entrants)}
    wins, games = np.zeros((len(entrants), len(entrants))), 0
    for row in database.execute(
        "SELECT a.kind AS kind, a.folded AS folded, b.kind AS other_kind, b.folded AS other, "
        "count(*) AS games, sum(a.score) AS won FROM matches m "
        "JOIN seats a ON a.match = m.id AND a.seat = 0 JOIN seats b ON b.match = m.id AND b.seat = 1 "
        f"WHERE m.variant = ? AND m.ended >= ? AND a.score IS NOT NULL AND {_COUNTS} GROUP BY 1, 2, 3, 4",
        (variant, since_s),
    ):
        one = places.get((row["kind"], row["folded"]))
        two = places.get((row["other_kind"], row["other"]))
        if one is None or two is None or one == two:
            continue
        games += row["games"]
        wins[one, two] += row["won"]
        wins[two, one] += row["games"] - row["won"]
    if not games:
        return {}
    elo, errors = estimate_elo(wins, np.zeros_like(wins))
    return {
        entrant: {"elo": round(float(elo[place]), 1), "elo_error": round(float(errors[place]), 1)}
        for entrant, place in places.items()
        if np.isfinite(elo[place])
    }
